package ptx

import (
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// forgotten are names that an instruction sets to what is not known. Whether they are registers or predicates shows when the
// rest of the function is compiled: PTX need not declare them where it is an asm string.
type forgotten struct {
	inst  int32 // the first of as many as there are names
	names []string
}

// forget compiles an instruction whose results are data, or not modelled: all that it may set is unknown afterwards.
func (c *compiler) forget(i *program.Instr) {
	if c.formula(i) {
		return
	}
	f := forgotten{inst: int32(len(c.code.Insts))}
	var take func(t ptx.Term)
	take = func(t ptx.Term) {
		switch t.Kind {
		case ptx.Name:
			c.sets(t.Name)
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

// finish names and types the registers.
func (c *compiler) finish() {
	c.code.Registers, c.code.Predicates = len(c.code.Names), len(c.code.Tests)
	taken := map[string]bool{}
	unique(c.code.Names, taken)
	unique(c.code.Tests, taken)
	c.code.InferTypes()
}

// settle gives what is forgotten from an instruction on its results, and takes out those that are left without.
func (c *compiler) settle(start int32) {
	for _, f := range c.forgotten {
		c.lose(f)
	}
	c.forgotten = nil
	moved := make([]int32, len(c.code.Insts)-int(start)+1)
	kept := c.code.Insts[:start]
	for k, in := range c.code.Insts[start:] {
		moved[k] = int32(len(kept))
		if in.Op != ir.Havoc || in.D >= 0 || in.E >= 0 || in.Extra != nil {
			kept = append(kept, in)
		}
	}
	moved[len(moved)-1] = int32(len(kept))
	c.code.Insts = kept
	for name, at := range c.labels {
		c.labels[name] = moved[at-start]
	}
	for k := range c.pending {
		c.pending[k].inst = moved[c.pending[k].inst-start]
	}
}

// lose gives the instructions of a forgotten one their results: the registers to the last, a predicate to each.
func (c *compiler) lose(f forgotten) {
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
	if c.inline != nil {
		return c.inline.Unique(name)
	}
	switch {
	case name == unknown:
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
