package interval

import "github.com/fencepost-dev/fencepost/ir"

// taint says what a value is made of besides constants.
type taint uint8

const (
	own    taint = 1 << iota // which thread it is
	data                     // what memory holds, or what is not followed: a number is chosen for it
	theirs                   // data that need not be the same for all threads: which they have, no choice says
	chosen                   // a number that was chosen for what the launch does not say
	opaque                   // what a call gives whose body is not known: which thread asks may decide it, too
	lone                     // of theirs: those that need not be the same for the lanes of a warp either
	voted                    // how lanes have voted about data: any outcome there may be, and all lanes of the warp know it
)

// split reports whether data may give threads of a CTA different ones, and not only by which thread it is.
func (t taint) split() bool { return t&theirs != 0 }

// divides reports whether data may lead threads of a CTA different ways.
func (t taint) divides() bool { return t&(theirs|voted) != 0 }

// among is what is left of it among the lanes of a warp: what these have alike leads them one way.
func (t taint) among() taint {
	if t&lone == 0 {
		t &^= theirs | voted
	}
	return t
}

// alike reports whether all threads of a CTA have it alike.
func (t taint) alike() bool { return t&(own|theirs|voted) == 0 }

// tied reports whether data decide it together with which thread it is: what one thread has may leave out what another one has.
func (t taint) tied() bool { return t&own != 0 && t.divides() }

// unfollowed is the taint of what data become by an operation that is not followed.
func (t taint) unfollowed() taint {
	if !t.alike() {
		t |= theirs
	}
	if t&own != 0 {
		t |= lone
	}
	return t | data
}

// value is what a thread has in a register, or in a predicate.
type value struct {
	n int64
	taint
}

// rounds are, by loop, how often its latest run has gone back; -1: it was not entered since the interval began; passed: see there.
type rounds []int32

func (r rounds) copy() rounds { return append(make(rounds, 0, len(r)), r...) }

// state is one thread of one sample: what it has in each round follows from which thread it is and from what was chosen, so values are functions of these.
type state struct {
	*sample
	thread int
	known  memo
	depth  int
}

// Limits of one value.
const (
	maxDepth  = 200
	maxRounds = 64 // of a loop that is followed
	fewRounds = 2  // of one on a long way
)

// left reports whether a loop around a block was left before it was over: what it would have come to is not known.
func (s *state) left(block int32, r rounds) bool {
	for l := s.inmost[block]; l >= 0; l = int32(s.loops[l].Outer) {
		if r[l] > maxRounds {
			return true
		}
	}
	return false
}

// turn is a number for the rounds of the loops around a block.
func (s *state) turn(block int32, r rounds) uint64 {
	h := uint64(0)
	for l := s.inmost[block]; l >= 0; l = int32(s.loops[l].Outer) {
		h = scatter(h, uint64(l)<<32|uint64(uint32(r[l])))
	}
	return h
}

// scatter is another number for each pair.
func scatter(a, b uint64) uint64 {
	h := (a+0x9e3779b97f4a7c15)*0xbf58476d1ce4e5b9 ^ (b+0x165667b19e3779f9)*0x94d049bb133111eb
	return h ^ h>>29
}

// unknown is a value of which nothing is known but that the same thread has it alike, or all of the CTA do.
func (s *state) unknown(n int32, turn uint64) value {
	if n > 0 && s.uniform(s.ssa.Values[n].Of) {
		return value{int64(scatter(scatter(s.seed, uint64(n)), turn) >> 33), data}
	}
	return value{int64(scatter(scatter(s.seed, uint64(n)), scatter(turn, uint64(s.thread))) >> 33), own | data | theirs | lone}
}

// lost is a value that is not followed to where it comes from.
func (s *state) lost(n int32, turn uint64) value {
	out := s.unknown(n, turn)
	out.taint |= own | data | theirs | opaque | lone
	return out
}

// uniform reports whether all threads of a CTA have a register, or a predicate behind them, alike.
func (a *analysis) uniform(of int32) bool {
	r := int32(a.kernel.Registers)
	return of >= 0 && (of < r && a.alike.Registers[of] == ir.UniformCTA || of >= r && a.alike.Predicates[of-r] == ir.UniformCTA)
}

