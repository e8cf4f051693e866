package rules

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// footprint says which threads of a sample touch which elements of an object.
type footprint map[[4]int64]crowd

// crowd is a set of the threads of a sample.
type crowd [sampleThreads / 64]uint64

func (c *crowd) add(id int64) { c[id/64] |= 1 << (id % 64) }

// warps is the set of the warps that threads of the crowd belong to.
func (c crowd) warps() (set uint) {
	for i, word := range c {
		for half := range 2 {
			if uint32(word>>(32*half)) != 0 {
				set |= 1 << (2*i + half)
			}
		}
	}
	return set
}

// meets reports whether the two crowds have threads in different warps. Lanes of one warp often run in step and are
// ordered by other means than barriers, so they are left out.
func (c crowd) meets(d crowd) bool {
	a, b := c.warps(), d.warps()
	return a != 0 && b != 0 && bits.OnesCount(a|b) > 1
}

// without leaves out the threads of d.
func (c crowd) without(d crowd) crowd {
	for i := range c {
		c[i] &^= d[i]
	}
	return c
}

const rounds = 3 // of a loop that stands around one access only

// footprint works out what an access touches. Loops in fixed are in that round, all others in each of the first few.
//
// Numbers put in for unknowns may fail a bound that the author's pass. Where they let no thread through, a bound does not
// count that has no unknown in common with the indices.
func (m *sample) footprint(s *site, fixed map[*loop]int64) (footprint, bool) {
	out, ok := m.touched(s, fixed)
	if ok && len(out) == 0 {
		lenient := *m
		lenient.lenient = true
		out, ok = lenient.touched(s, fixed)
	}
	return out, ok
}

func (m *sample) touched(s *site, fixed map[*loop]int64) (footprint, bool) {
	if len(s.slot.index) > len([4]int64{}) {
		return nil, false
	}
	out := footprint{}
	threads := int64(sampleThreads)
	if m.bounded {
		threads = twoWarps
	}
	for id := range threads {
		t := &thread{sample: m, id: id, rounds: map[*loop]int64{}}
		free := s.loops[:0:0]
		for _, l := range s.loops {
			if n, is := fixed[l]; is {
				t.rounds[l] = n
			} else if l.counter != "" {
				free = append(free, l)
			}
		}
		if !t.visit(s, free, out) {
			return nil, false
		}
	}
	return out, true
}

// visit adds what the thread touches in the rounds of the free loops; of more than two the outer ones stay in round 0.
func (t *thread) visit(s *site, free []*loop, out footprint) bool {
	free = free[max(0, len(free)-2):]
	t.counted = map[*loop]bool{}
	for n, times := int64(0), int64(1); n < times; n++ {
		rest := n
		for _, l := range free {
			t.rounds[l] = rest % rounds
			rest /= rounds
		}
		if t.steps = 0; !t.at(s, out) {
			return false
		}
		if n > 0 {
			continue
		}
		free = slices.DeleteFunc(free, func(l *loop) bool { return !t.counted[l] }) // others need no second round
		for range free {
			times *= rounds
		}
	}
	return true
}

// at adds what the thread touches in the rounds it is in.
func (t *thread) at(s *site, out footprint) bool {
	if t.lenient {
		t.drawn = map[string]bool{}
		for _, x := range s.slot.index {
			t.eval(x, s.loops, 0)
		}
		t.indexed, t.drawn = t.drawn, nil
	}
	if !t.reaches(s) {
		return true
	}
	var at [4]int64
	if s.slot.any {
		for i := range at {
			at[i] = everyElement
		}
	}
	for i, x := range s.slot.index {
		v := t.eval(x, s.loops, 0)
		switch {
		case v.known && !(v.sampled && t.loaded && scattered(x)):
			at[i] = v.v
		case s.slot.offset == nil && scattered(x):
			at[i] = everyElement
		default:
			return false
		}
	}
	if o := s.slot.offset; o != nil {
		v := t.offset(*o, s.loops)
		if !v.known {
			return false
		}
		at[0] += v.v
	}
	c := out[at]
	c.add(t.id)
	out[at] = c
	return true
}

