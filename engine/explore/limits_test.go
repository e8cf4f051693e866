package explore

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

func reason(r *engine.Result) string { return r.Properties[protocol.Deadlock].Reason }

// TestSearchLimits: each limit alone ends a search that would go on, and the answer says which one and how far it came.
func TestSearchLimits(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		name string
		ctx  context.Context
		lim  engine.Limits
		want string
	}{
		{"states", context.Background(), engine.Limits{States: 5000}, "stopped by the limit of 5,000 states after 5,0"},
		{"memory", context.Background(), engine.Limits{States: 1 << 24, Memory: 2 << 20}, "stopped by the limit of 2 MiB of memory after "},
		{"little memory", context.Background(), engine.Limits{States: 1 << 24, Memory: 200 << 10}, "stopped by the limit of 200 KiB of memory after "},
		{"time", context.Background(), engine.Limits{States: 1 << 24, Time: 1}, "stopped by the limit of time after "},
		{"cancelled", cancelled, engine.Limits{}, "stopped by cancellation after "},
	} {
		r := Search(test.ctx, counting(4, 40), test.lim)
		a := r.Properties[protocol.Deadlock]
		if r.Complete || a.Verdict != engine.Inconclusive || !strings.HasPrefix(a.Reason, test.want) || a.Code == 0 {
			t.Errorf("%s: %s: %s", test.name, a.Verdict, a.Reason)
		}
		if r.States > 100_000 {
			t.Errorf("%s: %d states", test.name, r.States)
		}
	}
	if r := Search(context.Background(), counting(3, 40), engine.Limits{}); !r.Complete {
		t.Errorf("without limits: %s", reason(r))
	}
}

// TestSearchKeepsToMemory: what a search that meets its limit of memory has allocated and not freed is near the limit.
func TestSearchKeepsToMemory(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for _, limit := range []int64{24 << 20, 32 << 20, 48 << 20} {
		before, lim := heap(), engine.Limits{States: 1 << 24, Memory: limit}
		s := newSearch(clockFor(context.Background(), lim), newJudge(counting(4, 40)), lim, nil)
		r := s.run()
		used := heap() - before
		if !strings.Contains(reason(r), memoryLimit(limit)) || used > limit*9/8 || used < limit/2 {
			t.Errorf("limit %d KiB: %d KiB in use at the end: %s", limit>>10, used>>10, reason(r))
		}
		runtime.KeepAlive(s)
	}
}

// conflicting is a protocol of n threads of which each pair conflicts at every one of its rounds.
func conflicting(n, rounds int) *protocol.Protocol {
	p := counting(n, rounds)
	p.Buffers = []protocol.Buffer{{Name: "tile", Elements: 1}}
	for c := range p.Classes {
		for l := range p.Classes[c].Blocks {
			p.Classes[c].Blocks[l] = []protocol.Access{{Write: true, Async: true, Elements: []protocol.Range{{Lo: 0, Hi: 1}}}}
		}
	}
	return p
}

// TestConflictsKeepToMemory: the table of conflicts counts, and where there is no room for it, races are not decided.
func TestConflictsKeepToMemory(t *testing.T) {
	p := conflicting(8, 60)
	j := newJudge(p)
	if why := j.tabulate(1 << 30); why != "" || j.clashes < 10_000 {
		t.Fatalf("%d conflicts: %s", j.clashes, why)
	}
	tight := clashBytes * int64(j.clashes)
	if why := newJudge(p).tabulate(tight); why != "" {
		t.Error(why)
	}
	if why := newJudge(p).tabulate(tight - 1); !strings.Contains(why, "meets the limit of") {
		t.Errorf("no room: %q", why)
	}
	none := engine.Limits{States: 1000, Memory: tight - 1}
	full := newSearch(clockFor(context.Background(), none), newJudge(p), none, nil).run()
	if a := full.Properties[protocol.Race]; a.Verdict != engine.Inconclusive {
		t.Errorf("no room: race %s, %s", a.Verdict, a.Reason)
	}
	known := map[protocol.Property]engine.Answer{}
	for _, prop := range protocol.Properties {
		if prop != protocol.Race {
			known[prop] = engine.Answer{Verdict: engine.Holds}
		}
	}
	lim := engine.Limits{States: 1 << 24, Memory: tight + 64<<10}
	s := newSearch(clockFor(context.Background(), lim), newJudge(p), lim, known)
	s.walker.table = make([][]clash, len(s.m.Slots)) // as if none of them could be met, so that the search goes on
	if r := s.run(); !strings.Contains(r.Properties[protocol.Race].Reason, "of memory after") || r.States > 1<<14 {
		t.Errorf("%d states: %s", r.States, r.Properties[protocol.Race].Reason)
	}
}

