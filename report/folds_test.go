package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/finding"
)

// Rounds that repeat are told twice: the first, and the last.
func TestFolds(t *testing.T) {
	at := func(line int, text string) finding.Step {
		return finding.Step{Location: finding.Location{Path: "k.cu", Line: line}, Text: text}
	}
	var f finding.Finding
	f.Path = "k.cu"
	f.Trace = append(f.Trace, at(3, "init"))
	for i := range 10 {
		f.Trace = append(f.Trace, at(5, fmt.Sprintf("wait passes in phase %d", i)), at(6, fmt.Sprintf("arrive: phase %d complete", i)))
	}
	f.Trace = append(f.Trace, at(9, "exit"))
	got := strings.Join(steps(f), "\n")
	want := strings.Join([]string{
		" 1. line 3: init", " 2. line 5: wait passes in phase 0", " 3. line 6: arrive: phase 0 complete", "    … steps 4 to 19: the same 2 steps again, 8 times",
		"20. line 5: wait passes in phase 9", "21. line 6: arrive: phase 9 complete", "22. line 9: exit"}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Every step is in exactly one part, in order, whatever repeats.
func TestFoldsKeepAll(t *testing.T) {
	for seed := range 400 {
		var trace []finding.Step
		x := uint32(seed*2654435761 + 1)
		for range seed % 90 {
			x = x*1664525 + 1013904223
			trace = append(trace, finding.Step{Location: finding.Location{Line: 1 + int(x>>29)%3}, Text: "t"})
		}
		next := 0
		for _, p := range folds(trace) {
			if p.from != next {
				t.Fatalf("seed %d: a part begins at %d, want %d", seed, p.from, next)
			}
			next += p.length * max(p.rounds, 1)
		}
		if next != len(trace) {
			t.Fatalf("seed %d: %d of %d steps", seed, next, len(trace))
		}
	}
}
