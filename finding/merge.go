package finding

import "slices"

// Merge joins the reports of several runs, the shards of a sweep, into one.
func Merge(reports ...Report) Report {
	var m Report
	for _, r := range reports {
		m.Findings = append(m.Findings, r.Findings...)
		m.Kernels = append(m.Kernels, r.Kernels...)
		m.Notes = append(m.Notes, r.Notes...)
		m.Summary.Files += r.Summary.Files
		m.Left = append(m.Left, r.Left...)
		m.Summary.FilesSkipped += r.Summary.FilesSkipped
		m.Summary.FilesLeft += r.Summary.FilesLeft
		m.Summary.FunctionsSkipped += r.Summary.FunctionsSkipped
		m.Summary.Suppressed += r.Summary.Suppressed
		m.Summary.Cleared += r.Summary.Cleared
		m.Summary.Known += r.Summary.Known
		m.Summary.Fixed += r.Summary.Fixed
		m.Summary.Millis += r.Summary.Millis
	}
	m.Findings = Dedupe(m.Findings)
	SortKernels(m.Kernels)
	slices.Sort(m.Notes)
	m.Notes = slices.Compact(m.Notes)
	m.Count()
	return m
}

// Count fills the parts of the summary that follow from the findings and kernels.
func (r *Report) Count() {
	s := &r.Summary
	s.Kernels, s.Errors, s.Warnings, s.NotesCount = len(r.Kernels), 0, 0, 0
	s.Verdicts, s.Open = map[string]int{}, 0
	for _, k := range r.Kernels {
		s.Verdicts[k.Verdict]++
		if k.Says() != k.Verdict {
			s.Open++
		}
	}
	for _, f := range r.Findings {
		switch {
		case f.Cleared:
		case f.Severity == Error:
			s.Errors++
		case f.Severity == Warning:
			s.Warnings++
		default:
			s.NotesCount++
		}
	}
}
