package cuda

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// constructed is T(x) and T{x}.
func (c *compiler) constructed(t *ctype, x *program.Call) value {
	switch {
	case t.scalarLike() && len(x.Args) == 0:
		return c.convert(value{t: intType, op: constant(0)}, t)
	case t.scalarLike() && len(x.Args) == 1:
		return c.convert(c.expr(x.Args[0]), t)
	case t.data() && c.plainly(x.Args): // half2(x, y)
		return c.unknown(t)
	case t.fields != nil:
		v := c.local("%n", t)
		c.construct(v, x.Args, x)
		return c.load(&place{t: t, object: v})
	}
	if t.opaque && t.class == nil && c.plainly(x.Args) { // as the operators of a type that is not known compute
		return c.unknown(t)
	}
	return c.opaqueCall(t.name, x)
}

// plainly evaluates arguments, and reports whether all of them are numbers, or of types of which nothing is known, and none leads to shared memory.
func (c *compiler) plainly(args []program.Expr) bool {
	plain := true
	for _, x := range args {
		if isList(x) {
			return false
		}
		v := c.loaded(c.value(x))
		plain = plain && v.closure == nil && v.function == nil && v.address == nil && (v.t.opaque && v.t.fields == nil || v.t.scalarLike() && !v.t.pointer() || v.t.pointer() && !c.mayLeadToShared(v))
	}
	return plain
}

// construct initialises an object: by a constructor, or its members in order.
func (c *compiler) construct(v *variable, args []program.Expr, at program.Expr) {
	t := v.t
	if t.class != nil {
		list, _ := c.methods(t, func(m *program.Function) bool { return m.Name == t.class.Name && c.ownerOf(m) == t.class })
		call := &program.Call{Place: program.Place{Span: at.Where()}, Fun: &program.Name{Place: program.Place{Span: at.Where()}, Ident: t.class.Name}, Args: args}
		if len(list) > 0 {
			var done bool
			if call.Args, done = c.copiedFrom(&place{t: t, object: v}, list, args); done {
				return
			}
			fn, values := c.chosen(t.class.Name, list, call)
			if fn != nil {
				c.beginRest(&place{t: t, object: v}, fn)
				c.inline(fn, call, values, &place{t: t, object: v}, nil, false)
				return
			}
			if len(args) > 1 { // a constructor that is not at hand
				c.opaqueCall(t.class.Name, call)
				c.set(v, c.unknown(t))
				return
			}
		}
	}
	if len(args) == 0 {
		c.beginMembers(&place{t: t, object: v})
		return
	}
	switch {
	case len(args) == 1 && len(t.fields) != 1:
		from := c.expr(args[0])
		if from.parts != nil {
			c.set(v, from)
			return
		}
		if list, is := at.(*program.List); is && from.t.scalarLike() && quiet(args[0]) { // the first member
			c.set(v, c.initial(t, list))
			return
		}
		c.set(v, c.unknown(t))
	case slices.ContainsFunc(t.fields, func(f field) bool { return f.to != nil }) && len(args) > 0:
		c.aggregate(&place{t: t, object: v}, args)
	default:
		c.set(v, c.initial(t, &program.List{Place: program.Place{Span: at.Where()}, Elems: args}))
	}
}

// begin gives an object of a class without a constructor what the class says that its members begin with.
func (c *compiler) begin(of *place) {
	if of.t.class != nil && !c.hasConstructor(of.t) {
		c.beginMembers(of)
	}
}

// beginMembers gives the members of an object what its class says that they begin with (C++17 [class.mem]/9), and those of its bases and members.
func (c *compiler) beginMembers(of *place) {
	if of.t.class == nil || of.t.env == nil {
		return
	}
	if c.depth++; c.depth > maxInline {
		c.depth--
		return
	}
	defer func() { c.depth-- }()
	for _, b := range of.t.env.bases {
		c.begin(c.baseOf(of, b))
	}
	for _, f := range of.t.fields {
		switch x := defaultOf(of.t.class, f.name); {
		case x != nil && f.to == nil:
			c.store(c.memberOf(of, f.name), c.convert(c.amongMembers(of, x, f.t), f.t))
		case x == nil && f.t.class != nil && f.t.fields != nil:
			c.begin(c.memberOf(of, f.name))
		}
	}
}

// beginRest begins the bases and members that a constructor does not initialise itself.
func (c *compiler) beginRest(of *place, fn *program.Function) {
	named := map[string]bool{}
	for _, st := range fn.Body {
		switch st := st.(type) {
		case *program.Assign:
			if a, is := st.Targets[0].(*program.Attr); is && st.Init {
				named[a.Name] = true
			}
		case *program.ExprStmt:
			if call, is := st.X.(*program.Call); is {
				if a, is := call.Fun.(*program.Attr); is {
					named[a.Name] = true
				}
			}
		}
	}
	if named[of.t.class.Name] { // it delegates
		return
	}
	for _, b := range of.t.env.bases {
		if b.class != nil && !named[b.class.Name] {
			c.begin(c.baseOf(of, b))
		}
	}
	for _, f := range of.t.fields {
		if !named[f.name] && f.t.class != nil && f.t.fields != nil {
			c.begin(c.memberOf(of, f.name))
		}
	}
}

// amongMembers is what a member begins with, evaluated among the other members.
func (c *compiler) amongMembers(of *place, x program.Expr, t *ctype) value {
	before, src, placed := c.scope, c.src, c.placed
	defer func() { c.scope, c.src, c.placed = before, src, placed }()
	c.scope = newScope(of.t.env)
	c.scope.fn = before.fn
	c.scope.names["this"] = &variable{t: of.t, reg: -1, alias: of}
	for _, f := range of.t.fields {
		at := c.memberOf(of, f.name)
		c.scope.names[f.name] = &variable{t: at.t, reg: -1, alias: at}
	}
	return c.elementValue(x, t)
}

// constantDefault is what a member begins with, where that is a constant; else it is not known.
func (c *compiler) constantDefault(of *ctype, x program.Expr, t *ctype) value {
	before := c.scope
	defer func() { c.scope = before }()
	c.scope = newScope(of.env)
	c.scope.fn = before.fn
	if n, known := c.folded(unlisted(x, t)); known && t.integer() {
		return c.convert(value{t: typeOfNumber(n.Type), op: constant(n.N)}, t)
	}
	return c.unknown(t)
}

// defaultOf is what a class says that a member begins with; nil: nothing.
func defaultOf(class *program.Class, name string) program.Expr {
	if class == nil {
		return nil
	}
	for _, f := range class.Fields {
		if id, is := f.Targets[0].(*program.Name); is && id.Ident == name && f.Type != "using" && !f.Const && len(f.Dims) == 0 {
			return f.Value
		}
	}
	return nil
}

// made is an object of a vector type.
func (c *compiler) made(t *ctype, args []program.Expr) value {
	return c.initial(t, &program.List{Elems: args})
}

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
