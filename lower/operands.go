package lower

import (
	"strconv"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// operands reads the arguments of a canonical operation. PTX operands that no expression binds are registers, looked
// up in regs.
type operands struct {
	m    *machine
	op   *dialect.Op
	s    *value.Scope
	node program.Node
	regs map[string]value.Value
}

func (o operands) value(name string) value.Value {
	a, ok := o.op.Args[name]
	if !ok {
		return nil
	}
	if a.Expr != nil {
		return o.m.eval(a.Expr, o.s)
	}
	if o.regs != nil {
		return o.m.operand(a.Text, o.regs, o.s)
	}
	if n, err := strconv.ParseInt(a.Text, 0, 64); err == nil {
		return value.Int(n)
	}
	return value.Text(a.Text)
}

// or gives the value of an argument, or def where it is absent.
func (o operands) or(name string, def value.Value) value.Value {
	if v := o.value(name); v != nil {
		return v
	}
	return def
}

// pointer gives the address an argument denotes. Indexed arguments denote the element, not its content.
func (o operands) pointer(name string) (value.Pointer, bool) {
	a, ok := o.op.Args[name]
	if !ok {
		return value.Pointer{}, false
	}
	var p value.Pointer
	if a.Expr != nil {
		if p, ok = o.m.address(a.Expr, o.s); !ok {
			p, ok = o.m.pointerOf(o.m.eval(a.Expr, o.s))
		}
	} else {
		p, ok = o.m.pointerOf(o.value(name))
	}
	if ok && o.op.Has("peer") {
		if peer := o.value("peer"); peer != (value.None{}) {
			p.Cta = peer
		}
	}
	return p, ok
}

// lanes is the mask of the lanes that an operation of a warp is for: all of them where it names none.
func (o operands) lanes() int64 {
	if v := o.value("mask"); v != nil && v != (value.None{}) {
		return o.m.count(v, o.node, "the mask of the lanes that take part") & fullWarp
	}
	return fullWarp
}
