package explore

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/certificate"
	"github.com/fencepost-dev/fencepost/protocol"
)

// certified fails the test unless every property that holds is certified, and returns the certificate with these properties.
func certified(t *testing.T, what any, p *protocol.Protocol, lim engine.Limits) (*certificate.Certificate, []protocol.Property) {
	t.Helper()
	r, c := Certified(context.Background(), p, lim)
	var holds []protocol.Property
	for _, prop := range protocol.Properties {
		if r.Properties[prop].Verdict == engine.Holds {
			holds = append(holds, prop)
		}
	}
	open := c.Check(p, holds)
	for _, prop := range slices.Sorted(maps.Keys(open)) {
		t.Errorf("%v: %s is said to hold (%s), and the certificate does not show it: %v\n%s", what, prop, r.Properties[prop].Reason, open[prop], p)
	}
	return c, holds
}

// TestCertified: what holds of random protocols is certified, by whichever part of Check it is decided.
func TestCertified(t *testing.T) {
	first, count := seeds(1, 700)
	frozen, states := 0, 0
	EachRandom(first, count, func(seed int, p *protocol.Protocol) {
		for _, lim := range []engine.Limits{{}, {States: 4000, Proof: 1}} {
			c, holds := certified(t, seed, p, lim)
			if len(holds) > 0 && c.Frozen != nil {
				frozen++
			}
			if len(holds) > 0 && c.States != nil {
				states++
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	})
	t.Logf("certified %d by bounds, %d by states", frozen, states)
	if frozen < count/10 || states < count/10 {
		t.Error("too few for a test of both")
	}
}

// certifying is a family of which every answer is to be certified, for all instances where it is one for all.
func certifying(t *testing.T, f Family) Family {
	f.Certify = func(p *protocol.Protocol, r *engine.Result, c *certificate.Certificate) error {
		var holds []protocol.Property
		for _, prop := range protocol.Properties {
			if r.Properties[prop].Verdict == engine.Holds {
				holds = append(holds, prop)
			}
		}
		for prop, why := range c.Check(p, holds) {
			t.Errorf("%s of %v is said to hold (for more rounds: %t), and the certificate does not show it: %v", prop, p.Values, len(c.Rounds) > 0, why)
		}
		return nil
	}
	return f
}