// ofWarp reports whether all lanes of a warp have a register, or a predicate behind them, alike.
func (a *analysis) ofWarp(of int32) bool {
	r := int32(a.kernel.Registers)
	return of >= 0 && (of < r && a.alike.Registers[of] <= ir.UniformWarp || of >= r && a.alike.Predicates[of-r] <= ir.UniformWarp)
}

// read is what an instruction reads.
func (s *state) read(k int32, o ir.Operand, bank ir.Bank, r rounds) value {
	if o.Reg < 0 {
		return value{n: o.Imm}
	}
	v := s.value(s.ssa.Read(k, o, bank), r)
	if bank == ir.Predicate && o.Not {
		v.n ^= 1
	}
	return v
}

func (s *state) value(n int32, r rounds) value {
	if n <= 0 {
		return s.unknown(n, 0)
	}
	v := &s.ssa.Values[n]
	at := key{value: n}
	if v.At >= 0 {
		at.turn = s.turn(s.flow.BlockOf(v.At), r)
	}
	known := &s.known
	if s.uniform(v.Of) {
		known = &s.common
	}
	if out := known.get(at); out != nil {
		return *out
	}
	if s.depth++; s.depth > maxDepth || s.spent() {
		s.depth--
		return s.lost(n, at.turn)
	}
	s.work--
	known.set(at, s.unknown(n, at.turn)) // what is made of itself
	out := s.made(n, v, at.turn, r)
	if out.taint&lone != 0 && out.taint&opaque == 0 && s.ofWarp(v.Of) {
		out.taint &^= lone
	}
	s.depth--
	known.set(at, out)
	return out
}

func (s *state) made(n int32, v *ir.Value, turn uint64, r rounds) value {
	if v.At >= 0 && s.left(s.flow.BlockOf(v.At), r) {
		return s.lost(n, turn)
	}
	switch v.Kind {
	case ir.Given:
		return s.given(n, v.Of)
	case ir.Merged:
		return s.merged(n, v, turn, r)
	case ir.Defined:
		if l := s.inmost[s.flow.BlockOf(v.At)]; l >= 0 && r[l] < 0 { // of a loop that was over when the interval began
			r = r.copy()
			if gone := r[l] == passed; !s.over(l, r) {
				if gone {
					return s.lost(n, turn)
				}
				return s.unknown(n, turn)
			}
		}
		in := &s.kernel.Insts[v.At]
		if in.Guard >= 0 && len(v.From) > 0 {
			g := s.read(v.At, ir.Operand{Reg: in.Guard, Not: in.GuardNot}, ir.Predicate, r)
			out := value{}
			if g.n != 0 {
				out = s.defined(n, v, in, turn, r)
			} else {
				out = s.value(v.From[0], r)
			}
			out.taint |= g.taint
			return out
		}
		return s.defined(n, v, in, turn, r)
	}
	return s.unknown(n, turn)
}

// given is what a thread begins with.
func (s *state) given(n, register int32) value {
	if name, is := s.special[register]; is {
		s.at.Thread = s.thread
		x, known := s.at.Special(name)
		switch {
		case !known:
			return s.unknown(n, 0)
		case perThread[name]:
			return value{x, own}
		case s.fixed[name]:
			return value{n: x}
		}
		return value{x, chosen}
	}
	if x, said := s.numbers[register]; said {
		return x
	}
	return s.unknown(n, 0)
}

// merged is the value that came with the way that the thread has gone.
func (s *state) merged(n int32, v *ir.Value, turn uint64, r rounds) value {
	b := s.flow.BlockOf(v.At)
	before := s.flow.Before(b)
	if len(before) != len(v.From) { // the function begins there, too
		return s.unknown(n, turn)
	}
	r = r.copy()
	if l := s.headed[b]; l >= 0 {
		if gone := r[l] == passed; r[l] < 0 && !s.over(l, r) {
			if gone {
				return s.lost(n, turn)
			}
			return s.unknown(n, turn)
		}
		loop := s.loops[l]
		if r[l] > 0 {
			r[l]--
			s.pass(l, r)
			latch, t, ok := s.latch(l, r)
			if !ok {
				return s.unknown(n, turn)
			}
			return s.from(v, before, latch, r, t)
		}
		var entry int32 = -1
		for _, p := range before {
			if !loop.Has(p) {
				if entry >= 0 {
					entry = -2
					break
				}
				entry = p
			}
		}
		if entry >= 0 {
			return s.from(v, before, entry, r, 0)
		}
	}
	above := s.flow.Above(b)
	if above < 0 {
		return s.unknown(n, turn)
	}
	last, t, ok := s.way(above, b, r)
	if !ok {
		if same := s.alike(v, r); same != nil {
			return *same
		}
		return s.unknown(n, turn)
	}
	return s.from(v, before, last, r, t)
}

