package explore

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

func one(mbars ...protocol.Mbarrier) *protocol.Protocol {
	return &protocol.Protocol{Kernel: "one", CTAs: 1, Mbars: mbars}
}

func mb(name string, count int) protocol.Mbarrier {
	return protocol.Mbarrier{Name: name, Count: count}
}

func spin(compare string, v int) protocol.Op {
	return protocol.Op{Kind: protocol.Spin, Compare: compare, Count: v}
}

func add(n int) protocol.Op { return protocol.Op{Kind: protocol.FlagAdd, Count: n} }

func issue(o, bytes int) protocol.Op {
	return protocol.Op{Kind: protocol.Issue, Effects: []protocol.Effect{{Mbar: o, Bytes: bytes}}}
}

func expectTx(o, bytes int) protocol.Op {
	return protocol.Op{Kind: protocol.ExpectTx, Object: o, Bytes: bytes}
}

func arriveTx(o, bytes int) protocol.Op {
	return protocol.Op{Kind: protocol.ArriveExpectTx, Object: o, Count: 1, Bytes: bytes}
}

func named(kind protocol.Kind, o int) protocol.Op { return protocol.Op{Kind: kind, Object: o} }

// breach is a protocol that meets all conditions of the proof but one. Its canonical execution is fine as a rule, and
// another one that the proof would miss is not.
type breach struct {
	condition condition
	reason    string            // that the proof gives; "" where it does not refuse, but looks closer
	violated  protocol.Property // that is said to hold when the condition is ignored
	build     func(p *protocol.Protocol)
}

