package ir

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// defs are the instructions that set each register and predicate.
type defs struct{ registers, predicates [][]int32 }

var definitions = &pass[*defs]{name: "definitions", number: 0, run: (*Kernel).define, print: (*Kernel).printDefs,
	doc: "the instructions that may set each register and predicate, without regard to order"}

// Reduced is what the execution has to follow of a kernel, without what has no part in it. With data, what is stored is followed.
func (whole *Kernel) Reduced(data bool) *Kernel { return whole.reduced(data, false) }

// ReducedGlobal is Reduced with data, and with the accesses of global memory.
func (whole *Kernel) ReducedGlobal() *Kernel { return whole.reduced(true, true) }

func (whole *Kernel) reduced(data, global bool) *Kernel {
	c := &Kernel{Name: whole.Name, File: whole.File, Places: whole.Places, Registers: whole.Registers, Predicates: whole.Predicates, Special: whole.Special,
		Formals: whole.Formals, Slots: whole.Slots, Names: whole.Names, Directives: whole.Directives, Launches: whole.Launches, Grid: whole.Grid, Extents: whole.Extents, Across: whole.Across, Unlaunched: whole.Unlaunched, Lacking: whole.Lacking, Variables: whole.Variables, Globals: whole.Globals, Constants: whole.Constants,
		Tests: whole.Tests, Types: whole.Types, Called: whole.Called, Assumed: whole.Assumed, Guesses: whole.Guesses, Flags: whole.Flags, Otherwise: whole.Otherwise, Calls: whole.Calls, Premised: whole.Premised, Rows: whole.Rows, Insts: slices.Clone(whole.Insts), Functions: slices.Clone(whole.Functions), Nothing: whole.Nothing, Data: data, global: global, alike: sync.OnceValue(whole.UniformIfUnchanged), chosen: whole.ChosenAt, behind: sync.OnceValue(whole.BehindWaits), updated: whole.Updated, byAll: whole.ByDataAt, ofOwn: whole.OwnAt, kept: origins.of(whole).kept}
	var roots, values []Operand
	var tests []int32
	mbarriers, inits := false, slices.ContainsFunc(c.Insts, func(in Inst) bool { return in.Op == MbarInit })
	for k := range c.Insts {
		in := &c.Insts[k]
		switch in.Op { // what they are given besides decides nothing that is followed
		case Atomic:
			if in.C = None; !global || !in.Draws() || !whole.Reads(in.D) {
				in.B = None
			}
		case BarrierCTA:
			if !inits || in.Mode != 1 || !whole.Reads(in.D) { // of which an mbarrier may be made
				in.C = None
			}
		}
		roots = append(roots, in.Members)
		switch {
		case in.Op.Synchronizes() || in.Op == Outside || in.Op == BranchIndexed:
			roots = append(roots, in.A, in.B, in.C)
			if in.Extra != nil {
				roots = append(roots, in.Extra.Operands...)
			}
			mbarriers = mbarriers || in.Op.Does(Counts) || in.Op == TensorAlloc
		case c.accesses(in):
			roots = append(roots, in.A)
			values = append(values, in.B)
			if in.Extra != nil {
				values = append(values, in.Extra.Operands...)
			}
		case in.Op == MaxRegisters:
			roots = append(roots, in.A)
		case in.Flags&Meets != 0:
		case !in.Op.Branches():
			continue
		}
		if in.Guard >= 0 {
			tests = append(tests, in.Guard)
		}
	}
	for k := range c.slice(roots, tests).insts {
		if in := &c.Insts[k]; in.Op == Load && (in.Space == Shared || in.Space == Generic) && !in.Type.Data {
			c.Tracked = true
		}
	}
	c.Blocking = c.Tracked || mbarriers
	c.Writes, c.written = c.stores()
	c.shrink(c.slice(append(roots, values...), tests))
	return c
}

// accesses reports whether an instruction may access shared memory.
func (in *Inst) accesses() bool {
	return in.Op.Accesses() && in.Op != Outside && (in.Space == Shared || in.Space == Generic)
}

// Draws reports whether an instruction adds an integer to what memory holds, and gives what stood there: a ticket.
func (in *Inst) Draws() bool {
	return in.Op == Atomic && in.Mode == AtomicAdd && !in.Type.Data && in.D >= 0
}

// Traps reports whether an instruction ends the program: a trap, or a premise that is not so.
func (in *Inst) Traps() bool { return in.Op == Exit && in.Mode != 0 }

// AtomicAdd is the mode of an atomic operation that adds.
const AtomicAdd = 1

// spills reports whether an instruction may write local memory, which hands values on to what loads them.
func (in *Inst) spills() bool { return in.Op == Store && (in.Space == Local || in.Space == Generic) }

// accesses reports whether an instruction accesses memory that is followed.
func (c *Kernel) accesses(in *Inst) bool {
	return in.accesses() || c.global && in.Op.Accesses() && in.Op != Outside && in.Space == Global
}

