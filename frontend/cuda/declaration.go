package cuda

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

func (c *compiler) declaration(a *program.Assign) {
	for _, target := range a.Targets {
		id, ok := target.(*program.Name)
		if !ok {
			c.bindings(a, target)
			continue
		}
		if a.Space == "global" && !a.Shared {
			c.scope.names[id.Ident] = c.staticVariable(a, c.declaredAs(id.Ident), c.scope.fn.instance)
			continue
		}
		if a.Shared {
			c.scope.names[id.Ident] = c.sharedVariable(a, c.declaredAs(id.Ident), c.scope.fn.instance)
			continue
		}
		if a.Type == "using" {
			if t := c.typeOfExpr(a.Value); t != nil {
				c.scope.kinds[id.Ident] = t
			} else {
				c.scope.kinds[id.Ident] = c.unresolved(a.Value)
			}
			continue
		}
		v := c.declared(a, id.Ident)
		c.scope.names[id.Ident] = v
		v.fixed = a.Const || slices.Contains(tokens(a.Type).list, "const")
		if v.alias == nil && v.points == nil && v.t != nil && c.destructs(v.t) {
			c.scope.ends = append(c.scope.ends, v)
		}
	}
}

// bindings declares names for the parts of an object (C++17 [dcl.struct.bind]).
func (c *compiler) bindings(a *program.Assign, target program.Expr) {
	list, is := target.(*program.Tuple)
	if !is || a.Value == nil {
		c.halt(limit.Source, "several variables are declared of one object")
	}
	v := c.value(a.Value)
	var of *place
	switch known := v.t.fields != nil && len(v.t.fields) == len(list.Elems); {
	case known && c.spelled(a.Type).reference:
		of = c.kept(v)
	case known: // a copy, made here
		of = c.placeOf(c.holding("%bound", v.t, c.loaded(v)))
	}
	for k, x := range list.Elems {
		id, is := x.(*program.Name)
		if !is {
			c.halt(limit.Source, "several variables are declared of one object")
		}
		out := &variable{t: opaqueType(id.Ident), reg: -1, lost: true}
		if of != nil {
			f := v.t.fields[k]
			out = &variable{t: f.t, reg: -1, alias: c.memberOf(of, f.name)}
		}
		c.scope.names[id.Ident] = out
	}
}

// automatic reports whether a variable has the type of what it begins with (C++17 [dcl.spec.auto]).
func (c *compiler) automatic(text string) bool {
	words := c.spelled(text)
	return len(words.path) == 1 && words.path[0].name == "auto"
}

