package cuda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// emit appends an instruction.
func (c *compiler) emit(in ir.Inst) *ir.Inst {
	if len(c.code.Insts) > maxInsts {
		panic(unsupported{why: limit.Size.Says("it is too large")})
	}
	if c.placed && (in.Op.Synchronizes() || in.Op.Accesses()) { // it is named by itself
		c.placed = false
	}
	if !c.placed {
		c.place, c.placed = uint32(len(c.code.Places)), true
		c.code.Places = append(c.code.Places, c.here(in.Op.Name()))
	}
	in.Place = c.place
	c.code.Insts = append(c.code.Insts, in)
	return &c.code.Insts[len(c.code.Insts)-1]
}

// on sets where what follows stands.
func (c *compiler) on(n program.Node) func() {
	if c.inner > 0 {
		return func() {}
	}
	before := c.at
	c.at, c.placed = n.Where(), false
	return func() { c.at, c.placed = before, false }
}

func (c *compiler) register(name string, t ir.Type) int32 {
	n := int32(len(c.code.Names))
	c.code.Names = append(c.code.Names, c.unique(name))
	c.code.Types = append(c.code.Types, t)
	return n
}

func (c *compiler) predicate(name string) int32 {
	n := int32(len(c.code.Tests))
	c.code.Tests = append(c.code.Tests, c.unique(name))
	return n
}

// unique is a name in the IR that nothing else has.
func (c *compiler) unique(name string) string {
	name = strings.Map(func(r rune) rune {
		if ir.InName(r) {
			return r
		}
		return '_'
	}, name)
	for c.taken[name]++; c.taken[name] > 1 || name == "" || ir.Reserved(name); c.taken[name]++ {
		name = fmt.Sprintf("%s#%d", name, c.taken[name])
	}
	return name
}

func (c *compiler) temp(t ir.Type) int32 { return c.register("%t", t) }

func (c *compiler) special(name string) ir.Operand {
	n, known := c.code.Special[name]
	if !known {
		n = c.register(name, ir.Type{Bits: 32})
		c.code.Special[name] = n
	}
	return ir.Operand{Reg: n}
}

func (c *compiler) finish() {
	c.nameParts()
	if len(c.code.SharedVariables()) == 0 { // what is accessed at an unknown place is not shared
		for k := range c.code.Insts {
			in := &c.code.Insts[k]
			switch {
			case in.Op == ir.Outside && in.Flags&ir.MayMeet == 0:
				nop := blank(ir.Nop)
				if slices.Contains(c.astray, k) { // it is global memory then
					nop = blank(ir.Store)
					nop.Space, nop.Type, nop.Result, nop.Size = ir.Global, ir.Type{Bits: 8}, ir.Type{Bits: 8}, 1
					nop.A, nop.B = ir.Operand{Reg: c.nothing}, ir.Operand{Reg: c.nothing}
				}
				nop.Place = in.Place
				*in = nop
			case in.Op.Accesses() && in.Op != ir.Outside && in.Space == ir.Generic && (c.ownNext == 0 || in.A.Reg == c.nothing):
				in.Space = ir.Global
			}
		}
	}
	c.code.Registers, c.code.Predicates = len(c.code.Names), len(c.code.Tests)
	c.renumber()
	c.code.InferTypes()
	c.settleCalls()
	c.settleLooks()
	c.settleFillings()
}

// renumber gives operands the numbers that shared variables have by their places.
func (c *compiler) renumber() {
	to := make([]uint16, c.numbers+1)
	for k, v := range c.code.SharedVariables() {
		to[c.order[v]] = uint16(k + 1)
	}
	fix := func(o *ir.Operand) {
		if o.Of > 0 {
			o.Of = to[o.Of]
		}
	}
	for k := range c.code.Insts {
		in := &c.code.Insts[k]
		for _, o := range []*ir.Operand{&in.A, &in.B, &in.C, &in.Members} {
			fix(o)
		}
		if in.Extra != nil {
			for n := range in.Extra.Operands {
				fix(&in.Extra.Operands[n])
			}
		}
	}
}

func (c *compiler) stop(why limit.Reason) {
	in := blank(ir.Stop)
	in.Extra = ir.Because(why)
	c.emit(in)
}

// label makes one. Those of a statement that is given up are bound where it ends.
func (c *compiler) label() *label {
	l := &label{}
	c.labels = append(c.labels, l)
	return l
}

// bind puts a label here.
func (c *compiler) bind(l *label) {
	l.at = int32(len(c.code.Insts))
	for _, k := range l.uses {
		c.code.Insts[k].Target = l.at
	}
	l.uses = nil
}

// jump branches to a label where a predicate is as it is asked; always where there is none.
func (c *compiler) jump(l *label, p ir.Operand, when bool) {
	if p.Reg == -1 { // a constant
		if (p.Imm != 0) != when {
			return
		}
		p = ir.None
	}
	in := blank(ir.Branch)
	if p.Reg >= 0 {
		in.Guard, in.GuardNot = p.Reg, p.Not == when
	}
	in.Target = l.at
	c.emit(in)
	if l.at == 0 {
		l.uses = append(l.uses, int32(len(c.code.Insts)-1))
	}
}

func constant(n int64) ir.Operand { return ir.Operand{Reg: -1, Imm: n} }

// blank is an instruction without operands that is always executed.
func blank(op ir.Op) ir.Inst {
	in := ir.Blank(op)
	in.Guard = -1
	return in
}
