package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/limit"
)

// statistics counts: a line for each rule, and for each reason why a kernel is inconclusive, the most frequent first. A kernel counts once for a
// reason, however often it has it.
func (p *page) statistics(r finding.Report) {
	type rule struct{ id, name, severity string }
	counts := map[rule]int{}
	for _, f := range r.Findings {
		if !f.Cleared {
			counts[rule{f.Rule, f.Name, f.Severity.String()}]++
		}
	}
	rules := slices.SortedFunc(maps.Keys(counts), func(a, b rule) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a.id, b.id), cmp.Compare(a.severity, b.severity))
	})
	for _, k := range rules {
		p.line("%6d  %s  %-8s %s", counts[k], Clean(k.id), k.severity, Clean(k.name))
	}
	reasons := map[limit.Code]int{}
	for _, k := range r.Kernels {
		codes := slices.Clone(k.Codes)
		slices.Sort(codes)
		for _, c := range slices.Compact(codes) {
			reasons[c]++
		}
	}
	codes := slices.SortedFunc(maps.Keys(reasons), func(a, b limit.Code) int { return cmp.Or(reasons[b]-reasons[a], cmp.Compare(a, b)) })
	for _, c := range codes {
		p.line("%6d  %s   inconclusive %s", reasons[c], c, c.Name())
	}
	if len(rules)+len(codes) > 0 {
		p.line("")
	}
}
