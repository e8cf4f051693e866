package ir

import (
	"math/bits"
	"slices"
)

// Misfit is a collective of the lanes of a warp (.sync) whose mask, a constant or one that lanes have voted for, does not fit the lanes that come to it: one that is not in its own mask is undefined,
// and one that is in the mask is waited for (PTX ISA 9.7.9.6, 9.7.13.2).
type Misfit struct {
	Inst    int32
	Mask    uint32 // 0: no constant
	Lane    int    // the first that does not fit; -1: which ones, data or a bound decide
	Branch  int32  // that keeps it away; -1: it comes, and is left out
	By      Division
	Leaves  bool // the branch leaves the loop that the collective is in
	Takes   bool // nobody waits for the lanes that do not come, or that the mask leaves out, and others take in the shuffle what these have
	Outside bool // the mask is of the lanes that voted at the branch, and the others come as well
	Short   bool // the mask is of the lanes that the last warp has, and one is taken from
	Active  bool // the mask is of the lanes that happen to be together (activemask), behind the branch at which they part
}

// exchanges reports whether lanes wait for each other at an instruction, or may take what others have.
func (in *Inst) exchanges() bool { return in.meetsLanes() || in.Op == Shuffle }

// meetsLanes reports whether lanes of a mask wait for each other at an instruction.
func (in *Inst) meetsLanes() bool {
	return (in.Flags&Meets != 0 || in.Op == BarrierWarp) && in.Members != None
}

// Misfits lists these, with a block of that shape, which may be a guess; nothing is executed.
func (c *Kernel) Misfits(block [3]int, guess bool) (out []Misfit) {
	if len(c.Insts) > most || !slices.ContainsFunc(c.Insts, func(in Inst) bool { return in.exchanges() }) {
		return nil
	}
	t := c.newTests(block, guess)
	there := uint32(1)<<min(t.count, Lanes) - 1
	whole := true
	for k := range c.Insts { // a lane that ends by itself comes to nothing behind
		in := &c.Insts[k]
		ends := in.Op == Exit && in.Mode == 0 || in.Op == Return && c.FunctionOf(int32(k))[0] == 0 && int32(k) != c.EndOf(int32(k))
		whole = whole && !(ends && max(t.u.Insts[k], c.divides(t.u, in)) == Varying)
	}
	for k := range c.Insts {
		in := &c.Insts[k]
		if !whole || !in.meetsLanes() || max(t.u.Insts[k], c.divides(t.u, in)) == Varying || !t.fl.Reached(t.fl.BlockOf(int32(k))) {
			continue
		}
		if mask, known := t.mask(int32(k)); known && there&^mask != 0 {
			out = append(out, Misfit{Inst: int32(k), Mask: mask, Lane: bits.TrailingZeros32(there &^ mask), Branch: -1})
		}
	}
	for k := range c.Insts {
		if in := &c.Insts[k]; in.Op == Branch && in.Guard >= 0 && t.u.Predicates[in.Guard] == Varying && t.fl.Reached(t.fl.BlockOf(int32(k))) {
			out = append(out, t.absent(int32(k), out)...)
		}
	}
	for k := range c.Insts {
		in := &c.Insts[k]
		if !in.meetsLanes() || in.Guard >= 0 || t.u.Insts[k] != Varying || !t.fl.Reached(t.fl.BlockOf(int32(k))) || slices.ContainsFunc(out, func(m Misfit) bool { return m.Inst == int32(k) }) {
			continue
		}
		if mask, known := t.mask(int32(k)); known && mask != 0 && there&^mask != 0 {
			if left := t.comes(int32(k)) & there &^ mask; left != 0 {
				out = append(out, Misfit{Inst: int32(k), Mask: mask, Lane: bits.TrailingZeros32(left), Branch: -1})
			}
		}
	}
	if whole {
		out = append(out, t.opportune(out)...)
	}
	out = append(out, t.outsiders(out)...)
	out = append(out, t.outside(out)...)
	out = append(out, t.short(out)...)
	for k := int32(len(c.Insts)) - 1; k >= 0; k-- { // the condition next to a collective first
		if in := &c.Insts[k]; in.Op == Branch && in.Guard >= 0 && in.Target != k+1 && t.u.Predicates[in.Guard] == Varying && t.fl.Reached(t.fl.BlockOf(k)) {
			out = append(out, t.parted(k, out)...)
		}
	}
	return out
}

