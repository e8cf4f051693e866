package cuda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

const computes = dialect.Computes

// call translates a call: an operation of CUDA, a function in place, or one that is known to compute and no more. Of any other one nothing is
// known: it may do anything to what it is handed, and synchronize.
func (c *compiler) call(x *program.Call) value {
	asPlace := c.asPlace
	c.asPlace = false
	switch fun := x.Fun.(type) {
	case *program.Name:
		return c.named1(strings.TrimPrefix(fun.Ident, "::"), x, asPlace)
	case *program.Attr:
		return c.method(x, fun, asPlace)
	case *program.Lambda:
		return c.applied(c.expr(fun), x, asPlace)
	case *program.Call:
		return c.applied(c.loaded(c.reference(fun)), x, asPlace)
	}
	return c.opaqueCall("what is no name", x)
}

// named1 translates a call by a name.
func (c *compiler) named1(name string, x *program.Call, asPlace bool) value {
	if v := c.scope.find(name); v != nil && v.function != "" {
		call := *x
		call.Fun = &program.Name{Place: program.Place{Span: x.Fun.Where()}, Ident: v.function}
		if id, is := v.given.(*program.Name); is && len(call.Template) == 0 {
			call.Template = id.Template
		}
		return c.named1(v.function, &call, asPlace)
	}
	if v := c.scope.find(name); v != nil && v.macro == nil {
		at := c.placeOf(v)
		if at.t != nil && (at.t.closure != nil || at.t.class != nil) {
			return c.applied(value{t: at.t, at: at, closure: at.t.closure}, x, asPlace)
		}
	}
	if v, is := c.builtin(name, x); is {
		return v
	}
	if v, is := c.inClass(name, x, asPlace); is {
		return v
	}
	if c.ignores(name) {
		return value{t: voidType, op: ir.None}
	}
	if fn, args := c.callee(name, x); fn != nil {
		return c.inline(fn, x, args, nil, nil, asPlace)
	}
	if t := c.typeOfExpr(&program.Name{Place: program.Place{Span: x.Span}, Ident: name, Template: x.Template}); t != nil {
		return c.constructed(t, x)
	}
	if op, is := c.table.Call(x, func(program.Expr) string { return "" }); is {
		return c.operation(&op, x)
	}
	switch effect := c.effectOf(name); {
	case effect == computes:
		return c.computed(name, x)
	case effect == dialect.Readdresses && len(x.Args) > 0:
		return c.decayed(c.loaded(c.expr(x.Args[0])))
	}
	return c.opaqueCall(name, x)
}

// lastName is a name without its scopes.
func lastName(name string) string {
	_, last := splitScope(name)
	return last
}

// effectOf is what a function of a library may do, whatever its template arguments.
func (c *compiler) effectOf(name string) dialect.Effect {
	var words []string
	for _, s := range c.spelled(name).path {
		words = append(words, s.name)
	}
	return c.table.Effect(strings.Join(words, "::"), c.file.Opened)
}

// ignores reports whether a name is a macro of any number of arguments whose text calls nothing: one that says that they are not used.
func (c *compiler) ignores(name string) bool {
	list := c.functions[name]
	if len(list) == 0 {
		return false
	}
	for _, fn := range list {
		if !fn.Macro || len(fn.Params) == 0 || fn.Params[len(fn.Params)-1].Star == 0 || slices.ContainsFunc(fn.Body, holdsCalls) {
			return false
		}
	}
	return true
}

// opaqueCall is a call of which nothing is known.
func (c *compiler) opaqueCall(name string, x *program.Call) value {
	shared := false
	for _, a := range x.Args {
		if isList(a) {
			continue
		}
		why, hard, done := c.attempted(func() { shared = c.mayLeadToShared(c.reference(a)) || shared })
		if hard {
			c.halt("%s", why)
		}
		shared = shared || !done
	}
	for _, a := range x.Args {
		c.handed(a)
	}
	if m, is := x.Fun.(*program.Attr); is {
		c.forget(m.X)
	}
	switch c.effectOf(name) {
	case dialect.Touches, dialect.Assigns, dialect.Readdresses:
		if shared {
			c.outside(fmt.Sprintf("%s accesses what it is handed", name), 0)
		}
	default:
		c.outside(fmt.Sprintf("call of %s, whose body is not found", name), ir.MayMeet)
	}
	return value{t: opaqueType(""), op: ir.Operand{Reg: c.nothing}}
}

