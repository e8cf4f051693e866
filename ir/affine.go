package ir

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// Form is what a value is: Const and the terms, modulo 2^Bits, and from Low to High. With 64 bits that is the number in the register, which is
// taken to have a sign, as all in other registers that the terms are. Sums of 32 bits that may have wrapped are known modulo 2^32 only: that is no
// number to widen, nor to compare.
type Form struct {
	Terms     []Term
	Const     int64
	Bits      uint8
	Low, High int64
}

// Term is By times a value, or, where Atom is negative, times the rounds that the loop -1-Atom has gone back since it was entered.
type Term struct {
	Atom int32
	By   int64
}

// maxTerms bounds the terms of a form; what has more is its own term.
const maxTerms = 6

// Affine are the forms of all values. What a form says is must, of each thread at all times at which the value is there; the numbers from Low to
// High are may.
type Affine struct {
	Forms  []Form
	Rounds []int64 // of each loop: how often it goes back at most; -1: not known

	c      *Kernel
	s      *SSA
	u      *Uniformity
	fl     *Flow
	loops  []*Loop
	headed map[int32]int       // block → the loop that it is the header of
	steps  map[int32]induction // of values that loops begin their rounds with
	read   map[int32]string    // special registers
	raw    bool                // these are not yet replaced by rounds
	known  []bool              // value → it has a form
	twins  twins

	formulas formulas
}

// induction is what a value at the header of a loop grows by in each round.
type induction struct {
	loop int
	step int64
	bits uint8
}

var affine = &pass[*Affine]{name: "affine", number: 7, needs: []Pass{ssa, controlFlow, loops, uniformity}, run: (*Kernel).findForms, print: (*Kernel).printForms,
	doc: "the values that are sums of the thread's number, its lane, the CTA's place, rounds of loops and what is the same for the CTA, each times a constant (must), and from which number to which they go (may)"}

// Affine are the forms of the kernel's values.
func (c *Kernel) Affine() *Affine { return affine.of(c) }

func (c *Kernel) findForms() *Affine {
	a := &Affine{c: c, s: c.SSA(), u: c.Uniformity(), fl: c.Flow(), loops: c.Loops(), headed: map[int32]int{}, steps: map[int32]induction{}, read: map[int32]string{}, raw: true}
	a.Forms, a.known, a.Rounds = make([]Form, len(a.s.Values)), make([]bool, len(a.s.Values)), make([]int64, len(a.loops))
	for n, l := range a.loops {
		a.headed[l.Header], a.Rounds[n] = n, -1
	}
	for name, r := range c.Special {
		a.read[r] = name
	}
	ends := map[int]end{}
	// First each value that goes round in a loop is a term of its own, which shows its step; then it is what it begins with and its rounds. Of the
	// numbers each pass makes better what the one before has said.
	for turn := range 3 {
		a.twins = twins{}
		for _, n := range a.s.Order {
			a.Forms[n], a.known[n] = a.form(n), true
		}
		if turn == 0 {
			a.stepping()
			for n := range a.loops {
				if e, ok := a.ending(n); ok {
					ends[n] = e
				}
			}
			a.raw = false
		}
		for n, e := range ends {
			a.Rounds[n] = a.most(n, e)
		}
	}
	return a
}

// Of is the form of an operand that an instruction reads, and that is a register or a constant.
func (a *Affine) Of(k int32, o Operand) Form {
	if o.Reg < 0 {
		return constantForm(o.Imm)
	}
	return a.of(a.s.Read(k, o, Register))
}

func (a *Affine) of(n int32) Form {
	if n < 0 || !a.known[n] {
		return a.atom(max(n, 0))
	}
	return a.Forms[n]
}

func constantForm(n int64) Form { return Form{Const: n, Bits: 64, Low: n, High: n} }

// atom is a value as its own term.
func (a *Affine) atom(n int32) Form {
	f := Form{Terms: []Term{{n, 1}}, Bits: 64, Low: math.MinInt64, High: math.MaxInt64}
	if r := a.s.Values[n].Of; r >= 0 && int(r) < len(a.c.Types) {
		f.Low, f.High = a.c.Types[r].signed().span()
	}
	return f
}

// signed is the type as registers keep it.
func (t Type) signed() Type { return Type{Bits: t.Bits, Signed: true} }

// either are the numbers of a type, with a sign or without.
func (t Type) either() (low, high int64) {
	if t.Bits < 8 || t.Bits > 32 {
		return math.MinInt64, math.MaxInt64
	}
	return -1 << (t.Bits - 1), 1<<t.Bits - 1
}

