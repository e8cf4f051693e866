package ir

import (
	"maps"
	"math"
	"slices"
)

// Limits of the numbers for an input.
const (
	maxNumbers  = 12
	maxTried    = 96      // that paths are followed with
	many        = 1 << 14 // a number after which loops go round as often as is followed
	some        = 1 << 6  // one after which those in loops end
	several     = 1 << 8  // of another input, with which what is compared with both may be any of them
	maxConstant = 64      // how deep what a constant is made of is followed
)

// Numbers lists numbers for an input: those after which the kernel may do something else. They find; that they are all there are is not said. The kernel
// is one that was reduced. See [Kernel.NumbersOf].
func (c *Kernel) Numbers(input string, g Premise) []int64 {
	reg := c.InputRegister(input)
	if reg < 0 {
		return nil
	}
	return c.NumbersOf([]int32{reg}, g)
}

// NumbersOf lists numbers for what some registers are set to. Some threads are followed with a number, and each comparison that they come to while they do
// what they have not done before is asked for the numbers at which it comes out otherwise. With these they are followed, too, as long as one makes them do
// something new: what came out how three times one behind the other, what addresses and operands of barriers are and go on by, and that what comes round
// did so twice. So it goes as in Godefroid, Levin and Molnar, "Automated Whitebox Fuzz Testing", with a loop at first that goes round as often as is followed.
func (c *Kernel) NumbersOf(registers []int32, g Premise) []int64 {
	if len(c.Insts) > maxFollowed {
		return []int64{0, 1, 2}
	}
	special := false // which are counts and places
	for _, r := range c.Special {
		special = special || slices.Contains(registers, r)
	}
	p := c.follow(registers, g)
	if most := p.left + p.scan; g.Steps != nil {
		defer func() { *g.Steps -= most - p.left - p.scan }()
	}
	var todo []int64
	queued := map[int64]bool{}
	put := func(n int64) {
		if n >= 0 && n <= math.MaxInt32 && !queued[n] {
			queued[n] = true
			todo = append(todo, n)
		}
	}
	found := map[int64]path{}
	seen := map[uint64]bool{}
	try := func(n int64, far bool) (q path) {
		p.new = nil
		q = p.with(n, far)
		news := false
		for _, t := range q.traits {
			news = news || !seen[t]
			seen[t] = true
		}
		for _, n := range slices.Sorted(maps.Keys(p.marked)) {
			if !special && (n < 0 || n > math.MaxInt32) && !queued[n] && len(queued) < maxTried {
				queued[n] = true
				todo = append(todo, n)
			}
		}
		for _, asked := range p.new {
			if news {
				for _, x := range p.answer(asked, n) {
					put(x)
				}
			}
		}
		return q
	}
	for n := int64(0); n <= 2; n++ {
		put(n)
	}
	try(many, true)
	try(some, true)
	for len(todo) > 0 && len(found) < maxTried && p.left > 0 {
		k := slices.Index(todo, slices.Min(todo))
		n := todo[k]
		todo = slices.Delete(todo, k, k+1)
		found[n] = try(n, n > many-Lanes && n < many+Lanes)
	}
	return choose(found)
}

// Traits are what threads do with what is given, as far as it tells numbers apart. See [Kernel.NumbersOf].
func (c *Kernel) Traits(g Premise) []uint64 {
	if len(c.Insts) > maxFollowed {
		return nil
	}
	p := c.follow(nil, g)
	most := p.left
	q := p.with(0, false)
	if g.Steps != nil {
		*g.Steps -= most - p.left
	}
	return q.traits
}

// choose lists numbers of which each does something that no smaller one does, and the largest with which threads go on for longer than they are followed.
func choose(found map[int64]path) (all []int64) {
	seen, long := map[uint64]bool{}, int64(0)
	for _, n := range slices.Sorted(maps.Keys(found)) {
		q := found[n]
		switch {
		case q.undefined:
			continue
		case !q.done: // one that is larger than what is followed on purpose may do something else behind its rounds
			if n > many+Lanes {
				long = n
			}
			continue
		}
		news := n >= 0 && n <= 2
		for _, t := range q.traits {
			news = news || !seen[t]
			seen[t] = true
		}
		if news {
			all = append(all, n)
		}
	}
	if long > 0 {
		all = append(all, long)
		slices.Sort(all)
	}
	if len(all) == 0 { // no path came to its end
		return []int64{1, 2}
	}
	if len(all) > maxNumbers { // the smallest, and the largest
		all = slices.Concat(all[:maxNumbers*2/3], all[len(all)-maxNumbers/3:])
	}
	return all
}

// InputRegister is the register that an input comes to; -1: there is none.
func (c *Kernel) InputRegister(input string) int32 {
	for r, name := range c.inputs() {
		if name == input {
			return r
		}
	}
	return -1
}

// Integers are the inputs that may be given numbers: where the CTA is, and the parameters that are neither data nor what addresses of
// memory start from. The kernel is a whole one.
func (c *Kernel) Integers() map[string]bool {
	out := map[string]bool{}
	bases := c.Bases()
	for r, name := range c.inputs() {
		_, variable := c.Globals[name]
		out[name] = !variable && !bases[r] && !(r < int32(len(c.Types)) && c.Types[r].Data)
	}
	return out
}

// Pointers are addresses that a parameter may have which memory is accessed by, as far as it matters what they are: one that is aligned to
// all that is accessed, one that is so to the least of vectors only, and none. Those of two parameters are far apart.
func (c *Kernel) Pointers(input string) []int64 {
	for k, s := range c.Slots {
		if s.Called() == input && s.Pointer && !c.Types[s.Register].Data {
			at := int64(16)<<WindowBits + int64(k)<<32
			return []int64{at, at + 4, 0}
		}
	}
	return nil
}

// Bases are the registers that addresses of memory start from.
func (c *Kernel) Bases() map[int32]bool {
	out := map[int32]bool{}
	var todo []int32
	put := func(o Operand) {
		if o.Reg >= 0 && !out[o.Reg] {
			out[o.Reg] = true
			todo = append(todo, o.Reg)
		}
	}
	for k := range c.Insts {
		switch in := &c.Insts[k]; {
		case in.Op.Accesses():
			put(in.A)
		case in.Op == Async:
			for _, o := range in.Extra.Operands[:min(2, len(in.Extra.Operands))] {
				put(o)
			}
		}
	}
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, k := range definitions.of(c).registers[r] {
			if in := &c.Insts[k]; (in.Op == Move || in.Op == Add || in.Op == Sub) && in.Type.Bits == 64 {
				put(in.A)
				if in.Op == Add {
					put(in.B)
				}
			}
		}
	}
	return out
}