// offset is what a pointer adds to where it would point in thread 0. Of an address in other units nothing is known.
func (t *thread) offset(o term, loops []*loop) number {
	if t.steps++; t.steps > maxThreadSteps {
		return number{}
	}
	switch e := o.x.(type) {
	case *program.Name: // a pointer made from another
		if v, given := o.in.env[e.Ident]; given {
			return t.offset(term{v, o.in.outer}, loops)
		}
		if v := o.in.fn.definition(e); v != nil && !o.in.fn.dims[e.Ident] {
			return t.offset(term{v, o.in}, loops)
		}
	case *program.Cast:
		if n := t.offset(term{e.X, o.in}, loops); n.known && n.v == 0 {
			return n
		}
		return number{}
	case *program.Unary:
		if i, ok := e.X.(*program.Index); ok && e.Op == "&" && len(i.Args) == 1 {
			return t.shift(term{i.Args[0], o.in}, loops)
		}
	case *program.Index:
		return number{known: uniformIn(o, 0)}
	case *program.Binary:
		a := t.offset(term{e.X, o.in}, loops)
		return binary(e.Op, a, func() number { return t.shift(term{e.Y, o.in}, loops) })
	}
	return number{known: true}
}

// shift is what an index adds that differs between threads.
func (t *thread) shift(x term, loops []*loop) number {
	if uniformIn(x, 0) {
		return number{known: true}
	}
	return t.eval(x, loops, 0)
}

// reaches reports whether the thread may get to the site. What cannot be told, and what is the same for all threads and
// open, is taken to let it through.
func (t *thread) reaches(s *site) bool {
	for _, l := range s.loops { // a round that the loop does not have
		if f, ok := l.stmt.(*program.For); ok && f.Cond != nil && l.counter != "" {
			if n := t.eval(term{f.Cond, l.in}, s.loops, 0); n.known && n.v == 0 && (t.bounded || !n.sampled || !uniformIn(term{f.Cond, l.in}, 0)) {
				return false
			}
		}
	}
	for _, g := range s.guards {
		switch {
		case g.built:
		case g.elect:
			if t.id%32 != 0 {
				return false
			}
		case !t.passes(term{g.raw, g.in}, g.negated, s.loops, 0):
			return false
		}
	}
	return true
}

func (t *thread) passes(x term, negated bool, loops []*loop, depth int) bool {
	if b, ok := x.x.(*program.Binary); ok && depth < maxFold && (b.Op == "&&" && !negated || b.Op == "||" && negated) {
		return t.passes(term{b.X, x.in}, negated, loops, depth+1) && t.passes(term{b.Y, x.in}, negated, loops, depth+1)
	}
	if u, ok := x.x.(*program.Unary); ok && u.Op == "!" && depth < maxFold {
		return t.passes(term{u.X, x.in}, !negated, loops, depth+1)
	}
	if t.lenient {
		t.drawn = map[string]bool{}
	}
	n := t.eval(x, loops, 0)
	if !n.known || n.sampled && (t.lenient && !picks(x.x, negated) && t.apart() || uniformIn(x, 0)) {
		return true
	}
	return (n.v != 0) != negated
}

// picks reports whether a condition asks for one value: no bound that numbers put in for unknowns may fail.
func picks(x program.Expr, negated bool) bool {
	b, ok := x.(*program.Binary)
	return ok && (b.Op == "==" && !negated || b.Op == "!=" && negated)
}

// apart reports whether no unknown of the last expression is one that the indices are made from.
func (t *thread) apart() bool {
	for name := range t.drawn {
		if t.indexed[name] {
			return false
		}
	}
	return true
}

// ownSlot reports whether two accesses may well keep apart whatever the samples say: their elements are chosen by the same
// function of the thread, or lie apart by something that may have to do with how many threads there are.
func ownSlot(first, second *site) bool {
	a, b := first.slot, second.slot
	varying, differ, bare := false, false, true
	if len(a.index) != len(b.index) {
		return false
	}
	for i := range a.index {
		if scattered(a.index[i]) != scattered(b.index[i]) {
			return false
		}
		x, y := partsOf(a.index[i], first.loops), partsOf(b.index[i], second.loops)
		switch {
		case !slices.Equal(x.open, y.open):
			return true
		case !slices.Equal(x.varying, y.varying):
			return false
		case len(x.varying) > 0 && !slices.Equal(x.far, y.far):
			return !first.narrow() && !second.narrow()
		}
		varying = varying || len(x.varying) > 0
		differ = differ || !slices.Equal(x.near, y.near)
		bare = bare && (len(x.varying) == 0 || len(x.varying) == 1 && x.bare)
	}
	switch {
	case !varying:
		return false
	case differ:
		return !bare
	}
	return !bare || !slices.ContainsFunc(a.index, shares)
}