func breaches() []breach {
	return []breach{
		{unbroken, "exceeds", protocol.Arrivals, func(p *protocol.Protocol) {
			p.Mbars = []protocol.Mbarrier{mb("b", 1)}
			class(p, 0, 1, arriveTx(0, 4), arrive(0))
		}},
		{initOnce, "more than once", protocol.Lifetime, func(p *protocol.Protocol) {
			p.Mbars = []protocol.Mbarrier{mb("b", 1)}
			class(p, 0, 2, named(protocol.Init, 0))
			class(p, 0, 1, add(1), arrive(0)) // no run with one init frozen gets here before the other
		}},
		{notLate, "two phases behind", protocol.Deadlock, func(p *protocol.Protocol) {
			p.Mbars = []protocol.Mbarrier{mb("b", 1)}
			class(p, 0, 1, wait(0, 0)) // falls behind when nothing holds the arrivals back
			class(p, 0, 1, arrive(0), spin(">=", 1), arrive(0))
			class(p, 0, 1, wait(0, 0), add(1))
		}},
		{notEarly, "a phase early", protocol.Race, func(p *protocol.Protocol) {
			p.Mbars = []protocol.Mbarrier{mb("b", 2)}
			class(p, 0, 1, protocol.Op{Kind: protocol.Arrive, Count: 2}, arrive(0), arrive(0))
			touch(p, 0, 1, true)
			class(p, 0, 1, wait(0, 1)) // for the second phase, but passes before the first, too
			touch(p, 1, 1, false)
		}},
		{notEarlySum, "a phase early", protocol.Race, overtaken},
		{noStrays, "a phase early", protocol.Race, overtaken},
		{sumCounts, "another phase", protocol.Arrivals, func(p *protocol.Protocol) {
			p.Mbars = []protocol.Mbarrier{mb("b", 2)}
			class(p, 0, 2, arrive(0))
			class(p, 0, 1, protocol.Op{Kind: protocol.Arrive, Count: 2}) // in the midst of the others
		}},
		{sumBytes, "before its bytes are expected", protocol.Bytes, lateExpect},
		{sumDrops, "", protocol.Deadlock, func(p *protocol.Protocol) {
			p.Mbars = []protocol.Mbarrier{mb("b", 3), mb("go", 2)}
			class(p, 0, 2, protocol.Op{Kind: protocol.ArriveDrop, Count: 1}, wait(0, 0), arrive(1))
			class(p, 0, 1, arrive(0), arrive(1), wait(1, 0), arrive(0)) // a second phase, which one arrival completes
		}},
		{onePhase, "several phases", protocol.Arrivals, func(p *protocol.Protocol) {
			p.Mbars = []protocol.Mbarrier{mb("b", 1)}
			class(p, 0, 2, arrive(0)) // a phase each
			class(p, 0, 1, protocol.Op{Kind: protocol.ArriveDrop, Count: 1})
		}},
		{nextPhase, "another phase", protocol.Arrivals, func(p *protocol.Protocol) {
			p.Mbars = []protocol.Mbarrier{mb("b", 3)}
			for range 2 {
				class(p, 0, 1, protocol.Op{Kind: protocol.Arrive, Count: 2}, protocol.Op{Kind: protocol.Arrive, Count: 1})
			}
		}},
		{expectFirst, "before its bytes are expected", protocol.Bytes, lateExpect},
		{expectFirst, "before its bytes are expected", protocol.Deadlock, func(p *protocol.Protocol) {
			// An expect_tx that comes last brings tx to zero without a completion test.
			p.Mbars = []protocol.Mbarrier{mb("b", 1)}
			class(p, 0, 1, expectTx(0, 4))
			class(p, 0, 1, issue(0, 4))
			class(p, 0, 1, arrive(0))
			class(p, 0, 1, wait(0, 0))
		}},
		{lastBytes, "more bytes complete than expected", protocol.Bytes, func(p *protocol.Protocol) {
			p.Mbars = []protocol.Mbarrier{mb("b", 1)}
			class(p, 0, 1, issue(0, 4), issue(0, 4), arriveTx(0, 4), wait(0, 0))
		}},
		{oneGeneration, "several generations", protocol.Deadlock, func(p *protocol.Protocol) {
			p.Named = []protocol.Named{{ID: 1, Threads: 2}}
			class(p, 0, 4, named(protocol.NamedSync, 0), named(protocol.NamedSync, 0))
		}},
		{nextGeneration, "another generation", protocol.Deadlock, func(p *protocol.Protocol) {
			// The last thread is for the second generation, and comes only after the first thread's sync; the third
			// may take that thread's place in the first.
			p.Named = []protocol.Named{{ID: 1, Threads: 2}}
			class(p, 0, 1, named(protocol.NamedSync, 0), add(1))
			class(p, 0, 1, named(protocol.NamedSync, 0))
			class(p, 0, 1, named(protocol.NamedArrive, 0))
			class(p, 0, 1, spin(">=", 1), named(protocol.NamedSync, 0))
		}},
		{noBareArrive, "without waiting", protocol.Deadlock, func(p *protocol.Protocol) {
			p.Named = []protocol.Named{{}}
			class(p, 0, 1, named(protocol.NamedArrive, 0), named(protocol.NamedArrive, 0), spin(">=", 1))
			class(p, 0, 1, named(protocol.NamedSync, 0), add(1))
			class(p, 0, 1, named(protocol.NamedSync, 0))
		}},
		{flagAdds, "does not only rise", protocol.Livelock, func(p *protocol.Protocol) {
			class(p, 0, 1, add(1))
			class(p, 0, 1, spin(">=", 1))
			class(p, 0, 1, spin(">=", 1), add(-1))
		}},
		{flagWriter, "does not only rise", protocol.Livelock, func(p *protocol.Protocol) {
			class(p, 0, 1, set(1))
			class(p, 0, 1, set(2))
			class(p, 0, 1, spin(">=", 2))
		}},
		{flagWriter, "does not only rise", protocol.Livelock, func(p *protocol.Protocol) {
			class(p, 0, 1, set(1))
			class(p, 0, 1, add(1))
			class(p, 0, 1, spin(">=", 2))
		}},
		{flagStores, "does not only rise", protocol.Livelock, func(p *protocol.Protocol) {
			p.Mbars = []protocol.Mbarrier{mb("b", 1)}
			class(p, 0, 1, set(1), wait(0, 0), set(0))
			class(p, 0, 1, spin(">=", 1))
			class(p, 0, 1, arrive(0))
		}},
		{notOverrun, "may be past the value", protocol.Livelock, passing("==", 0)},
		{notOverrun, "may be past the value", protocol.Livelock, func(p *protocol.Protocol) { // one slot for two calls
			p.Mbars = []protocol.Mbarrier{mb("b", 1)}
			class(p, 0, 1, spin("==", 1), spin("==", 2))
			class(p, 0, 1, set(1), wait(0, 0), set(2))
			class(p, 0, 1, arrive(0)) // holds nobody back
		}},
		{flagSwaps, "because of what it holds", protocol.Deadlock, func(p *protocol.Protocol) { // who has the lock waits for one who waits for the lock
			p.Flags = []protocol.Flag{{Name: "lock"}, {Name: "flag"}}
			take := protocol.Op{Kind: protocol.FlagSwap, Compare: "<=", Value: 1}
			class(p, 0, 1, take, set(0), protocol.Op{Kind: protocol.FlagStore, Object: 1, Count: 1})
			class(p, 0, 1, take, protocol.Op{Kind: protocol.Spin, Object: 1, Compare: ">=", Count: 1})
		}},
		{spinStays, "may pass and then block", protocol.Livelock, passing("!=", 1)},
		{spinStays, "may pass and then block", protocol.Livelock, passing("<=", 0)},
		{spinStays, "may pass and then block", protocol.Livelock, passing("<", 1)},
	}
}

// overtaken is three threads of which two can complete both phases, so that the third waits for the second one with its
// arrival, which is one for the third, outstanding.
func overtaken(p *protocol.Protocol) {
	p.Mbars = []protocol.Mbarrier{mb("b", 1)}
	class(p, 0, 3, arrive(0), wait(0, 1))
	touch(p, 0, 1, false)
	touch(p, 0, 2, true)
}