// span are the numbers of a type.
func (t Type) span() (low, high int64) {
	switch {
	case t.Bits < 8 || t.Bits > 32:
		return math.MinInt64, math.MaxInt64
	case t.Signed:
		return -1 << (t.Bits - 1), 1<<(t.Bits-1) - 1
	}
	return 0, 1<<t.Bits - 1
}

func (f *Form) within(low, high int64) bool { return f.Low >= low && f.High <= high }

// limited is a form with what is known of its numbers.
func (f Form) limited(low, high int64) Form {
	f.Low, f.High = max(f.Low, low), min(f.High, high)
	return f
}

// isConstant reports a form that is a number.
func (f *Form) isConstant() bool { return len(f.Terms) == 0 && f.Bits == 64 }

func (f *Form) same(g *Form) bool {
	return f.Const == g.Const && f.Bits == g.Bits && slices.Equal(f.Terms, g.Terms)
}

// plus is f and by times g; its numbers are not settled.
func (f Form) plus(g Form, by int64) Form {
	out := Form{Const: f.Const + by*g.Const, Bits: min(f.Bits, g.Bits)}
	out.Low, out.High = plusSpan(f.Low, f.High, g.Low, g.High, by)
	x, y := f.Terms, g.Terms
	for len(x) > 0 || len(y) > 0 {
		var t Term
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].Atom < y[0].Atom:
			t, x = x[0], x[1:]
		case len(x) == 0 || y[0].Atom < x[0].Atom:
			t, y = Term{y[0].Atom, by * y[0].By}, y[1:]
		default:
			t, x, y = Term{x[0].Atom, x[0].By + by*y[0].By}, x[1:], y[1:]
			if t.Atom == 0 { // two that are not known are not one
				t.By = 1
			}
		}
		if t.By != 0 {
			out.Terms = append(out.Terms, t)
		}
	}
	return out
}

// plusSpan are the numbers of a sum, of which one part is taken several times; all where they may be more than 64 bits have.
func plusSpan(low, high, low2, high2, by int64) (int64, int64) {
	if by < 0 {
		low2, high2 = high2, low2
	}
	low2, ok1 := times(low2, by)
	high2, ok2 := times(high2, by)
	if sum, top := low+low2, high+high2; ok1 && ok2 && (low2 >= 0) == (sum >= low) && (high2 >= 0) == (top >= high) {
		return sum, top
	}
	return math.MinInt64, math.MaxInt64
}

func times(a, b int64) (int64, bool) {
	switch {
	case b == 1:
		return a, true
	case a == math.MinInt64 || b == math.MinInt64:
		return 0, a == 0 || b == 0
	}
	high, low := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	return a * b, high == 0 && low < 1<<63
}

// numbers are those that Const and the terms come to, within limits of some terms.
func (a *Affine) numbers(f *Form, limits map[int32][2]int64) (low, high int64) {
	low, high = f.Const, f.Const
	for _, t := range f.Terms {
		least, most := int64(0), int64(math.MaxInt64)
		if t.Atom >= 0 {
			least, most = a.Forms[t.Atom].Low, a.Forms[t.Atom].High
			if !a.known[t.Atom] {
				g := a.atom(t.Atom)
				least, most = g.Low, g.High
			}
		} else if n := a.Rounds[-1-t.Atom]; n >= 0 {
			most = n
		}
		if limit, is := limits[t.Atom]; is {
			least, most = max(least, limit[0]), min(most, limit[1])
		}
		low, high = plusSpan(low, high, least, most, t.By)
	}
	return low, high
}

// settle joins what is known of the content of a register with what its form comes to.
func (a *Affine) settle(f Form) Form {
	f.join(a.numbers(&f, nil))
	return f
}

// join says that the terms come to a number from low to high. Where that and the content of the register are numbers of as many bits as the form is
// exact in, they are one: nothing has wrapped.
func (f *Form) join(low, high int64) {
	half := int64(math.MaxInt64)
	if f.Bits < 64 {
		half = 1<<(f.Bits-1) - 1
	}
	if f.Bits == 64 || f.within(-half-1, half) && low >= -half-1 && high <= half {
		f.Bits, f.Low, f.High = 64, max(f.Low, low), min(f.High, high)
	}
}

