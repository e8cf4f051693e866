package lower

import (
	"github.com/fencepost-dev/fencepost/program"
)

// maxPTXSteps bounds the instructions one group executes.
const maxPTXSteps = 2_000_000

// ptxBody executes a .ptx kernel: integer, predicate and address state is exact, data is don't-care, branches must
// resolve. A branch on a try_wait or on a flag is a wait when its other way leads back to the look.
func (m *machine) ptxBody(fn *program.Function) {
	s := newScope(m.globals, true)
	for _, p := range fn.Params {
		v := m.parameter(p, s)
		m.in.pointsTo(v)
		s.declare(p.Name, v)
	}
	var code []*program.Instr
	labels := map[string]int{}
	program.WalkStmts(fn.Body, func(st program.Stmt) bool {
		switch st := st.(type) {
		case *program.Assign:
			if st.Shared {
				m.ptxShared(st, s)
			}
		case *program.Asm:
			for i := range st.Instrs {
				if l := st.Instrs[i].Label; l != "" {
					labels[l] = len(code)
				}
				code = append(code, &st.Instrs[i])
			}
		}
		return true
	})
	for _, st := range m.file.Body {
		if a, ok := st.(*program.Assign); ok && a.Shared {
			m.ptxShared(a, s)
		}
	}
	e := &ptxRegs{m: m, s: s, regs: map[string]value{}}
	for pc, steps := 0, 0; pc < len(code); steps++ {
		i := code[pc]
		at := program.Place{Span: i.Span}
		if steps > maxPTXSteps {
			m.stop(at, "more than %d instructions in one thread", maxPTXSteps)
		}
		switch i.Op {
		case "ret", "exit":
			if i.Pred == "" || m.truth(e.guard(i), at) {
				return
			}
			pc++
		case "bra":
			pc = e.jump(i, pc, code, labels)
		case "ld":
			if i.Has("param") && len(i.Operands) == 2 {
				e.set(i.Operands[0].Text, e.reg(i.Operands[1].Text))
			} else {
				e.step(i)
			}
			pc++
		default:
			e.step(i)
			pc++
		}
	}
}

func (e *ptxRegs) guard(i *program.Instr) value {
	p := e.reg(i.Pred)
	if i.PredNot {
		p = unary("!", p)
	}
	return p
}

// jump gives the next instruction after a branch.
func (e *ptxRegs) jump(i *program.Instr, pc int, code []*program.Instr, labels map[string]int) int {
	at := program.Place{Span: i.Span}
	if len(i.Operands) == 0 {
		e.m.stop(at, "branch without a target")
	}
	target, ok := labels[i.Operands[0].Text]
	if !ok {
		e.m.stop(at, "branch to %q, which is not a label of this kernel", i.Operands[0].Text)
	}
	if i.Pred == "" {
		return target
	}
	switch p := e.guard(i).(type) {
	case tryResult:
		e.m.wait(p.bar, integer(p.parity), at)
		if p.negated { // taken while the phase is not complete
			return pc + 1
		}
		return target
	case flagTest:
		// One way leads back to the load; the wait ends on the other.
		if back(code, labels, target, pc) {
			e.m.spinOn(p, at)
			return pc + 1
		}
		if back(code, labels, pc+1, pc) {
			p.compare = negate(p.compare)
			e.m.spinOn(p, at)
			return target
		}
		e.m.stop(at, "branch on a value that other threads change")
	default:
		if e.m.truth(p, at) {
			return target
		}
	}
	return pc + 1
}

// back reports whether control from start returns to an instruction before pc without synchronizing on the way.
func back(code []*program.Instr, labels map[string]int, start, pc int) bool {
	for k, n := start, 0; k < len(code) && n < 32; n++ {
		if k <= pc && k <= start && start <= pc {
			return true
		}
		i := code[k]
		if i.Op == "bra" && i.Pred == "" && len(i.Operands) > 0 {
			t, ok := labels[i.Operands[0].Text]
			if !ok {
				return false
			}
			if t <= pc {
				return true
			}
			k = t
			continue
		}
		if i.Op != "nanosleep" {
			return false
		}
		k++
	}
	return false
}

// ptxShared declares a .shared variable; PTX addresses count bytes.
func (m *machine) ptxShared(a *program.Assign, s *scope) {
	for _, t := range a.Targets {
		id, ok := t.(*program.Name)
		if !ok {
			continue
		}
		n := int64(1)
		if size, ok := sizes[a.Type]; ok {
			n = size
		}
		for _, d := range a.Dims {
			if v, ok := m.eval(d, s).(integer); ok {
				n *= int64(v)
			}
		}
		s.declare(id.Ident, pointer{block: m.in.sharedBlock(m.file, id.Ident, a.Span, n, 1), offset: integer(0)})
	}
}
