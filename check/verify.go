package check

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/certificate"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/protocol"
)

// With Options.Verify what explore says holds counts only if package certificate, which shares no code with it, sees so too;
// and what lowering says of larger numbers of rounds is compared with what they are. Whatever does not stand is a failure of
// fencepost, and the kernel inconclusive.

// verification is what the checks of a run came to. Several workers count.
type verification struct {
	sync.Mutex
	certificates, properties, larger int
	engine, checker, lowering        time.Duration
}

// note is what a report says of it.
func (v *verification) note() string {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return fmt.Sprintf("verified: %d certificates of %d properties in %.1f ms (the engine took %.1f ms); %d instances with more rounds in %.1f ms",
		v.certificates, v.properties, ms(v.checker), ms(v.engine), v.larger, ms(v.lowering))
}

// verifier checks what is said of one kernel.
type verifier struct {
	of       *verification
	failures []error
}

// verified is the engines, of whom explore has to show that what it says holds does.
func (e engines) verified(v *verifier) engines {
	if v == nil {
		return e
	}
	e.explore = widening(func(ctx context.Context, p *protocol.Protocol, lim engine.Limits) *engine.Result {
		start := time.Now()
		r, c := explore.Certified(ctx, p, lim)
		v.of.Lock()
		v.of.engine += time.Since(start)
		v.of.Unlock()
		v.check(p, r, c)
		return r
	})
	return e
}

// check takes from a result what its certificate does not show. It does nothing where nobody verifies.
func (v *verifier) check(p *protocol.Protocol, r *engine.Result, c *certificate.Certificate) error {
	if v == nil {
		return nil
	}
	var holds []protocol.Property
	for _, prop := range protocol.Properties {
		if r.Properties[prop].Verdict == engine.Holds {
			holds = append(holds, prop)
		}
	}
	start := time.Now()
	open := c.Check(p, holds)
	v.of.Lock()
	v.of.certificates, v.of.properties, v.of.checker = v.of.certificates+1, v.of.properties+len(holds)-len(open), v.of.checker+time.Since(start)
	v.of.Unlock()
	known := len(v.failures)
	for _, prop := range holds {
		if why := open[prop]; why != nil {
			v.failures = append(v.failures, fmt.Errorf("the certificate by which %s says that %q of %s %v holds does not show it: %w", explore.Name, prop, p.Kernel, p.Values, why))
			r.Properties[prop] = engine.Undecided(limit.Internal.Says("internal error: its certificate does not show that it holds: " + why.Error()))
			r.Complete = false
		}
	}
	return errors.Join(v.failures[known:]...)
}

// More rounds than any engine looks at: some periods, and a number of rounds up to mostMore that hangs on the kernel's name.
const (
	morePeriods = 4
	mostMore    = 64
)

// beyond looks at instances of a family that is known to hold for every number of rounds: larger ones than were looked at,
// lowered for their values, are what the smaller ones grow into, and hold as well.
func (v *verifier) beyond(ctx context.Context, k *lower.Kernel, w *explore.Whole, unknowns []string, given map[string]int64, lim engine.Limits) error {
	if v == nil {
		return nil
	}
	values := map[string]int64{}
	for name, n := range given {
		values[name] = n
	}
	for _, m := range w.Members {
		for i, u := range unknowns {
			values[u] = max(values[u], int64(m.Values[i]))
		}
	}
	h := fnv.New32a()
	h.Write([]byte(k.Name))
	start := time.Now()
	larger, err := k.Regrown(values, 1, 2, morePeriods+int(h.Sum32()%(mostMore-morePeriods)))
	v.of.Lock()
	v.of.larger, v.of.lowering = v.of.larger+len(larger), v.of.lowering+time.Since(start)
	v.of.Unlock()
	if err != nil {
		return err
	}
	for _, p := range larger {
		p = p.Widened()
		r, c := explore.Certified(ctx, p, lim)
		if err := v.check(p, r, c); err != nil {
			return err
		}
		for prop, a := range w.Members[0].Result.Properties {
			if a.Verdict == engine.Holds && !prop.Warning() && r.Properties[prop].Verdict == engine.Violated {
				return fmt.Errorf("%q of %s %v is violated, which was said to hold for every number of rounds", prop, p.Kernel, p.Values)
			}
		}
	}
	return nil
}
