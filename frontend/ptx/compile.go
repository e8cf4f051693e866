// Package ptx translates kernels of PTX files to the IR, and the inline PTX of other languages.
package ptx

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// Translate turns a kernel into code.
func Translate(f *program.File, kernel *program.Function) (*ir.Kernel, error) {
	m := newModule(f)
	fns, err := reachable(m, kernel)
	if err != nil {
		return nil, err
	}
	m.enter(fns)
	out := &ir.Kernel{Name: kernel.Name, File: f.Source, Directives: directives(kernel), Variables: m.variables, Constants: m.constants, Special: map[string]int32{}}
	c := newCompiler(out)
	c.starts, c.noted, c.formulas, c.module, c.paths = map[string]int32{}, map[string]bool{}, map[string]uint32{}, m, f.Paths
	c.shared = map[*ir.Variable]uint16{}
	for k, v := range out.SharedVariables() {
		if k+1 < math.MaxUint16 {
			c.shared[v] = uint16(k + 1)
		}
	}
	for _, p := range kernel.Params {
		out.Formals = append(out.Formals, p.Name)
	}
	for _, fn := range fns {
		if err := c.function(fn); err != nil {
			return nil, err
		}
	}
	out.Nothing = c.nowhere().Reg
	for k := range out.Insts {
		if in := &out.Insts[k]; in.Op == ir.Call {
			in.Target = c.starts[in.Extra.Text]
		}
	}
	c.finish()
	if len(out.Insts) > ir.MaxInsts {
		return nil, limit.Size.Sayf("kernel %s has more than %d instructions", kernel.Name, ir.MaxInsts)
	}
	return out, nil
}

// reachable lists a kernel and the functions it calls, the kernel first. Calls in circles are not followed.
func reachable(m *module, kernel *program.Function) ([]*program.Function, error) {
	fns := []*program.Function{kernel}
	calls := map[*program.Function][]*program.Function{}
	for k := 0; k < len(fns); k++ {
		for _, i := range instructions(fns[k]) {
			if i.Op != "call" {
				continue
			}
			callee := m.functions[i.Callee()]
			if callee == nil {
				continue
			}
			calls[fns[k]] = append(calls[fns[k]], callee)
			if !slices.Contains(fns, callee) {
				if fns = append(fns, callee); len(fns) > ir.MaxFunctions {
					return nil, limit.Size.Sayf("kernel %s calls more than %d functions", kernel.Name, ir.MaxFunctions)
				}
			}
		}
	}
	state := map[*program.Function]int{}
	var visit func(fn *program.Function) error
	visit = func(fn *program.Function) error { // no deeper than there are functions
		state[fn] = 1
		for _, callee := range calls[fn] {
			if state[callee] == 1 {
				return limit.Size.Sayf("function %s calls itself, which is not followed", callee.Name)
			}
			if state[callee] == 0 {
				if err := visit(callee); err != nil {
					return err
				}
			}
		}
		state[fn] = 2
		return nil
	}
	return fns, visit(kernel)
}

func instructions(fn *program.Function) []*program.Instr {
	var out []*program.Instr
	for _, st := range fn.Body {
		if a, ok := st.(*program.Asm); ok {
			for k := range a.Instrs {
				out = append(out, &a.Instrs[k])
			}
		}
	}
	return out
}

func (c *compiler) function(fn *program.Function) error {
	c.fn = fn
	c.here, c.placed = ir.Place{Name: "ret"}, false
	c.arguments, c.returned = map[string][]int64{}, map[string]result{}
	all := instructions(fn)
	if c.inside = nil; fn.Kernel {
		c.inside = partsOf(all, c.code.Formals)
	}
	start := int32(len(c.code.Insts))
	c.starts[fn.Name] = start
	c.list(all)
	c.add(ir.Blank(ir.Return), &program.Instr{}) // what runs off the end returns
	c.settle(start)
	c.code.Functions = append(c.code.Functions, [2]int32{start, int32(len(c.code.Insts))})
	c.code.Called = append(c.code.Called, fn.Name)
	if open := c.resolve(); len(open) > 0 {
		return limit.Source.Sayf("function %s branches to %s, which is no label of it", fn.Name, open[0].label)
	}
	c.check(start)
	return nil
}