// accessing is a ring whose rounds access memory: a proof keeps who gets how far at each of them.
func accessing() *protocol.Protocol {
	p := ring(4, 40, 128)
	p.Buffers = append(p.Buffers, protocol.Buffer{Name: "scratch", CTA: 0, Elements: 64})
	for c := range p.Classes {
		for l := range p.Classes[c].Blocks {
			p.Classes[c].Blocks[l] = append(p.Classes[c].Blocks[l], protocol.Access{Buffer: len(p.Buffers) - 1, Elements: []protocol.Range{{Lo: 0, Hi: 1}}})
		}
	}
	return p
}

// TestProofKeepsToMemory: without room for who gets where, a proof does not decide races, and says so; the rest stands.
func TestProofKeepsToMemory(t *testing.T) {
	p := accessing()
	proved := func(memory int64) *proof {
		pr := prove(newJudge(p), newMeter(context.Background(), engine.Limits{Memory: memory}, time.Now().Add(time.Hour)))
		pr.races()
		return pr
	}
	whole := proved(0)
	if whole.differs != "" || len(whole.unsure) > 0 || whole.held < 10_000 {
		t.Fatalf("%d bytes: %s %v", whole.held, whole.differs, whole.unsure)
	}
	if pr := proved(whole.held); len(pr.unsure) > 0 || pr.differs != "" {
		t.Errorf("all the room it needs: %s %v", pr.differs, pr.unsure)
	}
	pr := proved(whole.held - 1)
	if why := pr.unsure[protocol.Race].Text; pr.differs != "" || !strings.HasPrefix(why, "stopped by the limit of ") || !strings.Contains(why, "of memory after ") {
		t.Errorf("one byte less: %s; race: %s", pr.differs, why)
	}
	if r := pr.result(); r.Properties[protocol.Race].Verdict != engine.Inconclusive || r.Properties[protocol.Deadlock].Verdict != engine.Holds {
		t.Errorf("race %s, deadlock %s", r.Properties[protocol.Race].Verdict, r.Properties[protocol.Deadlock].Verdict)
	}
}

// TestCapsKeepToMemory: so do the runs in which an object is kept from passing a phase, which are kept too.
func TestCapsKeepToMemory(t *testing.T) {
	p := one(mb("b", 1)) // whose second phase is waited for with nothing before
	class(p, 0, 1, arrive(0), arrive(0))
	class(p, 0, 1, wait(0, 1))
	proved := func(memory int64) *proof {
		return prove(newJudge(p), newMeter(context.Background(), engine.Limits{Memory: memory}, time.Now().Add(time.Hour)))
	}
	whole := proved(0)
	if whole.held < worldBytes {
		t.Fatalf("%d bytes: no run was kept", whole.held)
	}
	if pr := proved(whole.held); pr.differs != whole.differs {
		t.Errorf("all the room it needs: %q, not %q", pr.differs, whole.differs)
	}
	if pr := proved(whole.held - 1); !strings.HasPrefix(pr.differs, "stopped by the limit of ") {
		t.Errorf("one byte less: %q", pr.differs)
	}
}

// TestTimeIsForAll: one clock is for the proof, the looking round after it and every search, not each its own.
func TestTimeIsForAll(t *testing.T) {
	past := clock{context.Background(), time.Now().Add(-time.Hour)}
	m := newMeter(context.Background(), engine.Limits{}, past.stop)
	if pr := prove(newJudge(ring(2, 8, 4)), m); !strings.HasPrefix(pr.differs, "stopped by the limit of time after ") {
		t.Errorf("the proof: %q", pr.differs)
	}
	found := map[protocol.Property]engine.Answer{}
	if work := newJudge(ring(2, 8, 4)).scout(past, Defaults, found); work > clockEvery*slotsPerMicro || len(found) > 0 {
		t.Errorf("the scout did the work of %d", work)
	}
	r := Check(context.Background(), counting(30, 40), engine.Limits{Time: 1})
	if r.Complete || r.States > 4*timeCheck || !strings.Contains(reason(r), "stopped by the limit of time") {
		t.Errorf("all: %d states: %s", r.States, reason(r))
	}
}