// declared is a variable of the thread's own, or a constant, or a reference.
func (c *compiler) declared(a *program.Assign, name string) *variable {
	words := c.spelled(a.Type)
	reference := words.reference
	automatic := c.automatic(a.Type)
	if list, is := a.Value.(*program.List); is && len(list.Elems) < 2 && !automatic {
		if x := unlisted(list, c.typeOf(a.Type)); x != a.Value {
			one := *a
			a, one.Value = &one, x
		}
	}
	if n, known := c.folded(a.Value); known && len(a.Dims) == 0 && !reference && words.stars == 0 && (a.Const || slices.Contains(tokens(a.Type).list, "const")) {
		t := c.typeOf(a.Type)
		switch {
		case automatic:
			t = typeOfNumber(n.Type)
		case t == nil:
			t = intType
		}
		if t.integer() {
			n.N = t.number.Store(n.N)
			return &variable{t: t, reg: -1, number: &n.N}
		}
	}
	if a.Value != nil && (reference || automatic) && len(a.Dims) == 0 {
		if list, is := a.Value.(*program.List); is && len(list.Elems) == 1 {
			a = &program.Assign{Place: a.Place, Targets: a.Targets, Op: a.Op, Value: list.Elems[0], Decl: true, Type: a.Type, Const: a.Const}
		}
		if reference {
			v := c.reference(a.Value)
			if v.at != nil {
				at := c.seenAs(v.at, c.typeOf(a.Type))
				return &variable{t: at.t, reg: -1, alias: at}
			}
			return c.holding(name, v.t, v)
		}
		v := c.value(a.Value)
		if n := c.loaded(v); (a.Const || slices.Contains(tokens(a.Type).list, "constexpr")) && n.op.Reg == -1 && n.op.Of == 0 && n.t.integer() && n.input == "" {
			return &variable{t: n.t, reg: -1, number: &n.op.Imm}
		}
		return c.holding(name, v.t, v)
	}
	t := c.typeOr(a.Type)
	if len(a.Dims) == 0 {
		made := *a
		switch x := a.Value.(type) {
		case *program.Call:
			if identOf(x.Fun) == a.Type && len(x.Template) == 0 {
				call := *x
				t, call.Args = c.deduced(t, x.Args, x.Span)
				made.Value = &call
			}
		case *program.List:
			list := *x
			t, list.Elems = c.deduced(t, x.Elems, x.Span)
			made.Value = &list
		}
		a = &made
	}
	if t.closure != nil || automatic {
		return &variable{t: t, reg: -1, lost: true}
	}
	unknown := t.opaque
	for k := len(a.Dims) - 1; k >= 0; k-- {
		n, known := int64(-1), true
		if a.Dims[k] != nil {
			n, known = c.constant(a.Dims[k])
		}
		_, list := a.Value.(*program.List)
		if unknown && (!known || a.Value != nil && !list) && !c.namesKind(a.Type) { // FIRST row[i] = 0; with a macro that is not known: an array is not declared so (C++17 [dcl.array], [dcl.init])
			c.refuse(limit.Source, "%s stands before an element of %s", a.Type, name)
		}
		if !known {
			n = -1
		}
		t = arrayOf(t, n)
	}
	if t.array {
		of := c.originOf(name)
		v := &variable{t: t, reg: -1, lost: c.varies(name), origin: of}
		if placed(t) && (v.lost || c.own.memory[of]) {
			v = c.inMemory(name, t)
		}
		if a.Value == nil && !v.lost && t.to.class != nil && t.extent > 0 {
			for k := range min(t.extent, maxUnroll) {
				c.begin(c.elementOf(c.placeOf(v), value{t: intType, op: constant(k)}))
			}
		}
		if list, is := a.Value.(*program.List); is && !v.lost && !t.to.array {
			for k := range min(max(t.extent, int64(len(list.Elems))), maxUnroll) {
				at := c.elementOf(c.placeOf(v), value{t: intType, op: constant(k)})
				if int(k) < len(list.Elems) {
					c.store(at, c.elementValue(list.Elems[k], t.to))
				} else if t.to.scalarLike() {
					c.store(at, c.convert(value{t: intType, op: constant(0)}, t.to))
				}
			}
		} else if is {
			for _, e := range list.Elems {
				if _, nested := e.(*program.List); !nested {
					c.value(e)
				}
			}
		}
		return v
	}
	switch x := a.Value.(type) {
	case nil:
		if t.class == nil {
			return c.new(name, t)
		}
		v := c.local(name, t)
		if t.class != nil && t.fields != nil {
			c.construct(v, nil, &program.Name{Place: a.Place, Ident: name})
		}
		return v
	case *program.List:
		if t.class == nil {
			v := c.new(name, t)
			c.put(v, c.initial(t, x))
			return v
		}
		v := c.local(name, t)
		if t.class != nil && t.fields != nil && !slices.ContainsFunc(x.Elems, isList) {
			c.construct(v, x.Elems, x)
			return v
		}
		c.set(v, c.initial(t, x))
		return v
	case *program.Call:
		if id, is := x.Fun.(*program.Name); is && t.class != nil && t.fields != nil && (id.Ident == a.Type || id.Ident == t.class.Name) {
			v := c.local(name, t)
			c.construct(v, x.Args, x)
			return v
		}
	}
	return c.copy(name, t, c.beginning(a.Value, t))
}

