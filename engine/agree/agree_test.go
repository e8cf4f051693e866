package agree

import (
	"context"
	"testing"

	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/protocol/random"
)

// TestReductions: on a fixed 5,000 random protocols every reduction answers what a search without it answers, and each
// applies to enough of them for that to mean something. `make bench` does the same with 100,000 others.
func TestReductions(t *testing.T) {
	const protocols = 5000
	v := Run(context.Background(), 0, protocols, nil)
	t.Logf("%d drawn, %d compared", v.Drawn.All(), v.Compared.All())
	if n := v.Compared.All(); n < protocols*9/10 {
		t.Errorf("only %d of %d are searched to the end", n, protocols)
	}
	// Else a fault would hide behind a refusal: of handshakes as they should be, the proof applies to nearly all.
	for style, percent := range map[random.Style]int{random.Right: 90, random.Faulty: 60, random.Any: 20} {
		if n := v.Tallies[0].Within[style]; 100*n < percent*v.Compared[style] {
			t.Errorf("%s: %d of %d are within the conditions of %s", style, n, v.Compared[style], Reductions[0].Name)
		}
	}
	least := map[string]int{"frozen runs": 3000, "counting threads": 2500, "exclusion": 4000, "order of Check": 4000,
		"order of Check, cut short": 2500, "locks left out": 80, "same digest": 4000}
	if v.Judged < 1000 || 1000*v.GivenUp > v.Judged {
		t.Errorf("of %d searches, %d would have been given up for nothing", v.Judged, v.GivenUp)
	}
	for i, y := range v.Tallies {
		r := &Reductions[i]
		t.Logf("%s: %d within its conditions %v", r.Name, y.Within.All(), y.Within)
		if n := y.Within.All(); n < least[r.Name] || least[r.Name] == 0 {
			t.Errorf("%s: only %d protocols are within its conditions, want %d", r.Name, n, least[r.Name])
		}
		if y.Differ > 0 {
			t.Errorf("%s: %d disagreements; of seed %d, made small: %s\n%s", r.Name, y.Differ, y.Seed, y.How, random.Print(random.Shrink(random.Protocol(y.Seed), r.Disagrees)))
		}
	}
}

// Every kind of operation is in many of the protocols.
func TestRandomHasAll(t *testing.T) {
	seen := map[protocol.Kind]int{}
	for seed := range 1000 {
		kinds := map[protocol.Kind]bool{}
		for _, c := range random.Protocol(seed).Classes {
			for _, o := range c.Ops {
				kinds[o.Kind] = true
			}
		}
		for k := range kinds {
			seen[k]++
		}
	}
	for k := range protocol.Kind(protocol.Kinds) {
		if seen[k] < 30 {
			t.Errorf("%s is in %d of 1000 protocols", k, seen[k])
		}
	}
}
