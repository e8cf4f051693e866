package syntax

import (
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// Comparison is the first comparison of plain values in a test: to evaluate it once more changes nothing.
func Comparison(test program.Expr) *program.Binary {
	b, ok := test.(*program.Binary)
	switch {
	case !ok:
		return nil
	case b.Op == "&&":
		if x := Comparison(b.X); x != nil {
			return x
		}
		return Comparison(b.Y)
	case value.IsComparison(b.Op) && harmless(b.X) && harmless(b.Y):
		return b
	}
	return nil
}

func harmless(e program.Expr) bool {
	ok := true
	program.WalkExprs(e, func(e program.Expr) bool {
		switch e.(type) {
		case *program.Name, *program.Int, *program.Attr, *program.Binary, *program.Unary:
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// Forever reports whether a loop with such a test, none among them, ends by a way out of its body alone.
func Forever(e program.Expr) bool {
	switch e := e.(type) {
	case nil:
		return true
	case *program.Bool:
		return e.Value
	case *program.Int:
		return e.Value != 0
	}
	return false
}

// ChangesSomething reports whether an expression may not be evaluated twice.
func ChangesSomething(x program.Expr) bool {
	found := false
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e.(type) {
		case *program.AssignExpr, *program.Call:
			found = true
		}
		return !found
	})
	return found
}

// NamedExpr reports whether an expression is a name, or a member of that name.
func NamedExpr(e program.Expr, name string) bool {
	switch e := e.(type) {
	case *program.Name:
		return e.Ident == name
	case *program.Attr:
		return e.Name == name
	}
	return false
}

// Receiver is the name at the root of a method call, "" where that is no name.
func Receiver(a *program.Attr) string {
	switch x := a.X.(type) {
	case *program.Name:
		return x.Ident
	case *program.Attr:
		return Receiver(x)
	}
	return ""
}

// InLetters reports whether a call gives an argument as a literal.
func InLetters(n program.Node, name string) bool {
	c, ok := n.(*program.Call)
	if !ok {
		return false
	}
	for _, k := range c.Keywords {
		if t, tuple := k.Value.(*program.Tuple); k.Name == name && tuple {
			for _, e := range t.Elems {
				if _, number := e.(*program.Int); !number {
					return false
				}
			}
			return true
		}
	}
	return false
}

// AsksForMain reports whether a test is one of the name under which a script runs: __name__ == "__main__".
func AsksForMain(cond program.Expr) bool {
	b, ok := cond.(*program.Binary)
	if !ok || b.Op != "==" {
		return false
	}
	id, ok := b.X.(*program.Name)
	return ok && id.Ident == "__name__"
}

// MarksField reports whether x[t] says something about a field, such as where it goes, whose type t is.
func MarksField(x *program.Index) bool {
	if len(x.Args) != 1 || NamedExpr(x.X, "MemRange") {
		return false
	}
	t, ok := x.Args[0].(*program.Index)
	return ok && (NamedExpr(t.X, "Align") || NamedExpr(t.X, "MemRange"))
}

// Subscripts are the parts of x[a, b], which may be one tuple.
func Subscripts(ix *program.Index) []program.Expr {
	if t, ok := ix.Args[0].(*program.Tuple); ok && len(ix.Args) == 1 {
		return t.Elems
	}
	return ix.Args
}
