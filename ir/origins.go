package ir

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	maxObjects  = 64             // of one register
	manyObjects = math.MaxUint16 // instead of more
)

// Origins are what addresses are made of, by register and without regard to order.
type Origins struct {
	of     [][]uint16 // shared variables by number, from whose addresses arithmetic has made it; not what comes through memory
	shared []bool     // it may be a generic address of shared memory, also through memory
	made   []bool     // it is made of one, not through memory
	kept   bool       // one is written to memory, from where any load may bring it
	maps   bool       // some address is mapped to the shared memory of a CTA of the cluster
}

var origins = &pass[*Origins]{name: "origins", number: 4, run: (*Kernel).findOrigins, print: (*Kernel).printOrigins,
	doc: "the shared variables that a register's value is made of the address of, by arithmetic, and whether it may be a generic address of shared memory, also through memory (may)"}

// FromShared reports whether an address may be one of shared memory.
func (c *Kernel) FromShared(in *Inst) bool { return in.A.Reg >= 0 && origins.of(c).shared[in.A.Reg] }

// Mapped are the instructions that map to the shared memory of a CTA of the cluster what an address may be made of.
func (c *Kernel) Mapped(a Operand) (out []int32) {
	if !origins.of(c).maps {
		return nil
	}
	seen, todo := map[int32]bool{a.Reg: true}, []int32{a.Reg}
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; r < 0 {
			continue
		}
		for _, k := range c.SetsOf(r) {
			in := &c.Insts[k]
			if in.Op == MapShared {
				out = append(out, k)
				continue
			}
			from, _ := in.OperandsOf()
			for _, o := range from {
				if in.Op.Does(Computes|Exchanges) && !seen[o] {
					seen[o] = true
					todo = append(todo, o)
				}
			}
		}
	}
	return out
}

// ObjectsOf lists the shared variables that the address of an access, or those of a copy, may be made of; none where it comes from elsewhere.
func (c *Kernel) ObjectsOf(in *Inst) []*Variable {
	o := origins.of(c)
	list := o.objects(in.A)
	if in.Op == Async {
		for _, to := range in.Extra.Operands[:min(2, len(in.Extra.Operands))] { // to, from
			list = slices.Concat(list, o.objects(to))
		}
		slices.Sort(list)
		list = slices.Compact(list)
	}
	if slices.Contains(list, manyObjects) {
		return nil
	}
	shared := c.SharedVariables()
	var out []*Variable
	for _, n := range list {
		out = append(out, shared[n-1])
	}
	return out
}

func (o *Origins) objects(of Operand) []uint16 {
	switch {
	case of.Reg >= 0:
		return o.of[of.Reg]
	case of.Of > 0:
		return []uint16{of.Of}
	}
	return nil
}

// origin is found of one register after the other.
type origin struct {
	*Origins
	c    *Kernel
	uses [][]int32
	todo []int32
}

// findOrigins goes from addresses to what is made of them.
func (c *Kernel) findOrigins() *Origins {
	o := &origin{&Origins{of: make([][]uint16, c.Registers), shared: make([]bool, c.Registers), made: make([]bool, c.Registers), kept: c.kept}, c, c.uses(), nil}
	uses := func(in Inst) bool { // shared memory, which need not be declared
		return in.Space == Shared || in.Op == MapShared || slices.ContainsFunc([]Operand{in.A, in.B, in.C}, func(o Operand) bool { return o.Reg < 0 && o.Imm>>WindowBits == 1 })
	}
	if len(c.SharedVariables()) == 0 && !c.kept && len(c.Variables) > 0 && !slices.ContainsFunc(c.Insts, uses) {
		return o.Origins
	}
	for k := range c.Insts {
		in := &c.Insts[k]
		o.maps = o.maps || in.Op == MapShared
		window := in.Op == Add && in.B.Reg < 0 && in.B.Imm == SharedWindow || in.Op == MapShared
		if window {
			o.mark(o.made, in)
		}
		if window || in.Op == Load && in.Space == Shared || in.Op == Havoc { // of whatever it was made
			o.mark(o.shared, in)
		}
		o.carry(in)
	}
	o.shared[c.Nothing] = true
	o.todo = append(o.todo, c.Nothing)
	o.spread()
	o.spills()
	if o.kept = o.kept || c.keeps(o.made); o.kept {
		for k := range c.Insts {
			if in := &c.Insts[k]; in.Op == Load && in.Space != Const && in.Space != Param {
				o.mark(o.shared, in)
			}
		}
		o.spread()
	}
	return o.Origins
}

