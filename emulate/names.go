package emulate

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// compiler turns the instructions of a kernel, and of the functions that it calls, into code.
type compiler struct {
	code      *code
	fn        *program.Function
	registers map[string]int32 // of all functions, by function and name
	preds     map[string]int32
	labels    map[string]int32 // of this function
	tables    map[string][]string
	pending   []pending
	arguments map[string][]int64 // what was stored to the parameters of the next call: offsets by name
	returned  map[string]result  // where the results of calls are
	starts    map[string]int32   // where functions start
	noted     map[string]bool
	formulas  map[string]uint32
	values    bool // data are followed
	at        uint32
}

// pending is a jump whose target is not known yet.
type pending struct {
	inst  int32
	label string
	index int // in extra.targets; -1: the target itself
}

// assume notes something that the verdict depends on, once.
func (c *compiler) assume(text string) {
	if !c.noted[text] {
		c.noted[text] = true
		c.code.assumed = append(c.code.assumed, text)
	}
}

// name of a register or predicate: functions have their own; special registers and parameters are the kernel's.
func (c *compiler) local(name string) string {
	if c.fn.Kernel || isSpecial(name) {
		return name
	}
	return c.fn.Name + "\x00" + name
}

// isSpecial tells the special registers (PTX ISA 10): the names that no compiler gives to others.
func isSpecial(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	return specials[base]
}

var specials = map[string]bool{"%tid": true, "%ntid": true, "%laneid": true, "%warpid": true, "%nwarpid": true, "%ctaid": true, "%nctaid": true,
	"%smid": true, "%nsmid": true, "%gridid": true, "%is_explicit_cluster": true, "%clusterid": true, "%nclusterid": true,
	"%cluster_ctaid": true, "%cluster_nctaid": true, "%cluster_ctarank": true, "%cluster_nctarank": true,
	"%lanemask_eq": true, "%lanemask_le": true, "%lanemask_lt": true, "%lanemask_ge": true, "%lanemask_gt": true,
	"%clock": true, "%clock_hi": true, "%clock64": true, "%globaltimer": true, "%globaltimer_lo": true, "%globaltimer_hi": true,
	"%total_smem_size": true, "%aggr_smem_size": true, "%dynamic_smem_size": true, "%current_graph_exec": true,
	"%reserved_smem_offset_begin": true, "%reserved_smem_offset_end": true, "%reserved_smem_offset_cap": true}

func (c *compiler) register(name string) int32 {
	key := c.local(name)
	n, ok := c.registers[key]
	if !ok {
		n = int32(len(c.registers))
		c.registers[key] = n
		c.code.names = append(c.code.names, name)
		if isSpecial(name) {
			c.code.special[name] = n
		}
	}
	return n
}

func (c *compiler) predicate(name string) int32 {
	key := c.local(name)
	n, ok := c.preds[key]
	if !ok {
		n = int32(len(c.preds))
		c.preds[key] = n
	}
	return n
}

// operand is a register, a constant, or the address of a variable.
func (c *compiler) operand(t ptx.Term) operand {
	switch t.Kind {
	case ptx.Integer, ptx.Float:
		return operand{reg: -1, imm: t.Value}
	case ptx.Name, ptx.Address:
		if t.Name == "" {
			return operand{reg: -1, imm: t.Value}
		}
		if v := c.code.module.variables[t.Name]; v != nil {
			return c.address(t.Name, v, t.Value)
		}
		if t.Name == "WARP_SZ" {
			return operand{reg: -1, imm: lanes}
		}
		if t.Minus || t.Value != 0 && t.Kind == ptx.Name {
			return c.nowhere()
		}
		return operand{reg: c.register(t.Name)}
	}
	return c.nowhere()
}

// nowhere is a register that nothing sets: what it holds is unknown.
func (c *compiler) nowhere() operand { return operand{reg: c.register("\x00unknown")} }

// address is that of a variable; of global variables it is not known.
func (c *compiler) address(name string, v *variable, offset int64) operand {
	switch v.space {
	case "shared", "const", "local":
		return operand{reg: -1, imm: v.at + offset}
	}
	if offset != 0 {
		return c.nowhere()
	}
	return operand{reg: c.register("\x00global " + name)}
}

// term takes the k-th operand of an instruction apart.
func term(i *program.Instr, k int) ptx.Term {
	if k >= len(i.Operands) {
		return ptx.Term{}
	}
	return ptx.Take(i.Operands[k])
}

// input is the k-th operand as a value that is read.
func (c *compiler) input(i *program.Instr, k int) operand {
	if k >= len(i.Operands) {
		return none
	}
	return c.operand(term(i, k))
}

// memory is the k-th operand as an address: the base and what is added to it.
func (c *compiler) memory(i *program.Instr, k int) (operand, int64) {
	t := term(i, k)
	if len(t.Parts) > 0 {
		t = t.Parts[0]
	}
	if c.code.module.variables[t.Name] != nil || t.Name == "" {
		return c.operand(t), 0
	}
	n := t.Value
	t.Value = 0
	return c.operand(t), n
}

// output is the k-th operand as a register that is set; -1 for none.
func (c *compiler) output(t ptx.Term) int32 {
	if t.Kind == ptx.Pair && len(t.Parts) > 0 {
		t = t.Parts[0]
	}
	if t.Kind != ptx.Name {
		return -1
	}
	return c.register(t.Name)
}

// pred is an operand that is a predicate.
func (c *compiler) pred(t ptx.Term) operand {
	if t.Kind == ptx.Integer { // clang writes constant predicates so
		return operand{reg: -1, imm: t.Value, not: t.Not}
	}
	if t.Kind != ptx.Name {
		return none
	}
	return operand{reg: c.predicate(t.Name), not: t.Not}
}

// predOut is an operand that is a predicate which is set; -1 for none.
func (c *compiler) predOut(t ptx.Term) int32 {
	if t.Kind != ptx.Name {
		return -1
	}
	return c.predicate(t.Name)
}

// types are the types among the modifiers, in order.
func types(i *program.Instr) []typ {
	var out []typ
	for _, m := range i.Modifiers {
		n, ok := widths[m]
		if !ok {
			continue
		}
		t := typ{bits: uint8(8 * n), signed: m[0] == 's', data: m[0] == 'f' || m == "bf16"}
		if m == "pred" {
			t.bits = 1
		}
		out = append(out, t)
	}
	return out
}