// beginning is the value that a variable begins with.
func (c *compiler) beginning(x program.Expr, t *ctype) value {
	if t.scalarLike() {
		if v, is := c.converted(x, "", t); is {
			return v
		}
	}
	return c.value(x)
}

// converted is what the conversion function of a named object in memory gives for a type, where the object's class has no such operator itself. The object is not read for it
// (C++17 [over.match.conv]).
func (c *compiler) converted(x program.Expr, op string, t *ctype) (value, bool) {
	id, is := x.(*program.Name)
	if !is {
		return value{}, false
	}
	of := c.lookup(id.Ident)
	if of == nil || of.memory == nil || of.t.class == nil || of.t.class.Enum {
		return value{}, false
	}
	if list, _ := c.methods(of.t, func(m *program.Function) bool { return op != "" && m.Operator == op }); len(list) > 0 {
		return value{}, false
	}
	return c.byConversion(c.unread(c.placeOf(of)), t)
}

// namedByReference is the name that T(&name)[N]... = x declares, which the grammar takes for an assignment where it does not know that T is a type (C++17 [stmt.ambig]);
// "" where it is one.
func (c *compiler) namedByReference(target program.Expr) string {
	rows := 0
	for {
		x, is := target.(*program.Index)
		if !is {
			break
		}
		target, rows = x.X, rows+1
	}
	call, is := target.(*program.Call)
	if !is || rows == 0 || len(call.Args) != 1 {
		return ""
	}
	of, named := call.Fun.(*program.Name)
	at, is := call.Args[0].(*program.Unary)
	if !named || !is || at.Op != "&" || c.lookup(of.Ident) != nil || len(c.functions[of.Ident]) > 0 || c.typeOf(of.Ident) == nil {
		return ""
	}
	return identOf(at.X)
}

// copy is a new variable that is made of a value: by the class's constructor for copies where it has one and the value is of an object.
func (c *compiler) copy(name string, t *ctype, v value) *variable {
	if t.class == nil || t.fields == nil || v.t != t || v.at == nil {
		if v.t != t && t.fields != nil {
			if made, is := c.implicitly(v, t); is {
				v = made
			}
		}
		return c.holding(name, t, v)
	}
	list, _ := c.methods(t, func(m *program.Function) bool {
		return m.Name == t.class.Name && c.copies(m, t)
	})
	if len(list) == 0 {
		return c.holding(name, t, v)
	}
	out := c.local(name, t)
	call := &program.Call{Place: program.Place{Span: c.at}, Fun: &program.Name{Place: program.Place{Span: c.at}, Ident: t.class.Name}}
	c.inline(list[0], call, []value{v}, &place{t: t, object: out}, nil, false)
	return out
}

// copies reports whether a constructor of a class is one that copies objects of it: a template is none (C++17 [class.copy.ctor]/1).
func (c *compiler) copies(m *program.Function, t *ctype) bool {
	own := len(m.Template)
	if c.outOfLine(m, t.class) {
		own -= len(t.class.Template)
	}
	if own > 0 || len(m.Params) == 0 || !takes(m, 1) {
		return false
	}
	s := c.spelled(m.Params[0].Type)
	return s.reference && len(s.path) > 0 && s.path[len(s.path)-1].name == t.class.Name
}

// copiedFrom reports whether an object is made as a copy of its one argument without a constructor of its class, which it then is; else it gives the
// argument another name, by which it is evaluated once.
func (c *compiler) copiedFrom(at *place, list []*program.Function, args []program.Expr) ([]program.Expr, bool) {
	if len(args) != 1 || isList(args[0]) || slices.ContainsFunc(list, func(m *program.Function) bool { return c.copies(m, at.t) }) {
		return args, false
	}
	v := c.reference(args[0])
	if v.t == at.t || v.t != nil && derives(v.t, at.t, 0) {
		if v.t != at.t {
			from := c.baseOf(c.kept(v), at.t)
			v = c.unread(from)
		}
		c.store(at, c.loaded(v))
		return nil, true
	}
	if quiet(args[0]) {
		return args, false
	}
	name := fmt.Sprintf("made of %d", args[0].Where().Start)
	c.scope.names[name] = c.argument(program.Param{Type: "auto&", Ref: true}, v)
	return []program.Expr{&program.Name{Place: program.Place{Span: args[0].Where()}, Ident: name}}, false
}

