package lower

import (
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cutedsl"
)

// asm evaluates an inline-PTX statement: its instructions in order, registers local to the statement, outputs assigned
// to the bound expressions.
func (m *machine) asm(st *program.Asm, s *value.Scope) {
	if st.Template == nil {
		m.noteOpaque(st.Span, limit.Source.Says("inline PTX whose text is not a literal"), !m.host)
		return
	}
	e := m.instructions(st, s)
	for k, out := range st.Outputs {
		v, ok := e.regs["%"+strconv.Itoa(k)]
		if !ok {
			v = value.Data{}
		}
		if !strings.HasPrefix(out.Constraint, "+") || ok {
			m.assign(out.X, v, s)
		}
	}
}

// inlineAsm is a CuTe inline-PTX call; its value is the first output.
func (m *machine) inlineAsm(c *program.Call, st *program.Asm, s *value.Scope) value.Value {
	if st.Template == nil {
		if computed := m.computedAsm(c, s); computed != nil {
			st = computed
		}
	}
	if st.Template == nil {
		m.noteOpaque(st.Span, limit.Source.Says("inline PTX whose text is not a literal"), !m.host)
		return value.Data{}
	}
	e := m.instructions(st, s)
	if v, ok := e.regs["%0"]; ok {
		return v
	}
	if v, ok := e.regs["$0"]; ok {
		return v
	}
	return value.Data{}
}

// instructions evaluates those of inline PTX, and before them the inputs, whether an instruction asks for one or not.
func (m *machine) instructions(st *program.Asm, s *value.Scope) *ptxRegs {
	for _, in := range st.Inputs {
		if !m.host && m.touches(in.X) {
			m.eval(in.X, s)
		}
	}
	e := &ptxRegs{m: m, s: s, asm: st, regs: map[string]value.Value{}}
	for i := range st.Instrs {
		e.step(&st.Instrs[i])
	}
	return e
}

// computedAsm is an inline-PTX call whose text the program puts together; nil where that is not known.
func (m *machine) computedAsm(c *program.Call, s *value.Scope) *program.Asm {
	template, constraints := cutedsl.InlineText(c)
	t, ok := m.eval(template, s).(value.Text)
	if !ok {
		return nil
	}
	k := value.Text("")
	if constraints != nil {
		if k, ok = m.eval(constraints, s).(value.Text); !ok {
			return nil
		}
	}
	key := computedText{c, string(t), string(k)}
	a, done := m.in.low.computed[key]
	if !done {
		a, _ = cutedsl.InlineCallText(c, key.template, key.constraints)
		m.in.low.computed[key] = a
	}
	return a
}

// computedText is a text that a program gives to an inline-PTX call.
type computedText struct {
	call                  *program.Call
	template, constraints string
}

// ptxRegs is the register file of one asm statement.
type ptxRegs struct {
	m    *machine
	s    *value.Scope
	asm  *program.Asm
	regs map[string]value.Value
}

// step executes one instruction other than a branch.
func (e *ptxRegs) step(i *program.Instr) {
	m := e.m
	if e.arith(i) {
		return
	}
	at := program.Place{Span: i.Span}
	ops := m.table().Instr(i, e.asm)
	if i.Pred != "" && len(ops) > 0 && !ops[0].Has("pred") && !ops[0].Kind.Query() {
		p := e.reg(i.Pred)
		if i.PredNot {
			p = value.Unary("!", p)
		}
		if !m.truth(p, at) {
			return
		}
	}
	e.forget(i)
	if len(ops) == 0 && i.Op != "" && dialect.InstrEffect(i.Op) == dialect.Unread {
		e.unread(i, at)
	}
	for k := range ops {
		v := m.performWith(operands{m: m, op: &ops[k], s: e.s, node: at, regs: e.regs})
		e.result(i, &ops[k], v)
	}
}

// unread notes an instruction of which nothing is known: a call of another function, or one that no table has.
func (e *ptxRegs) unread(i *program.Instr, at program.Node) {
	if i.Op != "call" {
		name := strings.Join(append([]string{i.Op}, i.Modifiers...), ".")
		e.m.surrender(e.operands(i), "used by "+clip(name)+", which is not modelled", 0)
		e.m.noteOpaque(at.Where(), limit.Operation.Says("instruction "+clip(name)), true)
		return
	}
	if name := i.Callee(); dialect.CallEffect(name) == dialect.Unread {
		e.m.handOver(dialect.Unread, name, e.operands(i), at)
	}
}

