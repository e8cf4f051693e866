package replay

import (
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

func class(cta, count int, ops ...protocol.Op) protocol.Class {
	c := protocol.Class{Name: "workers", CTA: cta, Count: count, Ops: ops, Blocks: make([][]protocol.Access, len(ops)+1)}
	for t := range count {
		c.Threads = append(c.Threads, t)
	}
	return c
}

func arrive(m, n int) protocol.Op { return protocol.Op{Kind: protocol.Arrive, Object: m, Count: n} }

func wait(m, parity int) protocol.Op {
	return protocol.Op{Kind: protocol.Wait, Object: m, Parity: parity}
}

func sync(n int) protocol.Op { return protocol.Op{Kind: protocol.NamedSync, Object: n} }

func gates(counts ...int) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "k", CTAs: 1}
	for _, n := range counts {
		p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: "gate", Count: n})
	}
	return p
}

func touch(write bool, buffer, lo, hi int) []protocol.Access {
	return []protocol.Access{{Buffer: buffer, Write: write, Elements: []protocol.Range{{Lo: lo, Hi: hi}}}}
}

func steps(list ...engine.Step) *engine.Trace { return &engine.Trace{Steps: list} }

func step(class, op, n int) engine.Step { return engine.Step{Class: class, Op: op, N: n} }

func TestRunAccepts(t *testing.T) {
	race := gates(2)
	race.Buffers = []protocol.Buffer{{Name: "tile", Elements: 4}}
	race.Classes = []protocol.Class{class(0, 2, arrive(0, 1), wait(0, 0))}
	race.Classes[0].Blocks[1] = []protocol.Access{
		{Write: true, Elements: []protocol.Range{{Lo: 0, Hi: 2}, {Lo: 1, Hi: 3}}}, {Elements: []protocol.Range{{Lo: 0, Hi: 1}, {Lo: 1, Hi: 2}}},
	}
	overflow := gates(3)
	overflow.Classes = []protocol.Class{class(0, 2, arrive(0, 2))}
	spin := &protocol.Protocol{CTAs: 1, Flags: []protocol.Flag{{Name: "ready"}}}
	spin.Classes = []protocol.Class{class(0, 2, protocol.Op{Kind: protocol.Spin, Compare: ">=", Count: 1})}
	meet := &protocol.Protocol{CTAs: 1, Flags: spin.Flags, Named: []protocol.Named{{ID: 1, Threads: 4}}}
	meet.Classes = []protocol.Class{class(0, 1, sync(0)), class(0, 1, spin.Classes[0].Ops[0], sync(0))}
	crossed := &protocol.Protocol{CTAs: 1, Flags: spin.Flags, Named: meet.Named}
	crossed.Classes = []protocol.Class{class(0, 1, sync(0), protocol.Op{Kind: protocol.FlagAdd, Count: 1}), meet.Classes[1]}
	lost := gates(1)
	lost.Classes = []protocol.Class{class(0, 1, protocol.Op{Kind: protocol.ExpectTx, Bytes: 16})}
	partly := gates(2)
	partly.Classes = []protocol.Class{class(0, 1, arrive(0, 1))}
	early := gates(1)
	early.Classes = []protocol.Class{class(0, 1, protocol.Op{Kind: protocol.Init}), class(0, 1, arrive(0, 1))}
	gone := gates(1)
	gone.CTAs, gone.Cluster = 2, true
	gone.Classes = []protocol.Class{class(0, 1), class(1, 1, arrive(0, 1))}
	fast := gates(2)
	fast.Classes = []protocol.Class{class(0, 2, arrive(0, 1), arrive(0, 1))}
	named := &protocol.Protocol{CTAs: 1, Named: []protocol.Named{{ID: 1, Threads: 64}}}
	named.Classes = []protocol.Class{class(0, 32, sync(0))}
	for _, tc := range []struct {
		name  string
		p     *protocol.Protocol
		trace *engine.Trace
		prop  protocol.Property
	}{
		{"race", race, &engine.Trace{Steps: steps(step(0, 0, 2)).Steps, Pair: &engine.Pair{First: engine.Accessor{Location: 1}, Second: engine.Accessor{Location: 1, Index: 1}}}, protocol.Race},
		{"arrivals", overflow, steps(step(0, 0, 2)), protocol.Arrivals},
		{"livelock", spin, steps(), protocol.Livelock},
		{"livelock that others wait for", meet, steps(step(0, 0, 1)), protocol.Livelock},
		{"a spin on what is still to be written", crossed, steps(step(0, 0, 1)), protocol.Deadlock},
		{"bytes", lost, steps(step(0, 0, 1)), protocol.Bytes},
		{"quiet", partly, steps(step(0, 0, 1)), protocol.Quiet},
		{"before init", early, steps(), protocol.Lifetime},
		{"peer gone", gone, steps(), protocol.Lifetime},
		{"attribution", fast, steps(step(0, 0, 1), step(0, 1, 1)), protocol.Attribution},
		{"named barrier short of threads", named, steps(step(0, 0, 32)), protocol.Deadlock},
	} {
		if _, err := Run(tc.p, tc.trace, tc.prop); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		for _, other := range []protocol.Property{protocol.Deadlock, protocol.Livelock, protocol.Bytes, protocol.Arrivals, protocol.Race} {
			if _, err := Run(tc.p, tc.trace, other); other != tc.prop && err == nil {
				t.Errorf("%s: the trace of %s also replays as %s", tc.name, tc.prop, other)
			}
		}
	}
}