// declaredAs is the name that a declaration gives: in the text of a macro, for a parameter, that which its use has for it.
func (c *compiler) declaredAs(name string) string { return cmp.Or(c.scope.fn.renames[name], name) }

// holding is a new variable that holds a value.
func (c *compiler) holding(name string, t *ctype, v value) *variable {
	bytes := c.rowOf(v)
	out := c.variableFor(name, t, v)
	if bytes > 0 && out.reg >= 0 && c.steady(name) {
		out.row = bytes
	}
	return out
}

// variableFor is a new variable that holds a value.
func (c *compiler) variableFor(name string, t *ctype, v value) *variable {
	v = c.loaded(v)
	if v.closure != nil {
		return &variable{t: v.t, reg: -1}
	}
	if v.function != nil && !c.reassigned(name) {
		return &variable{t: v.t, reg: -1, function: v.function.Ident, given: v.function}
	}
	v = c.numbered(v)
	if v.t.array && v.at != nil {
		v = c.decayed(v)
		if !t.pointer() {
			t = v.t
		}
	}
	switch {
	case t.opaque && t.fields == nil && v.input != "":
		return &variable{t: t, reg: -1, input: v.input}
	case t.opaque && t.fields == nil && !v.t.opaque && v.t != voidType: // what it is given is the best guess
		t = v.t
	}
	if v.address != nil && c.reassigned(name) {
		c.escape(v.address)
		t = pointerTo(v.address.t, ir.Generic)
		v = c.unknown(t)
	}
	if v.address != nil {
		return &variable{t: t, reg: -1, points: v.address}
	}
	if t.pointer() && v.t.pointer() {
		to := t.to
		if to.opaque && to.class == nil && v.t.to.room != noRoom {
			to = v.t.to
		}
		direct := v.t.direct && to == v.t.to && !c.reassigned(name)
		t = pointerTo(to, v.t.space)
		t.direct = direct
	}
	out := c.new(name, t)
	if v = c.convert(v, t); v.t.scalarLike() || v.parts != nil {
		c.put(out, v)
	}
	return out
}

// varies reports whether an array is used otherwise than by constant indices in the function that is translated.
func (c *compiler) varies(name string) bool {
	uses, constant := 0, 0
	for _, st := range c.scope.fn.fn.Body {
		program.Walk(st, func(n program.Node) bool {
			switch e := n.(type) {
			case *program.For:
				if id, ok := e.Iter.(*program.Name); ok && id.Ident == name { // it goes over its elements one by one
					constant++
				}
			case *program.Name:
				if e.Ident == name {
					uses++
				}
			case *program.Index:
				if id, ok := e.X.(*program.Name); ok && id.Ident == name && len(e.Args) == 1 {
					if _, known := c.constant(e.Args[0]); known {
						constant++
					}
				}
			}
			return true
		})
	}
	return uses != constant
}

// namesKind reports whether what stands before a name is a type for sure, of which more may not be known: an alias, a parameter of a template, one of a class or of a namespace.
func (c *compiler) namesKind(text string) bool {
	path := c.spelled(text).path
	if len(path) != 1 {
		return len(path) > 1
	}
	for s := c.scope; s != nil; s = s.outer {
		if s.kinds[path[0].name] != nil || s.aliases[path[0].name] != nil {
			return true
		}
	}
	a, _ := c.aliasOf(path[0], nil)
	return a != nil || path[0].given
}
