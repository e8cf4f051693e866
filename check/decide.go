package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/engine/spin"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
)

// engines are the engines a decision asks; tests put their own here.
type engines struct {
	explore func(context.Context, *protocol.Protocol, engine.Limits) *engine.Result
	spin    func(context.Context, *protocol.Protocol, []protocol.Property, engine.Limits) *engine.Result
	replay  func(*protocol.Protocol, *engine.Trace, protocol.Property) (*replay.Outcome, error)
	hasSpin bool
}

func installed() engines {
	_, _, ok := spin.Available()
	return engines{explore: widening(explore.Check), spin: widenedSpin, replay: replay.Run, hasSpin: ok}
}

// answer is what is known of one property of a kernel, over all its instances.
type answer struct {
	verdict  engine.Verdict
	reason   limit.Reason // why it is not decided; none where it is
	engines  []string     // that gave this verdict
	instance *protocol.Protocol
	trace    *engine.Trace
	outcome  *replay.Outcome // of trace; every violation has one
	object   int
	more     []*answer // Race: violations on other buffers

	unconfirmed string // the engine that was asked to confirm it and could not, and why
}

// decision is what the engines say about a kernel.
type decision struct {
	answers  map[protocol.Property]*answer
	rounds   []string                               // unknowns that say how often loops go round
	curable  []lack                                 // what a hang hangs on beside zeros
	verdicts map[protocol.Property][]instanceAnswer // of every instance
	engines  []string                               // that gave an answer
	partial  bool                                   // of the parts of a kernel that are modelled: only what is violated counts
	states   int
	elapsed  time.Duration
	spinTime time.Duration
}

// decide asks the engines about every instance of a kernel. The worst answer counts: one violated instance is a
// violation, one undecided instance leaves the property undecided. Each violation is replayed before it counts.
func (e engines) decide(ctx context.Context, opt *Options, b *budget, instances []*protocol.Protocol, rounds []string, suspected []protocol.Property) (decision, error) {
	start := time.Now()
	d := decision{answers: map[protocol.Property]*answer{}, rounds: rounds, verdicts: map[protocol.Property][]instanceAnswer{}}
	given := b.next()
	defer func() { b.states, b.spent = b.states+d.states, b.spent+time.Since(start) }()
	limits := given
	for i, p := range instances {
		if d.wrong() && limits == given {
			limits = after(limits, d.states)
		}
		lim, ok := share(limits, d.states, time.Since(start), len(instances)-i)
		if !ok {
			d.merge(p, undecided(limit.States.Says("the kernel's limit was reached before this instance was searched")))
			continue
		}
		left := remaining(lim)
		answers, err := e.instance(ctx, opt, p, suspected, &d, left)
		if err != nil {
			return d, err
		}
		if err := e.settle(ctx, p, answers[protocol.Race], &d.states, left); err != nil {
			return d, err
		}
		e.premise(ctx, p, answers, &d, left())
		d.merge(p, answers)
	}
	if opt.Engine != Spin {
		given.Time = b.timeLeft(time.Since(start))
		if err := e.moreRaces(ctx, instances, &d, remaining(given)); err != nil {
			return d, err
		}
	}
	for _, prop := range protocol.Properties {
		if a := d.answers[prop]; a != nil {
			for _, name := range a.engines {
				d.addEngine(name)
			}
		}
	}
	d.elapsed = time.Since(start)
	return d, nil
}

// afterStates bounds the states of all instances after the first that has an error.
const afterStates = 1 << 17

// after is the limits for what else is wrong with a kernel that has an error: it will be checked again.
func after(lim engine.Limits, states int) engine.Limits {
	lim.States = min(lim.States, states+afterStates)
	return lim
}

// wrong reports whether an error is known.
func (d *decision) wrong() bool {
	for prop, a := range d.answers {
		if a.verdict == engine.Violated && !prop.Warning() {
			return true
		}
	}
	return false
}

// spinBudget is the time that confirming one kernel's suspects and violations with SPIN may take when nobody asked for
// SPIN: each instance costs a run of the C compiler.
const spinBudget = 20 * time.Second

// instance decides one instance, given what is known from the earlier ones.
func (e engines) instance(ctx context.Context, opt *Options, p *protocol.Protocol, suspected []protocol.Property, d *decision, left func() engine.Limits) (map[protocol.Property]*answer, error) {
	answers := undecided(limit.NotRun.Says("no engine was asked"))
	if opt.Engine != Spin {
		r := e.explore(ctx, p, left())
		d.states += r.States
		if err := e.take(answers, p, r, protocol.Properties); err != nil {
			return nil, err
		}
	}
	props := e.forSpin(opt.Engine, answers, suspected, d)
	if len(props) == 0 {
		return answers, nil
	}
	lim := left()
	if most := max(spinBudget-d.spinTime, time.Second); lim.Time == 0 || opt.Engine == Auto && most < lim.Time {
		lim.Time = most
	}
	start := time.Now()
	r := e.spin(ctx, p, props, lim)
	d.spinTime += time.Since(start)
	if opt.Engine == Spin {
		d.states += r.States
	}
	return answers, e.take(answers, p, r, props)
}

