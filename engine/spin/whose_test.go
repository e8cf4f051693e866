package spin

import (
	"context"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Two threads of a class, let go one after the other, each issue a write of an element of their own, read the other's, and
// are done when the write is. A model that counts sees a read and a write of one element at once, but the thread that
// reads is the one whose write it is.
func TestWhose(t *testing.T) {
	if _, _, ok := Available(); !ok {
		t.Fatal("SPIN and a C compiler are not installed")
	}
	own, other := []protocol.Range{{Lo: 0, Hi: 1}, {Lo: 1, Hi: 2}}, []protocol.Range{{Lo: 1, Hi: 2}, {Lo: 0, Hi: 1}}
	register, arrive := protocol.Op{Kind: protocol.NamedArrive}, func(o int) protocol.Op { return protocol.Op{Kind: protocol.Arrive, Object: o, Count: 1} }
	ops := []protocol.Op{register, register, arrive(0), {Kind: protocol.Wait, Object: 1}, register, register}
	turns := []protocol.Op{{Kind: protocol.Wait}, {Kind: protocol.NamedSync},
		{Kind: protocol.Issue, Effects: []protocol.Effect{{Mbar: 1, Arrivals: 1}}, Access: []protocol.Access{{Write: true, Elements: own}}}, arrive(1)}
	p := &protocol.Protocol{Kernel: "turns", CTAs: 1, Mbars: []protocol.Mbarrier{{Name: "go", Count: 1}, {Name: "done", Count: 2}},
		Named: []protocol.Named{{ID: 1, Threads: 3}}, Buffers: []protocol.Buffer{{Name: "s", Elements: 2}}, Sites: []protocol.Site{{Path: "k.py", Line: 1}},
		Classes: []protocol.Class{
			{Name: "first", Count: 1, Ops: ops, Blocks: make([][]protocol.Access, len(ops)+1)},
			{Name: "turns", Count: 2, Ops: turns, Blocks: [][]protocol.Access{nil, nil, nil, {{Elements: other}}, nil}},
		}}
	r := Run(context.Background(), p, []protocol.Property{protocol.Race, protocol.Deadlock}, engine.Limits{})
	if a := r.Properties[protocol.Race]; a.Verdict != engine.Inconclusive || a.Reason == "" {
		t.Errorf("race is %s: %s", a.Verdict, a.Reason)
	}
	if a := r.Properties[protocol.Deadlock]; a.Verdict != engine.Holds {
		t.Errorf("deadlock %s: %s", a.Verdict, a.Reason)
	}
}
