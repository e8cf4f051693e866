package explore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/certificate"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Family is the instances of a kernel that differ in the values of some unknowns.
type Family struct {
	Unknowns []string // first those that the others' periods depend on, as that of a loop over tiles on the rounds in a tile
	From     []int    // the least value of each
	// At gives an instance with its Loops and Repeats. None means that the kernel does not allow the values; an error, that
	// the instance cannot be made.
	At func(values []int) (*protocol.Protocol, error)
	// Certify is told why what holds in an instance does; an error ends it. Nobody is told if it is nil.
	Certify func(*protocol.Protocol, *engine.Result, *certificate.Certificate) error
}

// Member is one instance of a family, with what is known of it.
type Member struct {
	Values   []int
	Protocol *protocol.Protocol
	Result   *engine.Result
}

// Whole is what is known of a family.
type Whole struct {
	Members []Member // the instances looked at, the smallest first
	Reason  string   // why what holds in all Members is not known to hold in the whole family; "" if it is
	States  int
}

// maxMembers bounds the instances that are looked at for a family.
const maxMembers = 4096

// Every looks at as many instances of a family as it takes to know what holds in all of them.
//
// # Why that is enough
//
// Take one unknown u with period P (protocol.Repeat), and write program c of the instance with v0+n·P, v0 ≥ Least-P, as
// W0 B1ⁿ W1 B2ⁿ … BRⁿ WR: the R loops of u, which the classes that have any go round in the same order, and in each the
// rounds that repeat, n times. Call the instance I(n). Cut (r, j) is the point where every class with loops is about to
// begin copy j of region r, and every other class stands at a location fixed for the region.
//
// Cuts. In I(2) all cuts are reached, one after the other, with nothing in flight, and in a region they leave the objects
// alike: fields equal, phases different by an even number (protocol.Machine.Alike). A step cannot tell alike states
// apart, so the same is so in every I(n): copy j+1 goes as copy j went.
//
// Frozen runs. Everything that the proof of the package documentation says of a protocol, that its semantics are M's and
// that M has no violation, it says of maximal runs of M with something frozen, and of pairs of things frozen. What is
// frozen stands after some cut and does not keep anyone from getting to this cut, and M is confluent; so the run is one
// from the cut, and depends only on what is still to come. Let what is frozen come after cut (r, j) of I(n) and before the
// next. Where n-j ≥ 2 the run is that of I(2) after cut (r, 0), and else that of I(2) after cut (r, 2-(n-j)), as long as
// the run does not get to where the programs differ: in the first case beyond the copies of region r, in the second beyond
// those of region r+1. That is checked for each frozen run of I(2) (horizon.within); if it fails, someone may run ahead of
// others without a bound, or further than two copies. Runs with two things frozen, and with an operation kept in flight
// together with a thread, get no further than those with one. What one wait of a thread says about a later one
// (waitedBefore) is looked at in the second copy, too, which all later ones are like.
//
// So if the proof goes through for I(1) and I(2), it does for every I(n), n > 0, with the same answers. Of values below
// Least each is looked at by itself, and of the others I(1) and I(2) for each residue: the values up to Least+2P-1. The
// instances I(2) are grown from I(1) (protocol.Grow), and the largest is made anew to see that it is the same.
//
// With several unknowns the values of the others are part of W and B. Take k and t, every k up to its bound, with each
// every t up to the bound that t has then, and the conditions of each unknown wherever its value is in its last period. By
// those of t, what holds for one of these k holds with every t; and so do the conditions of k, which are statements about
// frozen runs, too. Hence by those of k it holds for every k and every t. (The Repeats of an instance hold together,
// protocol.Repeat; the period of k is one for all t.)
func Every(ctx context.Context, f Family, lim engine.Limits) *Whole {
	lim = withDefaults(lim)
	e := &every{Family: f, ctx: ctx, lim: lim, stop: time.Now().Add(lim.Time), axes: map[string]*axis{}, known: map[string]*protocol.Protocol{}}
	e.grid(nil, e.discover)
	if e.Reason == "" {
		e.corner()
	}
	if e.Reason == "" {
		e.grid(nil, e.decide)
	}
	return &e.Whole
}

type every struct {
	Family
	Whole
	ctx   context.Context
	lim   engine.Limits
	stop  time.Time
	axes  map[string]*axis // by the values of the unknowns before it
	known map[string]*protocol.Protocol
}

// axis is what is known of one unknown, given the values of those before it. From start on it grows by periods: what is in
// n periods behind stands there n times. The period, 0 as long as it is not known, shows in instances from some value on,
// which is far at most.
type axis struct{ period, start, far int }

// least is from where on the rounds that repeat are there once, and instances can be grown.
func (a *axis) least() int { return a.start + a.period }

// last is where its last period begins: there, larger values are like these.
func (a *axis) last() int { return a.start + copies*a.period }

// end is behind all values that are looked at.
func (a *axis) end() int { return max(a.last()+a.period, a.far+1) }

// axis is that of unknown i.
func (e *every) axis(i int, values []int) *axis {
	key := fmt.Sprint(values[:i])
	if e.axes[key] == nil {
		e.axes[key] = &axis{0, e.From[i], e.From[i]}
	}
	return e.axes[key]
}

// grid calls visit with all values up to the bounds, until there is a reason to stop.
func (e *every) grid(values []int, visit func(values []int)) {
	i := len(values)
	if i == len(e.Unknowns) {
		visit(slices.Clone(values))
		return
	}
	a := e.axis(i, values)
	for v := e.From[i]; v < a.end() && !e.exceeded(); v++ { // visits may move the bound
		e.grid(append(values, v), visit)
	}
}