// mark sets the results of an instruction.
func (o *origin) mark(in []bool, by *Inst) {
	registers, _ := by.Results()
	for _, d := range registers {
		if !in[d] {
			in[d] = true
			o.todo = append(o.todo, d)
		}
	}
}

// carry adds the objects of an instruction's operands to those of its results.
func (o *origin) carry(in *Inst) {
	if !in.Op.Does(Computes) {
		return
	}
	var all []uint16
	for b, a := range [3]Operand{in.A, in.B, in.C} {
		if in.Op.form().operands[b] == Register {
			all = append(all, o.objects(a)...)
		}
	}
	for _, a := range in.more() {
		all = append(all, o.objects(a)...)
	}
	if len(all) == 0 {
		return
	}
	registers, _ := in.Results()
	for _, d := range registers {
		was := o.of[d]
		if len(was) > 0 && was[0] == manyObjects {
			continue
		}
		now := slices.Concat(was, all)
		slices.Sort(now)
		if now = slices.Compact(now); len(now) > maxObjects || now[len(now)-1] == manyObjects {
			now = []uint16{manyObjects}
		}
		if !slices.Equal(was, now) {
			o.of[d] = now
			o.todo = append(o.todo, d)
		}
	}
}

func (o *origin) spread() {
	for len(o.todo) > 0 {
		r := o.todo[len(o.todo)-1]
		o.todo = o.todo[:len(o.todo)-1]
		for _, k := range o.uses[r] {
			in := &o.c.Insts[k]
			if o.shared[r] {
				o.mark(o.shared, in)
			}
			if o.made[r] && in.Op.Does(Computes|Exchanges) {
				o.mark(o.made, in)
			}
			o.carry(in)
		}
	}
}

// spills carries generic addresses of shared memory through local memory.
func (o *origin) spills() {
	stored := func(made []bool) bool {
		return slices.ContainsFunc(o.c.Insts, func(in Inst) bool {
			return in.Op == Store && in.Space == Local && slices.ContainsFunc(append([]Operand{in.B}, in.more()...), func(v Operand) bool { return v.Reg >= 0 && made[v.Reg] })
		})
	}
	for _, which := range [][]bool{o.made, o.shared} {
		if !stored(which) {
			continue
		}
		for k := range o.c.Insts {
			if in := &o.c.Insts[k]; in.Op == Load && (in.Space == Local || in.Space == Generic) {
				o.mark(which, in)
			}
		}
		o.spread()
	}
}

// keeps reports whether a generic address of shared memory is written to memory.
func (c *Kernel) keeps(made []bool) bool {
	for k := range c.Insts {
		in := &c.Insts[k]
		if in.Op != Store && in.Op != Atomic || in.Space == Local {
			continue
		}
		for _, o := range append([]Operand{in.B, in.C}, in.more()...) {
			if o.Reg >= 0 && made[o.Reg] {
				return true
			}
		}
	}
	return false
}

func (c *Kernel) printOrigins(o *Origins) string {
	var out strings.Builder
	shared := c.SharedVariables()
	for r, list := range o.of {
		if len(list) == 0 && !o.shared[r] {
			continue
		}
		fmt.Fprintf(&out, "%s:", c.Names[r])
		for _, n := range list {
			if n == manyObjects {
				out.WriteString(" many")
			} else {
				fmt.Fprintf(&out, " %s", shared[n-1].Name)
			}
		}
		if o.shared[r] {
			out.WriteString(" (perhaps a generic address of shared memory)")
		}
		out.WriteString("\n")
	}
	return out.String()
}
