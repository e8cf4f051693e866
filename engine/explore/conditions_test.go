package explore

import (
	"context"
	"slices"
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

// TestConditions has, for every condition under which the proof applies, a protocol that breaks it: the canonical
// execution is fine, an execution that the proof would miss is not, and the proof must refuse or find it.
func TestConditions(t *testing.T) {
	for _, c := range []struct {
		name     string
		reason   string
		violated protocol.Property
		build    func() *protocol.Protocol
	}{
		{"late", "two phases behind", protocol.Deadlock, func() *protocol.Protocol {
			p := one(mb("b", 1))
			class(p, 0, 1, wait(0, 0)) // falls behind when nothing holds the arrivals back
			class(p, 0, 1, arrive(0), spin(">=", 1), arrive(0))
			class(p, 0, 1, wait(0, 0), add(1))
			p.Flags = []protocol.Flag{{Name: "f"}}
			return p
		}},
		{"early, sum", "early", protocol.Phase, func() *protocol.Protocol {
			p := one(mb("b", 1), mb("go", 1))
			class(p, 0, 1, arrive(0), arrive(0))
			class(p, 0, 1, wait(0, 1))
			p.Classes[0].Ops = append(p.Classes[0].Ops, arrive(1))
			p.Classes[0].Blocks = append(p.Classes[0].Blocks, nil)
			return p
		}},
		{"contribution to the next phase", "another phase", protocol.Deadlock, func() *protocol.Protocol {
			// Two producers whose bytes differ share a barrier; nothing keeps the second one's phase back.
			p := one(mb("b", 1))
			class(p, 0, 1, arriveTx(0, 4), issue(0, 4), wait(0, 0))
			class(p, 0, 1, arriveTx(0, 8), issue(0, 8))
			return p
		}},
		{"stand-alone expect", "before its bytes are expected", protocol.Deadlock, func() *protocol.Protocol {
			// An expect_tx that comes last brings tx to zero without a completion test.
			p := one(mb("b", 1))
			class(p, 0, 1, expectTx(0, 4))
			class(p, 0, 1, issue(0, 4))
			class(p, 0, 1, arrive(0))
			class(p, 0, 1, wait(0, 0))
			return p
		}},
		{"more bytes than expected", "more bytes complete than expected", protocol.Deadlock, func() *protocol.Protocol {
			p := one(mb("b", 1))
			class(p, 0, 1, issue(0, 4), issue(0, 4), arriveTx(0, 4), wait(0, 0))
			return p
		}},
		{"uneven counts", "another phase", protocol.Arrivals, func() *protocol.Protocol {
			p := one(mb("b", 3))
			class(p, 0, 1, protocol.Op{Kind: protocol.Arrive, Count: 2}, protocol.Op{Kind: protocol.Arrive, Count: 1})
			class(p, 0, 1, protocol.Op{Kind: protocol.Arrive, Count: 2}, protocol.Op{Kind: protocol.Arrive, Count: 1})
			return p
		}},
		{"named barrier generations", "another generation", protocol.Deadlock, func() *protocol.Protocol {
			p := one()
			// The last thread is for the second generation, and comes only after the first thread's sync; the third
			// may take that thread's place in the first.
			p.Named = []protocol.Named{{ID: 1, Threads: 2}}
			p.Flags = []protocol.Flag{{Name: "f"}}
			class(p, 0, 1, named(protocol.NamedSync, 0), add(1))
			class(p, 0, 1, named(protocol.NamedSync, 0))
			class(p, 0, 1, named(protocol.NamedArrive, 0))
			class(p, 0, 1, spin(">=", 1), named(protocol.NamedSync, 0))
			return p
		}},
		{"several generations at once", "several generations", protocol.Deadlock, func() *protocol.Protocol {
			p := one()
			p.Named = []protocol.Named{{ID: 1, Threads: 2}}
			class(p, 0, 4, named(protocol.NamedSync, 0), named(protocol.NamedSync, 0))
			return p
		}},
		{"arrive on the CTA-wide barrier", "without waiting", protocol.Deadlock, func() *protocol.Protocol {
			p := one()
			p.Named = []protocol.Named{{}}
			p.Flags = []protocol.Flag{{Name: "f"}}
			class(p, 0, 1, named(protocol.NamedArrive, 0), named(protocol.NamedArrive, 0), spin(">=", 1))
			class(p, 0, 1, named(protocol.NamedSync, 0), add(1))
			class(p, 0, 1, named(protocol.NamedSync, 0))
			return p
		}},
		{"flag falls", "does not only rise", protocol.Livelock, func() *protocol.Protocol {
			p := one()
			p.Flags = []protocol.Flag{{Name: "f"}}
			class(p, 0, 1, add(1))
			class(p, 0, 1, spin(">=", 1))
			class(p, 0, 1, spin(">=", 1), add(-1))
			return p
		}},
		{"stores of two threads", "does not only rise", protocol.Livelock, func() *protocol.Protocol {
			p := one()
			p.Flags = []protocol.Flag{{Name: "f"}}
			class(p, 0, 1, protocol.Op{Kind: protocol.FlagStore, Count: 1})
			class(p, 0, 1, protocol.Op{Kind: protocol.FlagStore, Count: 2})
			class(p, 0, 1, spin(">=", 2))
			return p
		}},
		{"spin passes and blocks", "may pass and then block", protocol.Livelock, func() *protocol.Protocol {
			p := one()
			p.Flags = []protocol.Flag{{Name: "f"}}
			class(p, 0, 1, spin("==", 0))
			class(p, 0, 1, add(1))
			return p
		}},
		{"second init", "more than once", protocol.Lifetime, func() *protocol.Protocol {
			p := one(mb("b", 1))
			class(p, 0, 2, protocol.Op{Kind: protocol.Init})
			class(p, 0, 1, arrive(0))
			return p
		}},
		{"threads part", "different places", protocol.Deadlock, func() *protocol.Protocol {
			p := one()
			p.Named = []protocol.Named{{ID: 1, Threads: 2}}
			class(p, 0, 3, named(protocol.NamedSync, 0))
			return p
		}},
		{"canonical execution breaks", "exceeds", protocol.Arrivals, func() *protocol.Protocol {
			p := one(mb("b", 1))
			class(p, 0, 1, arriveTx(0, 4), arrive(0))
			return p
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.build()
			r := Search(context.Background(), p, engine.Limits{})
			if got := r.Properties[c.violated].Verdict; got != engine.Violated {
				t.Fatalf("search says %s of %s", got, c.violated)
			}
			pr := prove(newJudge(p), unlimited(context.Background()))
			if !strings.Contains(pr.differs, c.reason) {
				t.Errorf("the proof refuses with %q, want %q", pr.differs, c.reason)
			}
		})
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
	s := &scout{judge: newJudge(p), found: map[protocol.Property]engine.Answer{}, open: map[protocol.Property]bool{protocol.Deadlock: true}, hasty: true}
	s.counts(0)
	if s.found[protocol.Deadlock].Verdict != engine.Violated {
		t.Errorf("found %v", s.found)
	}
}
