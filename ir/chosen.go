package ir

import (
	"math"
	"slices"
	"strings"
)

// Choice says that what memory holds chooses where an access of shared memory is: some byte from Low on and before High, counted from what the
// thread has by which it is (Own).
type Choice struct {
	Low, High int64
	Moved     bool // what all threads have alike is added to it
	Ahead     bool // that may be more than nothing, as where a row begins: then the index may be meant to be within that row
	Called    bool // a function that is not read makes it of data: that it makes anything of them is not known
	c         *Kernel
	own       []Term // values that are computed from which thread it is, and no more
}

// Thread is one of a CTA.
type Thread struct{ At, Block [3]int64 }

// mostShared is more than the shared memory of any CTA.
const mostShared = 1 << 20

// maxChosen bounds how many values the index of an access is followed back to.
const maxChosen = 256

// ChosenAt are the choices of the accesses of shared memory at a place; nil where one of them is none. An index is chosen by data where it is computed from what was loaded, and in
// no other way from which thread it is: so data that lead to the element of another thread are as good as any. What an atomic operation gives
// may keep threads apart by itself; it chooses nothing.
func (c *Kernel) ChosenAt(place uint32) (out []Choice) {
	if c.chosen != nil {
		return c.chosen(place)
	}
	for k := range c.Insts {
		in := &c.Insts[k]
		if in.Place != place || !in.accesses() {
			continue
		}
		one, chosen := c.choice(int32(k))
		if !chosen || len(out) == maxChosen {
			return nil
		}
		out = append(out, one)
	}
	return out
}

func (c *Kernel) choice(k int32) (out Choice, is bool) {
	for _, t := range c.TargetsOf(k) {
		objects := t.Objects
		if len(objects) > 1 { // a byte counts further than some arrays reach, and what data choose is within the array that the address is made of
			objects = c.ObjectsOf(&c.Insts[k])
		}
		if t.Operand != 0 || len(objects) != 1 {
			continue
		}
		a, of, moved := c.Affine(), objects[0], false
		out.c, out.Low, out.High = c, t.Address.Const, t.Address.Const
		for _, term := range t.Address.Terms {
			if term.Atom <= 0 {
				return out, false
			}
			kind := c.madeOf(a.s, term.Atom, c.Flow().BlockOf(k))
			out.Called = out.Called || kind.calls
			switch {
			case kind.loads && !kind.other && (!kind.own || kind.votes):
				is = true
				f := a.of(term.Atom)
				low, high := plusSpan(0, 0, max(f.Low, 0), f.High, term.By) // an index is not below 0
				out.Low, out.High = out.Low+min(low, high), plusHigh(out.High, max(low, high))
			case !kind.loads && !kind.other && (!kind.own || !kind.thread && kind.alike): // where the CTA's part begins (`blockIdx.x * blockDim.x`) is one
				moved, out.Ahead = true, out.Ahead || term.By > 0
			case !kind.loads && !kind.other:
				out.own = append(out.own, term)
			default:
				return out, false
			}
		}
		if out.Moved = moved; moved { // by the same for all threads: where data may be anything they lead anywhere with it, too
			size, ends := of.Size, of.Size >= 0
			if !ends { // of a part of it that begins at a place that is not known, other parts are none
				size = mostShared
			}
			if len(out.own) > 0 || !ends && out.Ahead || out.High/2-out.Low/2 <= size { // halves, since either may be without bound
				return out, false
			}
			if out.Low = of.At; !ends {
				out.Low = t.Address.Const
			}
		}
		if out.High = plusHigh(out.High, int64(c.Insts[k].Size)); len(out.own) == 0 {
			out.Low = max(out.Low, of.At)
			if of.Size >= 0 {
				out.High = min(out.High, of.At+of.Size)
			}
			if t.Ranged {
				out.Low, out.High = max(out.Low, t.Low), min(out.High, t.High)
			}
		}
		return out, is
	}
	return out, false
}

// Index is what the address of an access is a sum of: what all threads have alike, what each has by which it is, and what memory holds.
type Index struct {
	Array     string // the terms that all threads have alike, but for the constant
	Alike     Form
	Own, Data []Term
}

