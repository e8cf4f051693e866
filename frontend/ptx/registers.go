package ptx

import (
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// forgotten are names that an instruction sets to what is not known. Whether they are registers or predicates shows when the
// rest of the kernel is compiled: PTX need not declare them where it is an asm string.
type forgotten struct {
	inst  int32 // the first of as many as there are names
	names []string
	fn    *program.Function
}

// forget compiles an instruction whose results are data, or not modelled: all that it may set is unknown afterwards.
func (c *compiler) forget(i *program.Instr) {
	if c.formula(i) {
		return
	}
	f := forgotten{inst: int32(len(c.code.Insts)), fn: c.fn}
	var take func(t ptx.Term)
	take = func(t ptx.Term) {
		switch t.Kind {
		case ptx.Name:
			f.names = append(f.names, t.Name)
		case ptx.Vector, ptx.Pair:
			for _, p := range t.Parts {
				take(p)
			}
		}
	}
	take(term(i, 0))
	for range f.names {
		c.add(ir.Blank(ir.Havoc), i)
	}
	if len(f.names) > 0 {
		c.forgotten = append(c.forgotten, f)
	}
}

// finish settles what is forgotten, and names and types the registers.
func (c *compiler) finish() {
	for _, f := range c.forgotten {
		c.settle(f)
	}
	c.code.Remove(func(in *ir.Inst) bool { return in.Op == ir.Havoc && in.D < 0 && in.E < 0 && in.Extra == nil })
	c.code.Registers, c.code.Predicates = len(c.registers), len(c.preds)
	taken := map[string]bool{}
	unique(c.code.Names, taken)
	unique(c.code.Tests, taken)
	c.code.InferTypes()
}

// settle gives the instructions of a forgotten one their results: the registers to the last, a predicate to each.
func (c *compiler) settle(f forgotten) {
	c.fn = f.fn
	var registers, predicates []int32
	for _, name := range f.names {
		_, register := c.registers[c.local(name)]
		_, predicate := c.preds[c.local(name)]
		if predicate {
			predicates = append(predicates, c.predicate(name))
		}
		if register || !predicate {
			registers = append(registers, c.register(name))
		}
	}
	insts := c.code.Insts[f.inst : int(f.inst)+len(f.names)]
	for k, p := range predicates {
		insts[k].E = p
	}
	last := &insts[len(insts)-1]
	if len(registers) > 0 {
		last.D = registers[0]
	}
	if len(registers) > 1 {
		last.Extra = &ir.Extra{Dests: registers[1:]}
	}
}

// shown is the name of a register or predicate in the IR: those of functions that are called say of which.
func (c *compiler) shown(name string) string {
	switch {
	case name == "\x00unknown":
		name = "?"
	case strings.HasPrefix(name, global):
		return strings.Map(named, "&"+strings.TrimPrefix(name, global))
	default:
		name = strings.TrimPrefix(name, "param ")
	}
	if !c.fn.Kernel && !isSpecial(name) {
		name += "@" + c.fn.Name
	}
	return strings.Map(named, name)
}

// named is a character of a name, another one where the IR has none such.
func named(r rune) rune {
	if ir.InName(r) {
		return r
	}
	return '_'
}

// unique makes names that are used twice different. Special registers keep theirs: nothing else is called so.
func unique(names []string, taken map[string]bool) {
	for k, name := range names {
		for n := 2; taken[names[k]] || names[k] == "" || ir.Reserved(names[k]); n++ {
			names[k] = fmt.Sprintf("%s#%d", name, n)
		}
		taken[names[k]] = true
	}
}
