package order

import (
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// warps makes a program of full warps of one CTA.
func warps(n int) *Program {
	p := &Program{CTAs: 1, WholeWarps: true}
	for i := range n {
		p.AddWarp(0, 32*i, every)
	}
	return p
}

func (w *Warp) sync(place, id, count uint32) { w.Named(NamedSync, place, every, id, count, Aligned) }

func (w *Warp) arrive(place, id, count uint32) {
	w.Named(NamedArrive, place, every, id, count, Aligned)
}

var row = Address{Base: 0, Stride: 4, Size: 4}

// expect checks the verdicts of checks, by name; those that are not named hold, or are left open if something else is violated.
func expect(t *testing.T, p *Program, violated ...Check) *Result {
	t.Helper()
	r := Verify(p, Options{Graph: true})
	want := map[Check]bool{}
	for _, c := range violated {
		want[c] = true
	}
	for c := range Checks {
		switch v := r.Answers[c].Verdict; {
		case want[c] != (v == engine.Violated):
			t.Errorf("%s: %s: %s (%s) %v", p.Name, c, v, r.Answers[c].Reason, r.Findings)
		case len(violated) == 0 && v != engine.Holds:
			t.Errorf("%s: %s: %s (%s)", p.Name, c, v, r.Answers[c].Reason)
		}
	}
	return r
}

// TestTwoWarpsDeadlock is the first listing of the paper: each of two warps waits in a barrier before it arrives in the one that
// the other waits in.
func TestTwoWarpsDeadlock(t *testing.T) {
	p := warps(2)
	p.Warps[0].sync(7, 0, 64)
	p.Warps[0].arrive(8, 1, 64)
	p.Warps[1].sync(10, 1, 64)
	p.Warps[1].arrive(11, 0, 64)
	r := expect(t, p, Deadlock)
	f := r.Findings[0]
	if len(f.Points) != 2 || f.Points[0].Place != 7 || f.Points[1].Place != 10 || !strings.Contains(f.Text, "wait in barrier 0 for threads 32-63") {
		t.Errorf("the cycle is told as %q, %v", f.Text, f.Points)
	}
}

// working is the paper's example of two warps that hand a row over and back.
func working() *Program {
	p := warps(2)
	a, b := p.Warps[0], p.Warps[1]
	a.sync(1, 0, 64)
	a.Write(3, every, row, Value{}, 0)
	a.arrive(4, 1, 64)
	a.sync(9, 0, 64)
	a.sync(11, 1, 64)
	a.Read(12, every, row, 0)
	b.sync(1, 0, 64)
	b.sync(6, 1, 64)
	b.Read(7, every, row, 0)
	b.sync(9, 0, 64)
	b.Write(14, every, row, Value{}, 0)
	b.arrive(15, 1, 64)
	return p
}

// TestWorkingExample: the generations are as in the paper, and what may run beside the first write is between commands 1 and 3
// of the other warp.
func TestWorkingExample(t *testing.T) {
	r := expect(t, working())
	if r.Barriers != 4 || r.Threads != 64 || r.Commands != 64*6 {
		t.Errorf("%d dynamic barriers, %d threads, %d commands; expected 4, 64, 384", r.Barriers, r.Threads, r.Commands)
	}
	var got [][2]int
	for _, n := range r.Graph.Nodes {
		got = append(got, [2]int{int(n.Object), n.Generation})
	}
	if len(got) != 4 || got[0] != [2]int{0, 1} || got[1] != [2]int{1, 1} || got[2] != [2]int{0, 2} || got[3] != [2]int{1, 2} {
		t.Errorf("generations are %v", got)
	}
	latest, earliest, err := Interval(working(), 0, 1, 0, 1, 0) // the paper counts commands from 1
	if err != nil || latest+1 != 1 || earliest+1 != 3 {
		t.Errorf("the barrier interval of the write is (%d,%d), %v; expected (1,3)", latest+1, earliest+1, err)
	}
}

// recycling is four warps that use barrier 2 twice. Warp 0 only arrives in its first generation, so its way to the second one
// does not show that the first is over; with the last hand-over left out, nothing else does.
func recycling(safe bool) *Program {
	p := warps(4)
	w := p.Warps
	w[0].arrive(1, 2, 64) // A: first generation of 2
	w[3].sync(2, 2, 64)   // D
	w[0].arrive(3, 0, 64) // A to B
	w[1].sync(4, 0, 64)   // B
	w[3].arrive(5, 1, 64) // D to E
	w[2].sync(6, 1, 64)   // E
	if safe {             // E to F: warp 1 knows that D is over
		w[2].arrive(7, 3, 64)
		w[1].sync(8, 3, 64)
	}
	w[1].arrive(9, 2, 64) // second generation of 2, by warps 1 and 2
	w[2].sync(10, 2, 64)
	return p
}

func TestRecyclingOfFourWarps(t *testing.T) {
	expect(t, recycling(true))
	r := expect(t, recycling(false), Recycling)
	if f := r.Findings[0]; f.Object != 2 || len(f.Points) != 2 || f.Points[0].Place != 2 || f.Points[1].Place != 9 {
		t.Errorf("told as %q, %v", f.Text, f.Points)
	}
	if r.Answers[Race].Verdict != engine.Inconclusive {
		t.Errorf("races are %s where generations are not safe", r.Answers[Race].Verdict)
	}
}

// twoPhase is a copy engine that refills a buffer when the compute warp has arrived; the compute warp still reads it unless its
// last read comes before.
func twoPhase(late bool) *Program {
	p := warps(2)
	compute, dma := p.Warps[0], p.Warps[1]
	for range 3 {
		compute.sync(5, 2, 64) // the buffer is full
		if !late {
			compute.Read(13, every, row, 0)
		}
		compute.arrive(10, 1, 64) // starts the next copy
		if late {
			compute.Read(13, every, row, 0)
		}
		dma.Write(20, every, row, Value{}, 0)
		dma.arrive(21, 2, 64)
		dma.sync(22, 1, 64)
	}
	return p
}

func TestTwoPhaseWriteAfterRead(t *testing.T) {
	expect(t, twoPhase(false))
	r := expect(t, twoPhase(true), Race)
	if f := r.Findings[0]; len(r.Findings) != 1 || f.Benign || f.Barrier != 22 && f.Barrier != 5 {
		t.Errorf("told as %+v", r.Findings)
	}
}

// TestBenignRaces: two warps write the same value to a row, then different ones.
func TestBenignRaces(t *testing.T) {
	p := warps(2)
	for _, w := range p.Warps {
		w.Write(1, every, row, Value{Form: 3, Base: 100, Stride: 4}, 0)
	}
	if r := expect(t, p); r.Benign != 1 || len(r.Findings) != 1 || !r.Findings[0].Benign {
		t.Errorf("%d benign pairs, %v", r.Benign, r.Findings)
	}
	p.Warps[0].Write(2, every, row, Value{Form: 3, Base: 100, Stride: 4}, 0)
	p.Warps[1].Write(3, every, row, Value{Form: 3, Base: 104, Stride: 4}, 0)
	if r := expect(t, p, Race); r.Benign == 0 {
		t.Errorf("%v", r.Findings)
	}
}

// TestHarmAmongBenignRaces: a read that races with one of many lines that two warps write equal values by.
func TestHarmAmongBenignRaces(t *testing.T) {
	p := warps(3)
	for _, w := range p.Warps[:2] {
		for i := range uint32(40) {
			w.Write(i, every, Address{Base: 4 * i, Size: 4}, Value{Form: 3}, 0)
		}
	}
	p.Warps[2].Read(90, every, Address{Base: 4 * 30, Size: 4}, 0)
	if r := expect(t, p, Race); !slices.ContainsFunc(r.Findings, func(f Finding) bool { return !f.Benign }) {
		t.Errorf("no harmful race among %v", r.Findings)
	}
}

// TestWarpSynchronous: lanes of a warp that exchange a row are ordered only if they run in lockstep, or meet.
func TestWarpSynchronous(t *testing.T) {
	exchange := func(meet bool) *Program {
		p := warps(1)
		p.Warps[0].Write(1, every, row, Value{}, 0)
		if meet {
			p.Warps[0].Joint(WarpSync, 2, every, 0)
		}
		p.Warps[0].Read(3, every, Address{Base: 124, Stride: -4, Size: 4}, 0)
		return p
	}
	expect(t, exchange(true))
	expect(t, exchange(false), Race)
	if r := Verify(exchange(false), Options{WarpSynchronous: true}); r.Verdict != engine.Holds {
		t.Errorf("in lockstep: %s %v", r.Verdict, r.Findings)
	}
}

// TestElectedArrive: a lane that arrives for its warp does not carry what the other lanes wrote, unless they meet before.
func TestElectedArrive(t *testing.T) {
	hand := func(meet bool) *Program {
		p := warps(2)
		p.Objects = []Object{{Address: 1024, Count: 1}}
		p.Warps[0].Write(1, every, row, Value{}, 0)
		if meet {
			p.Warps[0].Joint(WarpSync, 2, every, 0)
		}
		p.Warps[0].Contribute(MbarArrive, 3, 1, 1024, 1, 0)
		p.Warps[1].Wait(4, every, 1024, 0)
		p.Warps[1].Read(5, every, row, 0)
		return p
	}
	expect(t, hand(true))
	expect(t, hand(false), Race)
}

// TestErrorsOfBarriers: each error of the paper's semantics and of the manual is told apart.
func TestErrorsOfBarriers(t *testing.T) {
	mismatch := warps(2)
	mismatch.Warps[0].sync(1, 1, 64)
	mismatch.Warps[1].sync(2, 1, 96)
	expect(t, mismatch, Counts)

	over := warps(2)
	over.Warps[0].sync(1, 1, 48)
	over.Warps[1].sync(2, 1, 48)
	expect(t, over, Registration)

	twice := warps(2) // a warp arrives twice before anybody waits
	twice.Warps[0].arrive(1, 1, 64)
	twice.Warps[0].arrive(2, 1, 64)
	expect(t, twice, Registration)

	again := warps(2) // the second arrival may come to the first generation
	again.Warps[0].arrive(1, 1, 64)
	again.Warps[0].arrive(2, 1, 64)
	again.Warps[1].sync(3, 1, 64)
	again.Warps[1].sync(4, 1, 64)
	if r := Verify(again, Options{}); r.Verdict != engine.Violated {
		t.Errorf("%s", r.Verdict)
	}

	missing := warps(2)
	missing.Warps[0].sync(1, 1, 64)
	expect(t, missing, Deadlock)

	early := warps(2) // exited threads are not waited for
	early.Warps[0].sync(1, 0, 0)
	expect(t, early)

	split := warps(1)
	split.Warps[0].Named(NamedSync, 1, 0xffff, 1, 32, Aligned)
	split.Warps[0].Named(NamedSync, 2, 0xffff0000, 1, 32, Aligned)
	if r := Verify(split, Options{}); r.Answers[Divergence].Verdict != engine.Violated {
		t.Errorf("%v", r.Findings)
	}
}
