package ir

import (
	"slices"
	"strings"
)

// tests answers how conditions tell the threads of a CTA apart.
type tests struct {
	c       *Kernel
	s       *SSA
	u       *Uniformity
	fl      *Flow
	at      Position
	read    map[int32]string // special registers
	given   map[int32]*Parameter
	headers map[int32]bool // of loops
	count   int            // threads of the block
	steps   int
	guess   bool // nobody says what shape the block has
	counts  counts
}

// What one condition is followed through.
const (
	maxTestDepth = 48
	maxTestSteps = 1 << 12
)

func (c *Kernel) newTests(block [3]int, guess bool) *tests {
	t := &tests{c: c, s: c.SSA(), u: c.UniformIfUnchanged(), fl: c.Flow(), read: map[int32]string{}, given: map[int32]*Parameter{}, headers: map[int32]bool{}, guess: guess, count: block[0] * block[1] * block[2]}
	t.at = Position{Block: block, Cluster: [3]int{1, 1, 1}}
	for name, r := range c.Special {
		t.read[r] = name
	}
	for _, l := range c.Loops() {
		t.headers[l.Header] = true
	}
	for k := range c.Slots {
		t.given[c.Slots[k].Register] = &c.Slots[k]
	}
	return t
}

// divides says how the guard of an instruction tells threads apart, 0 where it may well not, and whether it surely tells lanes of a warp apart.
func (t *tests) divides(pc int32) (by Division, lanes bool) {
	n := t.s.Read(pc, Operand{Reg: t.c.Insts[pc].Guard}, Predicate)
	if split, lanes, known := t.split(n); known {
		if split {
			return ByIndex, lanes
		}
		return 0, false
	}
	if is, lanes := t.splits(pc, n); is {
		return ByIndex, lanes
	}
	t.steps = 0
	return t.condition(n, map[int32]bool{}), false
}

// split reports whether a value differs between threads of the block, and between lanes of a warp, where it is made of nothing but their numbers.
func (t *tests) split(n int32) (differs, lanes, known bool) {
	first, before := int64(0), int64(0)
	for id := range t.count {
		t.at.Thread, t.steps = id, 0
		x, ok := t.eval(n, 0)
		if !ok {
			return false, false, false
		}
		if id == 0 {
			first = x
		}
		differs, lanes = differs || x != first, lanes || id%Lanes != 0 && x != before
		before = x
	}
	return differs, lanes, true
}

// eval is a value as a thread has it, a predicate as 0 or 1.
func (t *tests) eval(n int32, depth int) (int64, bool) {
	if t.steps++; n <= 0 || depth > maxTestDepth || t.steps > maxTestSteps {
		return 0, false
	}
	if n == t.counts.value {
		return t.counts.n, true
	}
	v := &t.s.Values[n]
	if v.Kind == Given {
		name := t.read[v.Of]
		if t.guess && (strings.HasPrefix(name, "%ntid") || name == "%nwarpid") {
			return 0, false
		}
		return t.at.Special(name)
	}
	if v.Kind != Defined || len(v.From) > 0 {
		return 0, false
	}
	in := &t.c.Insts[v.At]
	operand := func(o Operand, bank Bank) (int64, bool) {
		if o.Reg < 0 {
			return o.Imm, o.Reg == -1 && o.Of == 0
		}
		x, ok := t.eval(t.s.Read(v.At, o, bank), depth+1)
		if bank == Predicate && o.Not {
			x = 1 - x
		}
		return x, ok
	}
	if in.Type.Data && in.Op != Move {
		return 0, false
	}
	switch {
	case in.Op == Setp && in.Join == 0 && in.E < 0:
		a, okA := operand(in.A, Register)
		b, okB := operand(in.B, Register)
		holds := int64(0)
		if in.Type.Holds(in.Mode, in.Type.Bring(a), in.Type.Bring(b)) {
			holds = 1
		}
		return holds, okA && okB
	case in.Op == Logic:
		a, okA := operand(in.A, Predicate)
		b, okB := a, true
		if in.B != None {
			b, okB = operand(in.B, Predicate)
		}
		switch in.Mode {
		case JoinAnd:
			return a & b, okA && okB || okA && a == 0 || okB && b == 0
		case JoinOr:
			return a | b, okA && okB || okA && a == 1 || okB && b == 1
		case JoinXor:
			return a ^ b, okA && okB
		case JoinNot:
			return 1 - a, okA
		}
		return a, okA
	case !in.Op.Does(Computes) || in.D != v.Of || in.Op.form().d != Register || in.Op == Apply || in.Op == Select || in.Op == Pack:
		return 0, false
	}
	var of [4]int64
	for k, o := range [3]Operand{in.A, in.B, in.C} {
		x, ok := operand(o, Register)
		if !ok && o != None {
			return 0, false
		}
		of[k] = in.Type.Bring(x)
	}
	if more := in.more(); len(more) > 0 {
		x, ok := operand(more[0], Register)
		if !ok {
			return 0, false
		}
		of[3] = x
	}
	return in.Compute(of[0], of[1], of[2], of[3])
}