// alike is the value that all ways bring; nil if they do not.
func (s *state) alike(v *ir.Value, r rounds) *value {
	var out *value
	for _, from := range v.From {
		if from < 0 {
			continue
		}
		x := s.value(from, r)
		if x.divides() || out != nil && *out != x {
			return nil
		}
		out = &x
	}
	return out
}

func (s *state) from(v *ir.Value, before []int32, way int32, r rounds, t taint) value {
	for k, p := range before {
		if p == way && v.From[k] >= 0 {
			out := s.value(v.From[k], r)
			same := true // whichever way: then the way says nothing of it
			for _, other := range v.From {
				same = same && other == v.From[k]
			}
			if !same {
				out.taint |= t
			}
			return out
		}
	}
	return s.unknown(0, uint64(v.Of))
}

// latch is the block by which a loop goes back in a round.
func (s *state) latch(l int32, r rounds) (block int32, t taint, ok bool) {
	loop := s.loops[l]
	if len(loop.Latches) == 1 {
		// Loops within it are over by then.
		return loop.Latches[0], 0, true
	}
	return s.way(loop.Header, loop.Header, r)
}

// maxWay bounds the blocks between two.
const maxWay = 200

// way follows the thread from one block until it comes to another one, and says from which block it does.
func (s *state) way(from, to int32, r rounds) (last int32, t taint, ok bool) {
	b := from
	for range maxWay {
		next, more, is := s.next(b, r)
		t |= more
		if !is {
			return 0, t, false
		}
		if next == to {
			return b, t, true
		}
		s.enter(b, next, r)
		b = next
	}
	return 0, t, false
}

// passed is the round of a loop that is over in the round that the loop around it is in: how often it has gone back is found where it is asked for.
const passed = -2

// pass says that of the loops within another one.
func (a *analysis) pass(l int32, r rounds) {
	for _, k := range a.within[l] {
		r[k] = passed
	}
}

// over follows a loop that is over, with those around it that are: then it is in its last round.
func (s *state) over(l int32, r rounds) bool {
	whole := l
	for o := int32(s.loops[l].Outer); o >= 0; o = int32(s.loops[o].Outer) {
		if r[o] < 0 {
			whole = o
		}
	}
	return s.run(whole, r) && r[l] >= 0
}

// run follows a loop from its first round until it is left.
func (s *state) run(l int32, r rounds) bool {
	loop := s.loops[l]
	for o := int32(loop.Outer); o >= 0; o = int32(s.loops[o].Outer) {
		if r[o] < 0 {
			return false
		}
	}
	r[l] = 0
	b := loop.Header
	for range maxWay {
		next, _, is := s.next(b, r)
		if !is {
			return false
		}
		if !loop.Has(next) {
			return true
		}
		s.enter(b, next, r)
		if b = next; r[l] > maxRounds {
			return false
		}
	}
	return false
}

// enter counts the rounds of a loop whose header the thread comes to.
func (s *state) enter(from, to int32, r rounds) {
	l := s.headed[to]
	switch {
	case l < 0:
	case s.loops[l].Has(from):
		r[l]++
	default:
		r[l] = 0
	}
}