// opportune lists the collectives to which all lanes come and whose mask is of those that are together just then, and nothing else: behind a branch that parts them they need not be all
// (PTX ISA 9.7.13.2: nothing says when lanes come together again).
func (t *tests) opportune(told []Misfit) (out []Misfit) {
	c := t.c
	for k := range c.Insts {
		in := &c.Insts[k]
		if in.Op != Vote || in.Flags&Meets != 0 || in.Mode != 3 || in.A.Reg != -1 || in.D < 0 || t.u.Insts[k] == Varying || !t.fl.Reached(t.fl.BlockOf(int32(k))) {
			continue
		}
		branch := int32(-1)
		for n := int32(k) - 1; n >= 0; n-- { // the outermost one
			o := &c.Insts[n]
			if o.meetsLanes() || o.meetsAll() || o.Op == Call || o.Op == Outside {
				break
			}
			if o.Op == Branch && o.Guard >= 0 && t.u.Predicates[o.Guard] == Varying {
				branch = n
			}
		}
		if branch < 0 {
			continue
		}
		if at := t.maskedBy(in.D); at >= 0 && !slices.ContainsFunc(told, func(m Misfit) bool { return m.Inst == at }) {
			out = append(out, Misfit{Inst: at, Lane: -1, Branch: branch, Active: true})
		}
	}
	return out
}

// voted reports whether lanes leave a loop by a branch that a collective in it has a mask for which they have voted before the loop: they are in it still.
func (t *tests) voted(pc, k int32) bool {
	l := t.c.Innermost(pc)
	if l == nil || !t.c.Leaves(pc) || !l.Has(t.fl.BlockOf(k)) || t.c.Insts[k].Members.Reg < 0 {
		return false
	}
	made := t.s.made(k, t.c.Insts[k].Members)
	return made >= 0 && t.c.Insts[made].Op == Vote && t.c.Insts[made].Mode == 3 && !l.Has(t.fl.BlockOf(made))
}

// atHand reports whether a collective on a way of a branch has a mask of the lanes that were together when they came to the branch.
func (t *tests) atHand(pc, k int32) bool {
	if t.c.Insts[k].Members.Reg < 0 {
		return false
	}
	made := t.s.made(k, t.c.Insts[k].Members)
	return made >= 0 && t.c.Insts[made].Op == Vote && t.c.Insts[made].Flags&Meets == 0 && t.fl.Dominates(t.fl.BlockOf(made), t.fl.BlockOf(pc)) && t.together(made, pc)
}

// maskedBy is the first collective whose mask is in a register; -1 where that is used as anything else, too: who counts the lanes that are there means these.
func (t *tests) maskedBy(register int32) int32 {
	is, first := map[int32]bool{register: true}, int32(-1)
	for again := true; again; {
		again = false
		for k := range t.c.Insts {
			in := &t.c.Insts[k]
			registers, _ := in.OperandsOf()
			switch reads := slices.ContainsFunc(registers, func(r int32) bool { return is[r] }); {
			case in.meetsLanes() && is[in.Members.Reg]:
				if first < 0 || int32(k) < first {
					first = int32(k)
				}
			case reads && in.Op == Move && in.D >= 0:
				again = again || !is[in.D]
				is[in.D] = true
			case reads:
				return -1
			}
		}
	}
	return first
}

// comes are the lanes that may come to an instruction in some warp: those that no condition on their number keeps away, where the others are on how much work the grid has, or the same for the warp.
func (t *tests) comes(k int32) uint32 {
	if t.guess && t.c.Axes() > 1 { // rows may be shorter than a warp
		return 0
	}
	lanes := uint32(1<<Lanes - 1)
	for pc := range t.c.Insts {
		in := &t.c.Insts[pc]
		if in.Op != Branch || in.Guard < 0 || t.u.Predicates[in.Guard] != Varying || !t.fl.Reached(t.fl.BlockOf(int32(pc))) {
			continue
		}
		for way, next := range [2]int32{t.fl.BlockOf(int32(pc) + 1), t.fl.BlockOf(in.Target)} {
			if l := t.c.Innermost(int32(pc)); l != nil && !l.Has(next) { // behind a loop come all that were in it
				continue
			}
			if len(t.fl.Before(next)) != 1 || !t.fl.Dominates(next, t.fl.BlockOf(k)) {
				continue
			}
			n := t.s.Read(int32(pc), Operand{Reg: in.Guard}, Predicate)
			if _, _, known := t.split(n); !known {
				if t.parts(int32(pc)) != ByBound && !t.keeps(n) { // data may keep away just these
					return 0
				}
				continue
			}
			some := uint32(0)
			for id := range t.count {
				t.at.Thread, t.steps = id, 0
				if x, _ := t.eval(n, 0); ((x != 0) != in.GuardNot) == (way == 1) {
					some |= 1 << (id % Lanes)
				}
			}
			lanes &= some
		}
	}
	return lanes
}

