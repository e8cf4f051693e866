package spin

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/protocol"
)

// TestEnginesAgree has both engines decide the same protocols. They share the protocol's canonical execution, which
// says what is meant, and no search code.
func TestEnginesAgree(t *testing.T) {
	needSpin(t)
	cases := map[string]*protocol.Protocol{
		"smoother": smoother(3, 3, false), "literal": smoother(2, 2, true), "ring": ring(2, 5, 3, false), "hasty": ring(1, 3, 2, true),
		"named": named(4), "short": named(3), "counter": counter(3, 3), "issued early": issuedEarly(),
	}
	for seed := range 13 {
		cases[fmt.Sprintf("random %d", seed)] = strange(seed)
	}
	for name, p := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bothDecide(t, p)
		})
	}
}

func bothDecide(t *testing.T, p *protocol.Protocol) {
	t.Helper()
	mine := Run(context.Background(), p, nil, engine.Limits{})
	other := explore.Search(context.Background(), p, engine.Limits{})
	searched := false // explore stops early when every property is decided
	for _, prop := range protocol.Properties {
		a, b := mine.Properties[prop], other.Properties[prop]
		searched = searched || b.Verdict == engine.Holds && strings.HasPrefix(b.Reason, "searched")
		if a.Verdict != b.Verdict && a.Verdict != engine.Inconclusive && b.Verdict != engine.Inconclusive {
			t.Errorf("%s: spin %s (%s), explore %s (%s)", prop, a.Verdict, a.Reason, b.Verdict, b.Reason)
		}
		if strings.Contains(a.Reason, "internal error") {
			t.Errorf("%s: %s", prop, a.Reason)
		}
		for engineName, answer := range map[string]engine.Answer{"spin": a, "explore": b} {
			if answer.Verdict != engine.Violated {
				continue
			}
			if _, err := replay.Run(p, answer.Trace, prop); err != nil {
				t.Errorf("%s: the trace of %s does not replay: %v", prop, engineName, err)
			}
		}
	}
	if mine.Complete && searched && other.Complete && mine.States != other.States {
		t.Errorf("spin has %d states, explore %d", mine.States, other.States)
	}
}
