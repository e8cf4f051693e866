package ir

import (
	"fmt"
	"slices"
	"strings"
)

// Level says how far a value is surely the same: what is not known is Varying. It is of the threads that come to the place
// together, of those that have not ended: those of the CTA, or those of each warp.
type Level uint8

const (
	UniformCTA Level = iota
	UniformWarp
	Varying
)

func (l Level) String() string { return [...]string{"cta", "warp", "varying"}[min(l, Varying)] }

// Uniformity is what is surely the same, over all times: a register is as uniform as the least uniform value that it is given.
type Uniformity struct {
	Registers  []Level
	Predicates []Level
	Insts      []Level // which threads come to an instruction together
}

var uniformity = &pass[*Uniformity]{name: "uniformity", number: 5, needs: []Pass{controlFlow, definitions, regions, origins},
	run: (*Kernel).uniform, print: (*Kernel).printUniformity,
	doc: "the registers, predicates and instructions that are surely the same for all threads of a CTA, or of a warp"}

// Uniformity is the kernel's; all of it must be.
func (c *Kernel) Uniformity() *Uniformity { return uniformity.of(c) }

// Of is that of an operand.
func (u *Uniformity) Of(o Operand, bank Bank) Level {
	switch {
	case o.Reg < 0:
		return UniformCTA
	case bank == Predicate:
		return u.Predicates[o.Reg]
	}
	return u.Registers[o.Reg]
}

// sameForCTA are the special registers that all threads of a CTA have alike, at all times (PTX ISA 10).
var sameForCTA = map[string]bool{"%ntid": true, "%nwarpid": true, "%ctaid": true, "%nctaid": true, "%nsmid": true, "%gridid": true,
	"%is_explicit_cluster": true, "%clusterid": true, "%nclusterid": true, "%cluster_ctaid": true, "%cluster_nctaid": true, "%cluster_ctarank": true,
	"%cluster_nctarank": true, "%total_smem_size": true, "%aggr_smem_size": true, "%dynamic_smem_size": true}

// uniform starts with everything alike and takes back what is not, until nothing changes: what is left holds in every execution.
func (c *Kernel) uniform() *Uniformity { return c.levelled(nil) }

// UniformIfUnchanged is what is the same for all threads as long as nobody writes what is loaded from global memory, and no accesses of shared memory race.
func (c *Kernel) UniformIfUnchanged() *Uniformity { return c.levelled(c.ownLevel) }

func (c *Kernel) levelled(kept func(u *Uniformity, load int32, level Level) Level) *Uniformity {
	unchanged := kept != nil
	u := &Uniformity{make([]Level, c.Registers), make([]Level, c.Predicates), make([]Level, len(c.Insts))}
	mixed := make([]Level, len(c.Insts)) // what registers that are set there are mixed with, of threads that went another way
	apart := map[int32]bool{}            // branches by whether one way ends by itself
	c.given(u, unchanged)
	own := false // threads have local memory, and generic addresses may be of that
	for _, v := range c.Variables {
		own = own || v.Space == "local"
	}
	for again := true; again; {
		again = false
		for k := range c.Insts {
			in := &c.Insts[k]
			if level := c.divides(u, in); level > u.Insts[k] && in.Op.Branches() {
				again = c.control(u, mixed, apart, int32(k), level) || again
			}
			d, e := c.levels(u, in, mixed[k])
			if unchanged && in.Op == Load && (in.Space == Global || in.Space == Generic && !own) {
				d = max(mixed[k], c.divides(u, in), u.Of(in.A, Register))
			}
			if unchanged && in.Op == Load && in.Space == Shared && in.Order == Weak && d == Varying && u.Insts[k] == UniformCTA && in.Guard < 0 && u.Of(in.A, Register) == UniformCTA && c.met(u, int32(k)) {
				d = UniformCTA
			}
			if unchanged && in.Op == Load && in.Space == Local && d == Varying {
				d = kept(u, int32(k), max(mixed[k], c.divides(u, in), u.Of(in.A, Register)))
			}
			registers, predicates := in.Results()
			for _, r := range registers {
				again = raise(&u.Registers[r], d) || again
			}
			for _, p := range predicates {
				again = raise(&u.Predicates[p], e) || again
			}
		}
	}
	return u
}

