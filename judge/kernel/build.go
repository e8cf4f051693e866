package kernel

// What follows makes expressions short to write down.

// N is an Int constant.
func N(v int) *Expr { return &Expr{Op: Const, Value: int64(v)} }

// V is a variable.
func V(name string) *Expr { return &Expr{Op: Var, Name: name} }

// X is an operator on operands.
func X(op Op, args ...*Expr) *Expr { return &Expr{Op: op, Args: args} }

// To is a cast.
func To(t Type, e *Expr) *Expr { return &Expr{Op: Cast, Type: t, Args: []*Expr{e}} }

// Leaf is an operator without operands.
func Leaf(op Op) *Expr { return &Expr{Op: op} }

// IsConst reports whether an expression is a constant, and which.
func (e *Expr) IsConst() (int64, bool) {
	if e == nil || e.Op != Const {
		return 0, false
	}
	return e.Value, true
}