// list compiles the instructions of a function, or of inline PTX. Its jumps stay open: see resolve.
func (c *compiler) list(all []*program.Instr) {
	c.labels, c.tables, c.pending = map[string]int32{}, map[string][]string{}, nil
	for _, i := range all {
		c.here, c.placed = c.place(i), false
		if i.Op == ".branchtargets" || i.Op == ".calltargets" {
			c.tables[i.Label] = texts(i)
			continue
		}
		if i.Label != "" {
			c.labels[i.Label] = int32(len(c.code.Insts))
		}
		if i.Op != "" {
			c.instruction(i)
		}
	}
}

// check makes ends of the execution of instructions that are no PTX: operands are missing, or there are too many.
func (c *compiler) check(start int32) {
	ir.Malformed(c.code, start, func(k int32, why string) {
		c.end(k, limit.Source.Sayf("%s is not understood: %s", c.code.Places[c.code.Insts[k].Place].Name, why))
	})
}

// end puts the end of the execution in the place of an instruction.
func (c *compiler) end(k int32, why limit.Reason) {
	in := &c.code.Insts[k]
	stop := ir.Blank(ir.Stop)
	stop.Guard, stop.GuardNot, stop.Place = in.Guard, in.GuardNot, in.Place
	stop.Extra = ir.Because(why)
	*in = stop
}

// resolve gives jumps their targets, and lists those whose label is not there.
func (c *compiler) resolve() (open []pending) {
	for _, p := range c.pending {
		at, ok := c.labels[p.label]
		if !ok {
			open = append(open, p)
			continue
		}
		if in := &c.code.Insts[p.inst]; p.index < 0 {
			in.Target = at
		} else {
			in.Extra.Targets[p.index] = at
		}
	}
	return open
}

// Place is where an instruction stands.
func (c *compiler) place(i *program.Instr) ir.Place {
	if c.inline != nil {
		at := c.inline.Place
		at.Name = spelled(i)
		return at
	}
	at := ir.Place{Span: i.Span, Name: spelled(i)}
	if path, ok := c.paths[i.Loc.File]; ok && i.Loc.Line > 0 {
		at.Path, at.Line = path, i.Loc.Line
	}
	return at
}

// directives are the kernel's own: extents by name (PTX ISA 11.4, 11.8).
func directives(kernel *program.Function) map[string][3]int {
	said := map[string][3]int{}
	for _, a := range kernel.Attributes {
		call, ok := a.(*program.Call)
		if !ok {
			continue
		}
		name, ok := call.Fun.(*program.Name)
		if !ok {
			continue
		}
		extent := [3]int{1, 1, 1}
		for k, x := range call.Args {
			if n, ok := x.(*program.Int); ok && k < 3 && n.Value > 0 && n.Value <= 1<<31 {
				extent[k] = int(n.Value)
			}
		}
		said[name.Ident] = extent
	}
	return said
}

func texts(i *program.Instr) []string {
	var out []string
	for _, o := range i.Operands {
		out = append(out, o.Text)
	}
	return out
}

// add appends an instruction; d, e and the operands are as the caller set them, -1 where it says nothing: see blank.
func (c *compiler) add(in ir.Inst, i *program.Instr) *ir.Inst {
	if !c.placed { // what is compiled to nothing has no place
		c.at, c.placed = uint32(len(c.code.Places)), true
		c.code.Places = append(c.code.Places, c.here)
	}
	in.Place = c.at
	in.Guard = -1
	if i.Pred != "" {
		in.Guard, in.GuardNot = c.predicate(i.Pred), i.PredNot
	}
	c.code.Insts = append(c.code.Insts, in)
	return &c.code.Insts[len(c.code.Insts)-1]
}