// ownLevel is how far what a load finds in the thread's own memory is the same, where its address is as level says: as what the threads have put there together, at addresses that are the same.
func (c *Kernel) ownLevel(u *Uniformity, load int32, level Level) Level {
	stores, all := c.keptIn(load)
	if !all || len(stores) == 0 {
		return Varying
	}
	for _, k := range stores {
		in := &c.Insts[k]
		level = max(level, u.Insts[k], c.divides(u, in), u.Of(in.A, Register), u.Of(in.B, Register))
		for _, o := range in.more() {
			level = max(level, u.Of(o, Register))
		}
	}
	return level
}

// mostMet bounds the blocks between a load and the barriers before it.
const mostMet = 64

// met reports whether all threads of the CTA come from one barrier to an instruction, and none waits on the way from there. A write that is ordered with what they read there, and comes
// before one of them does, then comes before the barrier: without a race all threads find what it left.
func (c *Kernel) met(u *Uniformity, k int32) bool {
	fl := c.Flow()
	first := c.FunctionOf(k)[0]
	type way struct{ block, at int32 }
	seen := map[int32]bool{}
	todo := []way{{fl.BlockOf(k), k - 1}}
	for len(todo) > 0 {
		w := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		joined := false
		for at := w.at; at >= fl.Start(w.block) && !joined; at-- {
			in := &c.Insts[at]
			switch {
			case in.Op == BarrierCTA && in.Flags&Arrives == 0 && in.Guard < 0 && u.Insts[at] == UniformCTA && in.A == (Operand{Reg: -1}) && in.B == (Operand{Reg: -1}):
				joined = true
			case in.Op.Synchronizes() || in.Op == Atomic || in.Op == Fence || in.Op == Call || in.Op == Outside || in.Op.Accesses() && in.Order != Weak:
				return false
			}
		}
		if joined {
			continue
		}
		if fl.Start(w.block) == first || len(fl.Before(w.block)) == 0 || len(seen) > mostMet {
			return false
		}
		for _, before := range fl.Before(w.block) {
			if !seen[before] {
				seen[before] = true
				todo = append(todo, way{before, fl.Last(before)})
			}
		}
	}
	return true
}

func raise(to *Level, level Level) bool {
	if level <= *to {
		return false
	}
	*to = level
	return true
}

// given is what registers hold before anything sets them: parameters are the same for the whole grid, of the rest nothing is known.
func (c *Kernel) given(u *Uniformity, unchanged bool) {
	d := definitions.of(c)
	for r := range u.Registers {
		if len(d.registers[r]) == 0 {
			u.Registers[r] = Varying
		}
	}
	for p := range u.Predicates {
		if len(d.predicates[p]) == 0 {
			u.Predicates[p] = Varying
		}
	}
	if c.alike != nil && unchanged { // what a reduction leaves out is as it was
		of := c.alike()
		for r := range u.Registers {
			if len(d.registers[r]) == 0 {
				u.Registers[r] = of.Registers[r]
			}
		}
		for p := range u.Predicates {
			if len(d.predicates[p]) == 0 {
				u.Predicates[p] = of.Predicates[p]
			}
		}
	}
	for _, s := range c.Given() {
		if len(d.registers[s.Register]) == 0 {
			u.Registers[s.Register] = UniformCTA
		}
	}
	for name, r := range c.Special {
		switch base, _, _ := strings.Cut(name, "."); {
		case sameForCTA[base]:
			u.Registers[r] = UniformCTA
		case base == "%warpid":
			u.Registers[r] = UniformWarp
		default:
			u.Registers[r] = Varying
		}
	}
}

// divides is how alike the threads are that go on from an instruction by one of its ways.
func (c *Kernel) divides(u *Uniformity, in *Inst) Level {
	level := UniformCTA
	if in.Guard >= 0 {
		level = u.Predicates[in.Guard]
	}
	if in.Op == BranchIndexed {
		level = max(level, u.Of(in.A, Register))
	}
	return level
}

// control takes back that threads come together to what is executed between a branch and the place where its ways meet. What
// is set there differs, too, behind the end of a loop that they leave one after the other: the region of the branch that
// leaves it is the loop. Where one way does nothing but end, whoever went there reads no more: registers stay as alike as they are.
func (c *Kernel) control(u *Uniformity, mixed []Level, apart map[int32]bool, pc int32, level Level) (changed bool) {
	r := &Region{Defined: map[int32]int{}}
	ends, known := apart[pc]
	if !known {
		ends = c.EndsApart(pc)
		apart[pc] = ends
	}
	if in := &c.Insts[pc]; in.Op == Call {
		c.enclose(r, map[int32]int{}, pc, pc+1, 0)
	} else {
		r = c.RegionOf(pc)
	}
	for _, k := range r.Insts {
		if k != pc || c.Insts[pc].Op != Call {
			changed = raise(&u.Insts[k], level) || changed
			if !ends {
				changed = raise(&mixed[k], level) || changed
			}
		}
	}
	return changed
}