// parted lists the collectives of all lanes first met on one way of a branch that parts lanes by their own data, or by a bound: there those that do not come have to come to something else that
// waits for lanes, as those that end are not waited for.
func (t *tests) parted(pc int32, told []Misfit) (out []Misfit) {
	in := &t.c.Insts[pc]
	stop := t.fl.after[t.fl.BlockOf(pc)]
	if t.guess && t.c.Axes() > 1 { // which lanes a warp has is not known
		return nil
	}
	var sides [2]side
	for way, from := range [2]int32{t.fl.BlockOf(pc + 1), t.fl.BlockOf(in.Target)} {
		sides[way] = t.c.sideOf(from, stop, (*Inst).exchanges)
	}
	waits := func(in *Inst) bool { return in.meetsLanes() || in.meetsAll() }
	for way := range sides {
		other := sides[1-way]
		ends := !other.past && other.ends && len(other.first) == 0
		if !other.past && !ends || len(sides[way].first) == 0 {
			continue
		}
		k := sides[way].first[0]
		mask, known := t.mask(k)
		without := t.c.Insts[k].Members == None // nobody waits
		before := t.atHand(pc, k)
		if known = known && mask == 1<<Lanes-1 || without || before || t.voted(pc, k); !known || slices.ContainsFunc(told, func(m Misfit) bool { return slices.Contains(sides[way].first, m.Inst) }) {
			continue
		}
		by := t.parts(pc)
		waited := !ends && !without && (by == ByData || len(t.c.sideOf(stop, -1, waits).first) > 0)
		if by == 0 || !waited && (by != ByBound || !t.takesFromGone(pc, way == 1, k)) {
			continue
		}
		out = append(out, Misfit{Inst: k, Mask: mask, Lane: -1, Branch: pc, By: by, Active: before, Takes: !waited, Leaves: t.c.Leaves(pc) && t.c.Innermost(pc).Has(t.fl.BlockOf(k))})
	}
	return out
}

// takesFromGone reports whether a lane that passes a branch by a bound, by being one of the first, say, takes in a shuffle what a lane has that does not pass it: that is not defined, whether
// that lane ends or goes on (PTX ISA 9.7.9.6). It is so where the shuffle reaches over the warp: groups of fewer lanes are as a rule made to come whole.
func (t *tests) takesFromGone(pc int32, taken bool, k int32) bool {
	in := &t.c.Insts[k]
	if in.Op != Shuffle || in.C.Reg >= 0 || in.C.Imm>>8&(Lanes-1) != 0 {
		return false
	}
	by, known, rounds := t.reaches(k)
	if !known {
		by = Lanes / 2
	}
	if rounds && in.Mode != 3 && by < Lanes/2 {
		return false
	}
	place, first, known := t.among(t.s.Read(pc, Operand{Reg: t.c.Insts[pc].Guard}, Predicate), taken != t.c.Insts[pc].GuardNot)
	for lane := 0; known && lane < Lanes; lane++ {
		from, valid := ShuffledFrom(in.Mode, lane, int(by)&(Lanes-1), int(in.C.Imm))
		if valid && (first && place[from] > place[lane] || !first && place[from] < place[lane]) {
			return true
		}
	}
	return false
}

// reaches is how far lanes reach in a shuffle, or to which lane; in a loop whose rounds make it smaller, at first.
func (t *tests) reaches(k int32) (by int64, known, rounds bool) {
	in := &t.c.Insts[k]
	if in.B.Reg < 0 {
		return in.B.Imm, true, false
	}
	n := t.s.Read(k, in.B, Register)
	if differs, _, known := t.split(n); known {
		x, _ := t.eval(n, 0)
		return x, !differs, false
	}
	s := t.lanes()
	s.start = true
	first := s.value(n, 0)
	return first.n, first.ok && t.halves(k, in.B), true
}

