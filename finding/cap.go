package finding

import "slices"

// Cap keeps at most n findings, the worst ones first choice, in their present order. It says how many it dropped: no
// writer may leave findings out in silence.
func Cap(fs []Finding, n int) (kept []Finding, dropped int) {
	if len(fs) <= n {
		return fs, 0
	}
	order := make([]int, len(fs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(fs[b].Severity) - int(fs[a].Severity) })
	order = order[:max(n, 0)]
	slices.Sort(order)
	for _, i := range order {
		kept = append(kept, fs[i])
	}
	return kept, len(fs) - len(kept)
}
