package check

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/source"
)

// suppressed are the suppression comments of one file.
type suppressed struct {
	path     string
	comments []source.Suppression
}

// finish takes a report through the stages over lists of findings: the user's severities, cleared suspects, duplicates,
// suppression comments, changed lines, order, counts.
func finish(r *finding.Report, opt Options, comments []suppressed) {
	fs := opt.regrade(r.Findings)
	fs, r.Summary.Cleared = withoutCleared(fs, opt.ShowCleared)
	fs = finding.Dedupe(fs)
	byFile := map[string][]source.Suppression{}
	for _, s := range comments {
		byFile[s.path] = s.comments
	}
	fs, n, unused := finding.Suppress(fs, byFile)
	fs, elsewhere, _ := finding.Suppress(fs, opt.unvisited(fs, byFile))
	r.Summary.Suppressed = n + elsewhere
	fs = append(fs, opt.regrade(unused)...)
	if opt.Undecided {
		fs = append(fs, opt.regrade(finding.Undecided(r.Kernels))...)
	}
	fs = opt.touching.findings(fs)
	if opt.Changed != nil {
		fs = finding.Changed(fs, opt.Changed)
		r.Notes = append(r.Notes, opt.silencing(comments)...)
	}
	required, _ := finding.Required(r.Kernels, opt.Require) // whatever changed
	fs = append(fs, opt.regrade(required)...)
	if opt.Chosen != nil {
		fs = slices.DeleteFunc(fs, func(f finding.Finding) bool { return !opt.Chosen(f.Rule) })
	}
	fs = append(fs, opt.regrade(finding.Unfinished(r.Left))...) // whichever rules were chosen
	fs = finding.Once(fs)
	finding.Sort(fs)
	finding.Fingerprint(fs, files(opt.Tree))
	finding.SortKernels(r.Kernels)
	slices.Sort(r.Notes)
	r.Notes = slices.Compact(r.Notes)
	r.Findings = fs
	r.Count()
}

// unvisited reads the suppression comments of files that were not checked themselves: a kernel's defect may stand in a
// function it imports.
func (opt *Options) unvisited(fs []finding.Finding, visited map[string][]source.Suppression) map[string][]source.Suppression {
	out := map[string][]source.Suppression{}
	for _, fd := range fs {
		if _, ok := visited[fd.Path]; ok {
			continue
		}
		if _, ok := out[fd.Path]; ok {
			continue
		}
		out[fd.Path] = nil
		if f, err := opt.Tree.Read(fd.Path); err == nil {
			out[fd.Path] = source.Suppressions(f)
		}
	}
	return out
}

// regrade applies the user's severities and leaves out the rules that are off. A suspect that no engine confirmed stays
// at most a warning: the user's severity says how bad the defect is, not how sure fencepost is.
func (opt *Options) regrade(fs []finding.Finding) []finding.Finding {
	var kept []finding.Finding
	for _, f := range fs {
		if !opt.enabled(f.Rule) {
			continue
		}
		if opt.Severity != nil && !f.Cleared {
			if s, ok := opt.Severity(f.Rule); ok {
				if f.Verdict == "inconclusive" {
					s = min(s, finding.Warning)
				}
				f.Severity = s
			}
		}
		kept = append(kept, f)
	}
	return kept
}

func withoutCleared(fs []finding.Finding, show bool) (kept []finding.Finding, cleared int) {
	for _, f := range fs {
		if f.Cleared {
			cleared++
			if !show {
				continue
			}
		}
		kept = append(kept, f)
	}
	return kept, cleared
}

// silencing tells a reviewer what a change does to fencepost itself: a pull request may bring the comment or the
// configuration that keeps its own bug quiet.
func (opt *Options) silencing(comments []suppressed) []string {
	var notes []string
	for _, name := range opt.ConfigNames {
		if len(opt.Changed[name]) > 0 {
			notes = append(notes, name+": the configuration is changed here; that of "+opt.ConfigFrom+" was used")
		}
	}
	if opt.ConfigFrom == "" && opt.ConfigPath != "" && len(opt.Changed[opt.ConfigPath]) > 0 {
		notes = append(notes, opt.ConfigPath+": the configuration is changed here too")
	}
	for _, s := range comments {
		for _, c := range s.comments {
			for _, changed := range opt.Changed[s.path] {
				if changed.First <= c.Line && c.Line <= changed.Last {
					notes = append(notes, fmt.Sprintf("%s:%d: this change adds or edits a suppression comment", s.path, c.Line))
					break
				}
			}
		}
	}
	return notes
}

// files reads files again for their fingerprints, each once: only those with findings are, and those are few.
func files(tree *source.Tree) func(path string) *source.File {
	read := map[string]*source.File{}
	return func(path string) *source.File {
		f, ok := read[path]
		if !ok {
			f, _ = tree.Read(path) // without the file there is no fingerprint, and that is all
			read[path] = f
		}
		return f
	}
}
