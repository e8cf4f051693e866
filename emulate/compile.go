package emulate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
)

// Limits against hostile input.
const (
	maxInsts     = 4_000_000
	maxFunctions = 1_000
)

// compile turns a kernel into code.
func compile(f *program.File, kernel *program.Function, values bool) (*code, error) {
	m := newModule(f)
	fns, err := reachable(m, kernel)
	if err != nil {
		return nil, err
	}
	m.enter(fns)
	out := &code{module: m, values: values, special: map[string]int32{}}
	c := &compiler{code: out, registers: map[string]int32{}, preds: map[string]int32{}, starts: map[string]int32{}, noted: map[string]bool{}, formulas: map[string]uint32{}, values: values}
	for _, fn := range fns {
		if err := c.function(fn); err != nil {
			return nil, err
		}
	}
	out.nothing = c.nowhere().reg
	for k := range out.insts {
		if in := &out.insts[k]; in.op == opCall {
			in.target = c.starts[in.extra.text]
		}
	}
	out.registers, out.predicates = len(c.registers), len(c.preds)
	if len(out.insts) > maxInsts {
		return nil, fmt.Errorf("kernel %s has more than %d instructions", kernel.Name, maxInsts)
	}
	out.analyse()
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
				if fns = append(fns, callee); len(fns) > maxFunctions {
					return nil, fmt.Errorf("kernel %s calls more than %d functions", kernel.Name, maxFunctions)
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
				return fmt.Errorf("function %s calls itself, which is not followed", callee.Name)
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
	c.fn, c.labels, c.tables, c.pending = fn, map[string]int32{}, map[string][]string{}, nil
	c.arguments, c.returned = map[string][]int64{}, map[string]result{}
	c.starts[fn.Name] = int32(len(c.code.insts))
	for _, i := range instructions(fn) {
		c.at = uint32(len(c.code.places))
		c.code.places = append(c.code.places, i)
		if i.Op == ".branchtargets" || i.Op == ".calltargets" {
			c.tables[i.Label] = texts(i)
			continue
		}
		if i.Label != "" {
			c.labels[i.Label] = int32(len(c.code.insts))
		}
		if i.Op != "" {
			c.instruction(i)
		}
	}
	c.add(blank(opReturn), &program.Instr{}) // what runs off the end returns
	c.code.functions = append(c.code.functions, [2]int32{c.starts[fn.Name], int32(len(c.code.insts))})
	for _, p := range c.pending {
		at, ok := c.labels[p.label]
		if !ok {
			return fmt.Errorf("function %s branches to %s, which is no label of it", fn.Name, p.label)
		}
		if in := &c.code.insts[p.inst]; p.index < 0 {
			in.target = at
		} else {
			in.extra.targets[p.index] = at
		}
	}
	return nil
}

func texts(i *program.Instr) []string {
	var out []string
	for _, o := range i.Operands {
		out = append(out, o.Text)
	}
	return out
}

// add appends an instruction; d, e and the operands are as the caller set them, -1 where it says nothing: see blank.
func (c *compiler) add(in inst, i *program.Instr) *inst {
	in.place = c.at
	in.guard = -1
	if i.Pred != "" {
		in.guard, in.guardNot = c.predicate(i.Pred), i.PredNot
	}
	c.code.insts = append(c.code.insts, in)
	return &c.code.insts[len(c.code.insts)-1]
}

// blank is an instruction without results and operands.
func blank(op opcode) inst {
	return inst{op: op, d: -1, e: -1, a: none, b: none, c: none, members: none}
}

// forget compiles an instruction whose results are data, or not modelled: all that it may set is unknown afterwards.
func (c *compiler) forget(i *program.Instr) {
	if c.values && c.formula(i) {
		return
	}
	in := blank(opForget)
	var preds []int32
	var take func(t ptx.Term, depth int)
	take = func(t ptx.Term, depth int) {
		switch t.Kind {
		case ptx.Name:
			in.extra.dests = append(in.extra.dests, c.register(t.Name))
			preds = append(preds, c.predicate(t.Name))
		case ptx.Vector, ptx.Pair:
			for _, p := range t.Parts {
				take(p, depth+1)
			}
		}
	}
	in.extra = &extra{}
	take(term(i, 0), 0)
	if len(in.extra.dests) == 1 {
		in.d, in.extra = in.extra.dests[0], nil
	}
	for k, p := range preds {
		if k == 0 {
			in.e = p
			continue
		}
		more := blank(opForget)
		more.e = p
		c.add(more, i)
	}
	c.add(in, i)
}

// formulaic are operations on data whose result follows from the operands alone.
var formulaic = map[string]bool{"add": true, "sub": true, "mul": true, "fma": true, "mad": true, "div": true, "rcp": true, "sqrt": true,
	"rsqrt": true, "ex2": true, "lg2": true, "sin": true, "cos": true, "tanh": true, "neg": true, "abs": true, "min": true, "max": true, "cvt": true}

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
	in := blank(opFormula)
	in.d, in.size = c.output(term(i, 0)), n
	in.a = c.input(i, 1)
	if len(i.Operands) > 2 {
		in.b = c.input(i, 2)
	}
	if len(i.Operands) > 3 {
		in.c = c.input(i, 3)
	}
	c.add(in, i)
	return true
}

func (c *compiler) stop(i *program.Instr, why string) {
	in := blank(opStop)
	in.extra = &extra{text: why}
	c.add(in, i)
}

// instruction compiles one instruction by the family it belongs to.
func (c *compiler) instruction(i *program.Instr) {
	switch {
	case c.arithmetic(i), c.predicates(i), c.control(i), c.memoryAccess(i), c.lanes(i), c.barrier(i), c.mbarrier(i), c.asynchronous(i):
	default:
		c.other(i)
	}
}

// silent are instructions of no effect on what is followed.
var silent = map[string]bool{"fence": true, "membar": true, "griddepcontrol": true, "setmaxnreg": true, "nanosleep": true, "pmevent": true,
	"prefetch": true, "prefetchu": true, "discard": true, "applypriority": true, "brkpt": true, "stackrestore": true, "sust": true, "sured": true}

func (c *compiler) other(i *program.Instr) {
	if silent[i.Op] {
		return
	}
	for _, m := range i.Modifiers {
		if strings.HasPrefix(m, "shared") || m == "mbarrier" || strings.HasPrefix(m, "mbarrier::") {
			c.stop(i, fmt.Sprintf("%s is not modelled", spelled(i)))
			return
		}
	}
	c.forget(i)
}

// spelled is an instruction's name with its modifiers.
func spelled(i *program.Instr) string {
	return strings.Join(append([]string{i.Op}, i.Modifiers...), ".")
}
