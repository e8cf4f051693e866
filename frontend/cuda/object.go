package cuda

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// closure is a lambda with what its names mean.
type closure struct {
	fn    *program.Function
	scope *scope
}

// lambda makes a closure. What it captures by value is what it is now.
func (c *compiler) lambda(x *program.Lambda) value {
	fn := c.lambdas[x]
	if fn == nil {
		fn = &program.Function{Name: "lambda", Qualified: "lambda", Params: x.Params, Body: x.Body[min(x.Inits, len(x.Body)):], Result: x.Result, Span: x.Span, NameSpan: x.Span}
		if fn.Result == "" {
			fn.Result = "auto"
		}
		c.lambdas[x], c.of[fn] = fn, c.src
	}
	in := newScope(c.scope)
	copied := map[string]bool{}
	for _, name := range x.Copied {
		copied[name] = true
	}
	for _, st := range x.Body {
		program.WalkExprs(st, func(e program.Expr) bool {
			id, is := e.(*program.Name)
			if !is || in.names[id.Ident] != nil || !x.CopyAll && !copied[id.Ident] {
				return true
			}
			if v := c.scope.find(id.Ident); v != nil && v.reg >= 0 && v.t.scalarLike() {
				in.names[id.Ident] = c.holding(id.Ident, v.t, c.copied(c.load(c.placeOf(v))))
			}
			return true
		})
	}
	before := c.scope
	c.scope = in
	for _, st := range x.Body[:min(x.Inits, len(x.Body))] {
		c.statement(st)
	}
	c.scope = before
	cl := &closure{fn, in}
	return value{t: &ctype{name: "lambda", closure: cl, size: 1, align: 1}, closure: cl, op: ir.Operand{Reg: c.nothing}}
}

// instanceName tells the instances of a class template apart, for the shared memory of their methods.
func (t *ctype) instanceName() string {
	if len(t.args) == 0 {
		return ""
	}
	return fmt.Sprintf("%p ", t)
}

// byConversion calls the conversion function that an object's class has for a type: the first that gives a pointer where that is one, or else a number (C++17 [over.match.conv]).
func (c *compiler) byConversion(v value, t *ctype) (value, bool) {
	if v.t == nil || v.t.class == nil || v.t.class.Enum || t == nil || !t.scalarLike() || v.input != "" {
		return value{}, false
	}
	list, base := c.methods(v.t, func(m *program.Function) bool { return m.Conversion != "" && len(m.Body) > 0 })
	for _, m := range list {
		to := c.convertsTo(m, base)
		if to == nil || to.pointer() != t.pointer() || !to.scalarLike() {
			continue
		}
		at := program.Place{Span: m.NameSpan}
		return c.inline(m, &program.Call{Place: at, Fun: &program.Name{Place: at, Ident: m.Name}}, nil, c.baseOf(c.kept(v), base), nil, false), true
	}
	return value{}, false
}

// convertsTo is the type that a conversion function of a class gives.
func (c *compiler) convertsTo(m *program.Function, of *ctype) *ctype {
	before := c.scope
	defer func() { c.scope = before }()
	if of.env != nil {
		c.scope = newScope(of.env)
	}
	return c.typeOf(m.Conversion)
}