// mostEnding bounds the blocks of a way that ends.
const mostEnding = 32

// EndsApart reports whether one way of a branch of the kernel's own function leads to the end, past nothing that the other way leads to as well but the end itself; where that comes back to the
// branch, threads go the one way in different rounds: past nothing at all then.
func (c *Kernel) EndsApart(pc int32) bool {
	fl, from := c.Flow(), c.Flow().BlockOf(pc)
	if c.Insts[pc].Op != Branch || c.FunctionOf(pc)[0] != 0 {
		return false
	}
	end := fl.BlockOf(c.EndOf(pc))
	if fl.Start(end) != fl.Last(end) {
		end = -1
	}
	apart := func(way int32) bool {
		seen, idle := map[int32]bool{}, true
		for todo := []int32{way}; len(todo) > 0; {
			b := todo[len(todo)-1]
			if todo = todo[:len(todo)-1]; seen[b] || b == end {
				continue
			}
			if seen[b] = true; b == from || len(seen) > mostEnding {
				return false
			}
			for k := fl.Start(b); k <= fl.Last(b); k++ {
				in := &c.Insts[k]
				idle = idle && in.Guard < 0 && (in.Op == Branch || in.Op == Return || in.Op == Exit)
			}
			todo = append(todo, fl.Next(b)...)
		}
		for b := range seen {
			for _, before := range fl.Before(b) {
				if !seen[before] && (before != from || b != way) {
					return false
				}
			}
		}
		return idle || !fl.again(from)
	}
	return slices.ContainsFunc(fl.Next(from), apart)
}

// again reports whether control may come back to a block.
func (fl *Flow) again(block int32) bool {
	seen := map[int32]bool{}
	for todo := slices.Clone(fl.next[block]); len(todo) > 0; {
		b := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; b == block {
			return true
		}
		if !seen[b] {
			seen[b] = true
			todo = append(todo, fl.next[b]...)
		}
	}
	return false
}

// levels are those of the registers and of the predicates that an instruction sets, where threads of a level come to it together.
func (c *Kernel) levels(u *Uniformity, in *Inst, together Level) (registers, predicates Level) {
	together = max(together, c.divides(u, in)) // where the guard does not hold the old value stays
	all := together
	form := in.Op.form()
	for k, o := range [3]Operand{in.A, in.B, in.C} {
		all = max(all, u.Of(o, form.operands[k]))
	}
	for _, o := range in.more() {
		all = max(all, u.Of(o, Register))
	}
	switch {
	case in.Op == Load && (in.Space == Const || in.Space == Param): // nothing writes there
		return all, all
	case in.Op == BarrierCTA: // of barrier.red: all threads that it counts get one result
		alike := max(together, u.Of(in.A, Register), u.Of(in.B, Register))
		return alike, alike
	case in.Op == Vote && in.Flags&Meets != 0 && in.Members == Operand{Reg: -1, Imm: -1}: // all lanes get one result
		return max(together, UniformWarp), max(together, UniformWarp)
	case in.Op == Elect && in.Flags&Meets != 0 && in.Members == Operand{Reg: -1, Imm: -1}:
		return max(together, UniformWarp), Varying
	case in.Op == Shuffle && in.Mode == 3 && in.Flags&Meets != 0 && in.Members == Operand{Reg: -1, Imm: -1} && in.B.Reg < 0 && in.C == Operand{Reg: -1, Imm: Lanes - 1}: // all lanes get that of one
		return max(together, UniformWarp), max(together, UniformWarp)
	case in.Op == Vote, in.Op == CTARank, !in.Op.Does(Computes):
		return Varying, Varying
	}
	return all, all
}

func (c *Kernel) printUniformity(u *Uniformity) string {
	var out strings.Builder
	for r, l := range u.Registers {
		fmt.Fprintf(&out, "%s: %s\n", c.Names[r], l)
	}
	for p, l := range u.Predicates {
		fmt.Fprintf(&out, "%s: %s\n", c.Tests[p], l)
	}
	fl := c.Flow()
	for b := range int32(fl.Blocks()) {
		level := UniformCTA
		for k := fl.Start(b); k <= fl.Last(b); k++ {
			level = max(level, u.Insts[k])
		}
		fmt.Fprintf(&out, "b%d: %s\n", b, level)
	}
	return out.String()
}