// form is what is known of a value, of what is known of others.
func (a *Affine) form(n int32) Form {
	v := &a.s.Values[n]
	if int(v.Of) >= a.c.Registers || v.Kind == Unknown {
		return Form{Terms: []Term{{n, 1}}, Bits: 64, Low: math.MinInt64, High: math.MaxInt64}
	}
	var f Form
	switch v.Kind {
	case Given:
		return a.given(n)
	case Defined:
		f = a.stored(a.c.Types[v.Of], a.computed(n, v))
		if len(f.Terms) == 1 && f.Terms[0] == (Term{n, 1}) {
			f.Terms[0].Atom = a.twin(n)
		}
		if len(v.From) > 0 {
			f = a.either(n, []Form{f, a.of(v.From[0])})
		}
	case Merged:
		return a.merged(n)
	default:
		var all []Form
		for _, m := range v.From {
			all = append(all, a.of(m))
		}
		f = a.either(n, all)
		if slices.ContainsFunc(f.Terms, func(t Term) bool { return t.Atom < 0 || a.s.Values[t.Atom].Kind != Given }) { // of other functions, or older
			g := a.atom(n)
			f = g.limited(f.Low, f.High)
		}
	}
	if len(f.Terms) > maxTerms {
		m := n
		if v.Kind == Defined {
			m = a.twin(n)
		}
		g := a.atom(m)
		f = g.limited(f.Low, f.High)
	}
	return a.settle(f)
}

// either is one of several forms, where that may be any: the one that they all are, else a term of its own.
func (a *Affine) either(n int32, all []Form) Form {
	if len(all) == 0 {
		return a.atom(n)
	}
	f := all[0]
	one := !slices.ContainsFunc(f.Terms, func(t Term) bool { return t.Atom == 0 })
	for _, g := range all[1:] {
		one = one && f.same(&g)
		f.Low, f.High = min(f.Low, g.Low), max(f.High, g.High)
	}
	if !one {
		g := a.atom(n)
		return g.limited(f.Low, f.High)
	}
	return f
}

// ways lists what a merged value may be a copy of; at the header of a loop apart what the loop brings back.
func (a *Affine) ways(n int32) (loop int, from, back []int32) {
	v := &a.s.Values[n]
	b := a.fl.BlockOf(v.At)
	loop, header := a.headed[b]
	if !header {
		loop = -1
	}
	for k, m := range v.From {
		switch {
		case m < 0:
		case header && k < len(a.fl.before[b]) && a.loops[loop].Has(a.fl.before[b][k]):
			back = append(back, m)
		default:
			from = append(from, m)
		}
	}
	return loop, from, back
}

// merged is a value at the beginning of a block: in a loop, what it begins with and its step in each round. That it has one form on all ways to
// the block says that what the terms name is there on all of them, so it is none that begins there: it has not changed since.
func (a *Affine) merged(n int32) Form {
	loop, from, back := a.ways(n)
	step, steps := a.steps[n]
	if loop >= 0 && a.raw {
		return a.atom(n)
	}
	var all []Form
	for _, m := range append(from, back...) {
		if m != n {
			all = append(all, a.of(m))
		}
	}
	f := a.either(n, all)
	if !steps || len(from) == 0 {
		return a.settle(f)
	}
	low, high := f.Low, f.High
	if f = a.either(n, all[:len(from)]); len(f.Terms) >= maxTerms || slices.ContainsFunc(f.Terms, func(t Term) bool { return t.Atom == n }) {
		f = a.atom(n)
		return f.limited(low, high)
	}
	f = f.plus(Form{Terms: []Term{{int32(-1 - loop), 1}}, Bits: step.bits}, step.step)
	return a.settle(Form{f.Terms, f.Const, f.Bits, low, high})
}

// stepping finds what values at the headers of loops grow by.
func (a *Affine) stepping() {
	for _, n := range a.s.Order {
		if v := &a.s.Values[n]; v.Kind != Merged || int(v.Of) >= a.c.Registers {
			continue
		}
		loop, _, back := a.ways(n)
		in, ok := induction{loop: loop, bits: 64}, len(back) > 0
		for k, m := range back {
			f := a.of(m)
			ok = ok && len(f.Terms) == 1 && f.Terms[0] == Term{n, 1} && (k == 0 || f.Const == in.step)
			in.step, in.bits = f.Const, min(in.bits, f.Bits)
		}
		if ok && in.step != 0 {
			a.steps[n] = in
		}
	}
}

// end is how a loop ends: what begins its rounds, and how much later than that it is compared.
type end struct {
	header int32
	later  int64
}

// ending looks for it in the loop's test, which every round comes by.
func (a *Affine) ending(n int) (e end, ok bool) {
	l := a.loops[n]
	if l.Exit < 0 {
		return e, false
	}
	f := a.Of(l.Test, Operand{Reg: l.Counter})
	if len(f.Terms) != 1 || f.Terms[0].By != 1 || f.Terms[0].Atom < 0 {
		return e, false
	}
	in, steps := a.steps[f.Terms[0].Atom]
	return end{f.Terms[0].Atom, f.Const}, steps && in.loop == n
}