// lateExpect is an expect_tx that nothing orders before the arrival that completes the phase.
func lateExpect(p *protocol.Protocol) {
	p.Mbars = []protocol.Mbarrier{mb("b", 1)}
	class(p, 0, 1, expectTx(0, 4))
	class(p, 0, 1, wait(0, 0))
	class(p, 0, 1, arrive(0))
}

// passing is a spin that passes only before the flag is added to.
func passing(compare string, v int) func(p *protocol.Protocol) {
	return func(p *protocol.Protocol) {
		class(p, 0, 1, spin(compare, v))
		class(p, 0, 1, add(1))
	}
}

func set(n int) protocol.Op { return protocol.Op{Kind: protocol.FlagStore, Count: n} }

// touch lets a class access the one element of the one buffer at a location.
func touch(p *protocol.Protocol, c, l int, write bool) {
	p.Classes[c].Blocks[l] = []protocol.Access{{Write: write, Elements: []protocol.Range{{Hi: 1}}}}
}

// TestConditions: the proof refuses each protocol that breaks a condition, or finds what is wrong with it; told to ignore
// the condition, it says of a violated property that it holds.
func TestConditions(t *testing.T) {
	for _, c := range breaches() {
		t.Run(string(c.condition), func(t *testing.T) {
			p := one()
			p.Flags, p.Buffers = []protocol.Flag{{Name: "f"}}, []protocol.Buffer{{Name: "s", Elements: 1}}
			c.build(p)
			r := Search(context.Background(), p, engine.Limits{})
			if got := r.Properties[c.violated].Verdict; got != engine.Violated {
				t.Fatalf("search says %s of %s", got, c.violated)
			}
			if pr := prove(newJudge(p), unlimited(context.Background())); !strings.Contains(pr.differs, c.reason) {
				t.Errorf("the proof refuses with %q, want %q", pr.differs, c.reason)
			}
			if r, _ := Prove(context.Background(), p, engine.Limits{}); r.Properties[c.violated].Verdict == engine.Holds {
				t.Errorf("the proof says that %s holds", c.violated)
			}
			j := newJudge(p)
			j.waived = c.condition
			pr := prove(j, unlimited(context.Background()))
			if pr.differs != "" {
				t.Fatalf("with the condition ignored, the proof refuses with %q", pr.differs)
			}
			pr.races()
			if got := pr.result().Properties[c.violated].Verdict; got != engine.Holds {
				t.Errorf("with the condition ignored, the proof says %s of %s: the condition is not needed", got, c.violated)
			}
		})
	}
}

// TestConditionsAreAll: every condition has a protocol that breaks it.
func TestConditionsAreAll(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "conditions.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	tested, conditions := map[string]bool{}, 0
	for _, c := range breaches() {
		tested[strconv.Quote(string(c.condition))] = true
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			conditions++
			if text := v.Values[0].(*ast.BasicLit).Value; !tested[text] {
				t.Errorf("nothing breaks the condition %s", text)
			}
		}
		return true
	})
	if conditions < 20 {
		t.Errorf("%d conditions", conditions)
	}
}

// A use before the init is a violation of Lifetime and of nothing else.
func TestUseBeforeInit(t *testing.T) {
	p := one(mb("b", 1))
	class(p, 0, 1, protocol.Op{Kind: protocol.Init})
	class(p, 0, 1, arrive(0))
	r := Check(context.Background(), p, engine.Limits{})
	if v := r.Properties[protocol.Lifetime].Verdict; v != engine.Violated {
		t.Errorf("lifetime %s, want violated", v)
	}
	for _, prop := range []protocol.Property{protocol.Deadlock, protocol.Phase, protocol.Arrivals} {
		if v := r.Properties[prop].Verdict; v != engine.Holds {
			t.Errorf("%s %s, want holds", prop, v)
		}
	}
}

// Where others make up the count of a barrier alone, whoever is late for it stays. The scout finds that before it has
// held anyone back elsewhere, in a protocol too long for that.
func TestScoutHoldsBackAtCounts(t *testing.T) {
	p := one()
	p.Named = []protocol.Named{{ID: 1, Threads: 64}, {ID: 2, Threads: 160}}
	long := make([]protocol.Op, 600)
	for i := range long {
		long[i] = named(protocol.NamedSync, 1)
	}
	class(p, 0, 32, append(slices.Clone(long), named(protocol.NamedSync, 0))...)
	class(p, 0, 128, append(slices.Clone(long), named(protocol.NamedArrive, 0))...)
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	s := &scout{judge: newJudge(p), clock: clockFor(context.Background(), engine.Limits{}), found: map[protocol.Property]engine.Answer{}, open: map[protocol.Property]bool{protocol.Deadlock: true}, hasty: true}
	s.counts(0)
	if s.found[protocol.Deadlock].Verdict != engine.Violated {
		t.Errorf("found %v", s.found)
	}
}
