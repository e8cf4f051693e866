package ptx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// result is a parameter that a function returned a result in.
type result struct{ function, name string }

// control compiles branches, calls and ends (PTX ISA 9.7.12).
func (c *compiler) control(i *program.Instr) bool {
	if c.inline != nil && (i.Op == "call" || i.Op == "ret") { // the function that it stands in may be in place of its call
		c.stop(i, limit.Operation.Sayf("%s in inline PTX is not modelled", i.Op))
		return true
	}
	switch i.Op {
	case "bra":
		in := ir.Blank(ir.Branch)
		c.jump(&in, -1, i.Callee())
		c.add(in, i)
	case "brx":
		in := ir.Blank(ir.BranchIndexed)
		in.A, in.Extra = c.input(i, 0), &ir.Extra{}
		if len(i.Operands) > 1 {
			labels := c.tables[i.Operands[1].Text]
			in.Extra.Targets = make([]int32, len(labels))
			for k, l := range labels {
				c.jump(&in, k, l)
			}
		}
		c.add(in, i)
	case "call":
		c.call(i)
	case "ret":
		c.add(ir.Blank(ir.Return), i)
	case "exit", "trap":
		in := ir.Blank(ir.Exit)
		if i.Op == "trap" {
			in.Mode = 1
			c.assume("no execution comes to a trap")
		}
		c.add(in, i)
	default:
		return false
	}
	return true
}

// jump leaves a target open until the labels are known.
func (c *compiler) jump(in *ir.Inst, index int, label string) {
	c.pending = append(c.pending, pending{inst: int32(len(c.code.Insts)), label: label, index: index})
}

// parameter is the register that stands for a part of a parameter.
func (c *compiler) parameter(name string, offset int64) int32 {
	key := "param " + name
	if offset != 0 {
		key = fmt.Sprintf("%s.%d", key, offset)
	}
	before := len(c.code.Names)
	n := c.register(key)
	if len(c.code.Names) > before && c.fn.Kernel {
		c.code.Slots = append(c.code.Slots, ir.Parameter{Name: name, Offset: offset, Register: n})
	}
	return n
}

// of compiles names of another function.
func (c *compiler) of(name string, f func()) {
	old := c.fn
	c.fn = c.module.functions[name]
	f()
	c.fn = old
}

// call compiles a call: what was stored to its arguments goes to the parameters of the function.
func (c *compiler) call(i *program.Instr) {
	name := i.Callee()
	callee := c.module.functions[name]
	var lists [][]ptx.Term
	before := 0
	for k, o := range i.Operands {
		if strings.HasPrefix(o.Text, "(") {
			lists = append(lists, term(i, k).Parts)
		} else if len(lists) > 0 && before == 0 {
			before = len(lists)
		} else if k == 0 {
			before = -1
		}
	}
	var returns, args []ptx.Term
	if before > 0 {
		returns, lists = lists[0], lists[1:]
	}
	if len(lists) > 0 {
		args = lists[0]
	}
	if callee == nil {
		c.foreign(i, name, returns)
		return
	}
	for k, a := range args {
		if k < len(callee.Params) {
			c.pass(i, a, name, callee.Params[k].Name)
		}
	}
	in := ir.Blank(ir.Call)
	in.Extra = &ir.Extra{Text: name}
	c.add(in, i)
	for k, r := range returns {
		if k < len(callee.Returns) {
			c.returned[r.Name] = result{name, callee.Returns[k].Name}
		}
	}
}

// pass moves one argument.
func (c *compiler) pass(i *program.Instr, arg ptx.Term, function, formal string) {
	offsets, stored := c.arguments[arg.Name]
	delete(c.arguments, arg.Name)
	move := func(from ir.Operand, offset int64) {
		in := ir.Blank(ir.Move)
		in.Type, in.Result, in.A = ir.Type{Bits: 64}, ir.Type{Bits: 64}, from
		c.of(function, func() { in.D = c.parameter(formal, offset) })
		c.add(in, i)
	}
	if !stored { // an argument in a register, as the PTX of old has it
		move(c.operand(arg), 0)
	}
	for _, n := range offsets {
		move(ir.Operand{Reg: c.parameter(arg.Name, n)}, n)
	}
}

