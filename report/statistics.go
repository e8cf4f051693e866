package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/finding"
)

// statistics counts: a line for each rule, the most frequent first.
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
	if len(rules) > 0 {
		p.line("")
	}
}