// next is the block that the thread goes on at; is says that there is one.
func (s *state) next(b int32, r rounds) (to int32, t taint, is bool) {
	s.steps--
	k := s.flow.Last(b)
	in := &s.kernel.Insts[k]
	goes := value{n: 1}
	if in.Guard >= 0 && in.Op.Branches() {
		goes = s.read(k, ir.Operand{Reg: in.Guard, Not: in.GuardNot}, ir.Predicate, r)
	}
	switch {
	case !in.Op.Branches() || goes.n == 0:
		if int(k)+1 >= len(s.kernel.Insts) {
			return 0, goes.taint, false
		}
		return s.flow.BlockOf(k + 1), goes.taint, true
	case in.Op == ir.Branch:
		return s.flow.BlockOf(in.Target), goes.taint, true
	case in.Op == ir.BranchIndexed && in.Extra != nil:
		a := s.read(k, in.A, ir.Register, r)
		if a.n >= 0 && a.n < int64(len(in.Extra.Targets)) {
			return s.flow.BlockOf(in.Extra.Targets[a.n]), goes.taint | a.taint, true
		}
	}
	return 0, goes.taint, false
}

func (s *state) defined(n int32, v *ir.Value, in *ir.Inst, turn uint64, r rounds) value {
	k := v.At
	reg := func(o ir.Operand) value { return s.read(k, o, ir.Register, r) }
	second := in.E >= 0 && in.E != in.D && v.Of == in.E+int32(s.kernel.Registers)
	switch {
	case in.Op == ir.Setp:
		return s.compared(k, in, v.Of == in.E+int32(s.kernel.Registers) && in.E != in.D, r)
	case in.Op == ir.Logic:
		a := s.read(k, in.A, ir.Predicate, r)
		if in.Mode == ir.JoinNot {
			a.n ^= 1
			return a
		}
		if in.Mode == ir.JoinMove {
			return a
		}
		return joined(in.Mode, a, s.read(k, in.B, ir.Predicate, r))
	case in.Op == ir.Select:
		p := s.read(k, in.C, ir.Predicate, r)
		out := reg(in.A)
		if p.n == 0 {
			out = reg(in.B)
		}
		out.taint |= p.taint
		return out
	case in.Op == ir.Load:
		return s.loaded(n, v, in, turn, r)
	case in.Op == ir.Apply, in.Op == ir.Pack, in.Op == ir.Unpack:
		a, b, c := reg(in.A), reg(in.B), reg(in.C)
		h := scatter(uint64(in.Op)<<32|uint64(in.Size), scatter(uint64(a.n), scatter(uint64(b.n), uint64(c.n))))
		out := value{int64(h >> 33), (a.taint | b.taint | c.taint).unfollowed()}
		if in.Op == ir.Apply && !in.Type.Data { // a comparison of data, or a number that is made of them
			if h = scatter(h, s.seed); s.equals(in) && !seldom(h) || !s.equals(in) && h>>40&1 == 0 {
				out.n = 0
			} else {
				out.n = s.number(h)
			}
		}
		return out
	case in.Op == ir.Shuffle:
		if out, ok := s.shuffled(k, in, r); ok && !second {
			return out
		}
	case in.Op == ir.Elect && second:
		return value{int64(1 - min(s.thread%ir.Lanes, 1)), own}
	case in.Op == ir.Vote:
		if out, ok := s.vote(k, in, second, r); ok {
			return out
		}
	case in.Op.Does(ir.Integer) && v.Of == in.D:
		var more value
		if in.Extra != nil && len(in.Extra.Operands) > 0 {
			more = reg(in.Extra.Operands[0])
		}
		a, b, c := reg(in.A), reg(in.B), reg(in.C)
		if in.Op == ir.Mul && (a == value{} || b == value{}) { // nothing of what is not known
			return value{}
		}
		if x, ok := in.Compute(a.n, b.n, c.n, more.n); ok {
			return value{x, a.taint | b.taint | c.taint | more.taint}
		}
		return value{0, (a.taint | b.taint | c.taint | more.taint).unfollowed()} // divided by zero
	}
	if in.Op == ir.Havoc && v.Of == in.D {
		a, b, c := reg(in.A), reg(in.B), reg(in.C)
		h := scatter(scatter(s.seed, uint64(n)), scatter(turn, scatter(uint64(a.n), scatter(uint64(b.n), uint64(c.n)))))
		return value{s.number(h), (a.taint | b.taint | c.taint).unfollowed() | opaque}
	}
	return s.unknown(n, turn)
}

func joined(how uint8, a, b value) value {
	out := value{taint: a.taint | b.taint}
	switch how {
	case ir.JoinAnd:
		out.n = a.n & b.n
		out.taint = decided(a, b, a.n == 0, b.n == 0)
	case ir.JoinOr:
		out.n = a.n | b.n
		out.taint = decided(a, b, a.n != 0, b.n != 0)
	case ir.JoinXor:
		out.n = a.n ^ b.n
	}
	return out
}

