package order

import (
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestCollectivesOrderTimeAndNotMemory: what a collective orders is enough for the phases of an mbarrier, and says nothing of
// accesses; a warp barrier says both.
func TestCollectivesOrderTimeAndNotMemory(t *testing.T) {
	const row, gate = 0, 64
	// Lane 1 of a warp arrives in phase 0 and 1 of an mbarrier of one arrival, with lane 0's wait for phase 0 between.
	phases := func(meet Kind) *Program {
		p := &Program{CTAs: 1, Objects: []Object{{Address: gate, Count: 1}}}
		w := p.AddWarp(0, 0, 3)
		w.Contribute(MbarArrive, 0, 2, gate, 1, 0)
		w.Wait(0, 1, gate, 0)
		if meet != Read {
			w.Joint(meet, 0, 3, 0)
		}
		w.Contribute(MbarArrive, 0, 2, gate, 1, 0)
		w.Wait(0, 1, gate, 1)
		return p
	}
	// Lane 0 writes what lane 1 reads.
	handed := func(meet Kind) *Program {
		p := &Program{CTAs: 1}
		w := p.AddWarp(0, 0, 3)
		w.Write(0, 1, Address{Base: row, Size: 4}, Value{}, 0)
		w.Joint(meet, 0, 3, 0)
		w.Read(0, 2, Address{Base: row, Size: 4}, 0)
		return p
	}
	// The same by way of another collective, a barrier of the CTA before it.
	through := func(first, second Kind) *Program {
		p := &Program{CTAs: 1}
		a, b := p.AddWarp(0, 0, 1), p.AddWarp(0, 32, 3)
		a.Write(0, 1, Address{Base: row, Size: 4}, Value{}, 0)
		a.Named(NamedArrive, 0, 1, 1, 2, 0)
		b.Named(NamedSync, 0, 1, 1, 2, 0)
		b.Joint(first, 0, 3, 0)
		b.Joint(second, 0, 3, 0)
		b.Read(0, 2, Address{Base: row, Size: 4}, 0)
		return p
	}
	for _, c := range []struct {
		name string
		p    *Program
		want engine.Verdict
	}{
		{"phases without any", phases(Read), engine.Violated},
		{"phases by a collective", phases(WarpMeet), engine.Holds},
		{"phases by a warp barrier", phases(WarpSync), engine.Holds},
		{"an access by a collective", handed(WarpMeet), engine.Violated},
		{"an access by a warp barrier", handed(WarpSync), engine.Holds},
		{"what another warp wrote, by a collective", through(WarpMeet, WarpMeet), engine.Inconclusive},
		{"what another warp wrote, by both", through(WarpMeet, WarpSync), engine.Holds},
	} {
		if r := Verify(c.p, Options{}); r.Verdict != c.want {
			t.Errorf("%s: %v (%s), want %v", c.name, r.Verdict, r.Reason, c.want)
		}
	}
}

// TestCollectiveThatLanesMiss: lanes that do not come to a collective leave the others waiting.
func TestCollectiveThatLanesMiss(t *testing.T) {
	p := &Program{CTAs: 1, Objects: []Object{{Address: 64, Count: 1}}}
	w := p.AddWarp(0, 0, 3)
	w.Wait(0, 2, 64, 0)
	w.Joint(WarpMeet, 0, 3, 0)
	w.Contribute(MbarArrive, 0, 1, 64, 1, 0)
	if r := Verify(p, Options{}); r.Verdict != engine.Violated || len(r.Findings) == 0 || r.Findings[0].Check != Deadlock {
		t.Errorf("%v %v, want a deadlock", r.Verdict, r.Findings)
	}
}
