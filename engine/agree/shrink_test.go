package agree

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/protocol/random"
)

// forgetful is a search with a fault: it takes an arrive.drop for an arrive.
func forgetful(ctx context.Context, s *subject) (bool, string) {
	q := random.Clone(s.p)
	for c := range q.Classes {
		for l := range q.Classes[c].Ops {
			if o := &q.Classes[c].Ops[l]; o.Kind == protocol.ArriveDrop {
				o.Kind = protocol.ArriveExpectTx
			}
		}
	}
	return true, against(explore.Search(ctx, q, engine.Limits{States: States}), s.base, protocol.Attribution, protocol.Phase, protocol.Quiet)
}

// TestShrink: whatever protocol shows the fault of an engine, what is left of it is about that fault alone.
func TestShrink(t *testing.T) {
	faulty := Reduction{Name: "forgetful", compare: forgetful}
	shown := 0
	for seed := 0; shown < 8; seed++ {
		p := random.Protocol(seed)
		if !faulty.Disagrees(p) {
			continue
		}
		shown++
		before := p.Digest()
		q := random.Shrink(p, faulty.Disagrees)
		ops, drops := 0, 0
		for _, c := range q.Classes {
			for _, o := range c.Ops {
				ops++
				if o.Kind == protocol.ArriveDrop {
					drops++
				}
			}
		}
		if !faulty.Disagrees(q) || ops > 2 || drops == 0 || len(q.Classes) > 2 {
			t.Errorf("seed %d: %d operations are left, %d drops:\n%s", seed, ops, drops, random.Print(q))
		}
		if p.Digest() != before {
			t.Errorf("seed %d: shrinking changes the protocol", seed)
		}
	}
}

// What is printed is what a test can read again, and says what happens in words.
func TestPrint(t *testing.T) {
	for seed := range 200 {
		p := random.Protocol(seed)
		var q protocol.Protocol
		if err := json.Unmarshal(random.JSON(p), &q); err != nil {
			t.Fatal(err)
		}
		if p.Digest() != q.Digest() {
			t.Fatalf("seed %d reads as another protocol:\n%s\n%s", seed, random.JSON(p), random.JSON(&q))
		}
		if text := random.Print(p); strings.Contains(text, "%!") || !strings.Contains(text, "class c:") {
			t.Errorf("seed %d: %s", seed, text)
		}
	}
}