// outside lists the shuffles in which the last of the lanes that the mask names takes from one that it does not, whoever comes to them: of a row that is folded the first lane has the result, and
// of one that is summed up the last.
func (t *tests) outside(told []Misfit) (out []Misfit) {
	for k := range int32(len(t.c.Insts)) {
		in := &t.c.Insts[k]
		if in.Op != Shuffle || !in.meetsLanes() || in.C.Reg >= 0 || !t.fl.Reached(t.fl.BlockOf(k)) || slices.ContainsFunc(told, func(m Misfit) bool { return m.Inst == k }) {
			continue
		}
		mask, known := t.mask(k)
		if !known || mask == 0 || ^mask == 0 {
			continue
		}
		by, known, _ := t.reaches(k)
		lane := bits.TrailingZeros32(mask)
		if in.Mode == 0 {
			lane = bits.Len32(mask) - 1
		}
		if from, valid := ShuffledFrom(in.Mode, lane, int(by)&(Lanes-1), int(in.C.Imm)); known && valid && mask>>from&1 == 0 {
			out = append(out, Misfit{Inst: k, Mask: mask, Lane: from, Branch: -1, Takes: true})
		}
	}
	return out
}

// short lists the shuffles in which the first lane of the last warp takes from one that this does not have: the CTA ends within it. Where it is not known whether that warp comes, nothing is said.
func (t *tests) short(told []Misfit) (out []Misfit) {
	there := t.count % Lanes
	if t.guess || there == 0 {
		return nil
	}
	for k := range int32(len(t.c.Insts)) {
		in := &t.c.Insts[k]
		if in.Op != Shuffle || in.Mode == 0 || in.C.Reg >= 0 || !t.fl.Reached(t.fl.BlockOf(k)) || !t.surely(k, t.count-there) || slices.ContainsFunc(told, func(m Misfit) bool { return m.Inst == k }) {
			continue
		}
		by, known, _ := t.reaches(k)
		if from, valid := ShuffledFrom(in.Mode, 0, int(by)&(Lanes-1), int(in.C.Imm)); known && valid && from >= there && t.taken(k) {
			out = append(out, Misfit{Inst: k, Mask: 1<<there - 1, Lane: from, Branch: -1, Short: true})
		}
	}
	return out
}

// taken reports whether something is computed at once from what an instruction gives, and not only where a condition lets through whoever has it.
func (t *tests) taken(k int32) bool {
	for todo := []int32{t.s.Result(k, t.c.Insts[k].D)}; len(todo) > 0; {
		n := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; n <= 0 {
			continue
		}
		for _, use := range t.s.Uses[n] {
			in := &t.c.Insts[use]
			switch {
			case t.fl.BlockOf(use) != t.fl.BlockOf(k) || in.Op == Select:
			case in.Op == Move:
				todo = append(todo, t.s.Result(use, in.D))
			case in.Op.Does(Computes):
				return true
			}
		}
	}
	return false
}

// surely reports whether a thread comes to an instruction, but for what is the same for its warp.
func (t *tests) surely(k int32, id int) bool {
	for b := range t.deciders(t.fl.BlockOf(k)) {
		pc := t.fl.Last(b)
		branch := &t.c.Insts[pc]
		if branch.Op != Branch || branch.Guard < 0 {
			return false
		}
		if t.u.Predicates[branch.Guard] != Varying {
			continue
		}
		t.at.Thread, t.steps = id, 0
		x, known := t.eval(t.s.Read(pc, Operand{Reg: branch.Guard}, Predicate), 0)
		if !known {
			return false
		}
		taken := (x != 0) != branch.GuardNot
		next := t.fl.BlockOf(pc + 1)
		if taken {
			next = t.fl.BlockOf(branch.Target)
		}
		if !t.fl.follows(t.fl.BlockOf(k), next) {
			return false
		}
	}
	return t.c.Insts[k].Guard < 0
}

// halves reports whether what an operand is becomes smaller in a loop around an instruction, by division or a shift.
func (t *tests) halves(k int32, o Operand) bool {
	l := t.c.Innermost(k)
	if l == nil {
		return false
	}
	for n := range t.c.makes(l, []int32{o.Reg}, nil) {
		if in := &t.c.Insts[n]; in.Op == Div || in.Op == Shr {
			return true
		}
	}
	return false
}