// formulaic are operations on data whose result follows from the operands alone.
var formulaic = map[string]bool{"add": true, "sub": true, "mul": true, "fma": true, "mad": true, "div": true, "rcp": true, "sqrt": true,
	"rsqrt": true, "ex2": true, "lg2": true, "sin": true, "cos": true, "tanh": true, "neg": true, "abs": true, "min": true, "max": true, "cvt": true}

// commutative are those of them whose first two operands may be exchanged. Of .f64 the payload of a NaN may show which was first; others
// give a canonical NaN (PTX ISA 9.7.3, 9.7.4).
var commutative = map[string]bool{"add": true, "mul": true, "fma": true, "mad": true, "min": true, "max": true}

// formula compiles an operation on data as a function that is not known: equal operands give equal results.
func (c *compiler) formula(i *program.Instr) bool {
	if !formulaic[i.Op] || i.Has("cc") || len(i.Operands) < 2 || len(i.Operands) > 4 || term(i, 0).Kind != ptx.Name {
		return false
	}
	name := spelled(i)
	n, ok := c.formulas[name]
	if !ok {
		n = uint32(len(c.formulas))
		c.formulas[name] = n
	}
	in := ir.Blank(ir.Apply)
	in.D, in.Size = c.output(term(i, 0)), n
	if ts := types(i); len(ts) > 0 {
		in.Type = ts[0]
	}
	if commutative[i.Op] && len(i.Operands) > 2 && in.Type.Bits <= 32 {
		in.Flags |= ir.Commutative
	}
	in.A = c.input(i, 1)
	if len(i.Operands) > 2 {
		in.B = c.input(i, 2)
	}
	if len(i.Operands) > 3 {
		in.C = c.input(i, 3)
	}
	c.add(in, i)
	return true
}

func (c *compiler) stop(i *program.Instr, why limit.Reason) {
	in := ir.Blank(ir.Stop)
	in.Extra = ir.Because(why)
	c.add(in, i)
}

// joint are instructions that lanes, or warps, meet at: a predicate decides who comes to them, as a branch around them does, and is compiled to one.
var joint = map[string]bool{"bar": true, "barrier": true, "shfl": true, "vote": true, "match": true, "redux": true, "elect": true}

// instruction compiles one instruction by the family it belongs to.
func (c *compiler) instruction(i *program.Instr) {
	if i.Pred != "" && joint[i.Op] && !i.Has("cluster") {
		around, behind := ir.Blank(ir.Branch), fmt.Sprintf(" behind %d", len(c.code.Insts)) // no label has a space
		c.jump(&around, -1, behind)
		in := c.add(around, i)
		in.GuardNot = !in.GuardNot
		alone := *i
		alone.Pred, alone.PredNot = "", false
		c.instruction(&alone)
		c.labels[behind] = int32(len(c.code.Insts))
		return
	}
	switch {
	case c.arithmetic(i), c.predicates(i), c.control(i), c.memoryAccess(i), c.lanes(i), c.ordering(i), c.barrier(i), c.mbarrier(i), c.asynchronous(i):
	default:
		c.other(i)
	}
	c.overwritten(i)
}

// silent are instructions of no effect on what is followed.
var silent = map[string]bool{"pmevent": true, "prefetch": true, "prefetchu": true, "discard": true, "applypriority": true, "brkpt": true, "stackrestore": true, "sust": true, "sured": true}

func (c *compiler) other(i *program.Instr) {
	switch {
	case silent[i.Op]:
	case dialect.InstrEffect(i.Op) == dialect.Computes, i.Op == "clusterlaunchcontrol" && i.Has("query_cancel"):
		c.forget(i)
	default:
		c.stop(i, limit.Operation.Says(spelled(i)+" is not modelled"))
	}
}

// spelled is an instruction's name with its modifiers.
func spelled(i *program.Instr) string {
	return strings.Join(append([]string{i.Op}, i.Modifiers...), ".")
}
