package check

import (
	"os"
	"testing"

	"github.com/fencepost-dev/fencepost/finding"
)

// TestOrderThroughFlags asks about CTAs that hand sums on without the rules that judge handoffs by their text.
func TestOrderThroughFlags(t *testing.T) {
	for file, want := range map[string]string{"look_back_right": "holds", "look_back_no_release": "violated", "look_back_no_acquire": "violated"} {
		text, err := os.ReadFile("../testdata/publish/" + file + ".cu")
		if err != nil {
			t.Fatal(err)
		}
		only := func(rule string) (finding.Report, error) {
			return run(t, map[string]string{"look_back.cu": string(text)}, func(opt *Options) { opt.Enabled = func(id string) bool { return id == rule } })
		}
		if r, err := only("none"); err != nil || r.Kernels[0].Verdict != want || len(r.Findings) > 0 {
			t.Errorf("%s without rules: %v, %v", file, r, err)
		}
		r, err := only(unordered)
		if err != nil || len(r.Kernels) != 1 {
			t.Fatal(r.Kernels, err)
		}
		if k := r.Kernels[0]; k.Verdict != want || k.Properties["order"] != want {
			t.Errorf("%s: %s, order %s; want %s", file, k.Verdict, k.Properties["order"], want)
		}
		if told := len(r.Findings) == 1 && r.Findings[0].Rule == unordered && r.Findings[0].Litmus != ""; told != (want == "violated") {
			t.Errorf("%s: %v", file, r.Findings)
		}
	}
}
