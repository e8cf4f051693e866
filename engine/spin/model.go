package spin

import (
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// maxValue bounds every number of a model: Promela's int is 32 bits and wraps in silence.
const maxValue = 1 << 30

// builder makes the model of one protocol. The model is the counted system of package protocol: for every class how
// many threads are at each of its places, so that its states are the states of a counted search, one for one.
type builder struct {
	p       *protocol.Protocol
	checks  map[protocol.Property]bool
	canon   *protocol.Execution
	m       model
	classes []places
	mbars   []mbar
	named   []*variable // registered threads; nil where nothing uses the barrier
	flags   []*variable
	cluster bool        // some thread uses the cluster barrier
	gen     []*variable // its generation, per cluster
	arrived []*variable // threads that have not exited and arrived in this generation, per cluster
	under   []expr      // an arrival beyond the pending count is possible
}

// mbar holds the variables of an mbarrier; tx, ready and expected are nil where no operation changes them.
type mbar struct{ phase, pending, tx, ready, expected *variable }

// places maps a class's threads to variables. A class of one thread is a number that says where the thread is; a
// larger one is an array of counts. After the places 0 … len(Ops) come those of the threads that are registered
// in the named barrier they are at.
type places struct {
	class    *protocol.Class
	at       *variable
	blocked  map[int]int // location of a named sync → the place of the threads registered there
	inFlight map[int]ref // location of an issue → operations in flight
	arrives  []int       // by location, the cluster arrivals before it
}

func build(p *protocol.Protocol, props []protocol.Property) (*model, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if len(props) == 0 {
		props = protocol.Properties
	}
	b := &builder{p: p, checks: map[protocol.Property]bool{}, canon: protocol.Canonical(p)}
	for _, prop := range props {
		b.checks[prop] = true
	}
	if err := b.declare(); err != nil {
		return nil, err
	}
	for c := range b.classes {
		for l := range b.classes[c].class.Ops {
			b.command(c, l)
		}
	}
	for c := range b.classes {
		for l, op := range b.classes[c].class.Ops {
			if op.Kind == protocol.Issue {
				b.completion(c, l)
			}
		}
	}
	b.m.commands = append(b.monitors(), b.m.commands...)
	b.m.ending = b.ending()
	return &b.m, nil
}

func (b *builder) variable(letter byte, number, size, most int) *variable {
	v := &variable{letter: letter, number: number, size: size, most: most}
	b.m.variables = append(b.m.variables, v)
	return v
}

func (b *builder) set(v *variable, index, value int) {
	if value != 0 {
		b.m.setup = append(b.m.setup, assign{ref{v, index}, number(value)})
	}
}

func get(v *variable) ref { return ref{of: v} }

func plus(r ref, n int) stmt { return assign{r, binary{"+", r, number(n)}} }

func less(r ref, n int) stmt { return assign{r, binary{"-", r, number(n)}} }

func is(l expr, op string, r expr) expr { return binary{op, l, r} }

// has is true when some thread of the class is at the place.
func (pl *places) has(place int) expr {
	if pl.at.size == 0 {
		return is(get(pl.at), "==", number(place))
	}
	return is(ref{pl.at, place}, ">", number(0))
}

// count is the number of threads at the place.
func (pl *places) count(place int) expr {
	if pl.at.size == 0 {
		return is(get(pl.at), "==", number(place))
	}
	return ref{pl.at, place}
}

func (pl *places) end() int { return len(pl.class.Ops) }

// ended is true when every thread of the class is at its end.
func (pl *places) ended() expr { return is(pl.count(pl.end()), "==", number(pl.class.Count)) }

func (pl *places) move(from, to int) []stmt {
	if pl.at.size == 0 {
		return []stmt{assign{get(pl.at), number(to)}}
	}
	return []stmt{less(ref{pl.at, from}, 1), plus(ref{pl.at, to}, 1)}
}

// moveAll moves every thread at one place to another.
func (pl *places) moveAll(from, to int) []stmt {
	if pl.at.size == 0 {
		return []stmt{branch{guard: pl.has(from), body: []stmt{assign{get(pl.at), number(to)}}}}
	}
	f, t := ref{pl.at, from}, ref{pl.at, to}
	return []stmt{assign{t, binary{"+", t, f}}, assign{f, number(0)}}
}

// group is the cluster that a CTA is in; a CTA that is in none is a cluster by itself.
func (b *builder) group(cta int) int {
	if b.p.Cluster {
		return 0
	}
	return cta
}

// alive is the number of threads that have not exited of the CTAs that are meant.
func (b *builder) alive(meant func(cta int) bool) expr {
	total := 0
	var gone []expr
	for i := range b.classes {
		if pl := &b.classes[i]; meant(pl.class.CTA) {
			total += pl.class.Count
			gone = append(gone, pl.count(pl.end()))
		}
	}
	return binary{"-", number(total), sum(gone...)}
}

// exited is true when every thread of a CTA has exited. A CTA of which no thread is modelled never exits.
func (b *builder) exited(cta int) expr {
	var ends []expr
	for i := range b.classes {
		if pl := &b.classes[i]; pl.class.CTA == cta {
			ends = append(ends, pl.ended())
		}
	}
	if len(ends) == 0 {
		return no
	}
	return allOf(ends...)
}

// command adds the step of a thread at a location.
func (b *builder) command(c, l int) {
	pl := &b.classes[c]
	op := &pl.class.Ops[l]
	guard := allOf(pl.has(l), b.enabled(c, op, l))
	step := &engine.Step{Class: c, Op: l, N: 1}
	if op.Kind == protocol.NamedSync {
		r := get(b.named[op.Object])
		body := append(pl.move(l, pl.blocked[l]), plus(r, 1))
		b.add(guard, append(body, b.settle(pl.class.CTA, b.touched(c, l))...), step)
		return
	}
	body, under := b.effect(c, l, op)
	b.underflow(guard, under, step)
	if op.Kind == protocol.ClusterArrive {
		body = append(body, b.generation(pl.class.CTA)) // before the thread goes on, perhaps to its end
	}
	body = append(body, pl.move(l, l+1)...)
	if l+1 == pl.end() && b.cluster {
		body = append(body, b.leave(pl, number(1))...)
	}
	body = append(body, b.settle(pl.class.CTA, b.touched(c, l))...)
	b.add(allOf(guard, not(under)), body, step)
}

// completion adds the step that ends one operation in flight.
func (b *builder) completion(c, l int) {
	pl := &b.classes[c]
	f := pl.inFlight[l]
	guard := is(f, ">", number(0))
	step := &engine.Step{Class: c, Op: l, N: 1, Completion: true}
	body := []stmt{less(f, 1)}
	var under []expr
	for _, e := range pl.class.Ops[l].Effects {
		s, u := b.contribute(c, l, e.Mbar, -e.Bytes, e.Arrivals)
		body = append(body, s...)
		under = append(under, u)
	}
	b.underflow(guard, anyOf(under...), step)
	b.add(allOf(guard, not(anyOf(under...))), body, step)
}

func not(e expr) expr {
	if e == no {
		return yes
	}
	return is(e, "==", number(0))
}

func (b *builder) add(guard expr, body []stmt, step *engine.Step) {
	b.m.commands = append(b.m.commands, command{guard, body, step})
}

// underflow adds the step in which a pending count would drop below zero. Nothing has a meaning after it: where
// it is not to be reported the step is left out, and its state is not called stuck.
func (b *builder) underflow(guard, under expr, step *engine.Step) {
	if under == no {
		return
	}
	under = allOf(guard, under)
	b.under = append(b.under, under)
	if b.checks[protocol.Arrivals] {
		b.add(under, []stmt{failed(protocol.Arrivals)}, step)
	}
}

// enabled is the condition under which a thread at the operation can execute it.
func (b *builder) enabled(c int, op *protocol.Op, l int) expr {
	switch op.Kind {
	case protocol.Wait:
		return is(binary{"%", get(b.mbars[op.Object].phase), number(2)}, "!=", number(op.Parity))
	case protocol.ClusterWait:
		return is(get(b.gen[b.group(b.classes[c].class.CTA)]), ">=", number(b.classes[c].arrives[l]))
	case protocol.Spin, protocol.FlagSwap:
		return is(get(b.flags[op.Object]), op.Compare, number(op.Count))
	case protocol.Drain:
		var idle []expr
		for _, d := range op.Drains {
			idle = append(idle, is(b.classes[c].inFlight[d], "==", number(0)))
		}
		return allOf(idle...)
	}
	return yes
}

// effect is what the operation changes besides moving its thread, and when its arrivals are too many.
func (b *builder) effect(c, l int, op *protocol.Op) (body []stmt, under expr) {
	switch op.Kind {
	case protocol.Init:
		body = []stmt{assign{get(b.mbars[op.Object].ready), number(1)}}
	case protocol.Arrive:
		return b.contribute(c, l, op.Object, 0, op.Count)
	case protocol.ArriveExpectTx:
		return b.contribute(c, l, op.Object, op.Bytes, op.Count)
	case protocol.ArriveDrop:
		e := get(b.mbars[op.Object].expected)
		body, under = b.contribute(c, l, op.Object, op.Bytes, op.Count)
		return append([]stmt{less(e, op.Count)}, body...), anyOf(under, is(e, "<", number(op.Count)))
	case protocol.CompleteTx:
		return b.contribute(c, l, op.Object, -op.Bytes, 0)
	case protocol.ExpectTx:
		body = []stmt{plus(get(b.mbars[op.Object].tx), op.Bytes)}
	case protocol.NamedArrive:
		body = []stmt{plus(get(b.named[op.Object]), 1)}
	case protocol.ClusterArrive:
		body = []stmt{plus(get(b.arrived[b.group(b.classes[c].class.CTA)]), 1)}
	case protocol.FlagAdd:
		body = []stmt{plus(get(b.flags[op.Object]), op.Count)}
	case protocol.FlagStore:
		body = []stmt{assign{get(b.flags[op.Object]), number(op.Count)}}
	case protocol.FlagSwap:
		body = []stmt{assign{get(b.flags[op.Object]), number(op.Value)}}
	case protocol.Issue:
		body = []stmt{plus(b.classes[c].inFlight[l], 1)}
	}
	return body, no
}

// contribute changes an mbarrier's transaction bytes and pending count and tests for the end of the phase.
func (b *builder) contribute(c, l, object, bytes, arrivals int) (body []stmt, under expr) {
	m, count := b.mbars[object], b.p.Mbars[object].Count
	body = b.attributed(c, l, object)
	under = no
	if arrivals > 1 || arrivals == 1 && (m.tx != nil || m.expected != nil) {
		under = is(get(m.pending), "<", number(arrivals)) // one arrival finds one pending, unless bytes hold the phase or nobody is expected any more
	}
	complete := is(get(m.pending), "==", number(0))
	if m.tx != nil {
		complete = allOf(complete, is(get(m.tx), "==", number(0)))
		if bytes != 0 {
			body = append(body, plus(get(m.tx), bytes))
		}
	}
	body = append(body, less(get(m.pending), arrivals))
	next := []stmt{plus(get(m.phase), 1), assign{get(m.pending), m.counts(count)}}
	return append(body, branch{guard: complete, body: next}), under
}

// counts is the expected count of the phases to come.
func (m *mbar) counts(initial int) expr {
	if m.expected != nil {
		return get(m.expected)
	}
	return number(initial)
}

// attributed checks that a contribution goes to the phase it goes to in the canonical execution. Where the threads of
// one class split over several phases there, the author's meaning is not known and nothing is checked.
func (b *builder) attributed(c, l, object int) []stmt {
	k, known := b.canon.CreditPhase(c, l, object)
	if !b.checks[protocol.Attribution] || !known {
		return nil
	}
	return []stmt{branch{guard: is(get(b.mbars[object].phase), "!=", number(k)), body: []stmt{failed(protocol.Attribution)}}}
}