// foreign compiles a call of a function that the file does not have.
func (c *compiler) foreign(i *program.Instr, name string, returns []ptx.Term) {
	if dialect.CallEffect(name) == dialect.Unread {
		c.stop(i, limit.Call.Sayf("call of %s, of which the file has no body", name))
		return
	}
	for _, r := range returns {
		delete(c.returned, r.Name)
		in := ir.Blank(ir.Havoc)
		in.D = c.parameter(r.Name, 0)
		c.add(in, i)
	}
	if name == "__assertfail" || name == "__assert_fail" || name == "abort" {
		in := ir.Blank(ir.Exit)
		in.Mode = 1
		c.assume("no execution comes to a trap")
		c.add(in, i)
	}
}

// parameters compiles ld.param and st.param, which are moves.
func (c *compiler) parameters(i *program.Instr, load bool, vec int64, t ir.Type) {
	k := 0
	if load {
		k = 1
	}
	at, value := term(i, k), term(i, 1-k)
	if at.Kind != ptx.Address || c.inline != nil || c.variable(at.Name) != nil {
		c.forget(i)
		return
	}
	if p, is := c.inside[at.Name]; is {
		at.Name, at.Value = p.name, at.Value+p.offset
	}
	parts := value.Parts
	if value.Kind != ptx.Vector {
		parts = []ptx.Term{value}
	}
	for n, p := range parts {
		offset := at.Value + int64(n)*int64(t.Bits/8)
		in := ir.Blank(ir.Move)
		in.Type, in.Result = t, t
		if load {
			in.D, in.A = c.output(p), ir.Operand{Reg: c.source(at.Name, offset)}
			c.pointers(in.A.Reg, t)
			if strings.HasPrefix(at.Name, "%") { // a pointer to a parameter
				in.A = c.nowhere()
			}
		} else {
			in.D, in.A = c.parameter(at.Name, offset), c.operand(p)
			c.arguments[at.Name] = append(c.arguments[at.Name], offset)
		}
		if t.Bits > 64 {
			in.A = c.nowhere()
		}
		c.add(in, i)
	}
}

// part is a place in a parameter.
type part struct {
	name   string
	offset int64
}

// partsOf are the registers that one instruction alone sets, to an address in one of the kernel's parameters: a struct's members are read
// through such.
func partsOf(all []*program.Instr, formals []string) map[string]part {
	sets := map[string]int{}
	for _, i := range all {
		if to := term(i, 0); to.Kind != ptx.Address {
			sets[to.Name]++
			for _, p := range to.Parts {
				sets[p.Name]++
			}
		}
	}
	out := map[string]part{}
	for _, i := range all {
		to, from := term(i, 0), term(i, 1)
		p, is := out[from.Name]
		switch {
		case to.Kind != ptx.Name || sets[to.Name] != 1 || i.Pred != "":
		case i.Op == "mov" && slices.Contains(formals, from.Name):
			out[to.Name] = part{from.Name, from.Value}
		case i.Op == "mov" && is:
			out[to.Name] = p
		case i.Op == "add" && is && len(i.Operands) == 3 && term(i, 2).Kind == ptx.Integer:
			out[to.Name] = part{p.name, p.offset + term(i, 2).Value}
		}
	}
	return out
}

// pointers notes which parameters may be pointers.
func (c *compiler) pointers(register int32, t ir.Type) {
	for k := range c.code.Slots {
		if s := &c.code.Slots[k]; s.Register == register && t.Bits == 64 && !t.Data {
			s.Pointer = true
		}
	}
}

// source is the register of a part of a parameter, or of a result.
func (c *compiler) source(name string, offset int64) int32 {
	if r, ok := c.returned[name]; ok {
		var n int32
		c.of(r.function, func() { n = c.parameter(r.name, offset) })
		return n
	}
	return c.parameter(name, offset)
}
