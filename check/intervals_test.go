package check

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/finding"
)

// TestIntervals: of kernels that are not decided the races that their barrier intervals show are warnings, and of their right twins there is none.
func TestIntervals(t *testing.T) {
	tree := openTestdata(t)
	for file, told := range map[string][]string{
		"intervals/broken_tables.cu": {"FP720 12"}, "constants/broken_unread.cu": {"FP720 16"}, "macros/broken_result.cu": {"FP720 8"}, "macros/broken_tokens.cu": {"FP720 9"},
		"intervals/broken_marked.cu": {"FP720 13"}, "intervals/broken_sizes.cu": {"FP720 13"}, "intervals/broken_chosen.cu": {"FP720 5"}, "intervals/broken_named.cu": {"FP720 6"}, "intervals/broken_hashed.cu": {"FP720 13"}, "intervals/broken_carried.cu": {"FP720 27"}, "intervals/broken_offsets.cu": {"FP720 8"}, "intervals/broken_parts.cu": {"FP720 11"}, "intervals/parts.cu": nil, "intervals/broken_voted.cu": {"FP720 16", "FP720 17"}, "intervals/voted.cu": nil, "intervals/broken_digits.cu": {"FP720 21", "FP720 24"}, "intervals/digits.cu": nil, "intervals/broken_nearest.cu": {"FP720 27", "FP720 28"}, "intervals/nearest.cu": nil, "intervals/broken_taken_out.cu": {"FP720 10"}, "intervals/taken_out.cu": nil, "intervals/hashed.cu": nil, "intervals/broken_neighbours.cu": {"FP720 16"}, "intervals/neighbours.cu": nil, "intervals/broken_ready.cu": {"FP620 15"}, "intervals/broken_row_label.cu": {"FP720 9"}, "intervals/broken_counted.cu": {"FP720 15"},
		"intervals/broken_staged.cu": {"FP720 10", "FP720 14"}, "intervals/broken_restaged.cu": {"FP720 14"}, "intervals/broken_bulk.cu": {"FP720 21"}, "intervals/broken_filled_by_warp.cu": {"FP720 7"},
		"intervals/tables.cu": nil, "intervals/segments.cu": nil, "intervals/search.cu": nil, "intervals/marked.cu": nil, "intervals/sizes.cu": nil, "intervals/chosen.cu": nil, "intervals/named.cu": nil, "intervals/own_rows.cu": nil, "intervals/ready.cu": nil, "intervals/row_label.cu": nil, "intervals/premised.cu": nil, "intervals/counted.cu": nil, "intervals/staged.cu": nil, "intervals/bulk.cu": nil, "intervals/rows.cu": nil, "intervals/filtered.cu": nil, "intervals/kept.cu": nil, "intervals/assigned.cu": nil, "intervals/filled_by_warp.cu": nil, "tensor_copies/overwritten.cu": {"FP720 26"},
		"unread/broken_looks.cu": {"FP720 10"}, "unread/broken_strides.cu": {"FP720 9"}, "unread/looks.cu": nil, "unread/strides.cu": nil, "unread/state.cu": nil, "unread/window.cu": nil, "unread/apart.cu": nil, "unread/extents.cu": nil, "unread/spaces.cu": nil, "unread/stage.cu": nil, "unread/view.cu": nil, "unread/measure.cu": nil, "unread/broken_measure.cu": {"FP720 11", "FP720 12"},
		"intervals/broken_lanes_elsewhere.cu": {"FP720 22"}, "intervals/lanes_elsewhere.cu": nil, "unread/halved.cu": nil, "launches/broken_widths.cu": {"FP720 18", "FP720 19"}, "launches/widths.cu": nil,
	} {
		r, err := Run(context.Background(), Options{Tree: tree, Paths: []string{file}, Engine: Explore})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Findings {
			if f.Severity != finding.Warning || f.Verdict != "" {
				t.Errorf("%s: %+v, want warnings without a verdict", file, f)
			}
			got = append(got, fmt.Sprint(f.Rule, " ", f.Line))
		}
		decided := slices.ContainsFunc(r.Kernels, func(k finding.Kernel) bool {
			return k.Verdict == "violated" || k.Verdict == "holds" && len(k.Open) == 0
		})
		if !slices.Equal(got, told) || len(r.Kernels) == 0 || decided {
			t.Errorf("%s: told %v of kernels that are %v, want %v of ones that are not decided", file, got, r.Kernels, told)
		}
	}
}
