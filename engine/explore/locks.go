package explore

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
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
		if !yes { // as where a lock is free only behind a store that nothing puts before
			return nil
		}
		a.Trace, a.Object = t, object
		r.Properties[prop] = a
	}
	return r
}

// trace is a trace of the rest as one of the whole.
func (u *unlocked) trace(t *engine.Trace) *engine.Trace {
	if u.Apart {
		return u.apart(t)
	}
	r := u.follow(t.Steps, func(int) bool { return true })
	if t.Pair == nil {
		r.rest()
	} else {
		r.pair(t.Pair)
	}
	return &r.out
}

// follow makes the steps of some CTAs in the whole.
func (u *unlocked) follow(steps []engine.Step, of func(cta int) bool) *retrace {
	r := &retrace{unlocked: u, state: u.m.Start(), threads: make([][]strand, len(u.p.Classes))}
	for c := range r.threads {
		r.threads[c] = make([]strand, u.p.Classes[c].Count)
	}
	for _, s := range steps {
		if of(u.p.Classes[s.Class].CTA) {
			r.step(s)
		}
	}
	return r
}

// apart is a trace where CTAs share sections: they go one after the other.
func (u *unlocked) apart(t *engine.Trace) *engine.Trace {
	only := func(cta int) func(int) bool { return func(o int) bool { return o == cta } }
	if t.Pair != nil {
		a, b := u.p.Classes[t.Pair.First.Class].CTA, u.p.Classes[t.Pair.Second.Class].CTA
		if a == b {
			r := u.follow(t.Steps, only(a))
			r.pair(t.Pair)
			return &r.out
		}
		one, two := u.follow(t.Steps, only(a)), u.follow(t.Steps, only(b))
		one.come(t.Pair.First)
		two.come(t.Pair.Second)
		x, y := one.taken(), two.taken()
		out := &engine.Trace{Pair: &engine.Pair{First: u.origin(t.Pair.First), Second: u.origin(t.Pair.Second)}}
		for _, part := range [][]engine.Step{one.out.Steps[:x], two.out.Steps[:y], one.out.Steps[x:], two.out.Steps[y:]} {
			out.Steps = append(out.Steps, part...)
		}
		return out
	}
	w := u.whole
	for cta := range u.p.CTAs { // the first that stops before its end, and then the others as far as they come
		r := u.follow(t.Steps, only(cta))
		r.rest()
		state, out := w.m.Start(), &engine.Trace{}
		for _, s := range r.out.Steps {
			if ok, broken := w.play(state, s); ok && !broken {
				out.Steps = append(out.Steps, s)
			}
		}
		if !slices.ContainsFunc(w.occupied(state), func(i int32) bool {
			slot := w.m.Slots[i]
			return w.p.Classes[slot.Class].CTA == cta && slot.Op < len(w.p.Classes[slot.Class].Ops)
		}) {
			continue
		}
		for moved := true; moved; {
			moved = false
			for _, i := range w.occupied(state) {
				slot := w.m.Slots[i]
				if s := (engine.Step{Class: slot.Class, Op: slot.Op, N: 1}); slot.Where == protocol.AtLocation && slot.Op < len(w.p.Classes[slot.Class].Ops) {
					if ok, broken := w.play(state, s); ok && !broken {
						out.Steps = append(out.Steps, s)
						moved = true
					}
				}
			}
		}
		return out
	}
	return &engine.Trace{}
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

// come has a thread come to the access of one side of a race.
func (r *retrace) come(a engine.Accessor) {
	if list := r.ready(a.Class, a.Location, 1, nil); len(list) > 0 {
		r.advance(a.Class, list[0], r.origin(a).Location)
		r.leave(r.p.Classes[a.Class].CTA, list[0])
	}
}

// leave has the threads of a CTA but one give back what they have, if nothing is to be done before.
func (r *retrace) leave(cta int, but *strand) {
	for c := range r.threads {
		ops := r.whole.p.Classes[c].Ops
		for k := range r.threads[c] {
			w := &r.threads[c][k]
			if w != but && r.p.Classes[c].CTA == cta && !w.blocked && w.at > 0 && w.at < len(ops) && ops[w.at].Kind == protocol.FlagStore {
				r.advance(c, w, w.at+1)
			}
		}
	}
}

// taken is where the last swap is of a lock that is had at the end of the steps; their number if none is.
func (r *retrace) taken() int {
	out := len(r.out.Steps)
	for i, s := range r.out.Steps {
		switch o := &r.whole.p.Classes[s.Class].Ops[s.Op]; o.Kind {
		case protocol.FlagSwap:
			out = i
		case protocol.FlagStore:
			out = len(r.out.Steps)
		}
	}
	return out
}

// before is where the section begins that an access is in: the swap; where it is in none, where it is.
func (u *unlocked) before(a engine.Accessor) int {
	if l := a.Location; l > 0 && u.whole.p.Classes[a.Class].Ops[l-1].Kind == protocol.FlagSwap {
		return l - 1
	}
	return a.Location
}
