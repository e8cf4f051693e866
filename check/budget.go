package check

import (
	"context"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Limits of one kernel, all configurations and instances together, where the user gives none. States decide, so that a
// verdict does not depend on the machine.
const (
	kernelStates = 1 << 21
	kernelMemory = 96 << 20 // a search; there is one a worker
	leastStates  = 1 << 16
)

// budget is what the search of one kernel may use. The default configuration may use half of it where there are others,
// and each of these a part of what is left then.
type budget struct {
	limits  engine.Limits // as the user gives them
	states  int           // that were searched
	spent   time.Duration
	configs int // configurations that are not searched yet
}

func newBudget(limits engine.Limits, configs int) *budget {
	return &budget{limits: limits, configs: configs}
}

// configShares is for how many configurations the states are left, at the most: of those that are left over, few need many.
const configShares = 4

// next is the limits of the next configuration.
func (b *budget) next() engine.Limits {
	lim := b.limits
	if lim.States == 0 {
		lim.States = kernelStates
	}
	left := max(0, lim.States-b.states)
	switch {
	case b.states == 0 && b.configs > 1:
		left /= 2
	default:
		left = max(left/min(max(b.configs, 1), configShares), min(left, leastStates))
	}
	b.configs--
	lim.States, lim.Time = left, b.timeLeft(0)
	return lim
}

// timeLeft is the time that is left when some more is spent; 0 where there is no limit.
func (b *budget) timeLeft(more time.Duration) time.Duration {
	if b.limits.Time == 0 {
		return 0
	}
	return max(b.limits.Time-b.spent-more, 1) // none would be no limit
}

// remaining is the limits with the time that is left each time it is asked: those who work one after the other on one
// question share it.
func remaining(lim engine.Limits) func() engine.Limits {
	stop := time.Now().Add(lim.Time)
	return func() engine.Limits {
		if lim.Time > 0 {
			lim.Time = max(time.Until(stop), 1)
		}
		return lim
	}
}

// proofShares is how much of a configuration's limits the proof of one instance may take: the largest instance may need
// more than all others together.
const proofShares = 2

// share is the part of a configuration's limits that its next instance may use: an even part of what is left. Without a
// limit of time the clock is not looked at.
func share(lim engine.Limits, states int, spent time.Duration, instances int) (engine.Limits, bool) {
	if lim.Memory == 0 {
		lim.Memory = kernelMemory
	}
	left := lim.States - states
	lim.Proof = min(left, max(lim.States/proofShares, leastStates)) // what is proved needs no search
	lim.States = min(left, max(left/instances, leastStates))
	if lim.Time == 0 {
		return lim, lim.States > 0
	}
	lim.Time = (lim.Time - spent) / time.Duration(instances)
	return lim, lim.States > 0 && lim.Time > 0
}

// remembering is the engines for one kernel: explore is asked once about protocols that are alike, as those of several
// configurations often are.
func (e engines) remembering() engines {
	type asked struct {
		limits engine.Limits
		result *engine.Result
	}
	known := map[[32]byte]asked{}
	explore := e.explore
	e.explore = func(ctx context.Context, p *protocol.Protocol, lim engine.Limits) *engine.Result {
		key := p.Digest()
		if a, ok := known[key]; ok && (a.result.Complete || a.limits.States >= lim.States/2 && a.limits.Proof >= lim.Proof/2 && a.limits.Time >= lim.Time/2) {
			again := *a.result
			again.States = 0
			return &again
		}
		r := explore(ctx, p, lim)
		known[key] = asked{lim, r}
		return r
	}
	return e
}
