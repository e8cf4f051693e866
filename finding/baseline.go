package finding

import (
	"fmt"
	"slices"
)

// Since compares a report with an earlier one. Findings that the earlier one has are taken out and counted; what it has and
// this one has not, of the files that were checked, is counted as fixed; and a kernel whose verdict is worse than it was is a
// finding of its own, where no new error in it says so already.
func Since(before Report, now *Report) {
	known := map[string]bool{}
	for _, f := range before.Findings {
		if !f.Cleared && f.Identity != "" {
			known[f.Identity] = true
		}
	}
	was := verdictsOf(before.Kernels)
	here := map[string]bool{}
	var kept []Finding
	for _, f := range now.Findings {
		here[f.Identity] = true
		old, had := was[kernelKey{f.Path, f.Kernel, 0}]
		switch {
		case f.Rule == UndecidedKernel && had && old.badness() >= undecided: // it was no better, even if nobody insisted then
			now.Summary.Known++
		case known[f.Identity] && f.Rule != RequiredKernel && !f.Cleared:
			now.Summary.Known++
		default:
			kept = append(kept, f)
		}
	}
	checked := map[string]bool{}
	for _, name := range now.Files {
		checked[name] = true
	}
	for _, f := range before.Findings {
		if f.Cleared || here[f.Identity] || !checked[f.Path] {
			continue
		}
		now.Summary.Fixed++
		now.Notes = append(now.Notes, fmt.Sprintf("fixed since the baseline: %s %s: %s (it was at %s:%d)", f.Rule, f.Name, f.Message, f.Path, f.Line))
	}
	is := verdictsOf(now.Kernels)
	for key, k := range is {
		old, had := was[key]
		if !had || k.badness() <= old.badness() || slices.ContainsFunc(kept, func(f Finding) bool {
			return f.Path == k.Path && f.Kernel == k.Name && f.Severity == Error && !f.Cleared
		}) {
			continue
		}
		f := about(k, WorseVerdict, "worse-verdict", fmt.Sprintf("kernel %s was %q in the baseline, and is %q", k.Name, old.Says(), k.Says()))
		for _, o := range k.Open {
			f.Notes = append(f.Notes, o.Property+" open: "+o.Why)
		}
		kept = append(kept, f)
	}
	Sort(kept)
	now.Findings = kept
	now.Count()
}

// kernelKey names a kernel by what survives moved lines; n tells those of one name apart, in their order.
type kernelKey struct {
	path, name string
	n          int
}

func verdictsOf(ks []Kernel) map[kernelKey]*Kernel {
	out := map[kernelKey]*Kernel{}
	for i := range ks {
		key := kernelKey{ks[i].Path, ks[i].Name, 0}
		for out[key] != nil {
			key.n++
		}
		out[key] = &ks[i]
	}
	return out
}

const undecided = 2

// badness orders verdicts.
func (k *Kernel) badness() int {
	switch {
	case k.Verdict == "violated":
		return 3
	case k.Verdict == "inconclusive":
		return undecided
	case len(k.Open) > 0:
		return 1
	}
	return 0
}
