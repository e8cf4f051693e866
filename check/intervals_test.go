package check

import (
	"context"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/finding"
)

// TestIntervals: of kernels that are not decided the races that their barrier intervals show are warnings, and of their right twins there is none.
func TestIntervals(t *testing.T) {
	tree := openTestdata(t)
	for file, lines := range map[string][]int{
		"intervals/broken_tables.cu": {12}, "constants/broken_unread.cu": {16}, "macros/broken_result.cu": {8}, "macros/broken_tokens.cu": {9},
		"intervals/tables.cu": nil, "intervals/segments.cu": nil, "intervals/search.cu": nil,
	} {
		r, err := Run(context.Background(), Options{Tree: tree, Paths: []string{file}, Engine: Explore})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, f := range r.Findings {
			if f.Rule != "FP720" || f.Severity != finding.Warning || f.Verdict != "" {
				t.Errorf("%s: %+v, want warnings without a verdict", file, f)
			}
			got = append(got, f.Line)
		}
		if !slices.Equal(got, lines) || len(r.Kernels) != 1 || r.Kernels[0].Verdict != "inconclusive" {
			t.Errorf("%s: told at %v of a kernel that is %v, want %v of one that is not decided", file, got, r.Kernels, lines)
		}
	}
}