// decided is the taint of what is joined from two of which either may settle it alone.
func decided(a, b value, first, second bool) taint {
	switch {
	case first && a.taint&(data|voted) == 0, first && !a.divides() && (!second || b.taint&(data|voted) != 0):
		return a.taint
	case second && !b.divides():
		return b.taint
	}
	return a.taint | b.taint
}

// equals reports whether a function of data asks whether two are equal: of those that have a number, and not data, for their answer only that may exchange the two.
func (s *state) equals(in *ir.Inst) bool {
	return in.Flags&ir.Commutative != 0 && in.A.Reg >= 0 && s.kernel.Types[in.A.Reg].Data
}

// seldom says whether data are equal that are compared: one in eight.
func seldom(h uint64) bool { return h>>40%8 == 0 }

// compared is what a comparison says.
func (s *state) compared(k int32, in *ir.Inst, contrary bool, r rounds) value {
	a, b := s.read(k, in.A, ir.Register, r), s.read(k, in.B, ir.Register, r)
	out := value{taint: a.taint | b.taint}
	switch {
	case in.Type.Data:
		h := scatter(scatter(uint64(a.n), uint64(b.n)), s.seed)
		switch equal := in.Mode == ir.Equal; {
		case equal || in.Mode == ir.NotEqual:
			if seldom(h) == equal {
				out.n = 1
			}
		default:
			out.n = int64(scatter(h, uint64(in.Mode)) >> 40 & 1)
		}
		out.taint = out.unfollowed()
	case in.Type.Holds(in.Mode, in.Type.Bring(a.n), in.Type.Bring(b.n)):
		out.n = 1
	}
	if contrary {
		out.n ^= 1
	}
	if in.Join != 0 {
		out = joined(in.Join, out, s.read(k, in.C, ir.Predicate, r))
	}
	return out
}

// loaded is what memory holds: the same wherever the same address is read.
func (s *state) loaded(n int32, v *ir.Value, in *ir.Inst, turn uint64, r rounds) value {
	if in.Flags&ir.Changes != 0 || in.Type.Bits > 64 {
		return s.unknown(n, turn)
	}
	a := s.read(v.At, in.A, ir.Register, r)
	at := a.n + in.Offset
	if in.Space == ir.Local { // the thread's own: it may change from round to round
		out := s.unknown(n, turn)
		if out.alike() && !in.Type.Data {
			out.n = in.Type.Convert(s.number(scatter(scatter(s.seed, uint64(at)), turn)))
		}
		return out
	}
	h := scatter(s.seed, scatter(uint64(at), uint64(in.Type.Bits)<<8|uint64(v.Of-in.D)))
	space := in.Space
	if space == ir.Generic && at>>ir.WindowBits == ir.SharedWindow>>ir.WindowBits {
		space = ir.Shared
	}
	if space == ir.Const {
		if x, ok := s.kernel.ConstantAt(at, int64(in.Size)); ok && v.Of == in.D && !in.Type.Data {
			return value{in.Type.Convert(x), a.taint}
		}
	}
	if space == ir.Shared { // it changes from round to round
		first := s.earlier(v.At)
		h = scatter(h, scatter(s.turn(s.flow.BlockOf(first), r), uint64(first)))
	}
	holds := a.unfollowed()
	if space == ir.Global && s.written[at>>bufferBits] == "" { // what the kernel is handed says nothing of its threads
		holds &^= own
	}
	switch {
	case in.Type.Data:
		return value{int64(h >> 33), holds}
	case space == ir.Global && s.parted[at>>bufferBits] > 0 && s.written[at>>bufferBits] == "":
		return value{in.Type.Convert(s.offset(at, s.parted[at>>bufferBits])), holds}
	case s.zeros && h>>50%4 == 0:
		return value{taint: holds}
	}
	x := s.number(h)
	if near := s.near(at >> bufferBits); space == ir.Global && len(near) > 0 && h>>53%2 == 0 {
		x = near[h>>30%uint64(len(near))]
	}
	return value{in.Type.Convert(x), holds}
}
