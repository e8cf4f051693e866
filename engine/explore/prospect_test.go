package explore

import (
	"context"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// counting is a protocol of n threads that each add to a flag of their own, rounds times.
func counting(n, rounds int) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "counting", CTAs: 1, Sites: []protocol.Site{{Path: "k.py", Line: 1}}}
	for i := range n {
		p.Flags = append(p.Flags, protocol.Flag{Name: "flag"})
		c := protocol.Class{Name: "thread", Count: 1, Threads: []int{i}, Blocks: make([][]protocol.Access, rounds+1)}
		for range rounds {
			c.Ops = append(c.Ops, protocol.Op{Kind: protocol.FlagAdd, Object: i, Count: 1})
		}
		p.Classes = append(p.Classes, c)
	}
	return p
}

// A search that cannot come to an end within its limit is given up; one that can is not.
func TestProspect(t *testing.T) {
	for _, test := range []struct {
		threads, rounds, states int
		complete                bool
	}{
		{threads: 30, rounds: 40, states: 1 << 20},
		{threads: 3, rounds: 40, states: 1 << 20, complete: true},
		{threads: 4, rounds: 12, states: 1 << 15, complete: true},
	} {
		r := Search(context.Background(), counting(test.threads, test.rounds), engine.Limits{States: test.states})
		a := r.Properties[protocol.Deadlock]
		if r.Complete != test.complete || !test.complete && (r.States > 1<<18 || !strings.Contains(a.Reason, "which it would go far beyond")) {
			t.Errorf("%d threads, %d rounds: %d states, complete %t: %s", test.threads, test.rounds, r.States, r.Complete, a.Reason)
		}
	}
}
