package ptx

import (
	"strconv"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// Inline is PTX within another language, which is put into a kernel that is being made: an asm statement of CUDA C++. Its registers,
// predicates and labels are its own; those that it does not declare are, too.
type Inline struct {
	Kernel   *ir.Kernel // has a register that nothing sets
	Instrs   []program.Instr
	Operands []Bound  // %0, %1, …
	Place    ir.Place // of the statement
	Unique   func(name string) string
	Formulas map[string]uint32 // of the kernel
	Noted    map[string]bool   // what the kernel assumes
}

// Bound is what stands for an operand.
type Bound struct {
	ir.Operand
	Set     bool // it is a register that is set
	Literal bool // it is a number that stands in the text: constraint "n"
}

// Translate appends the instructions to the kernel. What is not modelled ends the execution there, or makes its results unknown,
// as it does in a file.
func (x *Inline) Translate() {
	c := newCompiler(x.Kernel)
	c.inline, c.fn, c.module = x, &program.Function{Kernel: true}, &module{}
	c.formulas, c.noted, c.bound = x.Formulas, x.Noted, map[string]ir.Operand{}
	c.registers[unknown] = x.Kernel.Nothing
	literals := map[string]string{}
	for k, o := range x.Operands {
		name := "%" + strconv.Itoa(k)
		switch {
		case o.Set:
			c.registers[name] = o.Reg
		case o.Literal && o.Reg == -1 && o.Of == 0:
			literals[name] = strconv.FormatInt(o.Imm, 10)
		default:
			c.bound[name] = o.Operand
		}
	}
	all := make([]*program.Instr, len(x.Instrs))
	for k := range x.Instrs {
		all[k] = spelledOut(&x.Instrs[k], literals)
	}
	start := int32(len(x.Kernel.Insts))
	c.list(all)
	c.settle(start)
	for _, p := range c.resolve() {
		c.end(p.inst, limit.Source.Sayf("inline PTX branches to %s, which is no label of it", p.label))
	}
	c.check(start)
}

// spelledOut is an instruction with numbers in place of the operands that they stand for.
func spelledOut(i *program.Instr, literals map[string]string) *program.Instr {
	if len(literals) == 0 {
		return i
	}
	out := *i
	out.Operands = make([]program.Operand, len(i.Operands))
	for k, o := range i.Operands {
		out.Operands[k] = ptx.Substitute(o, literals)
	}
	return &out
}

// sets notes that the instruction sets a register, which may be an operand that it must not set.
func (c *compiler) sets(name string) {
	if _, is := c.bound[name]; is {
		c.written = name
	}
}

// overwritten ends the execution at an instruction that sets an operand which is read only: what reads it afterwards is not defined.
func (c *compiler) overwritten(i *program.Instr) {
	if c.written != "" {
		c.stop(i, limit.Source.Sayf("%s sets %s, an operand that is no output", spelled(i), c.written))
		c.written = ""
	}
}
