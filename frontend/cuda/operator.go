package cuda

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// object reports whether an operator of a value may be overloaded for what it is.
func (v *value) object() bool {
	return v.t != nil && v.t.fields != nil && (v.t.class == nil || !v.t.class.Enum)
}

// operator calls an overloaded operator of an object.
func (c *compiler) operator(op string, of value, x program.Expr, args []program.Expr, asPlace bool) (value, bool) {
	if of.t.class == nil || of.t.class.Enum {
		return value{}, false
	}
	list, base := c.methods(of.t, func(m *program.Function) bool { return m.Operator == op })
	call := &program.Call{Place: program.Place{Span: x.Where()}, Fun: &program.Name{Place: program.Place{Span: x.Where()}, Ident: "operator" + op}, Args: args}
	fn, values := c.chosen("operator"+op, list, call)
	if fn == nil {
		return value{}, false
	}
	return c.inline(fn, call, values, c.baseOf(c.kept(of), base), nil, asPlace), true
}

// overloaded calls an overloaded operator of one operand, a method or not.
func (c *compiler) overloaded(x *program.Unary, v value) (value, bool) {
	if out, is := c.operator(x.Op, v, x, nil, false); is {
		return out, true
	}
	return c.freely(x.Op, x, []program.Expr{x.X}, []value{v}, false)
}

// freely calls an overloaded operator that is no method, where one of its operands is an object: of the functions that are seen from here, and of those that stand with its class (C++17 [over.match.oper]).
func (c *compiler) freely(op string, x program.Expr, args []program.Expr, operands []value, asPlace bool) (value, bool) {
	if !slices.ContainsFunc(operands, func(v value) bool { return v.object() }) {
		return value{}, false
	}
	around := c.around() + "::"
	var list []*program.Function
	generic := false // one for operands of any types
	for _, fn := range c.functions["operator"+op] {
		space, _ := program.SplitName(fn.Qualified)
		seen := space == "" || strings.HasPrefix(around, space+"::") || slices.ContainsFunc(operands, func(v value) bool {
			if v.t.class == nil {
				return false
			}
			of, _ := program.SplitName(v.t.class.Qualified)
			return of == space || v.t.class.Qualified == space
		})
		if !seen || fn.Kernel || !takes(fn, len(operands)) {
			continue
		}
		if c.anything(fn) {
			generic = true
		} else if _, fits := c.distance(fn, operands); fits {
			list = append(list, fn)
		}
	}
	best, same := c.nearestOf(list, operands)
	if best == nil {
		if generic {
			c.unsure(limit.Call, "whether operator%s for operands of any types is called, is not known", op)
		}
		return value{}, false
	}
	if same {
		c.unsure(limit.Call, "which of several operator%s is called, is not known", op)
	}
	call := &program.Call{Place: program.Place{Span: x.Where()}, Fun: &program.Name{Place: program.Place{Span: x.Where()}, Ident: "operator" + op}, Args: args}
	return c.inline(best, call, operands, nil, nil, asPlace), true
}

// implicitly makes an object of what is none by a constructor of its class that takes that alone (C++17 [class.conv.ctor]).
func (c *compiler) implicitly(v value, t *ctype) (value, bool) {
	if t.class == nil || t.fields == nil || t.class.Enum || v.t == nil || v.t == voidType || v.t.opaque {
		return value{}, false
	}
	list, _ := c.methods(t, func(m *program.Function) bool {
		if m.Name != t.class.Name || c.ownerOf(m) != t.class || !takes(m, 1) || copies(m) {
			return false
		}
		_, fits := c.distance(m, []value{v})
		return fits
	})
	best, same := c.nearestOf(list, []value{v})
	switch {
	case best == nil:
		return value{}, false
	case same && !c.numeric(best): // what takes numbers leads to no memory
		c.unsure(limit.Call, "which of several constructors of %s is called, is not known", t.class.Name)
		return value{}, false
	case same:
		return value{}, false
	}
	object := &place{t: t, object: c.local("%n", t)}
	at := program.Place{Span: c.at}
	c.beginRest(object, best)
	c.inline(best, &program.Call{Place: at, Fun: &program.Name{Place: at, Ident: t.class.Name}}, []value{v}, object, nil, false)
	return c.load(object), true
}

// anything reports whether a function is for operands of any types: which of them it is for something says that is not read.
func (c *compiler) anything(fn *program.Function) bool {
	return !slices.ContainsFunc(fn.Params, func(p program.Param) bool {
		s := c.spelled(p.Type)
		return len(s.path) != 1 || !slices.ContainsFunc(fn.Template, func(t program.Param) bool { return t.Name == s.path[0].name })
	})
}
