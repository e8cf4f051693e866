package check

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestEveryNumberOfRounds checks a ring whose stages the consumers give back: always, in all rounds but every twelfth, and
// in all but the hundredth or the thousandth. Of the first every number of rounds is proved; the next two go wrong beyond
// the few that are searched first, in a round that the counter is compared with; of the last, where the number is too far, nothing is said.
func TestEveryNumberOfRounds(t *testing.T) {
	text, err := os.ReadFile("../testdata/ring/right.py")
	if err != nil {
		t.Fatal(err)
	}
	const release = "            with cute.arch.elect_one():\n                cute.arch.mbarrier_arrive(empty + stage)\n"
	if !strings.Contains(string(text), release) {
		t.Fatal("the ring has another release")
	}
	under := func(test string) string {
		return strings.Replace(string(text), release, "            if "+test+":\n    "+strings.ReplaceAll(strings.TrimSuffix(release, "\n"), "\n", "\n    ")+"\n", 1)
	}
	for name, c := range map[string]struct{ text, verdict, bound string }{
		"always":             {string(text), "holds", "every number from 0"},
		"not every twelfth":  {under("k % 12 != 11"), "violated", "0, 1, 2, 3, 7, 9, 11, 12, 14, 15, 21, 23"},
		"not the hundredth":  {under("k != 100"), "violated", "0, 1, 2, 3, 7, 9, 15, 100, 101, 110"},
		"not the thousandth": {under("k != 1000"), "inconclusive", "0, 1, 2, 3, 7, 9, 15"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := run(t, map[string]string{"ring.py": c.text}, nil)
			if err != nil || len(r.Kernels) != 1 {
				t.Fatal(r.Kernels, err)
			}
			if k := r.Kernels[0]; k.Verdict != c.verdict || k.Bounds["k_tiles"] != c.bound {
				t.Errorf("%s, k_tiles = %s; want %s, %s", k.Verdict, k.Bounds["k_tiles"], c.verdict, c.bound)
			}
		})
	}
}

// TestEveryNumberByWhom asks SPIN, too: it searches the few numbers of rounds, and nothing more is said in its name.
func TestEveryNumberByWhom(t *testing.T) {
	text, err := os.ReadFile("../testdata/ring/right.py")
	if err != nil {
		t.Fatal(err)
	}
	r, err := run(t, map[string]string{"ring.py": string(text)}, func(opt *Options) {
		opt.Engine, opt.Constants = Both, map[string]string{"STAGES": "2", "CONSUMERS": "1"}
		opt.Limits.Time = 5 * time.Minute // however loaded the machine is
	})
	if err != nil || len(r.Kernels) != 1 {
		t.Fatal(r.Kernels, err)
	}
	want := "every number from 0 by explore; 0, 1, 2, 3, 5, 9 by all"
	if k := r.Kernels[0]; k.Verdict != "holds" || k.Bounds["k_tiles"] != want || len(k.Engines) != 2 {
		t.Errorf("%s by %v, k_tiles = %s; want %s", k.Verdict, k.Engines, k.Bounds["k_tiles"], want)
	}
}