func TestLiteralPhase(t *testing.T) {
	// The wait of iteration 1 passes at once in phase 1; iteration 2's arrivals then leave everyone in phase 2.
	p := gates(2)
	ops := []protocol.Op{arrive(0, 1), wait(0, 0), arrive(0, 1), wait(0, 0)}
	p.Sites = []protocol.Site{{Path: "k.py", Line: 41}}
	p.Classes = []protocol.Class{class(0, 2, ops...)}
	out, err := Run(p, steps(step(0, 0, 2), step(0, 1, 2), step(0, 2, 2)), protocol.Deadlock)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"threads 0-1 of CTA 0: wait on gate phase 0 (line 41)"}; !slices.Equal(out.Stuck, want) {
		t.Errorf("stuck %q, want %q", out.Stuck, want)
	}
	if want := []string{"gate of CTA 0: phase 2, 2 of 2 arrivals pending"}; !slices.Equal(out.Final, want) {
		t.Errorf("final %q, want %q", out.Final, want)
	}
	if got, want := out.Steps[0].Effect, "arrive on gate: phase 0 complete"; got != want {
		t.Errorf("effect %q, want %q", got, want)
	}
}

func TestRunRefuses(t *testing.T) {
	p := gates(2)
	p.Classes = []protocol.Class{class(0, 1, arrive(0, 1), wait(0, 0)), class(0, 1, arrive(0, 1), wait(0, 0))}
	for _, tc := range []struct {
		name, want string
		trace      *engine.Trace
	}{
		{"blocked", "cannot go on: gate is in phase 0", steps(step(0, 0, 1), step(0, 1, 1))},
		{"out of order", "no thread of workers is at operation 1", steps(step(0, 1, 1))},
		{"no such class", "no class 7", steps(step(7, 0, 1))},
		{"no such operation", "no operation 9", steps(step(0, 9, 1))},
		{"more threads than there are", "cannot move", steps(step(0, 0, 2))},
		{"no threads", "cannot move", steps(step(0, 0, 0))},
		{"completion of no issue", "issues nothing", steps(engine.Step{Class: 0, Op: 0, N: 1, Completion: true})},
		{"not a deadlock", "does not end in a violation", steps(step(0, 0, 1))},
	} {
		_, err := Run(p, tc.trace, protocol.Deadlock)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", tc.name, err, tc.want)
		}
	}
}