// acts reports whether the executor has to see an instruction whatever its results are for.
func (c *Kernel) acts(in *Inst) bool {
	return in.Op == Rendezvous || in.Op == Outside || in.Op == MaxRegisters || in.Op.Branches() || in.Op.Synchronizes() || c.accesses(in)
}

// define finds which instructions set what.
func (c *Kernel) define() *defs {
	d := &defs{make([][]int32, c.Registers), make([][]int32, c.Predicates)}
	for k := range c.Insts {
		registers, predicates := c.Insts[k].Results()
		for _, r := range registers {
			d.registers[r] = append(d.registers[r], int32(k))
		}
		for _, p := range predicates {
			d.predicates[p] = append(d.predicates[p], int32(k))
		}
	}
	return d
}

// uses lists the instructions that read each register.
func (c *Kernel) uses() [][]int32 {
	uses := make([][]int32, c.Registers)
	for k := range c.Insts {
		registers, _ := c.Insts[k].OperandsOf()
		for _, r := range registers {
			uses[r] = append(uses[r], int32(k))
		}
	}
	return uses
}

// Reads reports whether an instruction reads a register.
func (c *Kernel) Reads(register int32) bool {
	return slices.ContainsFunc(c.Insts, func(in Inst) bool {
		registers, _ := in.OperandsOf()
		return slices.Contains(registers, register)
	})
}

func (c *Kernel) printDefs(d *defs) string {
	var out strings.Builder
	text := c.texts()
	one := func(name string, list []int32) {
		var texts []string
		for _, k := range list {
			texts = append(texts, text(k))
		}
		if texts == nil {
			texts = []string{"nothing sets it"}
		}
		fmt.Fprintf(&out, "%s: %s\n", name, strings.Join(texts, "; "))
	}
	for r, list := range d.registers {
		one(c.Names[r], list)
	}
	for p, list := range d.predicates {
		one(c.Tests[p], list)
	}
	return out.String()
}

// shrink drops instructions that neither do anything nor set what others need.
func (c *Kernel) shrink(needed *slice) {
	for k := range c.Insts {
		if in := &c.Insts[k]; in.Flags&Meets != 0 && !needed.insts[int32(k)] { // what it computes is of no use, that lanes meet is
			meeting := Blank(Rendezvous)
			meeting.Flags, meeting.Guard, meeting.GuardNot, meeting.Place, meeting.Members = Meets, in.Guard, in.GuardNot, in.Place, in.Members
			*in = meeting
		}
	}
	k := int32(-1)
	c.Remove(func(in *Inst) bool {
		k++
		return !c.acts(in) && !needed.insts[k]
	})
}

// Remove takes instructions out; jumps to them go on behind.
func (c *Kernel) Remove(out func(*Inst) bool) {
	moved := make([]int32, len(c.Insts)+1)
	kept := c.Insts[:0]
	for k := range c.Insts {
		moved[k] = int32(len(kept))
		if in := c.Insts[k]; !out(&in) {
			kept = append(kept, in)
		}
	}
	moved[len(c.Insts)] = int32(len(kept))
	c.Insts = kept
	for k := range kept {
		in := &kept[k]
		switch {
		case in.Op == Branch || in.Op == Call:
			in.Target = moved[in.Target]
		case in.Op == BranchIndexed:
			targets := make([]int32, len(in.Extra.Targets))
			for j, t := range in.Extra.Targets {
				targets[j] = moved[t]
			}
			in.Extra = &Extra{Targets: targets}
		}
	}
	c.Changed()
	for k := range c.Functions {
		c.Functions[k] = [2]int32{moved[c.Functions[k][0]], moved[c.Functions[k][1]]}
	}
}

// slice is what values depend on, without regard to order.
type slice struct {
	insts                 map[int32]bool
	registers, predicates map[int32]bool
}

// slice follows registers and predicates back to all that may set them.
func (c *Kernel) slice(roots []Operand, tests []int32) *slice { return c.sliceTo(roots, tests, nil) }

// sliceTo is a slice that does not go on behind some instructions, nor, where data are not followed, behind operations on these.
func (c *Kernel) sliceTo(roots []Operand, tests []int32, ends func(*Inst) bool) *slice {
	return c.sliceBehind(roots, tests, func(in *Inst) bool { return in.Op == Apply && !c.Data || ends != nil && ends(in) })
}

