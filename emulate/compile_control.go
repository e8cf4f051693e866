package emulate

import (
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// result is a parameter that a function returned a result in.
type result struct{ function, name string }

// control compiles branches, calls and ends (PTX ISA 9.7.12).
func (c *compiler) control(i *program.Instr) bool {
	switch i.Op {
	case "bra":
		in := blank(opBranch)
		c.jump(&in, -1, i.Callee())
		c.add(in, i)
	case "brx":
		in := blank(opIndexed)
		in.a, in.extra = c.input(i, 0), &extra{}
		if len(i.Operands) > 1 {
			labels := c.tables[i.Operands[1].Text]
			in.extra.targets = make([]int32, len(labels))
			for k, l := range labels {
				c.jump(&in, k, l)
			}
		}
		c.add(in, i)
	case "call":
		c.call(i)
	case "ret":
		c.add(blank(opReturn), i)
	case "exit", "trap":
		in := blank(opExit)
		if i.Op == "trap" {
			in.sub = 1
			c.assume("no execution comes to a trap")
		}
		c.add(in, i)
	default:
		return false
	}
	return true
}

// jump leaves a target open until the labels are known.
func (c *compiler) jump(in *inst, index int, label string) {
	c.pending = append(c.pending, pending{inst: int32(len(c.code.insts)), label: label, index: index})
}

// parameter is the register that stands for a part of a parameter.
func (c *compiler) parameter(name string, offset int64) int32 {
	key := fmt.Sprintf("param %s+%d", name, offset)
	before := len(c.registers)
	n := c.register(key)
	if len(c.registers) > before && c.fn.Kernel {
		c.code.slots = append(c.code.slots, slot{name: name, offset: offset, register: n})
	}
	return n
}

// of compiles names of another function.
func (c *compiler) of(name string, f func()) {
	old := c.fn
	c.fn = c.code.module.functions[name]
	f()
	c.fn = old
}

// call compiles a call: what was stored to its arguments goes to the parameters of the function.
func (c *compiler) call(i *program.Instr) {
	name := i.Callee()
	callee := c.code.module.functions[name]
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
	in := blank(opCall)
	in.extra = &extra{text: name}
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
	move := func(from operand, offset int64) {
		in := blank(opMove)
		in.t, in.u, in.a = typ{bits: 64}, typ{bits: 64}, from
		c.of(function, func() { in.d = c.parameter(formal, offset) })
		c.add(in, i)
	}
	if !stored { // an argument in a register, as the PTX of old has it
		move(c.operand(arg), 0)
	}
	for _, n := range offsets {
		move(operand{reg: c.parameter(arg.Name, n)}, n)
	}
}

// foreign compiles a call of a function that the file does not have.
func (c *compiler) foreign(i *program.Instr, name string, returns []ptx.Term) {
	if dialect.CallEffect(name) == dialect.Unread {
		c.stop(i, fmt.Sprintf("call of %s, of which the file has no body", name))
		return
	}
	for _, r := range returns {
		delete(c.returned, r.Name)
		in := blank(opForget)
		in.d = c.parameter(r.Name, 0)
		c.add(in, i)
	}
	if name == "__assertfail" || name == "__assert_fail" || name == "abort" {
		in := blank(opExit)
		in.sub = 1
		c.assume("no execution comes to a trap")
		c.add(in, i)
	}
}

// parameters compiles ld.param and st.param, which are moves.
func (c *compiler) parameters(i *program.Instr, load bool, vec int64, t typ) {
	k := 0
	if load {
		k = 1
	}
	at, value := term(i, k), term(i, 1-k)
	if at.Kind != ptx.Address || c.code.module.variables[at.Name] != nil {
		c.forget(i)
		return
	}
	parts := value.Parts
	if value.Kind != ptx.Vector {
		parts = []ptx.Term{value}
	}
	for n, p := range parts {
		offset := at.Value + int64(n)*int64(t.bits/8)
		in := blank(opMove)
		in.t, in.u = t, t
		if load {
			in.d, in.a = c.output(p), operand{reg: c.source(at.Name, offset)}
			c.pointers(in.a.reg, t)
			if strings.HasPrefix(at.Name, "%") { // a pointer to a parameter
				in.a = c.nowhere()
			}
		} else {
			in.d, in.a = c.parameter(at.Name, offset), c.operand(p)
			c.arguments[at.Name] = append(c.arguments[at.Name], offset)
		}
		if t.bits > 64 {
			in.a = c.nowhere()
		}
		c.add(in, i)
	}
}

// pointers notes which parameters may be pointers.
func (c *compiler) pointers(register int32, t typ) {
	for k := range c.code.slots {
		if s := &c.code.slots[k]; s.register == register && t.bits == 64 && !t.data {
			s.pointer = true
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