// forSpin says which properties SPIN is asked about: with auto, where SPIN is installed, the errors that explore found
// and what a rule suspects. Once a property is known to be violated, further instances add nothing.
func (e engines) forSpin(choice string, answers map[protocol.Property]*answer, suspected []protocol.Property, d *decision) []protocol.Property {
	switch choice {
	case Spin, Both:
		return protocol.Properties
	case Auto:
		if !e.hasSpin || d.spinTime >= spinBudget {
			return nil
		}
	default:
		return nil
	}
	violated := func(p protocol.Property) bool { return answers[p].verdict == engine.Violated }
	var props []protocol.Property
	for _, p := range protocol.Properties {
		if known := d.answers[p]; known != nil && known.verdict == engine.Violated && !d.idle(known.instance) {
			continue
		}
		if violated(p) && follows(p, violated) {
			continue
		}
		if violated(p) && !p.Warning() || slices.Contains(suspected, p) {
			props = append(props, p)
		}
	}
	return props
}

// take joins an engine's result with the answers so far. Two engines that decide a property differently mean that one
// of them is wrong, and then nothing about the kernel can be believed.
func (e engines) take(answers map[protocol.Property]*answer, p *protocol.Protocol, r *engine.Result, props []protocol.Property) error {
	for _, prop := range props {
		got, ok := r.Properties[prop]
		if !ok {
			continue
		}
		a := answers[prop]
		switch {
		case got.Verdict == engine.Inconclusive:
			why := r.Engine + ": " + strings.TrimPrefix(got.Reason, r.Engine+": ")
			if a.verdict != engine.Inconclusive {
				a.unconfirmed = why
			} else if got.Reason != "" {
				a.reason = got.Code.Says(why)
			}
			continue
		case a.verdict != engine.Inconclusive && a.verdict != got.Verdict:
			return fmt.Errorf("engines disagree on %q of %s %v: %s says %s, %s says %s",
				prop, p.Kernel, p.Values, a.engines[0], a.verdict, r.Engine, got.Verdict)
		}
		a.verdict, a.engines = got.Verdict, append(a.engines, r.Engine)
		if got.Verdict == engine.Holds {
			continue
		}
		if a.trace != nil {
			continue // the first engine's trace is the one reported; the second only confirms it
		}
		if got.Trace == nil {
			return fmt.Errorf("%s says that %q of %s is violated and gives no trace", r.Engine, prop, p.Kernel)
		}
		outcome, err := e.replay(p, got.Trace, prop)
		if err != nil {
			return fmt.Errorf("the trace by which %s says that %q of %s is violated does not replay: %w", r.Engine, prop, p.Kernel, err)
		}
		a.trace, a.outcome, a.object, a.instance = got.Trace, outcome, got.Object, p
	}
	return nil
}

// merge joins the answers of one instance into the kernel's.
func (d *decision) merge(p *protocol.Protocol, answers map[protocol.Property]*answer) {
	for prop, a := range answers {
		if a.instance == nil {
			a.instance = p
		}
		d.verdicts[prop] = append(d.verdicts[prop], instanceAnswer{p, a.verdict})
		old, ok := d.answers[prop]
		switch {
		case !ok || worse(a.verdict, old.verdict):
			d.answers[prop] = a
		case a.verdict == engine.Violated && d.idle(old.instance) && !d.idle(p):
			d.answers[prop] = a // what goes wrong where every loop goes round tells more
		case a.verdict == engine.Holds && old.verdict == engine.Holds:
			// An engine says that a kernel is right only when it says so of every instance.
			old.engines = slices.DeleteFunc(old.engines, func(name string) bool { return !slices.Contains(a.engines, name) })
		}
	}
}

func worse(a, b engine.Verdict) bool {
	rank := map[engine.Verdict]int{engine.Holds: 0, engine.Inconclusive: 1, engine.Violated: 2}
	return rank[a] > rank[b]
}

func (d *decision) addEngine(name string) {
	if !slices.Contains(d.engines, name) {
		d.engines = append(d.engines, name)
	}
}

func undecided(why limit.Reason) map[protocol.Property]*answer {
	answers := map[protocol.Property]*answer{}
	for _, p := range protocol.Properties {
		answers[p] = &answer{reason: why, object: -1}
	}
	return answers
}