// lean says how a value goes with the number of the thread.
type lean uint8

const (
	crooked  lean = iota // it cannot be told
	flat                 // all threads of the CTA have the same
	indexed              // it is the thread's number along an axis, times something that is the same, and something that is
	circling             // it is what the value that is asked for was the round before, and something that is the same
)

// extent is how many threads the CTA surely has along an axis; 0: not known.
func (t *tests) extent(axis string) int {
	k := strings.Index("xyz", axis)
	if k < 0 || t.guess {
		return 0
	}
	return t.at.Block[k]
}

func (t *tests) leans(n int32, known map[int32]lean) lean {
	if l, met := known[n]; met {
		return l
	}
	if n <= 0 || len(known) > maxTestDepth {
		return crooked
	}
	known[n] = circling
	v := &t.s.Values[n]
	l := crooked
	switch {
	case v.Kind == Given:
		base, axis, _ := strings.Cut(t.read[v.Of], ".")
		if base == "%tid" && t.extent(axis) == 1 {
			l = flat
		} else if base == "%tid" || base == "%laneid" || base == "%warpid" {
			l = indexed
		} else if t.u.Registers[v.Of] == UniformCTA {
			l = flat
		}
	case v.Of < int32(t.c.Registers) && (t.u.Registers[v.Of] == UniformCTA || v.Kind == Defined && t.c.OfLaunch(Operand{Reg: v.Of})): // also where a part of the threads alone comes
		l = flat
	case v.Kind == Merged:
		_, round := t.headers[t.fl.BlockOf(v.At)]
		l = t.merged(v, round, known)
	case v.Kind == Defined && len(v.From) == 0:
		l = t.made(v.At, known)
	}
	known[n] = l
	return l
}

// merged is what a value begins the rounds of a loop with, and grows by steps that are the same for all threads that are in one round together.
func (t *tests) merged(v *Value, round bool, known map[int32]lean) lean {
	var met [circling + 1]bool
	for _, from := range v.From {
		if from >= 0 {
			met[t.leans(from, known)] = true
		}
	}
	switch {
	case met[crooked], met[flat] && !round: // which of them, threads may not have alike
		return crooked
	case met[indexed]:
		return indexed
	case met[flat]:
		return flat
	}
	return circling
}

