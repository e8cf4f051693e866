package check

import (
	"regexp"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/rules"
)

var fence = regexp.MustCompile("(?s)```(python|cuda)\n(.*?)```")

// The fences of rules that are found while lowering: each bad one has its finding on its line, each good one none.
func TestPagesOfLoweredRules(t *testing.T) {
	for _, r := range rules.All() {
		if !r.Lowered {
			continue
		}
		for _, m := range fence.FindAllStringSubmatch(r.Page(), -1) {
			name := map[string]string{"python": "k.py", "cuda": "k.cu"}[m[1]]
			head := map[string]string{"python": "import cutlass\nimport cutlass.cute as cute\nfrom cutlass.cute.nvgpu import tcgen05\n", "cuda": ""}[m[1]]
			report, err := run(t, map[string]string{name: head + m[2]}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, f := range report.Findings {
				if f.Rule == r.ID {
					got = append(got, f.Line)
				}
			}
			var want []int
			for i, line := range strings.Split(head+m[2], "\n") {
				if strings.Contains(line, "want "+r.ID) {
					want = append(want, i+1)
				}
			}
			if len(got) != len(want) || len(got) == 1 && got[0] != want[0] {
				t.Errorf("%s: lines %v, want %v in\n%s\n%v", r.ID, got, want, m[2], report.Kernels)
			}
		}
	}
}
