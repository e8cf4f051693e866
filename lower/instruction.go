package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/lower/instruction"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// arith executes the integer instructions that addresses, counts and predicates are made of (PTX ISA 9.7.1, 9.7.5, 9.7.8). It
// brings what a register holds to the type of each instruction that reads it: registers have a width, and no sign.
func (e *ptxRegs) arith(i *program.Instr) bool {
	v, ok := instruction.Computed(i, e.reg)
	if !ok {
		return false
	}
	if len(i.Operands) == 0 {
		return true
	}
	if len(i.Operands[0].Vector) > 0 {
		e.forget(i)
		return true
	}
	d := i.Operands[0].Text
	if i.Pred != "" { // a guarded write keeps the old value in the other lanes
		p := e.reg(i.Pred)
		if i.PredNot {
			p = value.Unary("!", p)
		}
		switch p := value.TruthValue(p).(type) {
		case value.Int:
			if p == 0 {
				return true
			}
		case value.Lanes:
			v = value.Mix(p, v, e.reg(d))
		default:
			v = value.Data{}
		}
	}
	if p, q, two := strings.Cut(d, "|"); two && i.Op == "setp" { // the second predicate is the negation
		e.set(p, v)
		e.set(q, value.Unary("!", v))
		return true
	}
	e.set(d, v)
	return true
}