// shares reports whether an index is one that several threads have: that of a lane or of a warp.
func shares(x term) bool {
	v := x.in.fn.vary(x.x, 0)
	return v == perWarp || v == laneIndex
}

// sum is an index taken apart, as text: the terms that differ between threads, and of those that do not the ones that are
// open, constants as large as a warp and multiples of loop counters, and the rest.
type sum struct {
	varying, open, far, near []string
	loops                    []*loop
	bare                     bool // what differs is not multiplied or divided by anything unknown
}

func partsOf(x term, loops []*loop) sum {
	s := sum{bare: true, loops: loops}
	s.add(x, "", 0)
	for _, list := range [][]string{s.varying, s.open, s.far, s.near} {
		slices.Sort(list)
	}
	return s
}

func (s *sum) add(x term, sign string, depth int) {
	if depth < 16 {
		switch e := x.x.(type) {
		case *program.Cast:
			s.add(term{e.X, x.in}, sign, depth+1)
			return
		case *program.Binary:
			if e.Op == "+" || e.Op == "-" {
				s.add(term{e.X, x.in}, sign, depth+1)
				s.add(term{e.Y, x.in}, strings.TrimPrefix(sign+map[string]string{"-": "-"}[e.Op], "--"), depth+1)
				return
			}
		case *program.Name:
			if v, given := x.in.env[e.Ident]; given {
				s.add(term{v, x.in.outer}, sign, depth+1)
				return
			}
			if v := x.in.fn.definition(e); v != nil {
				s.add(term{v, x.in}, sign, depth+1)
				return
			}
			if s.counter(e, x.in, sign, depth) {
				return
			}
		}
	}
	text := sign + program.DumpExpr(x.x)
	if uniformIn(x, 0) {
		s.same(x, text)
		return
	}
	s.varying = append(s.varying, text)
	switch x.in.fn.vary(x.x, 0) {
	case threadIndex, laneIndex, perWarp:
	default:
		if a, ok := x.x.(*program.Attr); !ok || path(a.X) != "threadIdx" {
			s.bare = false
		}
	}
}

// same adds a term that is the same in all threads.
func (s *sum) same(x term, text string) {
	t := &thread{sample: &sample{shape: shapes[1][0], numbers: map[string]int64{}, moved: func(string) bool { return false }}}
	t.rounds, t.counted = map[*loop]int64{}, map[*loop]bool{}
	n := t.eval(x, s.loops, 0)
	counted := len(t.counted) > 0
	switch {
	case n.known && n.v == 0 && !counted:
	case counted && strings.Contains(text, "(* "):
		s.far = append(s.far, text)
	case counted, n.known && !n.sampled && (n.v < 32 && n.v > -32 || strings.Contains(text, "blockDim")):
		s.near = append(s.near, text)
	case n.known && !n.sampled:
		s.far = append(s.far, text)
	default:
		s.open = append(s.open, text)
	}
}

// counter adds a loop's counter that threads begin at different values: where it begins, and its steps.
func (s *sum) counter(e *program.Name, in *frame, sign string, depth int) bool {
	for _, l := range s.loops {
		if l.owner != in.fn || l.counter != e.Ident {
			continue
		}
		f := l.stmt.(*program.For)
		init := term{l.begin, l.in}
		if uniformIn(init, 0) {
			return false
		}
		s.add(init, sign, depth+1)
		s.varying = append(s.varying, sign+"step "+stepText(f.Post[0]))
		s.bare = false
		return true
	}
	return false
}

func stepText(s program.Stmt) string {
	if a, ok := s.(*program.Assign); ok {
		return a.Op + program.DumpExpr(a.Value)
	}
	return "1"
}