func (t *tests) made(at int32, known map[int32]lean) lean {
	in := &t.c.Insts[at]
	of := func(o Operand) lean {
		if o.Reg < 0 {
			return flat
		}
		return t.leans(t.s.Read(at, o, Register), known)
	}
	if in.Type.Data {
		return crooked
	}
	a, b := of(in.A), of(in.B)
	both := func(a, b lean) lean {
		switch {
		case a == crooked || b == crooked:
			return crooked
		case a == indexed || b == indexed:
			return indexed
		case a == circling || b == circling:
			return circling
		}
		return flat
	}
	switch in.Op {
	case Move, Convert:
		return a
	case Add:
		return both(a, b)
	case Sub, Mul, MulWide, Shl, Div, Shr, Rem, And:
		if a == indexed && b == indexed || a == flat && b == indexed && (in.Op == Div || in.Op == Shr || in.Op == Rem || in.Op == Shl) {
			return crooked
		}
		return both(a, b)
	case Mad, MadWide:
		if a == indexed && b == indexed {
			return crooked
		}
		return both(both(a, b), of(in.C))
	}
	return crooked
}

// provenance is what a number that all threads have alike is made of.
type provenance struct {
	given   bool // something that the launch gives, or that memory holds
	fits    bool // which makes it a multiple of what the CTA takes at once: a factor that is as large as a warp, or that nobody gives
	rounded bool // by a remainder, a mask, or a division and a product by one number
}

// bound reports whether the number may well not fit the CTA.
func (o provenance) bound() bool { return o.given && !o.fits && !o.rounded }

// with is the origin of a sum, or of one of two numbers: what is given of both has to fit.
func (o provenance) with(p provenance) provenance {
	return provenance{o.given || p.given, (o.fits || !o.given) && (p.fits || !p.given), o.rounded || p.rounded}
}

// origin looks at what a number is made of.
func (t *tests) origin(n int32) provenance { return t.originOf(n, map[int32]provenance{}) }

func (t *tests) originOf(n int32, known map[int32]provenance) (o provenance) {
	if o, met := known[n]; met || n <= 0 {
		return o
	}
	if known[n] = o; len(known) > maxTestDepth {
		return provenance{given: true, rounded: true}
	}
	defer func() { known[n] = o }()
	v := &t.s.Values[n]
	if v.Kind == Given {
		p := t.given[v.Of]
		return provenance{given: p != nil && t.decides(p) || strings.HasPrefix(t.read[v.Of], "%nctaid")} // as many CTAs as there is work
	}
	for _, from := range v.From {
		o = o.with(t.originOf(from, known))
	}
	if v.Kind != Defined {
		return o
	}
	in := &t.c.Insts[v.At]
	var of [3]provenance
	for k, operand := range [3]Operand{in.A, in.B, in.C} {
		if operand.Reg >= 0 {
			of[k] = t.originOf(t.s.Read(v.At, operand, Register), known)
		}
	}
	switch {
	case in.Op == Load:
		return provenance{given: true}
	case !in.Op.Does(Computes):
		return o
	}
	switch in.Op {
	case Mul, MulWide, Mad, MadWide:
		o.rounded = o.rounded || t.quotient(v.At, in.A, in.B) || t.quotient(v.At, in.B, in.A) // n / each * each, (n / each + 1) * each
		return o.with(t.product(in, of[0], of[1], Lanes)).with(of[2])
	case Shl:
		return o.with(t.product(in, of[0], of[1], 5))
	case Rem, And:
		o.rounded = true
	}
	return o.with(of[0]).with(of[1]).with(of[2])
}

// quotient reports whether an operand is made, by sums with constants, of a quotient by the other one, which is no constant.
func (t *tests) quotient(at int32, x, by Operand) bool {
	if x.Reg < 0 || by.Reg < 0 {
		return false
	}
	divisor := t.c.Affine().Formula(t.s.Read(at, by, Register))
	for n := t.s.Read(at, x, Register); n > 0; {
		v := &t.s.Values[n]
		if v.Kind != Defined {
			return false
		}
		in := &t.c.Insts[v.At]
		next := in.A
		switch in.Op {
		case Div:
			return in.B.Reg >= 0 && t.c.Affine().Formula(t.s.Read(v.At, in.B, Register)) == divisor
		case Move, Convert:
		case Add:
			if in.A.Reg < 0 {
				next = in.B
			} else if in.B.Reg >= 0 {
				return false
			}
		case Sub:
			if in.B.Reg >= 0 {
				return false
			}
		default:
			return false
		}
		if next.Reg < 0 {
			return false
		}
		n = t.s.Read(v.At, next, Register)
	}
	return false
}

