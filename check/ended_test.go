package check

import (
	"context"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/protocol"
)

// multiplying is one thread that multiplies what is in a tile, commits to a, to b and, where more is set, multiplies it
// again and commits to c, beside a thread that writes the tile anew when it has waited for one of them, or for none. The
// reading is part of the first commit behind it or, where late is set, of the second.
func multiplying(waits int, more, late bool) *protocol.Protocol {
	whole := []protocol.Range{{Lo: 0, Hi: 1}}
	read := protocol.Access{Elements: whole, Site: 0, Async: true}
	write := protocol.Access{Write: true, Elements: whole, Site: 1}
	commit := func(mbar, site int, reads ...protocol.Access) protocol.Op {
		o := protocol.Op{Kind: protocol.Issue, Effects: []protocol.Effect{{Mbar: mbar, Arrivals: 1}}, Access: reads, Site: site}
		if len(reads) > 0 {
			o.Behind = []int{0}
		}
		return o
	}
	p := &protocol.Protocol{Kernel: "multiplying", CTAs: 1, Buffers: []protocol.Buffer{{Name: "tile", Elements: 1}}}
	for i, name := range []string{"a", "b", "c"} {
		p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: name, Count: 1})
		p.Sites = append(p.Sites, protocol.Site{Path: "k.py", Line: 10 + i, Text: "site"})
	}
	p.Sites = append(p.Sites, p.Sites...)
	mul := protocol.Class{Name: "thread 0 of CTA 0", Count: 1, Threads: []int{0}, Ops: []protocol.Op{commit(0, 2, read), commit(1, 3)}, Blocks: [][]protocol.Access{{read}, nil, nil}}
	if more {
		mul.Ops, mul.Blocks = append(mul.Ops, commit(2, 4, read)), [][]protocol.Access{{read}, nil, {read}, nil}
	}
	if late {
		mul.Ops[0].Access, mul.Ops[1].Access, mul.Blocks[1] = nil, []protocol.Access{read}, []protocol.Access{read}
	}
	writer := protocol.Class{Name: "thread 32 of CTA 0", Count: 1, Threads: []int{32}, Blocks: [][]protocol.Access{{write}}}
	if waits >= 0 {
		writer.Ops, writer.Blocks = []protocol.Op{{Kind: protocol.Wait, Object: waits, Site: 5}}, [][]protocol.Access{nil, {write}}
	}
	p.Classes = []protocol.Class{mul, writer}
	return p
}

// Any commit behind a multiplication says that it is over; one before it says nothing.
func TestMultiplicationsEndWithAnyCommit(t *testing.T) {
	for _, test := range []struct {
		waits      int
		more, late bool
		want       engine.Verdict
	}{
		{0, false, false, engine.Holds},
		{1, false, false, engine.Holds},
		{-1, false, false, engine.Violated},
		{1, true, false, engine.Violated}, // the second multiplication is behind it
		{0, true, true, engine.Violated},
		{2, true, false, engine.Holds},
		{2, true, true, engine.Holds},
		{0, false, true, engine.Holds},
		{1, false, true, engine.Holds},
		{-1, false, true, engine.Violated},
	} {
		e := engines{explore: explore.Check, replay: replay.Run}
		d, err := e.decide(context.Background(), &Options{Engine: Explore}, newBudget(engine.Limits{}, 1), []*protocol.Protocol{multiplying(test.waits, test.more, test.late)}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a := d.answers[protocol.Race]; a.verdict != test.want {
			t.Errorf("waits for %d, more %v, late %v: %s (%s), want %s", test.waits, test.more, test.late, a.verdict, a.reason, test.want)
		}
	}
}