// IndexOf is the index of an access; ok is false where its address is no such sum.
func (c *Kernel) IndexOf(k int32) (x Index, ok bool) {
	a := c.Affine()
	for _, t := range c.TargetsOf(k) {
		if t.Operand != 0 {
			continue
		}
		x.Alike.Const, x.Alike.Bits = t.Address.Const, t.Address.Bits
		for _, term := range t.Address.Terms {
			if term.Atom < 0 { // rounds of a loop, which need not be the same for all
				x.Own = append(x.Own, term)
				continue
			}
			switch kind := c.madeOf(a.s, term.Atom, c.Flow().BlockOf(k)); {
			case term.Atom == 0 || kind.other:
				return x, false
			case kind.loads && (!kind.own || kind.votes):
				x.Data = append(x.Data, term)
			case kind.loads:
				return x, false
			case kind.own:
				x.Own = append(x.Own, term)
			default:
				x.Alike.Terms = append(x.Alike.Terms, term)
			}
		}
		step := int64(0) // from one element that data choose to the next
		for _, term := range x.Data {
			for at := term.By; at != 0; {
				step, at = at, step%at
			}
		}
		x.Own = slices.DeleteFunc(x.Own, func(term Term) bool { // where rounds count on from what data choose, that is any element, too
			return term.Atom < 0 && step != 0 && term.By%step == 0
		})
		same := slices.Clone(x.Alike.Terms)
		for k := range same {
			same[k].Atom = a.Formula(same[k].Atom)
		}
		slices.SortFunc(same, func(x, y Term) int { return int(x.Atom - y.Atom) })
		x.Array = a.Text(&Form{Terms: same, Bits: 64})
		return x, true
	}
	return x, false
}

// maxUpdate bounds what is looked through between the two.
const maxUpdate = 64

// Updated reports whether what is written at a place is computed from what was read at another one from the same element, as where something is counted: who does that where data choose the
// element counts on coming to one more than once.
func (c *Kernel) Updated(write, read uint32) bool {
	if c.updated != nil {
		return c.updated(write, read)
	}
	a := c.Affine()
	for k := range c.Insts {
		in := &c.Insts[k]
		if in.Place != write || in.Op != Store || in.B.Reg < 0 {
			continue
		}
		at := a.Of(int32(k), in.A)
		met, todo := map[int32]bool{}, []int32{a.s.Read(int32(k), in.B, Register)}
		for len(todo) > 0 && len(met) < maxUpdate {
			n := todo[len(todo)-1]
			if todo = todo[:len(todo)-1]; n <= 0 || met[n] {
				continue
			}
			met[n] = true
			v := &a.s.Values[n]
			if v.Kind != Defined || len(v.From) > 0 {
				continue
			}
			made := &c.Insts[v.At]
			if made.Op == Load && made.Place == read && made.Offset == in.Offset && made.Space == in.Space {
				if from := a.Of(v.At, made.A); a.Text(&from) == a.Text(&at) {
					return true
				}
			}
			if !made.Op.Does(Computes) {
				continue
			}
			for _, o := range append([]Operand{made.A, made.B, made.C}, made.more()...) {
				if o.Reg >= 0 {
					todo = append(todo, a.s.Read(v.At, o, Register))
				}
			}
		}
	}
	return false
}

// Picked reports whether what memory holds and which thread asks decide together whether threads come to a place: they may be those whose element it is.
func (c *Kernel) Picked(place uint32) bool {
	s := regions.of(c)
	s.once.Do(func() { s.picked = c.picked() })
	return s.picked[place]
}

func (c *Kernel) picked() map[uint32]bool {
	out := map[uint32]bool{}
	for k := range c.Insts {
		in := &c.Insts[k]
		if in.Guard < 0 {
			continue
		}
		if _, memory := c.InputsOf(&Inst{Op: Branch, Guard: in.Guard, A: None}); !memory || !c.ByThread(in) {
			continue
		}
		if out[in.Place] = true; in.Op == Branch {
			for _, n := range c.RegionOf(int32(k)).Insts {
				out[c.Insts[n].Place] = true
			}
		}
	}
	return out
}

