package ptx

import (
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// compiler turns the instructions of a kernel, and of the functions that it calls, into code; or those of inline PTX.
type compiler struct {
	code      *ir.Kernel
	fn        *program.Function
	registers map[string]int32 // of all functions, by function and name
	preds     map[string]int32
	labels    map[string]int32 // of this function
	tables    map[string][]string
	pending   []pending
	arguments map[string][]int64 // what was stored to the parameters of the next call: offsets by name
	returned  map[string]result  // where the results of calls are
	inside    map[string]part    // registers that hold addresses in parameters
	starts    map[string]int32   // where functions start
	noted     map[string]bool
	formulas  map[string]uint32
	forgotten []forgotten
	module    *module
	shared    map[*ir.Variable]uint16 // by what operands call them
	paths     map[int]string          // of the file
	here      ir.Place                // of the instruction that is compiled
	placed    bool                    // and it is place number at
	at        uint32
	inline    *Inline               // what is compiled, if it is no file
	bound     map[string]ir.Operand // its operands that are read only
	written   string                // one of those, if the instruction that is compiled sets it
}

// newCompiler is one that appends to a kernel.
func newCompiler(k *ir.Kernel) *compiler {
	return &compiler{code: k, registers: map[string]int32{}, preds: map[string]int32{}}
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
		c.code.Assumed = append(c.code.Assumed, text)
	}
}

// name of a register or predicate: functions have their own; special registers and parameters are the kernel's.
func (c *compiler) local(name string) string {
	if c.fn.Kernel || isSpecial(name) || strings.HasPrefix(name, global) {
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
	if n, ok := c.registers[key]; ok {
		return n
	}
	if n, ok := c.code.Special[name]; ok {
		return n
	}
	n := int32(len(c.code.Names))
	c.registers[key] = n
	c.code.Names = append(c.code.Names, c.shown(name))
	if isSpecial(name) {
		c.code.Special[name] = n
	}
	return n
}

func (c *compiler) predicate(name string) int32 {
	key := c.local(name)
	n, ok := c.preds[key]
	if !ok {
		n = int32(len(c.code.Tests))
		c.preds[key] = n
		c.code.Tests = append(c.code.Tests, c.shown(name))
	}
	return n
}

// Operand is a register, a constant, or the address of a variable.
func (c *compiler) operand(t ptx.Term) ir.Operand {
	switch t.Kind {
	case ptx.Integer, ptx.Float:
		return ir.Operand{Reg: -1, Imm: t.Value}
	case ptx.Name, ptx.Address:
		if t.Name == "" {
			return ir.Operand{Reg: -1, Imm: t.Value}
		}
		if v := c.variable(t.Name); v != nil {
			return c.address(t.Name, v, t.Value)
		}
		if t.Name == "WARP_SZ" {
			return ir.Operand{Reg: -1, Imm: ir.Lanes}
		}
		if t.Minus || t.Value != 0 && t.Kind == ptx.Name {
			return c.nowhere()
		}
		if o, is := c.bound[t.Name]; is {
			return o
		}
		return ir.Operand{Reg: c.register(t.Name)}
	}
	return c.nowhere()
}

// variable is one that a file declares; the variables of a kernel of CUDA C++ have other names in the PTX of it.
func (c *compiler) variable(name string) *ir.Variable {
	if c.inline != nil {
		return nil
	}
	return c.code.Variables[name]
}

// nowhere is a register that nothing sets: what it holds is unknown.
func (c *compiler) nowhere() ir.Operand { return ir.Operand{Reg: c.register(unknown)} }

// unknown is the name of that register.
const unknown = "\x00unknown"

// address is that of a variable; of global variables it is not known.
func (c *compiler) address(name string, v *ir.Variable, offset int64) ir.Operand {
	switch v.Space {
	case "shared", "const", "local":
		return ir.Operand{Reg: -1, Imm: v.At + offset, Of: c.shared[v]}
	}
	if offset != 0 {
		return c.nowhere()
	}
	r := c.register(global + name)
	if c.code.Globals == nil {
		c.code.Globals = map[string]int32{}
	}
	c.code.Globals[name] = r
	return ir.Operand{Reg: r}
}

// global stands before the names of variables in global memory, whose addresses are in registers of the kernel's.
const global = "\x00global "

// term takes the k-th operand of an instruction apart.
func term(i *program.Instr, k int) ptx.Term {
	if k >= len(i.Operands) {
		return ptx.Term{}
	}
	return ptx.Take(i.Operands[k])
}

// input is the k-th operand as a value that is read.
func (c *compiler) input(i *program.Instr, k int) ir.Operand {
	if k >= len(i.Operands) {
		return ir.None
	}
	return c.operand(term(i, k))
}

// memory is the k-th operand as an address: the base and what is added to it.
func (c *compiler) memory(i *program.Instr, k int) (ir.Operand, int64) {
	t := term(i, k)
	if len(t.Parts) > 0 {
		t = t.Parts[0]
	}
	if v := c.variable(t.Name); v != nil && v.Space != "global" || t.Name == "" {
		return c.operand(t), 0
	}
	n := t.Value
	t.Value = 0
	o := c.operand(t)
	if o.Reg == -1 {
		o.Imm += n
		return o, 0
	}
	return o, n
}

// output is the k-th operand as a register that is set; -1 for none.
func (c *compiler) output(t ptx.Term) int32 {
	if t.Kind == ptx.Pair && len(t.Parts) > 0 {
		t = t.Parts[0]
	}
	if t.Kind != ptx.Name {
		return -1
	}
	c.sets(t.Name)
	return c.register(t.Name)
}

// pred is an operand that is a predicate.
func (c *compiler) pred(t ptx.Term) ir.Operand {
	if t.Kind == ptx.Integer { // clang writes constant predicates so
		return ir.Operand{Reg: -1, Imm: t.Value, Not: t.Not}
	}
	if t.Kind != ptx.Name {
		return ir.None
	}
	return ir.Operand{Reg: c.predicate(t.Name), Not: t.Not}
}

// predOut is an operand that is a predicate which is set; -1 for none.
func (c *compiler) predOut(t ptx.Term) int32 {
	if t.Kind != ptx.Name {
		return -1
	}
	return c.predicate(t.Name)
}

// widths are the bytes of the fundamental types (PTX ISA 5.2).
var widths = map[string]int64{"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2, "b32": 4, "u32": 4, "s32": 4,
	"f32": 4, "f16x2": 4, "b64": 8, "u64": 8, "s64": 8, "f64": 8, "b128": 16, "pred": 1}

// types are the types among the modifiers, in order.
func types(i *program.Instr) []ir.Type {
	var out []ir.Type
	for _, m := range i.Modifiers {
		n, ok := widths[m]
		if !ok {
			continue
		}
		t := ir.Type{Bits: uint8(8 * n), Signed: m[0] == 's', Data: m[0] == 'f' || m == "bf16"}
		if m == "pred" {
			t.Bits = 1
		}
		out = append(out, t)
	}
	return out
}