func TestNamedBarrierReleases(t *testing.T) {
	p := &protocol.Protocol{CTAs: 1, Named: []protocol.Named{{ID: 0}}}
	p.Classes = []protocol.Class{class(0, 2, sync(0), sync(0)), class(0, 1, sync(0))}
	out, err := Walk(p, []engine.Step{step(0, 0, 2), step(1, 0, 1), step(0, 1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	// The second barrier counts only the two threads that have not exited.
	if !out.State.done() {
		t.Errorf("not done: %q", out.Stuck)
	}
}

func TestClusterBarrierForgetsTheExited(t *testing.T) {
	ca, cw := protocol.Op{Kind: protocol.ClusterArrive}, protocol.Op{Kind: protocol.ClusterWait}
	p := &protocol.Protocol{CTAs: 2, Cluster: true}
	p.Classes = []protocol.Class{class(0, 1, ca, cw), class(1, 1, ca)}
	out, err := Walk(p, []engine.Step{step(0, 0, 1), step(1, 0, 1), step(0, 1, 1)})
	if err != nil || !out.State.done() {
		t.Errorf("err %v", err)
	}
	p.Cluster = false // each CTA is a cluster of its own
	if _, err := Walk(p, []engine.Step{step(0, 0, 1), step(0, 1, 1)}); err != nil {
		t.Error(err)
	}
}

func TestRaceNeedsTwoAccessors(t *testing.T) {
	p := gates(1)
	p.Buffers = []protocol.Buffer{{Name: "tile", Elements: 4}}
	copies := protocol.Op{Kind: protocol.Issue, Access: touch(true, 0, 0, 4)}
	p.Classes = []protocol.Class{class(0, 1, copies, protocol.Op{Kind: protocol.Drain, Drains: []int{0}})}
	p.Classes[0].Blocks[0] = touch(true, 0, 0, 4)
	p.Classes[0].Blocks[1] = touch(false, 0, 0, 1)
	p.Classes[0].Blocks[2] = touch(false, 0, 0, 1)
	race := func(list ...engine.Step) bool {
		out, err := Walk(p, list)
		if err != nil {
			t.Fatal(err)
		}
		return out.State.Race() != nil
	}
	done := engine.Step{Class: 0, Op: 0, N: 1, Completion: true}
	if race() {
		t.Error("one thread races with itself")
	}
	if !race(step(0, 0, 1)) {
		t.Error("a thread does not race with the copy it has in flight")
	}
	if race(step(0, 0, 1), done, step(0, 1, 1)) {
		t.Error("a completed copy races")
	}
}

// TestNoViolation: what looks like a violation and is none. The effect of nothing that follows the end of a phase is
// credited to no phase; an arrival that is too many is not one of another phase; an operation uses what it is issued on in
// flight.
func TestNoViolation(t *testing.T) {
	p := gates(1, 1, 1)
	p.Classes = []protocol.Class{
		class(0, 1, protocol.Op{Kind: protocol.Issue, Effects: []protocol.Effect{{Arrivals: 1}, {}}}),
		class(0, 1, protocol.Op{Kind: protocol.ArriveExpectTx, Object: 1, Count: 1, Bytes: 4}, protocol.Op{Kind: protocol.CompleteTx, Object: 1, Bytes: 4}),
		class(0, 1, arrive(1, 1)),
		class(0, 1, protocol.Op{Kind: protocol.Issue, Effects: []protocol.Effect{{Mbar: 2, Arrivals: 1}}}),
		class(0, 1, protocol.Op{Kind: protocol.Init, Object: 2}),
	}
	for _, c := range []struct {
		prop  protocol.Property
		trace *engine.Trace
		want  string
	}{
		{protocol.Attribution, steps(step(0, 0, 1), engine.Step{N: 1, Completion: true}), "does not end in"},
		{protocol.Attribution, steps(step(1, 0, 1), step(2, 0, 1)), "beyond the pending count"},
		{protocol.Lifetime, steps(), "does not end in"},
	} {
		if _, err := Run(p, c.trace, c.prop); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v shows %s: %v", c.trace.Steps, c.prop, err)
		}
	}
}