// operands are the values that an instruction names.
func (e *ptxRegs) operands(i *program.Instr) []value.Value {
	out := make([]value.Value, 0, len(i.Operands))
	for _, o := range i.Operands {
		out = append(out, e.reg(o.Text))
	}
	return out
}

// forget makes the destinations of an instruction unknown: what is not evaluated leaves no older value there.
func (e *ptxRegs) forget(i *program.Instr) {
	if len(i.Operands) == 0 || i.Operands[0].Address {
		return
	}
	names := i.Operands[0].Vector
	if len(names) == 0 {
		names = strings.Split(i.Operands[0].Text, "|")
	}
	for _, name := range names {
		if _, held := e.regs[strings.TrimSpace(name)]; held {
			e.set(name, value.Data{})
		}
	}
}

// result binds what an operation returns to the instruction's first operand, where that is its destination.
func (e *ptxRegs) result(i *program.Instr, op *dialect.Op, v value.Value) {
	switch op.Kind {
	case dialect.MbarrierTryWait, dialect.MbarrierTestWait, dialect.Load, dialect.AtomicAdd, dialect.AtomicCas, dialect.AtomicExch, dialect.AtomicMax, dialect.MapaShared:
		if len(i.Operands) > 0 {
			e.set(i.Operands[0].Text, v)
		}
	case dialect.MbarrierWait:
		if len(i.Operands) > 0 && !i.Operands[0].Address {
			e.set(i.Operands[0].Text, value.Int(1)) // the retry loop ends with the predicate true
		}
	case dialect.ElectOne:
		if len(i.Operands) > 0 {
			d := i.Operands[0].Text
			if _, p, ok := strings.Cut(d, "|"); ok {
				d = p
			}
			e.set(d, v)
		}
	}
}

func (e *ptxRegs) set(name string, v value.Value) { e.regs[strings.TrimSpace(name)] = v }

// reg gives the value of a register, an operand bound to an expression, a number or a name.
func (e *ptxRegs) reg(name string) value.Value {
	return e.m.operandIn(strings.TrimSpace(name), e.regs, e.s, e.asm)
}

// operand is the value of a PTX operand outside an asm statement's bindings.
func (m *machine) operand(name string, regs map[string]value.Value, s *value.Scope) value.Value {
	return m.operandIn(name, regs, s, nil)
}

func (m *machine) operandIn(name string, regs map[string]value.Value, s *value.Scope, asm *program.Asm) value.Value {
	name = strings.TrimSpace(strings.Trim(strings.TrimSpace(name), "[]"))
	if v, ok := regs[name]; ok {
		return v
	}
	if n, err := strconv.ParseInt(strings.TrimSuffix(name, "U"), 0, 64); err == nil {
		return value.Int(n)
	}
	if base, off, ok := strings.Cut(name, "+"); ok {
		return value.Binary("+", m.operandIn(base, regs, s, asm), m.operandIn(off, regs, s, asm))
	}
	if k, err := strconv.Atoi(strings.TrimPrefix(name, "%")); err == nil && asm != nil && strings.HasPrefix(name, "%") {
		if k < len(asm.Outputs) {
			return m.eval(asm.Outputs[k].X, s)
		}
		if k -= len(asm.Outputs); k < len(asm.Inputs) {
			return m.eval(asm.Inputs[k].X, s)
		}
		return value.Data{}
	}
	if v, ok := m.special(name); ok {
		return v
	}
	if s != nil {
		if l, ok := s.Lookup(name); ok {
			return l.Get()
		}
	}
	return value.Data{}
}

// special reads PTX special registers (PTX ISA 10).
func (m *machine) special(name string) (value.Value, bool) {
	base, axis, _ := strings.Cut(strings.TrimPrefix(name, "%"), ".")
	kinds := map[string]dialect.Kind{"tid": dialect.ThreadIdx, "ntid": dialect.BlockDim, "ctaid": dialect.BlockIdx, "nctaid": dialect.GridDim,
		"cluster_ctaid": dialect.ClusterCoord, "cluster_nctaid": dialect.ClusterShape, "clusterid": dialect.ClusterIdx, "nclusterid": dialect.ClusterCount,
		"laneid": dialect.LaneIdx, "cluster_ctarank": dialect.ClusterRank, "cluster_nctarank": dialect.ClusterSize, "warpid": dialect.WarpIdx}
	if !strings.HasPrefix(name, "%") {
		return nil, false
	}
	k, ok := kinds[base]
	if !ok {
		return nil, false
	}
	return m.query(&dialect.Op{Kind: k, Args: map[string]dialect.Arg{"axis": {Text: axis}}}, program.Place{})
}