// mayLeadToShared reports whether shared memory may be accessed by way of a value.
func (c *compiler) mayLeadToShared(v value) bool {
	apart := func(s ir.Space) bool { return s == ir.Global || s == ir.Const || s == ir.Param || s == ir.Local }
	switch {
	case v.at != nil && v.at.memory != nil:
		return v.at.memory.lost || !apart(v.at.memory.space) || v.t.pointer() || v.t.fields != nil
	case v.address != nil:
		return false
	case v.t.pointer():
		return !apart(v.t.space)
	case v.input != "" || v.t.scalarLike():
		return false
	}
	for _, p := range v.parts {
		if c.mayLeadToShared(p) {
			return true
		}
	}
	return v.parts == nil && !v.t.array && v.t != voidType
}

// applied calls an object: a lambda, or one of a class that has the operator.
func (c *compiler) applied(f value, x *program.Call, asPlace bool) value {
	if f.closure != nil {
		return c.inline(f.closure.fn, x, nil, nil, f.closure.scope, asPlace)
	}
	if v, is := c.operator("()", f, x, x.Args, asPlace); is {
		return v
	}
	return c.opaqueCall("an object", x)
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

// inClass translates a call of a method by its name alone, or of a static one by the name of its class.
func (c *compiler) inClass(name string, x *program.Call, asPlace bool) (value, bool) {
	var of *ctype
	var this *place
	path := c.spelled(name).path
	if len(path) == 0 {
		return value{}, false
	}
	last := path[len(path)-1].name
	if len(path) > 1 {
		if of = c.named(path[:len(path)-1]); of == nil || of.class == nil {
			return value{}, false
		}
		if v := c.scope.find("this"); v != nil && v.alias != nil && v.alias.t == of { // Class::method() of this object
			this = v.alias
		}
		if v := c.static(of, last); v != nil {
			return value{}, false
		}
	} else {
		for s := c.scope; s != nil && of == nil; s = s.outer {
			of = s.instance
		}
		if of == nil {
			return value{}, false
		}
		if v := c.scope.find("this"); v != nil {
			this = v.alias
		}
	}
	list, base := c.methods(of, func(m *program.Function) bool { return m.Name == last && m.Name != of.class.Name })
	if len(list) == 0 {
		return value{}, false
	}
	fn, args := c.chosen(name, list, x)
	if fn == nil {
		return value{}, false
	}
	if this != nil {
		this = c.baseOf(this, base)
	} else {
		this = nowhere(base) // a static one has none
		this.array.t = base
	}
	return c.inline(fn, x, args, this, nil, asPlace), true
}

// callee is the function that a call names; nil if there is none.
func (c *compiler) callee(name string, x *program.Call) (*program.Function, []value) {
	path := c.spelled(name).path
	if len(path) == 0 {
		return nil, nil
	}
	var list []*program.Function
	for _, fn := range c.functions[path[len(path)-1].name] {
		if !fn.Kernel && fn.Class == nil && (len(path) == 1 || ends(fn.Qualified, path)) {
			list = append(list, fn)
		}
	}
	return c.chosen(name, list, x)
}

// chosen is the one of several functions that the arguments of a call fit best (C++17 [over.match], as far as types are known here), and the
// arguments, where they had to be evaluated for that.
func (c *compiler) chosen(name string, list []*program.Function, x *program.Call) (*program.Function, []value) {
	list = slices.DeleteFunc(slices.Clone(list), func(fn *program.Function) bool { return !takes(fn, len(x.Args)) })
	switch len(list) {
	case 0:
		return nil, nil
	case 1:
		return list[0], nil
	}
	args := make([]value, len(x.Args))
	for k, a := range x.Args {
		if _, is := a.(*program.List); is {
			c.refuse("call of %s, of which there are several, with a list", name)
		}
		args[k] = c.reference(a)
	}
	var best *program.Function
	least, same := 1<<30, false
	for _, fn := range list {
		n, fits := c.distance(fn, args)
		switch {
		case !fits:
		case n < least:
			best, least, same = fn, n, false
		case n == least && c.alike(fn, best):
			if len(fn.Params) > 0 && len(best.Params) > 0 && len(fn.Params[0].Type) < len(best.Params[0].Type) { // what may be assigned to is preferred to const
				best = fn
			}
		case n == least:
			same = true
		}
	}
	switch {
	case best == nil:
		c.refuse("call of %s, of which there are several", name)
	case same && slices.ContainsFunc(args, func(v value) bool { return v.t.opaque }):
		c.unsure("which of several %s is called, is not known", name)
	case same:
		c.refuse("call of %s, of which there are several", name)
	}
	return best, args
}

// takes reports whether a function may be called with so many arguments.
func takes(fn *program.Function, args int) bool {
	least := 0
	for _, p := range fn.Params {
		if p.Star > 0 {
			return false
		}
		if p.Default == nil {
			least++
		}
	}
	return args >= least && args <= len(fn.Params)
}

// alike reports whether two functions have parameters that are the same here: one under several conditions of the preprocessor, one that may
// assign and one that may not, one for each of the formats of so many bits.
func (c *compiler) alike(a, b *program.Function) bool {
	return len(a.Template) == len(b.Template) && slices.EqualFunc(a.Params, b.Params, func(p, q program.Param) bool {
		s, t := c.typeOf(p.Type), c.typeOf(q.Type)
		return p.Type == q.Type || s != nil && t != nil && s.key() == t.key()
	})
}

// distance says how far the types of arguments are from those of parameters; fits is false where they are none of them.
func (c *compiler) distance(fn *program.Function, args []value) (far int, fits bool) {
	templates := map[string]bool{}
	for _, p := range fn.Template {
		templates[p.Name] = p.Type == "typename"
	}
	for k, v := range args {
		s := c.spelled(fn.Params[k].Type)
		if len(s.path) == 1 && templates[s.path[0].name] {
			far += 2
			if s.stars > 0 && !v.t.pointer() && !v.t.array {
				return 0, false
			}
			continue
		}
		t := c.typeOf(fn.Params[k].Type)
		switch {
		case t == nil || t.opaque || v.t.opaque:
			far += 3
		case t.pointer() != (v.t.pointer() || v.t.array):
			if t.pointer() && v.op.Reg == -1 && v.op.Imm == 0 && v.t.integer() {
				far += 4
				continue
			}
			return 0, false
		case t.pointer():
			if t.to.key() != v.t.to.key() {
				if t.to != voidType && !v.t.to.opaque {
					return 0, false
				}
				far += 2
			}
		case t.class != v.t.class || (t.fields != nil) != (v.t.fields != nil) || t.fields != nil && t.name != v.t.name:
			return 0, false
		case t.fields != nil && t != v.t:
			return 0, false
		case t.fields == nil && t.key() != v.t.key():
			far++
			if t.data() != v.t.data() {
				far++
			}
		}
	}
	return far, true
}

func (t *ctype) key() string { a := argument{t: t}; return a.key() }

// inline translates a function in place of its call.
func (c *compiler) inline(fn *program.Function, x *program.Call, given []value, this *place, around *scope, asPlace bool) value {
	if c.depth++; c.depth > maxInline {
		c.refuse("calls within each other more than %d deep", maxInline)
	}
	defer func() { c.depth-- }()
	args := make([]value, len(fn.Params))
	for k, p := range fn.Params {
		switch {
		case k < len(given):
			args[k] = given[k]
			if !p.Ref && !c.spelled(p.Type).reference {
				args[k] = c.loaded(args[k])
			}
		case k < len(x.Args):
			if list, is := x.Args[k].(*program.List); is {
				args[k] = c.initial(c.typeOr(p.Type), list)
			} else if fn.Macro && !quiet(x.Args[k]) {
				args[k] = value{} // its text is evaluated where the macro has it
			} else if p.Ref || c.spelled(p.Type).reference {
				args[k] = c.reference(x.Args[k])
			} else {
				args[k] = c.expr(x.Args[k])
			}
		case p.Default != nil:
			args[k] = c.expr(p.Default)
		}
	}
	templates := x.Template
	if n, is := x.Fun.(*program.Name); is && len(templates) == 0 {
		templates = n.Template
	}
	list := make([]argument, len(templates))
	for k, g := range templates { // they belong to the caller
		list[k] = c.argumentOf(g)
	}
	before, src, at := c.scope, c.src, c.at
	if in := c.of[fn]; in != nil && in != c.src {
		if c.src == c.file {
			c.outer = c.at
		}
		c.src, c.placed = in, false
	}
	outer := around
	switch {
	case outer != nil:
	case fn.Macro:
		outer = before
	case this != nil && this.t.env != nil:
		outer = this.t.env
	default:
		for outer = before; outer.outer != nil; {
			outer = outer.outer
		}
	}
	c.scope = newScope(outer)
	c.scope.fn = &activation{fn: fn, end: c.label(), outermost: c.scope}
	if this != nil {
		c.scope.fn.instance = this.t.instanceName()
	}
	defer func() { c.scope, c.src, c.at, c.placed = before, src, at, false }()
	if fn.Macro {
		c.scope.fn.breaks, c.scope.fn.nexts, c.scope.fn.loops = before.fn.breaks, before.fn.nexts, before.fn.loops
	}
	c.templates(fn, list, args, this)
	if this != nil && this.array == nil {
		c.scope.names["this"] = &variable{t: this.t, reg: -1, alias: this}
		for _, f := range this.t.fields {
			c.scope.names[f.name] = &variable{t: f.t, reg: -1, alias: c.memberOf(this, f.name)}
		}
	}
	for k, p := range fn.Params {
		switch {
		case p.Name == "":
		case fn.Macro && args[k].t != nil && declares(fn, x.Args[k]):
			c.refuse("a macro declares a name that its argument has")
		case fn.Macro && args[k].t == nil && k < len(x.Args):
			c.scope.names[p.Name] = &variable{t: intType, reg: -1, macro: x.Args[k]}
		case args[k].t != nil:
			c.scope.names[p.Name] = c.argument(p, args[k])
		}
	}
	act := c.scope.fn
	if fn.Macro {
		return c.expand(fn, asPlace)
	}
	result := c.spelled(fn.Result)
	if fn.Result != "void" && fn.Result != "" {
		t := c.typeOf(fn.Result)
		act.result = &variable{reg: -1}
		if t != nil && !t.pointer() && !result.reference && !t.opaque {
			*act.result = *c.local("%r", t)
		}
	}
	act.reference = result.reference
	c.body(fn.Body)
	c.bind(act.end)
	if act.result == nil || act.result.t == nil {
		return value{t: voidType, op: ir.None}
	}
	out := c.placeOf(act.result)
	if act.result.alias != nil {
		v := value{t: out.t, at: out, op: ir.Operand{Reg: c.nothing}, unread: true}
		if asPlace {
			return v
		}
		return c.loaded(v)
	}
	return c.load(out)
}

// instanceName tells the instances of a class template apart, for the shared memory of their methods.
func (t *ctype) instanceName() string {
	if len(t.args) == 0 {
		return ""
	}
	return fmt.Sprintf("%p ", t)
}

// declares reports whether the text of a macro declares a name of an expression.
func declares(fn *program.Function, x program.Expr) (yes bool) {
	names := map[string]bool{}
	program.WalkStmts(fn.Body, func(st program.Stmt) bool {
		if a, is := st.(*program.Assign); is && a.Decl {
			for _, t := range a.Targets {
				if id, ok := t.(*program.Name); ok {
					names[id.Ident] = true
				}
			}
		}
		return true
	})
	program.WalkExprs(x, func(e program.Expr) bool {
		if id, ok := e.(*program.Name); ok {
			yes = yes || names[id.Ident]
		}
		return true
	})
	return yes
}

// expand translates the text of a macro where it is used: what it returns is its value.
func (c *compiler) expand(fn *program.Function, asPlace bool) value {
	out := value{t: voidType, op: ir.None}
	for k, st := range fn.Body {
		if r, is := st.(*program.Return); is && k == len(fn.Body)-1 && r.Value != nil {
			if _, either := r.Value.(*program.Cond); either {
				return c.expr(r.Value)
			}
			if asPlace {
				return c.reference(r.Value)
			}
			return c.expr(r.Value)
		} else if is {
			c.refuse("a macro that returns")
		}
		c.statement(st)
	}
	return out
}

// templates binds the parameters of a function's template: what the call says, else what its arguments say, else their defaults.
func (c *compiler) templates(fn *program.Function, given []argument, args []value, this *place) {
	own := fn.Template
	if this != nil && this.t.class != nil && c.outOfLine(fn, this.t.class) { // those of the class come first
		n := min(len(this.t.class.Template), len(own), len(this.t.args))
		for k, p := range own[:n] {
			c.bound(p, this.t.args[k])
		}
		own = own[n:]
	}
	if len(own) == 0 {
		return
	}
	deduced := map[string]argument{}
	for k, p := range fn.Params {
		if k < len(args) && args[k].t != nil {
			c.deduce(own, c.spelled(p.Type), args[k].t, deduced)
		}
	}
	for k, p := range own {
		if p.Star > 0 {
			continue
		}
		a := argument{}
		switch d, is := deduced[p.Name]; {
		case k < len(given) && given[k] != (argument{}):
			a = given[k]
		case is:
			a = d
		case p.Default != nil:
			a = c.argumentOf(p.Default)
		}
		c.templateParameter(fn, p, a)
	}
}

// templateParameter declares a parameter of a function's template. What the kernel is launched with, and no launch of the file says, is guessed.
func (c *compiler) templateParameter(fn *program.Function, p program.Param, a argument) {
	key := a.key()
	switch {
	case p.Type == "typename":
		if a.t == nil && fn.Kernel {
			if a.t = realType; c.counts(fn, p.Name) {
				a.t = intType
				c.assume(p.Name + " is int")
			} else {
				c.assume(p.Name + " is float")
			}
		}
		if a.t == nil {
			a.t = opaqueType(p.Name)
		}
		c.scope.kinds[p.Name] = a.t
		key = a.key()
	default:
		t := c.typeOf(p.Type)
		if t == nil || !t.integer() {
			t = intType
		}
		n := c.guess
		switch {
		case a.number != nil:
			n = *a.number
		case fn.Kernel && !t.boolean && t.class == nil: // whoever launches it says so
			c.guessed = true
			c.code.Guesses = append(c.code.Guesses, p.Name)
			c.assume(fmt.Sprintf("%s is %d", p.Name, n))
		default:
			name := a.text
			if name == "" {
				name = p.Name
			}
			if a.text != "" && len(c.functions[lastName(a.text)]) > 0 {
				c.scope.names[p.Name] = &variable{t: opaqueType(""), reg: -1, function: a.text, given: a.x}
				c.scope.fn.instance += name + ","
				return
			}
			c.scope.names[p.Name] = &variable{t: opaqueType(""), reg: -1, input: name}
			c.scope.fn.instance += name + ","
			return
		}
		key = fmt.Sprint(n)
		c.scope.names[p.Name] = &variable{t: t, reg: -1, number: &n}
	}
	c.scope.fn.instance += key + ","
}

// counts reports whether objects of a template's type are indices, or bound loops: it is an integer type.
func (c *compiler) counts(fn *program.Function, kind string) (yes bool) {
	names := map[string]bool{}
	note := func(name, text string) {
		if s := c.spelled(text); len(s.path) == 1 && s.path[0].name == kind && s.stars == 0 {
			names[name] = true
		}
	}
	for _, p := range fn.Params {
		note(p.Name, p.Type)
	}
	program.WalkStmts(fn.Body, func(st program.Stmt) bool {
		if a, is := st.(*program.Assign); is && a.Decl && len(a.Dims) == 0 && !a.Shared {
			for _, t := range a.Targets {
				if id, is := t.(*program.Name); is {
					note(id.Ident, a.Type)
				}
			}
		}
		return true
	})
	used := func(x program.Expr) {
		if x == nil {
			return
		}
		program.WalkExprs(x, func(e program.Expr) bool {
			id, is := e.(*program.Name)
			yes = yes || is && names[id.Ident]
			return true
		})
	}
	if len(names) == 0 {
		return false
	}
	program.WalkStmts(fn.Body, func(st program.Stmt) bool {
		switch st := st.(type) {
		case *program.For:
			used(st.Cond)
		case *program.While:
			used(st.Cond)
		}
		return true
	})
	for _, st := range fn.Body {
		program.WalkExprs(st, func(e program.Expr) bool {
			if x, is := e.(*program.Index); is {
				for _, a := range x.Args {
					used(a)
				}
			}
			return true
		})
	}
	return yes
}

// outOfLine reports whether a method is defined outside of its class; where that is a template, with the template's parameters before its own.
func (c *compiler) outOfLine(fn *program.Function, class *program.Class) bool {
	return fn.Span.Start < class.Span.Start || fn.Span.End > class.Span.End || c.of[fn] != c.in[class]
}

// deduce finds what a type says of a template's parameters: T, T*, Vec<T, N>.
func (c *compiler) deduce(own []program.Param, s *spelling, t *ctype, out map[string]argument) {
	for range s.stars {
		if t.to == nil {
			return
		}
		t = t.to
	}
	if len(s.path) == 0 || t.array && s.stars > 0 {
		return
	}
	if t.array {
		t = pointerTo(t.to, ir.Generic)
	}
	last := s.path[len(s.path)-1]
	find := func(name string) (program.Param, bool) {
		k := slices.IndexFunc(own, func(p program.Param) bool { return p.Name == name })
		if k < 0 {
			return program.Param{}, false
		}
		_, again := out[name]
		return own[k], !again
	}
	if !last.given {
		if p, is := find(last.name); is && len(s.path) == 1 && p.Type == "typename" && !t.opaque {
			out[p.Name] = argument{t: t}
		}
		return
	}
	if t.class == nil || t.class.Name != last.name {
		return
	}
	for k, text := range last.args {
		if k >= len(t.args) {
			return
		}
		if p, is := find(text); is {
			out[p.Name] = t.args[k]
		} else if t.args[k].t != nil {
			c.deduce(own, c.spelled(text), t.args[k].t, out)
		}
	}
}

// argument is a parameter of a function that is translated in place.
func (c *compiler) argument(p program.Param, v value) *variable {
	s := c.spelled(p.Type)
	t := c.typeOf(p.Type)
	if s.reference || p.Ref {
		if v.at != nil {
			at := v.at
			if t != nil && !t.opaque && at.memory != nil && at.t.opaque {
				at = &place{t: t, memory: at.memory}
			}
			return &variable{t: at.t, reg: -1, alias: at}
		}
		if t == nil || t.opaque {
			t = v.t
		}
		return c.holding(p.Name, t, v)
	}
	if t == nil || t.opaque {
		t = v.t
		if s.stars > 0 && !v.t.pointer() && !v.t.array && v.address == nil {
			t = c.typeOr(p.Type)
		}
	}
	return c.copy(p.Name, t, v)
}

// method translates a call of a method: of a group of threads, or of an object whose class is known.
func (c *compiler) method(x *program.Call, fun *program.Attr, asPlace bool) value {
	var of *place
	switch id, named := fun.X.(*program.Name); {
	case fun.Arrow && named && id.Ident == "this":
		v := c.scope.find("this")
		if v == nil {
			return c.opaqueCall(fun.Name, x)
		}
		of = c.placeOf(v)
	case fun.Arrow:
		v := c.loaded(c.value(fun.X))
		if v.t.class != nil && !v.t.class.Enum {
			if p, is := c.operator("->", v, fun.X, nil, false); is {
				v = p
			}
		}
		of = c.pointee(v)
	case named && c.lookup(id.Ident) == nil && c.typeOf(id.Ident) != nil: // Type.method does not exist: a static one by a type alias
		return c.named1(id.Ident+"::"+fun.Name, x, asPlace)
	default:
		of = c.objectOf(fun.X)
	}
	if of.t.groups != 0 {
		return c.group(of.t, fun.Name, x)
	}
	if of.t.class == nil {
		return c.opaqueCall(fun.Name+", a method of an object of which nothing is known", x)
	}
	list, base := c.methods(of.t, func(m *program.Function) bool { return m.Name == fun.Name })
	fn, args := c.chosen(fun.Name, list, x)
	if fn == nil {
		return c.opaqueCall(fun.Name, x)
	}
	return c.inline(fn, x, args, c.baseOf(of, base), nil, asPlace)
}

// constructed is T(x) and T{x}.
func (c *compiler) constructed(t *ctype, x *program.Call) value {
	switch {
	case t.scalarLike() && len(x.Args) == 0:
		return c.convert(value{t: intType, op: constant(0)}, t)
	case t.scalarLike() && len(x.Args) == 1:
		return c.convert(c.expr(x.Args[0]), t)
	case t.fields != nil:
		v := c.local("%n", t)
		c.construct(v, x.Args, x)
		return c.load(&place{t: t, object: v})
	}
	return c.opaqueCall(t.name, x)
}

// construct initialises an object: by a constructor, or its members in order.
func (c *compiler) construct(v *variable, args []program.Expr, at program.Expr) {
	t := v.t
	if t.class != nil {
		list, _ := c.methods(t, func(m *program.Function) bool { return m.Name == t.class.Name && m.Class == t.class })
		call := &program.Call{Place: program.Place{Span: at.Where()}, Fun: &program.Name{Place: program.Place{Span: at.Where()}, Ident: t.class.Name}, Args: args}
		if len(list) > 0 {
			fn, values := c.chosen(t.class.Name, list, call)
			if fn != nil {
				c.inline(fn, call, values, &place{t: t, object: v}, nil, false)
				return
			}
		}
	}
	switch {
	case len(args) == 1 && len(t.fields) != 1:
		if from := c.expr(args[0]); from.parts != nil {
			c.set(v, from)
			return
		}
		c.set(v, c.unknown(t))
	case len(args) > 0:
		c.set(v, c.initial(t, &program.List{Place: program.Place{Span: at.Where()}, Elems: args}))
	}
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

// computed is a call of a function of which is known that it computes its result from its arguments.
func (c *compiler) computed(name string, x *program.Call) value {
	last := name
	if i := strings.LastIndex(name, "::"); i >= 0 {
		last = name[i+2:]
	}
	switch last {
	case "printf", "assert", "__builtin_assume", "static_assert", "__builtin_expect", "__assertfail", "__builtin_unreachable":
		if last == "__builtin_expect" && len(x.Args) > 0 {
			return c.expr(x.Args[0])
		}
		return value{t: voidType, op: ir.None}
	}
	var args []value
	for _, a := range x.Args {
		v := c.value(a)
		if v.address != nil || v.t.pointer() && v.t.space != ir.Global || v.t.array {
			return c.opaqueCall(name, x)
		}
		args = append(args, v)
	}
	if t := vectors[strings.TrimPrefix(last, "make_")]; t != nil && strings.HasPrefix(last, "make_") {
		return c.made(t, x.Args)
	}
	t := results[last]
	if t == nil {
		t = realType
		if len(args) > 0 && args[0].t.scalarLike() && !args[0].t.pointer() {
			t = args[0].t
			for _, a := range args {
				if a.t.data() && (!t.data() || a.t.number.Bits > t.number.Bits) {
					t = a.t
				}
			}
		}
	}
	switch last {
	case "clock", "clock64":
		return c.unknown(t)
	}
	if path := c.spelled(name).path; len(path) > 1 && path[len(path)-2].name == "numeric_limits" {
		if of := path[len(path)-2]; len(of.args) == 1 {
			if t = c.typeOf(of.args[0]); t == nil || !t.scalarLike() {
				t = realType
			}
			if t.integer() {
				return c.as(name, t)
			}
		}
		return value{t: t, op: constant(c.literal(name))}
	}
	return c.apply(last, t, args...)
}
