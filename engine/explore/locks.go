package explore

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
)

// unlocked is what remains of a protocol without its locks, which make one that no proof of the package documentation is for, and states without number: who is next is open.
type unlocked struct {
	*judge // of what remains
	*protocol.Unlocked
	whole *judge
}

// withoutLocks leaves the locks of a protocol out; nil if there are none, or some that have to stay.
func withoutLocks(whole *judge) *unlocked {
	rest := whole.p.WithoutLocks()
	if rest == nil {
		return nil
	}
	return &unlocked{newJudge(rest.Protocol), rest, whole}
}

// result is what is known of the whole by what is of the rest; nil if that says nothing of it.
func (u *unlocked) result(r *engine.Result) *engine.Result {
	for prop, a := range r.Properties {
		if a.Verdict != engine.Violated {
			continue
		}
		if a.Trace == nil || prop == protocol.Race && a.Object >= u.Locks {
			return nil
		}
		t := u.trace(a.Trace)
		object, yes := u.whole.shows(t, prop)
		if !yes {
			r.Properties[prop] = engine.Undecided(limit.Internal.Says("a violation was found without the locks, but its trace does not replay with them"))
			continue
		}
		a.Trace, a.Object = t, object
		r.Properties[prop] = a
	}
	return r
}

// trace is a trace of the rest as one of the whole.
func (u *unlocked) trace(t *engine.Trace) *engine.Trace {
	r := &retrace{unlocked: u, state: u.m.Start(), threads: make([][]strand, len(u.p.Classes))}
	for c := range r.threads {
		r.threads[c] = make([]strand, u.p.Classes[c].Count)
	}
	for _, s := range t.Steps {
		r.step(s)
	}
	if t.Pair == nil {
		r.rest()
	} else {
		r.pair(t.Pair)
	}
	return &r.out
}

// retrace follows the threads of the whole while it makes a trace.
type retrace struct {
	*unlocked
	out     engine.Trace
	state   protocol.State // of the rest
	threads [][]strand     // by class
}

// strand is a thread: how far it has come in the whole, and whether it is blocked in a barrier there.
type strand struct {
	at      int
	blocked bool
}

// step makes a step of the rest.
func (r *retrace) step(s engine.Step) {
	l := r.Ops[s.Class][s.Op]
	threads := r.ready(s.Class, s.Op, s.N, nil)
	kind := r.whole.p.Classes[s.Class].Ops[l].Kind
	for _, w := range threads {
		r.advance(s.Class, w, l)
		if w.at, w.blocked = l+1, kind == protocol.NamedSync; kind == protocol.FlagStore { // it may be the end of a section
			r.out.Steps = append(r.out.Steps, engine.Step{Class: s.Class, Op: l, N: 1})
		}
	}
	if kind != protocol.FlagStore {
		r.out.Steps = append(r.out.Steps, engine.Step{Class: s.Class, Op: l, N: s.N})
	}
	r.play(r.state, s)
	for i, slot := range r.m.Slots {
		if slot.Where != protocol.Registered {
			continue
		}
		n := r.state[i]
		for k := range r.threads[slot.Class] {
			if w := &r.threads[slot.Class][k]; w.blocked && w.at == r.Ops[slot.Class][slot.Op]+1 {
				w.blocked = n > 0
				n--
			}
		}
	}
}

// ready are at most n threads of a class on their way to an operation of the rest, or to the end, but one.
func (r *retrace) ready(c, l, n int, but *strand) (list []*strand) {
	least, most := 0, r.next(c, l)
	if l > 0 {
		least = r.Ops[c][l-1] + 1
	}
	for k := range r.threads[c] {
		if w := &r.threads[c][k]; !w.blocked && w.at >= least && w.at <= most && w != but && len(list) < n {
			list = append(list, w)
		}
	}
	return list
}

// next is where an operation of the rest is in the whole, or the end.
func (r *retrace) next(c, l int) int {
	if l < len(r.Ops[c]) {
		return r.Ops[c][l]
	}
	return len(r.whole.p.Classes[c].Ops)
}

// advance has a thread go through the sections before an operation of the whole.
func (r *retrace) advance(c int, w *strand, to int) {
	for ; w.at < to; w.at++ {
		r.out.Steps = append(r.out.Steps, engine.Step{Class: c, Op: w.at, N: 1})
	}
}

// rest has all threads go through the sections before what they wait for, or their ends.
func (r *retrace) rest() {
	for c := range r.threads {
		for k := range r.threads[c] {
			if w := &r.threads[c][k]; !w.blocked {
				l, _ := slices.BinarySearch(r.Ops[c], w.at)
				r.advance(c, w, r.next(c, l))
			}
		}
	}
}

// pair has two threads come to the accesses of a race. The last sections that they come to are those that they stay in.
func (r *retrace) pair(p *engine.Pair) {
	first, second := r.origin(p.First), r.origin(p.Second)
	r.out.Pair = &engine.Pair{First: first, Second: second}
	one := r.ready(first.Class, p.First.Location, 1, nil)
	if len(one) == 0 {
		return
	}
	two := r.ready(second.Class, p.Second.Location, 1, one[0])
	if len(two) == 0 {
		return
	}
	r.advance(first.Class, one[0], r.before(first))
	r.advance(second.Class, two[0], r.before(second))
	r.advance(first.Class, one[0], first.Location)
	r.advance(second.Class, two[0], second.Location)
}

// origin is where an access of the rest is in the whole.
func (u *unlocked) origin(a engine.Accessor) engine.Accessor {
	at := u.Origin[[3]int{a.Class, a.Location, a.Index}]
	return engine.Accessor{Class: a.Class, Location: at[0], Index: at[1]}
}

// before is where the section begins that an access is in: the swap; where it is in none, where it is.
func (u *unlocked) before(a engine.Accessor) int {
	if l := a.Location; l > 0 && u.whole.p.Classes[a.Class].Ops[l-1].Kind == protocol.FlagSwap {
		return l - 1
	}
	return a.Location
}