// discover makes an instance, and learns from it how many there are to look at.
func (e *every) discover(values []int) {
	if len(e.known) >= maxMembers {
		e.Reason = fmt.Sprintf("more than %s instances", number(maxMembers))
		return
	}
	p := e.grow(values)
	if p == nil {
		var err error
		if p, err = e.At(values); err != nil {
			e.Reason = err.Error()
			return
		}
	}
	e.known[fmt.Sprint(values)] = p
	if p == nil {
		return
	}
	for i, u := range e.Unknowns {
		if _, asked := p.Values[u]; !asked {
			continue // the instance is the same for all of its values
		}
		at := slices.IndexFunc(p.Repeats, func(r protocol.Repeat) bool { return r.Unknown == u })
		if at < 0 {
			e.Reason = "the instances are not known to repeat with " + u
			return
		}
		r, a := p.Repeats[at], e.axis(i, values)
		switch {
		case r.Least > maxMembers || r.Period > maxMembers:
			e.Reason = fmt.Sprintf("%s repeats only after %d rounds", u, max(r.Least, r.Period))
			return
		case values[i] < r.Least:
			a.far = max(a.far, r.Least)
			continue
		case r.Period < 1:
			e.Reason = "the instances do not repeat with " + u
			return
		}
		a.period, a.start = r.Period*max(a.period, 1)/common(r.Period, max(a.period, 1)), max(a.start, r.Least-r.Period)
	}
}

// grow makes an instance of one that is a period smaller; nil where there is none.
func (e *every) grow(values []int) *protocol.Protocol {
	for i, u := range e.Unknowns {
		if a := e.axis(i, values); a.period > 0 && values[i]-a.period >= a.least() {
			if q := e.smaller(values, i); q != nil {
				return q.Grow(u, a.period)
			}
		}
	}
	return nil
}

// smaller is the instance that is a period smaller in one unknown.
func (e *every) smaller(values []int, i int) *protocol.Protocol {
	less := slices.Clone(values)
	less[i] -= e.axis(i, values).period
	return e.known[fmt.Sprint(less)]
}

// corner makes the largest of the instances anew, and checks that those that others were grown from grow into it.
func (e *every) corner() {
	var values []int
	for i := range e.Unknowns {
		values = append(values, e.axis(i, values).end()-1)
	}
	p, err := e.At(values)
	if err != nil {
		e.Reason = err.Error()
		return
	}
	for i, u := range e.Unknowns {
		period := e.axis(i, values).period
		if q := e.smaller(values, i); p != nil && q != nil && period > 0 && e.Reason == "" {
			if err := grown(q, p, span{u, period}); err != nil {
				e.Reason = err.Error()
			}
		}
	}
}

// common is the greatest common divisor.
func common(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

func (e *every) exceeded() bool {
	switch {
	case e.States >= e.lim.States:
		e.Reason = fmt.Sprintf("the limit of %s states was reached", number(e.lim.States))
	case e.ctx.Err() != nil:
		e.Reason = "cancelled"
	case time.Now().After(e.stop):
		e.Reason = "the limit of time was reached"
	}
	return e.Reason != ""
}

// decide looks at one instance.
func (e *every) decide(values []int) {
	p := e.known[fmt.Sprint(values)]
	if p == nil {
		return
	}
	m := Member{Values: values, Protocol: p, Result: e.member(p, values)}
	e.Members = append(e.Members, m)
	if m.Result.Wrong() {
		e.Reason = "an instance has an error"
	}
}

// member decides one instance; in the last period of an unknown, with what makes larger ones like it.
func (e *every) member(p *protocol.Protocol, values []int) *engine.Result {
	if err := p.Validate(); err != nil {
		e.Reason = err.Error()
		return refused(err)
	}
	var spans []span
	for i, u := range e.Unknowns {
		switch a := e.axis(i, values); {
		case p.Values[u] == "":
		case a.period == 0:
			e.Reason = "it is not known how instances grow with " + u
		case values[i] >= a.last():
			spans = append(spans, span{u, a.period})
		}
	}
	r := e.answer(p, spans)
	if p.Premise != nil {
		premise := *p.Premise
		premise.Loops = p.Loops
		if q := e.answer(&premise, spans); q.Properties[protocol.Race].Verdict != engine.Holds && e.Reason == "" {
			e.Reason = "values read from shared memory may be others than those taken"
		}
	}
	return r
}

func (e *every) answer(p *protocol.Protocol, spans []span) *engine.Result {
	j, lim := newJudge(p), e.lim
	lim.States = max(1, lim.States-e.States)
	lim.Proof = min(lim.Proof, lim.States)
	lim.Time = max(time.Until(e.stop), 1) // none would be no limit
	if e.Certify != nil {
		j.record = &certificate.Certificate{}
	}
	if len(spans) > 0 && e.Reason == "" {
		r, why := j.proveAll(newMeter(e.ctx, lim, e.stop), spans)
		if r != nil && !r.Wrong() {
			e.States += r.States
			return e.certified(p, r, j)
		}
		if r == nil {
			e.Reason = why
		}
	}
	r := j.check(e.ctx, lim)
	e.States += r.States
	return e.certified(p, r, j)
}

// certified tells why what holds in an instance does.
func (e *every) certified(p *protocol.Protocol, r *engine.Result, j *judge) *engine.Result {
	if e.Certify != nil {
		if err := e.Certify(p, r, j.record); err != nil && e.Reason == "" {
			e.Reason = err.Error()
		}
	}
	return r
}
