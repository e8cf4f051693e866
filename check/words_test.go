package check

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/finding"
)

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		missing, need int
		want          string
	}{
		{1, 1, "its arrival"}, {4, 4, "its 4 arrivals"}, {1, 2, "its 2nd arrival"}, {1, 3, "its 3rd arrival"}, {1, 4, "its 4th arrival"},
		{1, 11, "its 11th arrival"}, {1, 21, "its 21st arrival"}, {1, 112, "its 112th arrival"}, {3, 4, "3 of its 4 arrivals"},
	} {
		if got := arrivals(c.missing, c.need); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.missing, c.need, got, c.want)
		}
	}
}

// What is told of a hang: what never comes, who waits, where it would come from, and what to change.
func TestHangsInWords(t *testing.T) {
	tree := openTestdata(t)
	for name, want := range map[string][3]string{ // message, a label, help
		"lookup/broken_not_given_back.py":       {`"empty" never gets its 2nd arrival: threads 0-31 of CTA 0 wait here for ever`, "", "1 of 2 arrivals came"},
		"handoff/broken_first_wait.py":          {`"taken[0]" never gets its 2 arrivals`, "expected from here, where threads", "each side waits for the other"},
		"ring/broken_bytes.py":                  {`"full[0]" gets 128 bytes that it does not expect`, "", "expect (arrive.expect_tx) as many bytes"},
		"columns/broken_meeting_count.py":       {"barrier 2 never gets 32 of its 128 threads: threads 0-95 of CTA 0 wait here for ever", "", "count only those that do"},
		"counter/broken_target.py":              {`"done" stays 1 and never reaches 2`, "", "wait for the value that the writers leave"},
		"circle/broken_nobody_first.cu":         {`"turn" of CTA 0 never gets its arrival: thread 0 of CTA 0 waits here for ever`, "", "as many arrivals"},
		"circle/broken_wrong_neighbour.cu":      {`"turn" of CTA 1 never gets its arrival`, "", "as many arrivals"},
		"integers/broken_previous.cu":           {"nobody waits in barrier 0, where this arrives", "", "arrive at the barrier that they wait in"},
		"smoother/broken_hardcoded_phase.py":    {`wait on "gate" uses phase 0 in every iteration`, "expected from here, where threads", "flip it"},
		"counter/broken_target.cu":              {`"done[0]" stays 1 and never becomes 2`, "it is here, in what is called", ""},
		"collectives/broken_roles_in_a_warp.cu": {"bar.sync.aligned is run by part of a warp only", "", "move the barrier out of the condition"},
		"stages/broken_overwritten.py":          {`this arrival on "storage.full[0]" is one too many: it is initialised for 1 a phase`, "", "one elected thread"},
		"adjacent/broken.cu":                    {"thread 0 writes row[0] while thread 63 reads it", "", "let the threads meet at a barrier (__syncthreads()) on the way from line 10 to line 11"},
		"smoother/broken_init_not_published.py": {`"gate" may be used here before its init`, "", "initialise it"},
	} {
		r, err := Run(context.Background(), Options{Tree: tree, Paths: []string{name}, Engine: Explore, Jobs: 1})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range r.Findings {
			if !strings.HasPrefix(f.Message, want[0]) {
				continue
			}
			label := want[1] == ""
			for _, l := range f.Labels {
				label = label || strings.HasPrefix(l.Text, want[1])
			}
			found = found || label && strings.Contains(f.Help, want[2]) && f.Help != ""
		}
		if !found {
			t.Errorf("%s: no finding has %q in:\n%s", name, want, toldOf(r.Findings))
		}
		if name == "counter/broken_target.cu" && r.Findings[0].Line != 31 {
			t.Errorf("%s is told at line %d, want 31, where the kernel calls what spins", name, r.Findings[0].Line)
		}
	}
}

func toldOf(fs []finding.Finding) string {
	var b strings.Builder
	for _, f := range fs {
		b.WriteString(f.Rule + ": " + f.Message + "\n  help: " + f.Help + "\n")
		for _, l := range f.Labels {
			b.WriteString("  label: " + l.Text + "\n")
		}
	}
	return b.String()
}

// TestHelpBetweenCTAs: CTAs that no cluster has are not told to meet at a cluster's barrier.
func TestHelpBetweenCTAs(t *testing.T) {
	for file, want := range map[string]string{"grid/broken_blurred.cu": "the whole grid meet", "grid/broken_sized.cu": "cluster barrier"} {
		text, err := os.ReadFile("../testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := run(t, map[string]string{"k.cu": string(text)}, nil)
		if err != nil || len(r.Findings) == 0 || !strings.Contains(r.Findings[0].Help, want) {
			t.Errorf("%s: %v, %v; want help with %q", file, r.Findings, err, want)
		}
	}
}
