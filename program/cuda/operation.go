package cuda

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// spelled are the alternative operator spellings of C++.
var spelled = map[string]string{
	"and": "&&", "or": "||", "not": "!", "compl": "~", "bitand": "&", "bitor": "|", "xor": "^", "not_eq": "!=",
}

func (r *reader) operator(n *node) string {
	op := strings.TrimSpace(r.own(n.child("operator")))
	if s, ok := spelled[op]; ok {
		return s
	}
	return op
}

// operation reads operators and member access; it returns nil for anything else.
func (r *reader) operation(n *node) program.Expr {
	at := place(n)
	switch n.kind {
	case "unary_expression", "pointer_expression":
		return &program.Unary{Place: at, Op: r.operator(n), X: r.expr(n.child("argument"))}
	case "update_expression":
		x, op := n.child("argument"), n.child("operator")
		post := x != nil && op != nil && op.start > x.start
		return &program.IncDec{Place: at, X: r.expr(x), Op: r.own(op), Post: post}
	case "binary_expression":
		return &program.Binary{Place: at, Op: r.operator(n), X: r.expr(n.child("left")), Y: r.expr(n.child("right"))}
	case "assignment_expression":
		return &program.AssignExpr{Place: at, Target: r.expr(n.child("left")), Op: r.own(n.child("operator")), Value: r.expr(n.child("right"))}
	case "conditional_expression":
		c := &program.Cond{Place: at, Test: r.expr(n.child("condition")), Then: r.expr(n.child("consequence")), Else: r.expr(n.child("alternative"))}
		if c.Then == nil { // c ?: e
			c.Then = c.Test
		}
		return c
	case "cast_expression":
		if functionType(n.child("type")) {
			return r.opaqueExpr(n)
		}
		return &program.Cast{Place: at, Type: r.nameText(n.child("type")), X: r.expr(n.child("value"))}
	case "subscript_expression":
		x := &program.Index{Place: at, X: r.expr(n.child("argument"))}
		if list := n.child("indices"); list != nil {
			x.Args = r.exprs(list.content())
		}
		return x
	case "field_expression":
		a, _ := r.member(n)
		return a
	}
	return nil
}

// member reads x.name or x->name and the template arguments behind the name.
func (r *reader) member(n *node) (*program.Attr, []program.Expr) {
	a := &program.Attr{Place: place(n), X: r.expr(n.child("argument")), Arrow: r.own(n.child("operator")) == "->"}
	field := n.child("field")
	if field == nil {
		return a, nil
	}
	switch field.kind {
	case "template_method", "dependent_name", "template_function", "qualified_identifier":
		name := r.name(field)
		a.Name = strings.TrimPrefix(name.Ident, "template ")
		return a, name.Template
	}
	a.Name = r.nameText(field)
	return a, nil
}

// call reads a call, a named cast or a kernel launch.
func (r *reader) call(n *node) program.Expr {
	c := &program.Call{Place: place(n)}
	if list := n.child("arguments"); list != nil {
		c.Args, c.Keywords = r.args(list)
	}
	if launch := n.first("kernel_call_syntax"); launch != nil {
		c.Launch = r.exprs(launch.content())
	}
	fun := n.child("function")
	if fun == nil {
		return r.opaqueExpr(n)
	}
	switch fun.kind {
	case "field_expression":
		c.Fun, c.Template = r.memberCall(fun)
		return c
	case "primitive_type", "sized_type_specifier":
		if len(c.Args) == 1 {
			return &program.Cast{Place: c.Place, Type: r.nameText(fun), X: c.Args[0]}
		}
	}
	x := r.expr(fun)
	if len(c.Launch) > 0 {
		r.launches(x)
	}
	if name, ok := x.(*program.Name); ok {
		c.Template = name.Template
		name.Template = nil
		if len(c.Template) == 1 && len(c.Args) == 1 && namedCast[name.Ident] {
			t := n.child("function").child("arguments").only()
			return &program.Cast{Place: c.Place, Type: r.nameText(t), X: c.Args[0]}
		}
		if len(c.Args) == 1 && (name.Ident == "unsigned" || name.Ident == "signed" || name.Ident == "long" || name.Ident == "short") {
			return &program.Cast{Place: c.Place, Type: name.Ident, X: c.Args[0]}
		}
	}
	c.Fun = x
	return c
}

func (r *reader) memberCall(fun *node) (program.Expr, []program.Expr) {
	if fun.cut {
		return r.expr(fun), nil
	}
	a, template := r.member(fun)
	return a, template
}

var namedCast = map[string]bool{
	"static_cast": true, "reinterpret_cast": true, "const_cast": true, "dynamic_cast": true, "static_pointer_cast": false,
}

// args reads an argument list or a braced one; `.name = value` becomes a keyword.
func (r *reader) args(list *node) (args []program.Expr, keywords []program.Keyword) {
	for _, k := range list.content() {
		if k.kind == "initializer_pair" {
			keywords = append(keywords, program.Keyword{Name: trimDot(r.nameText(k.child("designator"))), Value: r.expr(k.child("value"))})
			continue
		}
		args = append(args, r.expr(k))
	}
	return args, keywords
}

// object reads T{a, b} as the call T(a, b).
func (r *reader) object(n *node) program.Expr {
	typ, list := n.child("type"), n.child("value")
	if typ == nil || list == nil {
		return r.opaqueExpr(n)
	}
	c := &program.Call{Place: place(n)}
	c.Args, c.Keywords = r.args(list)
	switch typ.kind {
	case "primitive_type", "sized_type_specifier":
		switch len(c.Args) {
		case 0:
			return &program.Int{Place: c.Place}
		case 1:
			return &program.Cast{Place: c.Place, Type: r.nameText(typ), X: c.Args[0]}
		}
	}
	fun := r.typeExpr(typ)
	if name, ok := fun.(*program.Name); ok {
		c.Template = name.Template
		name.Template = nil
	}
	c.Fun = fun
	return c
}

// functionType reports whether a type is one of functions, to which there are no casts (C++ [expr.cast]): the grammar took a product and a
// call for it, (a * (f)(b)) + c.
func functionType(t *node) bool {
	d := t
	for d != nil && d.child("declarator") != nil {
		d = d.child("declarator")
	}
	return d != nil && d.kind == "abstract_function_declarator"
}
