package cuda

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// constructed is T(x) and T{x}.
func (c *compiler) constructed(t *ctype, x *program.Call) value {
	if len(x.Template) == 0 {
		made := *x
		t, made.Args = c.deduced(t, x.Args, x.Span)
		x = &made
	}
	switch {
	case t.closure != nil && len(x.Args) == 1: // a copy, which is the same function
		return c.value(x.Args[0])
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

// initialised translates what a constructor's list says of a reference, or of a base or the class itself where the class was not at hand when the
// constructor was read (C++17 [class.base.init]).
func (c *compiler) initialised(a *program.Assign) bool {
	target, is := a.Targets[0].(*program.Attr)
	if !is {
		return false
	}
	of := c.itself(target.X)
	if of == nil || of.t.class == nil {
		return false
	}
	var args []program.Expr
	switch x := a.Value.(type) {
	case *program.List:
		args = x.Elems
	case *program.Call:
		if id, named := x.Fun.(*program.Name); named && (id.Ident == "" || id.Where() == x.Where()) {
			args = x.Args
			break
		}
		args = []program.Expr{x}
	default:
		args = []program.Expr{x}
	}
	f, member := of.t.member(target.Name)
	switch {
	case member && f.to != nil && len(args) == 1 && !isList(args[0]):
		c.boundTo(of, f, args[0])
		return true
	case member || c.static(of.t, target.Name) != nil:
		return false
	}
	path := c.spelled(target.Name).path
	if len(path) == 0 || len(args) == 0 {
		return len(path) > 0
	}
	name := path[len(path)-1].name
	if b := c.nested(of.t, segment{name: name}); isList(a.Value) && b != nil && b.class != nil && derives(of.t, b, 0) && !c.hasConstructor(b) {
		c.aggregate(c.baseOf(of, b), args)
		return true
	}
	call := &program.Call{Place: a.Place, Fun: &program.Attr{Place: target.Place, X: target.X, Name: name, Arrow: true}, Args: args}
	c.method(call, call.Fun.(*program.Attr), false)
	return true
}

// hasConstructor reports whether a class has one with a body.
func (c *compiler) hasConstructor(t *ctype) bool {
	list, _ := c.methods(t, func(m *program.Function) bool { return m.Name == t.class.Name && c.ownerOf(m) == t.class })
	return len(list) > 0
}

// aggregate initialises the members of an object in order (C++17 [dcl.init.aggr]).
func (c *compiler) aggregate(of *place, args []program.Expr) {
	for k, f := range of.t.fields {
		switch {
		case k < len(args) && f.to != nil:
			if !isList(args[k]) {
				c.boundTo(of, f, args[k])
			}
		case k < len(args):
			c.store(c.memberOf(of, f.name), c.convert(c.elementValue(args[k], f.t), f.t))
		case defaultOf(of.t.class, f.name) != nil:
			c.store(c.memberOf(of, f.name), c.constantDefault(of.t, defaultOf(of.t.class, f.name), f.t))
		case f.t.scalarLike():
			c.store(c.memberOf(of, f.name), c.convert(value{t: intType, op: constant(0)}, f.t))
		default:
			c.store(c.memberOf(of, f.name), c.unknown(f.t))
		}
	}
}

// elementValue is an element of a list that initialises an array.
func (c *compiler) elementValue(x program.Expr, t *ctype) value {
	if list, is := x.(*program.List); is {
		return c.initial(t, list)
	}
	return c.convert(c.value(x), t)
}

// initial is a value of a list: members in order, and zeros for the rest.
func (c *compiler) initial(t *ctype, x *program.List) value {
	if t.scalarLike() {
		if len(x.Elems) == 0 {
			return c.convert(value{t: intType, op: constant(0)}, t)
		}
		return c.convert(c.expr(x.Elems[0]), t)
	}
	if t.array && t.extent >= 0 || t.fields == nil {
		for _, e := range x.Elems {
			if !isList(e) {
				c.value(e)
			}
		}
		return c.unknown(t)
	}
	v := value{t: t, parts: map[string]value{}}
	for k, f := range t.fields {
		if k < len(x.Elems) && f.to != nil {
			if !isList(x.Elems[k]) {
				c.escape(c.kept(c.reference(x.Elems[k])))
			}
			v.parts[f.name] = c.unknown(f.t)
		} else if k < len(x.Elems) {
			v.parts[f.name] = c.elementValue(x.Elems[k], f.t)
		} else if x := defaultOf(t.class, f.name); x != nil {
			v.parts[f.name] = c.constantDefault(t, x, f.t)
		} else if f.t.scalarLike() {
			v.parts[f.name] = c.convert(value{t: intType, op: constant(0)}, f.t)
		} else {
			v.parts[f.name] = c.unknown(f.t)
		}
	}
	return v
}

func isList(x program.Expr) bool {
	_, is := x.(*program.List)
	return is
}

// listType is the type of the elements of a std::initializer_list, as it is written; "" where a type is none.
func (c *compiler) listType(text string) string {
	s := c.spelled(text)
	if n := len(s.path); n > 0 && s.stars == 0 && s.path[n-1].name == "initializer_list" && len(s.path[n-1].args) == 1 && (n == 1 || s.path[0].name == "std") {
		return s.path[n-1].args[0]
	}
	return ""
}

// listed is what a parameter that is a std::initializer_list is given in braces: an array of as many elements (C++17 [dcl.init.list]/5).
func (c *compiler) listed(text string, list *program.List) (value, bool) {
	of := c.listType(text)
	if of == "" || len(list.Elems) == 0 {
		return value{}, false
	}
	if t := c.typeOf(of); t == nil || !t.scalarLike() {
		return value{}, false
	}
	name := fmt.Sprintf("list at %d", list.Where().Start)
	v := c.declared(&program.Assign{Place: list.Place, Targets: []program.Expr{&program.Name{Place: list.Place, Ident: name}}, Op: "=", Value: list, Decl: true, Type: of,
		Dims: []program.Expr{&program.Int{Place: list.Place, Value: int64(len(list.Elems))}}}, name)
	return c.unread(c.placeOf(v)), true
}