func plusHigh(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// makings are what a value is computed from. What is a thread's own may be no more than the extents of its CTA; thread says whether its number is in it, and alike whether
// something is that all threads of the CTA have alike and that hangs on the launch; calls, whether a function that is not read is among what computes it.
type makings struct{ loads, votes, calls, own, thread, alike, other bool }

// tellsThreads are the special registers that differ between threads of a CTA, and the extents that say where each is (PTX ISA 10).
var tellsThreads = []string{"%tid.", "%laneid", "%warpid", "%lanemask", "%ntid."}

// use is a value, and the block where it is used.
type use struct{ value, block int32 }

// reached is a value that was met; one that is merged from round to round is another where it is used within its loop.
type reached struct {
	value  int32
	inLoop bool
}

// madeOf says what a value is computed from that is used in a block: what loads of global or shared memory give, or what lanes vote, which thread it is, or anything else but constants.
func (c *Kernel) madeOf(s *SSA, n, block int32) makings {
	met := map[reached]bool{}
	out, decisions := c.followed(s, met, []use{{n, block}})
	for len(decisions) > 0 && !out.other { // what lanes vote is no thread's own, but which of its own values it has then is
		var by makings
		by, decisions = c.followed(s, met, decisions)
		if out.loads && by.own && !by.loads && !by.calls && !by.other { // a thread that has what memory holds, and not what others have, has that (`i < n ? in[i] : 0`)
			continue
		}
		out.loads, out.calls, out.other, out.alike = out.loads || by.loads, out.calls || by.calls, out.other || by.other, out.alike || by.alike
		out.own, out.thread = out.own || by.own && !by.votes, out.thread || by.thread && !by.votes
	}
	return out
}

// followed says that of several values, leaving out those that were met, and what decides which of several a merged one is.
func (c *Kernel) followed(s *SSA, met map[reached]bool, values []use) (out makings, decisions []use) {
	var todo []use
	fl := c.Flow()
	next := func(list []int32, block int32) {
		for _, n := range list {
			if n <= 0 {
				out.other = true
				continue
			}
			if to := (reached{n, c.roundOf(&s.Values[n], block)}); !met[to] {
				met[to] = true
				todo = append(todo, use{n, block})
			}
		}
	}
	names := map[int32]string{}
	for name, r := range c.Special {
		names[r] = name
	}
	given := map[int32]bool{}
	for _, p := range c.Given() {
		given[p.Register] = true
	}
	for _, u := range values {
		next([]int32{u.value}, u.block)
	}
	for len(todo) > 0 && len(met) <= maxChosen {
		at := todo[len(todo)-1]
		v := &s.Values[at.value]
		todo = todo[:len(todo)-1]
		switch v.Kind {
		case Given:
			switch name := names[v.Of]; {
			case tellsThread(name):
				out.own = true
				out.thread = out.thread || !strings.HasPrefix(name, "%ntid.")
			case name == "" && !given[v.Of]:
				out.other = true
			default:
				out.alike = true
			}
		case Merged:
			next(slices.DeleteFunc(slices.Clone(v.From), func(n int32) bool { // on a way on which nothing set it nobody may read it
				return n > 0 && s.Values[n].Kind == Given && names[s.Values[n].Of] == "" && !given[s.Values[n].Of]
			}), fl.BlockOf(max(v.At, 0)))
			decisions = append(decisions, c.decisions(s, v, at.block)...)
		case Defined:
			in := &c.Insts[v.At]
			switch {
			case in.Op == Vote:
				out.loads, out.votes = true, true
				continue
			case in.Op == Load && (in.Space == Global || in.Space == Shared):
				out.loads = true
				continue
			case in.Op == Load && in.Space == Local: // what the thread has put there
				kept, all := c.keptIn(v.At)
				for _, k := range kept {
					if stored := &c.Insts[k]; stored.B.Reg >= 0 {
						next([]int32{s.Read(k, stored.B, Register)}, fl.BlockOf(k))
					}
				}
				out.other = out.other || len(kept) == 0 || !all
				next(v.From, fl.BlockOf(v.At))
				continue
			case in.Op == Shuffle:
			case in.Op == Havoc && (in.A.Reg >= 0 || in.B.Reg >= 0 || in.C.Reg >= 0): // what a function that is not read makes of numbers
				out.calls = true
			case in.Op == Load, in.Op == Atomic, in.Op == Havoc, !in.Op.Does(Computes):
				out.other = true
			}
			next(s.reads[v.At], fl.BlockOf(v.At))
			next(v.From, fl.BlockOf(v.At))
		default:
			out.other = true
		}
	}
	out.other = out.other || len(met) > maxChosen
	return out, decisions
}

// ByData reports whether all threads that come by may execute an instruction, if data are so: no condition is made of an atomic operation's result, which may be good for one thread alone, or compares data with what says
// which thread it is, as a vote's winner does.
func (c *Kernel) ByData(k int32) bool {
	s, fl := c.SSA(), c.Flow()
	met := map[use]bool{}
	if g := c.Insts[k].Guard; g >= 0 && !c.byData(s, use{s.Read(k, Operand{Reg: g}, Predicate), fl.BlockOf(k)}, met) {
		return false
	}
	for d := range fl.allDeciders(fl.BlockOf(k)) {
		if n, decides := c.decision(s, d); decides && !c.byData(s, use{n, d}, met) {
			return false
		}
	}
	return true
}

// ByDataAt says that of the accesses at a place.
func (c *Kernel) ByDataAt(place uint32) bool {
	if c.byAll != nil {
		return c.byAll(place)
	}
	for k := range c.Insts {
		if in := &c.Insts[k]; in.Place == place && in.accesses() && !c.ByData(int32(k)) {
			return false
		}
	}
	return true
}

// OwnAt reports whether the addresses of the accesses at a place follow from which thread makes them, and from nothing else.
func (c *Kernel) OwnAt(place uint32) bool {
	if c.ofOwn != nil {
		return c.ofOwn(place)
	}
	first := Thread{Block: [3]int64{Lanes, 1, 1}}
	for k := range c.Insts {
		if in := &c.Insts[k]; in.Place != place || !in.accesses() {
			continue
		}
		x, ok := c.IndexOf(int32(k))
		if !ok || len(x.Data)+len(x.Alike.Terms) > 0 {
			return false
		}
		for _, term := range x.Own {
			if term.Atom < 0 {
				return false
			}
			if _, own := c.ownValue(c.SSA(), term.Atom, first, map[int32]int64{}, 0); !own {
				return false
			}
		}
	}
	return true
}

// byData says that of a condition, or of a value that one is made of: of the comparisons in it each is of data, or of which thread it is.
func (c *Kernel) byData(s *SSA, u use, met map[use]bool) bool {
	if u.value <= 0 {
		return false
	}
	if met[u] {
		return true
	}
	if met[u] = true; len(met) > maxChosen {
		return false
	}
	v := &s.Values[u.value]
	var of []int32
	var decisions []use
	switch v.Kind {
	case Merged:
		of, decisions = v.From, c.decisions(s, v, u.block)
	case Defined:
		switch in := &c.Insts[v.At]; {
		case in.Op == Move, in.Op == Convert, in.Op == Select, in.Op == Logic, in.Op == Setp && (in.A.Reg < 0 || in.B.Reg < 0):
			of = append(slices.Clone(s.reads[v.At]), v.From...)
		}
	}
	if of == nil {
		kind := c.madeOf(s, u.value, u.block)
		return !kind.other && !kind.calls && !(kind.loads && kind.own)
	}
	for _, n := range of {
		decisions = append(decisions, use{n, c.Flow().BlockOf(max(v.At, 0))})
	}
	return !slices.ContainsFunc(decisions, func(u use) bool { return !c.byData(s, u, met) })
}

// decision is what says which way control goes on from a block; decides is false where there is but one.
func (c *Kernel) decision(s *SSA, block int32) (n int32, decides bool) {
	k := c.Flow().Last(block)
	switch in := &c.Insts[k]; {
	case in.Op == BranchIndexed:
		return s.Read(k, in.A, Register), true
	case in.Op.Branches() && in.Guard >= 0:
		return s.Read(k, Operand{Reg: in.Guard}, Predicate), true
	}
	return 0, false
}

// decisions are what says which of the values that meet in a merged one a thread has where it is used: what the branches decide by that lie between the block that all ways to it come by, and it. Where one is
// merged from round to round and used in its loop, it is that of the round, and what ends the loop says nothing of it.
func (c *Kernel) decisions(s *SSA, v *Value, block int32) (out []use) {
	if v.At < 0 || !slices.ContainsFunc(v.From, func(n int32) bool { return n != v.From[0] }) {
		return nil
	}
	fl := c.Flow()
	b := fl.BlockOf(v.At)
	above := fl.Above(b)
	met := map[int32]bool{}
	loop := c.headed(b)
	inside := loop != nil && loop.Has(block)
	for todo := slices.Clone(fl.Before(b)); above >= 0 && len(todo) > 0; {
		d := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; met[d] || !fl.Dominates(above, d) || loop != nil && d == above {
			continue
		}
		met[d] = true
		leaves := inside && loop.Has(d) && slices.ContainsFunc(fl.Next(d), func(next int32) bool { return !loop.Has(next) })
		if n, decides := c.decision(s, d); decides && !leaves {
			out = append(out, use{n, d})
		}
		if d != above {
			todo = append(todo, fl.Deciders(d)...)
		}
	}
	return out
}

// headed is the loop that a block is the header of; nil: of none.
func (c *Kernel) headed(block int32) *Loop {
	for _, l := range c.Loops() {
		if l.Header == block {
			return l
		}
	}
	return nil
}

// roundOf reports whether a value that is merged from round to round is used in its loop.
func (c *Kernel) roundOf(v *Value, block int32) bool {
	if v.Kind != Merged || v.At < 0 {
		return false
	}
	l := c.headed(c.Flow().BlockOf(v.At))
	return l != nil && l.Has(block)
}

// keptIn are the stores by which a thread puts into a variable of its own what one of its loads finds, and whether these are all.
func (c *Kernel) keptIn(load int32) (stores []int32, all bool) {
	r := regions.of(c)
	r.keeping.Do(func() {
		r.kept = map[*Variable][]int32{}
		for k := range c.Insts {
			if in := &c.Insts[k]; in.Op != Store || in.Space != Local && in.Space != Generic {
				continue
			}
			of := c.ownVariable(int32(k))
			if of == nil { // it may be any
				r.lost = true
				continue
			}
			r.kept[of] = append(r.kept[of], int32(k))
		}
	})
	return r.kept[c.ownVariable(load)], !r.lost
}

// ownVariable is the variable of local memory that an access is of; nil where it is not known.
func (c *Kernel) ownVariable(access int32) *Variable {
	var out *Variable
	for _, t := range c.TargetsOf(access) {
		if t.Operand != 0 {
			continue
		}
		for _, v := range c.Variables {
			if v.Space != "local" || t.Address.Const < v.At || t.Address.Const >= v.At+max(v.Size, 1) {
				continue
			}
			if out != nil {
				return nil
			}
			out = v
		}
	}
	return out
}

func tellsThread(name string) bool {
	for _, one := range tellsThreads {
		if strings.HasPrefix(name, one) {
			return true
		}
	}
	return false
}

// Owns reports whether threads have parts of their own to choose in.
func (h *Choice) Owns() bool { return len(h.own) > 0 }

// Own is what a thread has by which it is; ok is false where more decides that.
func (h *Choice) Own(t Thread) (sum int64, ok bool) {
	known := map[int32]int64{}
	for _, term := range h.own {
		n, ok := h.c.ownValue(h.c.Affine().s, term.Atom, t, known, 0)
		if !ok {
			return 0, false
		}
		sum += n * term.By
	}
	return sum, true
}

// ownValue is a value of one thread that follows from which it is.
func (c *Kernel) ownValue(s *SSA, n int32, t Thread, known map[int32]int64, depth int) (int64, bool) {
	if out, met := known[n]; met {
		return out, true
	}
	v := &s.Values[n]
	out, ok := int64(0), false
	switch {
	case depth > maxChosen:
	case v.Kind == Given:
		for name, r := range c.Special {
			axis := strings.IndexByte("xyz", name[len(name)-1])
			switch base, _, dotted := strings.Cut(name, "."); {
			case r != v.Of || dotted && axis < 0:
			case base == "%tid":
				out, ok = t.At[axis], true
			case base == "%ntid":
				out, ok = t.Block[axis], true
			case base == "%laneid":
				out, ok = (t.At[0]+t.Block[0]*(t.At[1]+t.Block[1]*t.At[2]))%Lanes, true
			}
		}
	case v.Kind == Defined && c.Insts[v.At].Guard < 0 && c.Insts[v.At].Op.Does(Integer):
		in := &c.Insts[v.At]
		var operands [4]int64
		for k, o := range [3]Operand{in.A, in.B, in.C} {
			if operands[k] = o.Imm; o.Reg < 0 {
				continue
			}
			if operands[k], ok = c.ownValue(s, s.Read(v.At, o, Register), t, known, depth+1); !ok {
				return 0, false
			}
		}
		if len(in.more()) > 0 {
			return 0, false
		}
		out, ok = in.Compute(operands[0], operands[1], operands[2], operands[3])
	}
	if ok {
		known[n] = out
	}
	return out, ok
}
