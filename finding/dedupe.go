package finding

import (
	"slices"
	"strings"
)

// maxOtherKernels bounds how many kernels a note names.
const maxOtherKernels = 5

// Dedupe keeps one finding a rule and place: a helper that several kernels call has one defect, not several. The best proved
// one stays, and a note names the other kernels. What a function shows by itself is left out where something else tells of that line. The result is sorted.
func Dedupe(fs []Finding) []Finding {
	type key struct {
		rule, path   string
		line, column int
	}
	all := withoutAlone(fs)
	Sort(all)
	at := map[key]int{}
	others := map[int][]string{}
	var kept []Finding
	for _, f := range all {
		k := key{f.Rule, f.Path, f.Line, f.Column}
		i, seen := at[k]
		if !seen {
			at[k] = len(kept)
			kept = append(kept, f)
			continue
		}
		if better(f, kept[i]) {
			kept[i], f = f, kept[i]
		}
		others[i] = append(others[i], f.Kernel)
	}
	for i, names := range others {
		if note := otherKernels(kept[i].Kernel, names); note != "" {
			kept[i].Notes = append(slices.Clone(kept[i].Notes), note)
		}
	}
	Sort(kept)
	return kept
}

// withoutAlone leaves out what functions show by themselves at lines that other findings are of, or have labels at.
func withoutAlone(fs []Finding) []Finding {
	type place struct {
		path string
		line int
	}
	told := map[place]bool{}
	for _, f := range fs {
		if !f.Alone {
			told[place{f.Path, f.Line}] = true
			for _, l := range f.Labels {
				told[place{l.Path, l.Line}] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(fs), func(f Finding) bool {
		return f.Alone && (told[place{f.Path, f.Line}] || slices.ContainsFunc(f.Labels, func(l Label) bool { return told[place{l.Path, l.Line}] }))
	})
}

func otherKernels(own string, names []string) string {
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == "" || n == own })
	if len(names) == 0 {
		return ""
	}
	if len(names) > maxOtherKernels {
		names = append(names[:maxOtherKernels:maxOtherKernels], "…")
	}
	return "found in these kernels too: " + strings.Join(names, ", ")
}

// better reports whether a says more than b: not cleared, worse, confirmed, with a trace, with the shorter trace.
func better(a, b Finding) bool {
	rank := func(f Finding) [4]int {
		r := [4]int{0, int(f.Severity), 0, 0}
		if !f.Cleared {
			r[0] = 1
		}
		if f.Verdict == "violated" {
			r[2] = 1
		}
		if len(f.Trace) > 0 {
			r[3] = 1 << 30
			r[3] -= len(f.Trace)
		}
		return r
	}
	x, y := rank(a), rank(b)
	return slices.Compare(x[:], y[:]) > 0
}