// product is that of a product, which fits if one of its factors does, a constant is large or nobody gives one of them. Where nobody gives any, it is the place of the CTA times its size, say, and
// tells nothing.
func (t *tests) product(in *Inst, a, b provenance, large int64) provenance {
	out := a.with(b)
	out.fits = a.given && a.fits || b.given && b.fits
	for k, operand := range [2]Operand{in.A, in.B} {
		out.fits = out.fits || operand.Reg < 0 && operand.Imm >= large || operand.Reg >= 0 && ![2]provenance{a, b}[k].given
	}
	out.fits = out.fits && out.given
	return out
}

// decides reports whether a part of a parameter is a number that a host may well not have looked at: not of a structure, which somebody fills, no constant that is
// taken for a parameter, and none that all launches give as a multiple of their blocks.
func (t *tests) decides(p *Parameter) bool {
	fits := len(t.c.Launches) > 0 && t.c.Unlaunched == "" && !slices.ContainsFunc(t.c.Launches, func(l Launched) bool {
		n, given := l.Params[p.Name]
		threads := int64(l.Block[0]) * int64(l.Block[1]) * int64(l.Block[2])
		return !given || threads == 0 || n%threads != 0
	})
	return !fits && p.Offset == 0 && !slices.Contains(t.c.Guesses, p.Name) && !slices.ContainsFunc(t.c.Slots, func(q Parameter) bool { return q.Name == p.Name && q.Offset != 0 })
}

// ownData reports whether a value is made of what the thread has got from an atomic operation of its own, or has read at an address that goes with its number along x: a CTA may well have no second row.
func (t *tests) ownData(n int32, seen map[int32]bool) bool {
	if n <= 0 || seen[n] || len(seen) > maxTestDepth {
		return false
	}
	seen[n] = true
	v := &t.s.Values[n]
	if v.Kind == Merged {
		return slices.ContainsFunc(v.From, func(from int32) bool { return t.ownData(from, seen) })
	}
	if v.Kind != Defined || len(v.From) > 0 {
		return false
	}
	in := &t.c.Insts[v.At]
	if in.Op == Atomic { // of those that update a word one after the other each finds something else
		return t.u.Insts[v.At] != Varying
	}
	if in.Op == Load {
		return in.Space != Local && in.A.Reg >= 0 && t.alongX(t.s.Read(v.At, in.A, Register), map[int32]bool{}) && t.leans(t.s.Read(v.At, in.A, Register), map[int32]lean{}) == indexed
	}
	if !in.Op.Does(Computes) {
		return false
	}
	return slices.ContainsFunc([]Operand{in.A, in.B, in.C}, func(o Operand) bool {
		return o.Reg >= 0 && t.ownData(t.s.Read(v.At, o, Register), seen)
	})
}

func (t *tests) alongX(n int32, seen map[int32]bool) bool {
	return t.along(n, seen, func(name string) bool { return name == "%tid.x" || name == "%laneid" })
}

// along reports whether a value is computed from some special registers.
func (t *tests) along(n int32, seen map[int32]bool, is func(name string) bool) bool {
	if n <= 0 || seen[n] || len(seen) > maxTestDepth {
		return false
	}
	seen[n] = true
	v := &t.s.Values[n]
	if v.Kind == Given {
		return is(t.read[v.Of])
	}
	if slices.ContainsFunc(v.From, func(from int32) bool { return t.along(from, seen, is) }) {
		return true
	}
	if v.Kind != Defined || !t.c.Insts[v.At].Op.Does(Computes) {
		return false
	}
	in := &t.c.Insts[v.At]
	return slices.ContainsFunc([]Operand{in.A, in.B, in.C}, func(o Operand) bool { return o.Reg >= 0 && t.along(t.s.Read(v.At, o, Register), seen, is) })
}
