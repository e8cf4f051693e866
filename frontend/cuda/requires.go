package cuda

import (
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// required decides a requires-expression that asks for members of objects (C++20 [expr.prim.req.simple]).
func (c *compiler) required(x *program.OpaqueExpr) (met, known bool) {
	if x.Why != program.Requires {
		return false, false
	}
	for _, part := range x.Parts {
		a, is := part.(*program.Attr)
		if !is {
			return false, false
		}
		switch t, there := c.partOf(a); {
		case there && t == nil:
			return false, false
		case !there:
			return false, true
		}
	}
	return true, true
}

// partOf is the type of an object, or of a data member of one, that is not evaluated; nil where it is not known, and there is false where the object's class has no member of the name for sure.
func (c *compiler) partOf(x program.Expr) (t *ctype, there bool) {
	switch x := x.(type) {
	case *program.Name:
		if v := c.lookup(x.Ident); v != nil && v.macro == nil && v.input == "" {
			return v.t, true
		}
	case *program.Attr:
		of, there := c.partOf(x.X)
		if !there {
			return nil, false
		}
		if of != nil && x.Arrow {
			of = of.to
		}
		if of == nil || of.class == nil {
			return nil, true
		}
		if f, is := of.member(x.Name); is {
			return f.t, true
		}
		named := func(m *program.Function) bool { return m.Name == x.Name }
		if methods, _ := c.methods(of, named); methods == nil && c.static(of, x.Name) == nil && c.lacks(of, x.Name) {
			c.assume(of.name + " has no member " + x.Name)
			return nil, false
		}
	}
	return nil, true
}

// lacks reports whether a class and its bases declare nothing of a name as far as their text says: it does not have the name, nor a macro that may declare anything.
func (c *compiler) lacks(t *ctype, name string) bool {
	if t.class == nil || t.env == nil || t.open || len(t.env.bases) != len(t.class.Bases) || c.in[t.class] == nil {
		return false
	}
	list := tokens(c.in[t.class].Source.Text(t.class.Span)).list
	if len(list) >= maxSpelled { // not all of it is there
		return false
	}
	for k, depth := 0, 0; k < len(list); k++ {
		switch {
		case list[k] == name:
			return false
		case list[k] == "{" || list[k] == "(":
			if calls := list[k] == "(" && depth == 1 && k > 0 && word(list[k-1]) && list[k-1] != t.class.Name; calls && !slices.ContainsFunc(t.class.Methods, func(m *program.Function) bool { return m.Name == list[k-1] }) {
				return false
			}
			depth++
		case list[k] == "}" || list[k] == ")":
			depth--
		}
	}
	return !slices.ContainsFunc(t.env.bases, func(b *ctype) bool { return !c.lacks(b, name) })
}
