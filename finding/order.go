package finding

import (
	"cmp"
	"slices"
)

// Sort orders findings by path, line, column, rule and message, and by what else tells two of them apart, so that
// the order never depends on which worker was done first.
func Sort(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Kernel, b.Kernel),
			cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Verdict, b.Verdict), cmp.Compare(len(a.Trace), len(b.Trace)),
		)
	})
}

// SortKernels orders kernels by path, line and name.
func SortKernels(ks []Kernel) {
	slices.SortStableFunc(ks, func(a, b Kernel) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name))
	})
}
