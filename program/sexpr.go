package program

import (
	"fmt"
	"strconv"
	"strings"
)

// list prints expressions each with a space before it.
func list(exprs []Expr) string {
	var b strings.Builder
	for _, e := range exprs {
		b.WriteString(" " + sexpr(e))
	}
	return b.String()
}

// sexpr prints an expression; nil is empty.
func sexpr(e Expr) string {
	switch e := e.(type) {
	case nil:
		return ""
	case *Name:
		if len(e.Template) > 0 {
			return "(name " + e.Ident + list(e.Template) + ")"
		}
		return e.Ident
	case *Int:
		return strconv.FormatInt(e.Value, 10)
	case *Float:
		return e.Text
	case *String:
		return strconv.Quote(e.Value)
	case *Bool:
		return strconv.FormatBool(e.Value)
	case *None:
		return "none"
	case *Unary:
		return "(" + e.Op + " " + sexpr(e.X) + ")"
	case *IncDec:
		if e.Post {
			return "(post" + e.Op + " " + sexpr(e.X) + ")"
		}
		return "(" + e.Op + " " + sexpr(e.X) + ")"
	case *Binary:
		return "(" + e.Op + " " + sexpr(e.X) + " " + sexpr(e.Y) + ")"
	case *Cond:
		return "(? " + sexpr(e.Test) + " " + sexpr(e.Then) + " " + sexpr(e.Else) + ")"
	case *Call:
		return scall(e)
	case *Attr:
		if e.Arrow {
			return sexpr(e.X) + "->" + e.Name
		}
		return sexpr(e.X) + "." + e.Name
	case *Index:
		return "(index " + sexpr(e.X) + list(e.Args) + ")"
	case *AssignExpr:
		return "(" + e.Op + " " + sexpr(e.Target) + " " + sexpr(e.Value) + ")"
	case *Cast:
		return fmt.Sprintf("(cast %q %s)", e.Type, sexpr(e.X))
	case *Fold:
		return fmt.Sprintf("(fold %s %v %s)", e.Op, e.Left, sexpr(e.X))
	case *OpaqueExpr:
		return fmt.Sprintf("(opaque %q%s)", e.Why, list(e.Parts))
	}
	return sgroup(e)
}

func scall(c *Call) string {
	var b strings.Builder
	b.WriteString("(call " + sexpr(c.Fun))
	if len(c.Template) > 0 {
		b.WriteString(" (template" + list(c.Template) + ")")
	}
	if len(c.Launch) > 0 {
		b.WriteString(" (launch" + list(c.Launch) + ")")
	}
	b.WriteString(list(c.Args))
	for _, k := range c.Keywords {
		b.WriteString(" " + k.Name + "=" + sexpr(k.Value))
	}
	return b.String() + ")"
}

// sgroup prints the expressions that hold lists of others.
func sgroup(e Expr) string {
	switch e := e.(type) {
	case *SliceExpr:
		part := func(x Expr) string {
			if x == nil {
				return " _"
			}
			return " " + sexpr(x)
		}
		return "(slice" + part(e.Lo) + part(e.Hi) + part(e.Step) + ")"
	case *Tuple:
		return "(tuple" + list(e.Elems) + ")"
	case *List:
		return "(list" + list(e.Elems) + ")"
	case *Dict:
		var b strings.Builder
		for i := range e.Values {
			b.WriteString(" " + join(sexpr(e.Keys[i]), sexpr(e.Values[i])))
			if i+1 < len(e.Values) {
				b.WriteByte(',')
			}
		}
		return "(dict" + b.String() + ")"
	case *Starred:
		if e.Double {
			return "(** " + sexpr(e.X) + ")"
		}
		return "(* " + sexpr(e.X) + ")"
	case *Lambda:
		var body []string
		for _, s := range e.Body {
			if x, ok := s.(*ExprStmt); ok {
				body = append(body, sexpr(x.X))
			} else {
				body = append(body, leafStmt(s))
			}
		}
		return join("(lambda", flag("&", e.CaptureRef), params(e.Params), strings.Join(body, " ")) + ")"
	case *Comp:
		var b strings.Builder
		for _, c := range e.Clauses {
			b.WriteString(" (for " + sexpr(c.Target) + " " + sexpr(c.Iter) + list(c.Conds) + ")")
		}
		return "(comp " + join(e.Kind, sexpr(e.Key), sexpr(e.Elem)) + b.String() + ")"
	}
	return fmt.Sprintf("(%T)", e)
}