// most is how often a loop goes back at most; -1: not known. Its counter is, in each round but the first, what the test of the round before has
// let pass, and a step: as long as that does not wrap.
func (a *Affine) most(n int, e end) int64 {
	l, in := a.loops[n], a.steps[e.header]
	begin := Form{Low: math.MaxInt64, High: math.MinInt64}
	_, from, _ := a.ways(e.header)
	for _, m := range from {
		f := a.of(m)
		begin.Low, begin.High = min(begin.Low, f.Low), max(begin.High, f.High)
	}
	bound := a.Of(l.Test, l.Bound)
	width := min(l.Type.Bits, in.bits)
	if width < 16 || begin.Low > begin.High {
		return -1
	}
	const far = 1 << 60 // so that nothing here wraps itself
	limit := int64(1)<<(min(width, 61)-1) - 1
	low := -limit - 1
	if !l.Type.Signed {
		low = 0
	}
	if !begin.within(low, limit) || !bound.within(low, limit) || max(in.step, -in.step, e.later, -e.later) >= far {
		return -1
	}
	first, last := begin.Low, begin.High // of what begins a round
	less := map[uint8]int64{Less: 1, Greater: 1}[l.While]
	switch {
	case in.step > 0 && (l.While == Less || l.While == LessEqual):
		last = max(last, bound.High-less-e.later+in.step)
	case in.step < 0 && (l.While == Greater || l.While == GreaterEqual):
		first = min(first, bound.Low+less-e.later+in.step)
	case l.While == NotEqual && begin.Low == begin.High && bound.Low == bound.High:
		way := bound.Low - e.later - begin.Low
		if way%in.step != 0 || way/in.step < 0 {
			return -1
		}
		first, last = min(first, first+way), max(last, last+way)
	default:
		return -1
	}
	if min(first+in.step, first+e.later) < low || max(last+in.step, last+e.later) > limit {
		return -1
	}
	return (last - first) / max(in.step, -in.step)
}

// Known reports whether a form says more than that a value is itself: all its terms are numbers of threads, rounds, or the same for the CTA.
func (a *Affine) Known(f *Form) bool {
	return !slices.ContainsFunc(f.Terms, func(t Term) bool {
		if t.Atom < 0 {
			return false
		}
		v := &a.s.Values[t.Atom]
		base, _, _ := strings.Cut(a.read[v.Of], ".")
		index := v.Kind == Given && (base == "%tid" || base == "%laneid")
		return v.Of < 0 || !index && a.u.Registers[v.Of] != UniformCTA
	})
}

// Text is a form, for reading.
func (a *Affine) Text(f *Form) string {
	var out strings.Builder
	for k, t := range f.Terms {
		by := t.By
		switch {
		case k > 0 && by < 0:
			out.WriteString(" - ")
			by = -by
		case k > 0:
			out.WriteString(" + ")
		}
		if by != 1 {
			fmt.Fprintf(&out, "%d*", by)
		}
		if t.Atom < 0 {
			fmt.Fprintf(&out, "rounds of b%d", a.loops[-1-t.Atom].Header)
		} else {
			out.WriteString(a.s.Name(t.Atom))
		}
	}
	switch {
	case len(f.Terms) == 0:
		fmt.Fprint(&out, f.Const)
	case f.Const < 0:
		fmt.Fprintf(&out, " - %d", -f.Const)
	case f.Const > 0:
		fmt.Fprintf(&out, " + %d", f.Const)
	}
	if f.Bits < 64 {
		fmt.Fprintf(&out, " modulo 2^%d", f.Bits)
	}
	if len(f.Terms) > 0 && (f.Low > math.MinInt64 || f.High < math.MaxInt64) {
		fmt.Fprintf(&out, ", %d to %d", f.Low, f.High)
	}
	return out.String()
}

func (c *Kernel) printForms(a *Affine) string {
	var out strings.Builder
	for k := range c.Insts {
		registers, _ := c.Insts[k].Results()
		for _, r := range registers {
			n := a.s.Result(int32(k), r)
			if n <= 0 {
				continue
			}
			f := a.Forms[n]
			text := "not known"
			if a.Known(&f) {
				text = a.Text(&f)
			} else if f.Low > math.MinInt64 || f.High < math.MaxInt64 {
				text += fmt.Sprintf(", %d to %d", f.Low, f.High)
			}
			fmt.Fprintf(&out, "%s: %s\n", a.s.Name(n), text)
		}
	}
	for n, l := range a.loops {
		if a.Rounds[n] >= 0 {
			fmt.Fprintf(&out, "loop b%d: goes back at most %d times\n", l.Header, a.Rounds[n])
		}
	}
	return out.String()
}