// sliceBehind is a slice that ends with nothing but some instructions.
func (c *Kernel) sliceBehind(roots []Operand, tests []int32, ends func(*Inst) bool) *slice {
	d := definitions.of(c)
	s := &slice{map[int32]bool{}, map[int32]bool{}, map[int32]bool{}}
	var registers, predicates []int32
	spilled := false
	for _, o := range roots {
		if o.Reg >= 0 {
			registers = append(registers, o.Reg)
		}
	}
	predicates = append(predicates, tests...)
	visit := func(list []int32) {
		for _, k := range list {
			if s.insts[k] {
				continue
			}
			s.insts[k] = true
			in := &c.Insts[k]
			if ends(in) {
				continue
			}
			r, p := in.OperandsOf()
			registers, predicates = append(registers, r...), append(predicates, p...)
			if in.Guard >= 0 {
				predicates = append(predicates, in.Guard)
			}
			if local := in.Op == Load && (in.Space == Local || in.Space == Generic); local && !spilled {
				spilled = true
				for n := range c.Insts {
					st := &c.Insts[n]
					if !st.spills() {
						continue
					}
					s.insts[int32(n)] = true
					r, _ := st.OperandsOf()
					registers = append(registers, r...)
					if st.Guard >= 0 {
						predicates = append(predicates, st.Guard)
					}
				}
			}
		}
	}
	for len(registers)+len(predicates) > 0 {
		if n := len(registers); n > 0 {
			r := registers[n-1]
			registers = registers[:n-1]
			if !s.registers[r] {
				s.registers[r] = true
				visit(d.registers[r])
			}
			continue
		}
		n := len(predicates)
		p := predicates[n-1]
		predicates = predicates[:n-1]
		if !s.predicates[p] {
			s.predicates[p] = true
			visit(d.predicates[p])
		}
	}
	return s
}

// WritesThrough are the registers that addresses are made of at which the kernel may write global memory.
func (c *Kernel) WritesThrough() map[int32]bool {
	writes, _ := c.stores()
	return writes
}

// stores finds the parameters through which the kernel may write global memory: what they point to is not the same at all
// times. Of those through which it writes members of an object alone, at distances that it says, it keeps which bytes.
func (c *Kernel) stores() (writes map[int32]bool, written map[int32][][2]int64) {
	writes, written = map[int32]bool{}, map[int32][][2]int64{}
	d, anywhere := definitions.of(c), map[int32]bool{}
	for k := range c.Insts {
		in := &c.Insts[k]
		root, is := in.writesGlobal()
		switch {
		case !is:
		case root.Reg >= 0 && len(d.registers[root.Reg]) == 0 && in.Op != Async:
			writes[root.Reg] = true
			written[root.Reg] = append(written[root.Reg], [2]int64{in.Offset, in.Offset + int64(in.Size)})
		default:
			c.leads(root, anywhere)
		}
	}
	for r := range anywhere {
		writes[r] = true
		delete(written, r)
	}
	return writes, written
}

// writesGlobal is the address at which an instruction may write global memory.
func (in *Inst) writesGlobal() (at Operand, is bool) {
	switch {
	case (in.Op == Store || in.Op == Atomic) && (in.Space == Global || in.Space == Generic):
		return in.A, true
	case in.Op == Async && in.Flags&ToShared == 0:
		return in.Extra.Operands[0], true
	}
	return at, false
}

// leads adds the registers that an address may be made of.
func (c *Kernel) leads(root Operand, to map[int32]bool) {
	d := definitions.of(c)
	for roots := []Operand{root}; len(roots) > 0; {
		o := roots[len(roots)-1]
		roots = roots[:len(roots)-1]
		if o.Reg < 0 || to[o.Reg] {
			continue
		}
		to[o.Reg] = true
		for _, k := range d.registers[o.Reg] {
			in := &c.Insts[k]
			roots = append(roots, in.addresses()...)
			if in.Op == Load && in.Space == Local { // what was put there
				for n := range c.Insts {
					if st := &c.Insts[n]; st.Op == Store && st.Space == Local {
						roots = append(append(roots, st.B), st.more()...)
					}
				}
			}
		}
	}
}

// Overwrites reports whether the kernel may write, through the pointer that it is given, what a load reads: not if the load, and all that is written through that, are at
// distances of their own from where it points, as members of one object.
func (c *Kernel) Overwrites(load *Inst) bool {
	all, members := c.written[load.A.Reg]
	return !members || slices.ContainsFunc(all, func(w [2]int64) bool { return w[0] < load.Offset+int64(load.Size) && load.Offset < w[1] })
}

// addresses are the operands that may be addresses where the result of an instruction is one of global memory: such have 64 bits, and are neither
// products nor shifted.
func (in *Inst) addresses() []Operand {
	switch {
	case in.Op == Mul || in.Op == MulHigh || in.Op == MulWide || in.Op == Shl, in.Op == Convert && in.Type.Bits < 64, in.Op == Load && in.Type.Bits < 64:
		return nil
	case in.Op == Mad || in.Op == MadWide:
		return []Operand{in.C}
	}
	registers, _ := in.OperandsOf()
	out := make([]Operand, len(registers))
	for k, r := range registers {
		out[k] = Operand{Reg: r}
	}
	return out
}

// Unset lists the registers that are stored, and no more, and that nothing sets or gives: objects without a value.
func (c *Kernel) Unset() (out []int32) {
	d, uses := definitions.of(c), c.uses()
	for r := range c.Registers {
		stored := func(k int32) bool {
			return c.Insts[k].Op == Store && c.Insts[k].A.Reg != int32(r) && c.Insts[k].Guard < 0
		}
		if len(d.registers[r]) == 0 && len(uses[r]) > 0 && !slices.ContainsFunc(uses[r], func(k int32) bool { return !stored(k) }) && int32(r) != c.Nothing && !strings.HasPrefix(c.Names[r], "\x00") {
			out = append(out, int32(r))
		}
	}
	return out
}
