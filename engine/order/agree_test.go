package order

import (
	"context"
	"os"
	"strconv"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/protocol/random"
)

// differs says in what this engine and explore differ on a protocol, "" if in nothing that both say.
func differs(p *protocol.Protocol) (why string, compared bool) {
	q, err := FromProtocol(p)
	if err != nil {
		return "", false
	}
	r := Verify(q, Options{})
	e := explore.Check(context.Background(), p, engine.Limits{States: 200000})
	if !e.Complete && !e.Wrong() {
		return "", false
	}
	inits := map[int]int{}
	for _, c := range p.Classes {
		for _, o := range c.Ops {
			if o.Kind == protocol.Init {
				if inits[o.Object] += c.Count; inits[o.Object] > 1 {
					return "", false // a protocol's object has its initial state from the start, and init only says that it may be used
				}
			}
		}
	}
	says := func(prop protocol.Property) engine.Verdict { return e.Properties[prop].Verdict }
	ordered := true
	for c := range Race {
		ordered = ordered && (c == Lifetime || r.Answers[c].Verdict == engine.Holds)
	}
	for _, pair := range []struct {
		check Check
		prop  protocol.Property
	}{{Deadlock, protocol.Deadlock}, {Arrivals, protocol.Arrivals}, {Race, protocol.Race}} {
		mine, its := r.Answers[pair.check].Verdict, says(pair.prop)
		if mine == engine.Violated && its == engine.Holds {
			return "order: " + pair.check.String() + " violated, explore: holds", true
		}
		if ordered && mine == engine.Holds && its == engine.Violated {
			return "order: " + pair.check.String() + " holds, explore: violated", true
		}
	}
	for _, prop := range []protocol.Property{protocol.Deadlock, protocol.Livelock, protocol.Phase, protocol.Arrivals, protocol.Bytes, protocol.Attribution} {
		if ordered && says(prop) == engine.Violated {
			return "order: well synchronized, explore: " + string(prop) + " violated", true
		}
	}
	mbars := r.Answers[Attribution].Verdict == engine.Violated || r.Answers[Phase].Verdict == engine.Violated || r.Answers[Bytes].Verdict == engine.Violated
	if mbars && r.Answers[Recycling].Verdict != engine.Violated && !e.Wrong() && says(protocol.Attribution) == engine.Holds && says(protocol.Quiet) == engine.Holds {
		return "order: phases are not told apart, explore: they are", true
	}
	return "", true
}

// TestAgreesWithExplore compares the engine with engine/explore on protocols that both can decide: of 12,000 these were 8,095.
// FENCEPOST_ORDER_PROGRAMS makes it take a fifth as many as that.
func TestAgreesWithExplore(t *testing.T) {
	n, compared := 2000, 0
	if more, err := strconv.Atoi(os.Getenv("FENCEPOST_ORDER_PROGRAMS")); err == nil {
		n = more / 5
	}
	for seed := range n {
		p := random.Protocol(seed)
		why, did := differs(p)
		if did {
			compared++
		}
		if why != "" {
			small := random.Shrink(p, func(q *protocol.Protocol) bool { why, _ := differs(q); return why != "" })
			why, _ = differs(small)
			q, _ := FromProtocol(small)
			t.Errorf("seed %d: %s\n%s\n%s%v", seed, why, random.Print(small), text(q), Verify(q, Options{}).Findings)
			break
		}
	}
	t.Logf("%d of %d protocols compared", compared, n)
}