// among is by what the lanes of a warp pass a comparison with a bound, a number of each, and whether it is the least of them that pass it first.
func (t *tests) among(n int32, holds bool) (place [Lanes]int64, first, known bool) {
	for steps := 0; n > 0 && steps < maxTestDepth; steps++ {
		v := &t.s.Values[n]
		if v.Kind != Defined || len(v.From) > 0 {
			return place, false, false
		}
		in := &t.c.Insts[v.At]
		switch {
		case in.Op == Logic && in.Named() == "mov":
			n = t.s.Read(v.At, in.A, Predicate)
		case in.Op == Logic && in.Named() == "not":
			n, holds = t.s.Read(v.At, in.A, Predicate), !holds
		case in.Op == Setp:
			return t.ranked(v.At, holds)
		default:
			return place, false, false
		}
	}
	return place, false, false
}

// ranked is [tests.among] for a comparison.
func (t *tests) ranked(at int32, holds bool) (place [Lanes]int64, first, known bool) {
	in := &t.c.Insts[at]
	var differs [2]bool
	var places [2][Lanes]int64
	s := t.lanes()
	s.start = true
	for k, o := range [2]Operand{in.A, in.B} {
		for lane := range places[k] {
			x := sampled{n: o.Imm, ok: true}
			if o.Reg >= 0 {
				x = s.value(t.s.Read(at, o, Register), int32(lane))
			}
			if !x.ok {
				return place, false, false
			}
			places[k][lane] = in.Type.Bring(x.n)
			differs[k] = differs[k] || places[k][lane] != places[k][0]
		}
	}
	less := in.Mode == Less || in.Mode == LessEqual
	if differs[0] == differs[1] || !less && in.Mode != Greater && in.Mode != GreaterEqual {
		return place, false, false
	}
	if differs[0] {
		return places[0], less == holds, true
	}
	return places[1], less != holds, true
}

// Joined reports whether something else says that whole warps come to an instruction: a collective that names all lanes, or a barrier of the CTA, in its block, or
// on all ways to it that all lead on to it, or the other way round.
func (c *Kernel) Joined(k int32) bool {
	fl, b := c.Flow(), c.Flow().BlockOf(k)
	for n := range c.Insts {
		in := &c.Insts[n]
		all := in.meetsLanes() && in.Members.Reg < 0 && uint32(in.Members.Imm) == 1<<Lanes-1 || in.Op == BarrierCTA && in.B == None
		if at := fl.BlockOf(int32(n)); all && int32(n) != k && (at == b || fl.Dominates(at, b) && fl.follows(b, at) || fl.Dominates(b, at) && fl.follows(at, b)) {
			return true
		}
	}
	return false
}

// mask is that of a collective, where it is one number for all threads.
func (t *tests) mask(k int32) (mask uint32, known bool) {
	o := t.c.Insts[k].Members
	if o == None {
		return 0, false
	}
	if o.Reg < 0 {
		return uint32(o.Imm), true
	}
	n := t.s.Read(k, o, Register)
	if differs, _, known := t.split(n); !known || differs {
		return 0, false
	}
	x, _ := t.eval(n, 0)
	return uint32(x), true
}

// absent lists the collectives first met on one way of a branch whose masks name lanes that go the other way in every warp, and meet nobody there.
func (t *tests) absent(pc int32, told []Misfit) (out []Misfit) {
	in := &t.c.Insts[pc]
	stop := t.fl.after[t.fl.BlockOf(pc)]
	if stop < 0 {
		return nil
	}
	n := t.s.Read(pc, Operand{Reg: in.Guard}, Predicate)
	var comes [2]uint32 // by way: the lanes that go it in some warp
	for id := range t.count {
		t.at.Thread, t.steps = id, 0
		x, known := t.eval(n, 0)
		if !known {
			return nil
		}
		taken := (x != 0) != in.GuardNot
		way := 0
		if taken {
			way = 1
		}
		comes[way] |= 1 << (id % Lanes)
	}
	var sides [2]side
	for way, from := range [2]int32{t.fl.BlockOf(pc + 1), t.fl.BlockOf(in.Target)} {
		sides[way] = t.c.sideOf(from, stop, (*Inst).meetsLanes)
	}
	for way := range sides {
		if !sides[1-way].past || comes[way] == 0 {
			continue
		}
		for _, k := range sides[way].first {
			mask, known := t.mask(k)
			if missing := mask &^ comes[way] & comes[1-way]; known && missing != 0 && !slices.ContainsFunc(told, func(m Misfit) bool { return m.Inst == k }) {
				out = append(out, Misfit{Inst: k, Mask: mask, Lane: bits.TrailingZeros32(missing), Branch: pc, By: ByIndex})
			}
		}
	}
	return out
}
