package explore

import (
	"context"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// inTurn is two threads of a class that another lets go one after the other: each issues a write of an element of its own,
// reads the other's, and is done when the write is.
func inTurn() *protocol.Protocol {
	p := one(mb("go", 1), mb("done", 2))
	p.Named, p.Buffers = []protocol.Named{{ID: 1, Threads: 3}}, []protocol.Buffer{{Name: "s", Elements: 2}}
	own, other := []protocol.Range{{Lo: 0, Hi: 1}, {Lo: 1, Hi: 2}}, []protocol.Range{{Lo: 1, Hi: 2}, {Lo: 0, Hi: 1}}
	register := named(protocol.NamedArrive, 0)
	class(p, 0, 1, register, register, arrive(0), wait(1, 0), register, register)
	c := class(p, 0, 2, wait(0, 0), named(protocol.NamedSync, 0), protocol.Op{Kind: protocol.Issue,
		Effects: []protocol.Effect{{Mbar: 1, Arrivals: 1}}, Access: []protocol.Access{{Write: true, Elements: own}}}, arrive(1))
	c.Blocks[3] = []protocol.Access{{Elements: other}}
	return p
}

// A counted state does not say whose operation is in flight: where only another thread's would be a race, a search must not
// take it for one.
func TestWhose(t *testing.T) {
	p := inTurn()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*engine.Result{"Search": Search(context.Background(), p, engine.Limits{}), "Check": Check(context.Background(), p, engine.Limits{})} {
		if a := r.Properties[protocol.Race]; a.Verdict != engine.Inconclusive {
			t.Errorf("%s says %s: %s", name, a.Verdict, a.Reason)
		}
		if a := r.Properties[protocol.Deadlock]; a.Verdict != engine.Holds {
			t.Errorf("%s says %s of deadlock", name, a.Verdict)
		}
	}
}

// Two threads each issue a write of an element of their own and read the other's. The race is between the two; a trace in
// which only one of them has issued anything would show none.
func TestWhoseTrace(t *testing.T) {
	p := one()
	p.Buffers = []protocol.Buffer{{Name: "s", Elements: 2}}
	own, other := []protocol.Range{{Lo: 0, Hi: 1}, {Lo: 1, Hi: 2}}, []protocol.Range{{Lo: 1, Hi: 2}, {Lo: 0, Hi: 1}}
	c := class(p, 0, 2, protocol.Op{Kind: protocol.Issue, Access: []protocol.Access{{Write: true, Elements: own}}}, protocol.Op{Kind: protocol.Drain, Drains: []int{0}})
	c.Blocks[1] = []protocol.Access{{Elements: other}}
	a := Check(context.Background(), p, engine.Limits{}).Properties[protocol.Race]
	if a.Verdict != engine.Violated {
		t.Fatalf("%s: %s", a.Verdict, a.Reason)
	}
	issued := 0
	for _, s := range a.Trace.Steps {
		if !s.Completion && s.Op == 0 {
			issued += s.N
		}
	}
	if issued != 2 {
		t.Errorf("%d threads issue a write in %v", issued, a.Trace.Steps)
	}
}
