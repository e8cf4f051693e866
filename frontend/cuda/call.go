package cuda

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

const computes = dialect.Computes

// call translates a call: an operation of CUDA, a function in place, or one that is known to compute and no more. Of any other one nothing is
// known: it may do anything to what it is handed, and synchronize.
func (c *compiler) call(x *program.Call) value {
	asPlace := c.asPlace
	c.asPlace = false
	if at, is := c.elementApart(x); is {
		return c.unread(at)
	}
	if args := c.spread(x.Args); len(args) != len(x.Args) || len(args) > 0 && &args[0] != &x.Args[0] {
		call := *x
		call.Args = args
		x = &call
	}
	if len(x.Launch) > 0 {
		return c.childLaunch(x)
	}
	switch fun := x.Fun.(type) {
	case *program.Name:
		return c.callNamed(strings.TrimPrefix(fun.Ident, "::"), x, asPlace)
	case *program.Attr:
		return c.method(x, fun, asPlace)
	case *program.Lambda:
		return c.applied(c.expr(fun), x, asPlace)
	case *program.Unary: // (*f)(x)
		if id, named := fun.X.(*program.Name); fun.Op == "*" && named {
			return c.callNamed(id.Ident, x, asPlace)
		} else if fun.Op == "*" {
			return c.calledThrough(c.loaded(c.value(fun.X)), x, asPlace)
		}
	case *program.Call:
		return c.applied(c.loaded(c.reference(fun)), x, asPlace)
	}
	return c.opaqueCall("what is no name", x)
}

// callNamed translates a call by a name.
func (c *compiler) callNamed(name string, x *program.Call, asPlace bool) value {
	if v := c.scope.find(name); v != nil && v.function != "" { // which is not looked for here: the parameter may have its name
		call := *x
		call.Fun = &program.Name{Place: program.Place{Span: x.Fun.Where()}, Ident: v.function}
		if id, is := v.given.(*program.Name); is && len(call.Template) == 0 {
			call.Template = id.Template
		}
		return c.callFunction(v.function, &call, asPlace)
	}
	if v := c.scope.find(name); v != nil && v.macro == nil {
		at := c.placeOf(v)
		if at.t != nil && (at.t.closure != nil || at.t.class != nil) {
			return c.applied(value{t: at.t, at: at, closure: at.t.closure}, x, asPlace)
		}
		if v.pointsToFunction() {
			return c.calledThrough(c.load(at), x, asPlace)
		}
		if v.input != "" { // whatever function has the name
			return c.opaqueCall(name, x)
		}
		if at.t != nil && at.t.opaque && c.scope.local(name) { // an object of which nothing is known: it hides the functions of its name (C++17 [basic.scope.hiding])
			return c.opaqueCall(name+", an object of which nothing is known", x)
		}
	}
	if v := c.lookup(name); v != nil && v.env == nil {
		if id, is := v.macro.(*program.Name); is && id.Ident != name && len(x.Template) == 0 && !c.scope.local(name) { // #define MEET __syncthreads
			call := *x
			call.Fun, call.Template = id, id.Template
			var out value
			c.macro(v, func() { out = c.callNamed(strings.TrimPrefix(id.Ident, "::"), &call, asPlace) })
			return out
		}
	}
	return c.callFunction(name, x, asPlace)
}

// callFunction translates a call of a function, by the name that it has itself.
func (c *compiler) callFunction(name string, x *program.Call, asPlace bool) value {
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
		if args, builtin := c.builtinMeant(fn, x, args); !builtin {
			return c.inline(fn, x, args, nil, nil, asPlace)
		}
	} else if len(args) > 0 {
		x = c.evaluated(x, args)
	}
	if v, is := c.annotation(name, x); is {
		return v
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
	_, last := program.SplitName(name)
	return last
}

// effectOf is what a function of a library may do, whatever its template arguments.
func (c *compiler) effectOf(name string) dialect.Effect {
	var words []string
	for _, s := range c.spelled(name).path {
		words = append(words, s.name)
	}
	full := strings.Join(words, "::")
	effect := c.table.Effect(full, c.file.Opened)
	if effect == dialect.Unread && c.src != c.file {
		effect = c.table.Effect(full, c.src.Opened)
	}
	return effect
}

// ignores reports whether a name is a macro of any number of arguments whose text calls nothing: one that says that they are not used.
func (c *compiler) ignores(name string) bool {
	list := c.functions[name]
	if len(list) == 0 {
		return false
	}
	for _, fn := range list {
		if !fn.Macro || len(fn.Params) == 0 || fn.Params[len(fn.Params)-1].Star == 0 || slices.ContainsFunc(fn.Body, holdsCalls) || opaque(fn.Body) {
			return false
		}
	}
	return true
}

// opaque reports whether some of the statements are not read, or stand for what a macro is given.
func opaque(body []program.Stmt) (yes bool) {
	program.WalkStmts(body, func(st program.Stmt) bool {
		_, is := st.(*program.OpaqueStmt)
		yes = yes || is
		return true
	})
	return yes
}

// applied calls an object: a lambda, or one of a class that has the operator.
func (c *compiler) applied(f value, x *program.Call, asPlace bool) value {
	if f.closure != nil {
		return c.inline(f.closure.fn, x, nil, nil, f.closure.scope, asPlace)
	}
	if v, is := c.operator("()", f, x, x.Args, asPlace); is {
		return v
	}
	name := "an object"
	if f.t != nil && f.t.written != "" {
		name += " of " + f.t.written
	}
	return c.opaqueCall(name, x)
}

// inClass translates a call of a method by its name alone, or of a static one by the name of its class.
func (c *compiler) inClass(name string, x *program.Call, asPlace bool) (value, bool) {
	var of *ctype
	var this *place
	path := c.spelled(name).path
	if rest, is := strings.CutPrefix(name, "operator"); is && rest != "" && !letter(rest[0]) && !digit(rest[0]) { // operator[](i), of this object
		path = []segment{{name: name}}
	}
	if len(path) == 0 {
		return value{}, false
	}
	last := path[len(path)-1].name
	if len(path) > 1 {
		if of = c.named(path[:len(path)-1]); of == nil || of.class == nil {
			return value{}, false
		}
		if v := c.scope.find("this"); v != nil && v.alias != nil { // Class::method() of this object
			if v.alias.t == of {
				this = v.alias
			} else if derives(v.alias.t, of, 0) {
				this = c.baseOf(v.alias, of)
			}
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

// derives reports whether a class has another one as its base.
func derives(t, base *ctype, depth int) bool {
	if t.env == nil || depth > maxInline {
		return false
	}
	for _, b := range t.env.bases {
		if b == base || derives(b, base, depth+1) {
			return true
		}
	}
	return false
}

// callee is the function that a call names; nil if there is none.
func (c *compiler) callee(name string, x *program.Call) (*program.Function, []value) {
	path := c.spelled(name).path
	if of := c.functions[name]; len(of) > 0 && of[0].Macro { // one of several of a name is told by its line
		path = []segment{{name: name}}
	}
	if len(path) == 0 {
		return nil, nil
	}
	var list []*program.Function
	for _, fn := range c.functions[path[len(path)-1].name] {
		if !fn.Kernel && c.ownerOf(fn) == nil && (len(path) == 1 || ends(fn.Qualified, path)) && c.meant(c.of[fn], fn.Qualified, path) {
			list = append(list, fn)
		}
	}
	if len(list) == 0 && len(path) == 1 {
		if m := c.varying[name]; len(m) == 1 && c.of[m[0]] != c.src { // the one that it is where the file at hand is included
			return c.chosen(name, m, x)
		}
		return c.befriended(name, x)
	}
	fn, args := c.chosen(name, c.nearest(list, len(path), len(x.Args)), x)
	c.borrowed = c.borrowed || fn != nil && c.src == c.file && slices.Contains(c.units, c.of[fn])
	return fn, args
}

// nearest are the functions of the namespace that is nearest around what is translated, and has one that takes so many arguments; all where none is
// around it (C++17 [basic.lookup.unqual]).
func (c *compiler) nearest(list []*program.Function, written, args int) []*program.Function {
	near, here := 0, c.around()
	for _, fn := range list {
		if takes(fn, args) {
			near = max(near, nearness(fn.Qualified, written, here))
		}
	}
	if near <= 1 {
		return list
	}
	return slices.DeleteFunc(list, func(fn *program.Function) bool { return !fn.Macro && nearness(fn.Qualified, written, here) != near })
}

// inline translates a function in place of its call.
func (c *compiler) inline(fn *program.Function, x *program.Call, given []value, this *place, around *scope, asPlace bool) value {
	if c.depth++; c.depth > maxInline {
		c.refuse(limit.Size, "calls within each other more than %d deep", maxInline)
	}
	defer func() { c.depth-- }()
	again, undecided := 0, false
	for a := c.scope.fn; a != nil; a = a.caller {
		if a.fn == fn {
			again, undecided = again+1, undecided || a.undecided
		}
	}
	if undecided && again >= maxAgain {
		c.refuse(limit.Size, "%s calls itself, and how often is not known", fn.Name)
	}
	args := make([]value, len(fn.Params))
	var pack []*variable
	for k, p := range fn.Params {
		if p.Star > 0 {
			pack = c.packed(fn, p, k, x, given)
			break
		}
		switch {
		case k < len(given):
			args[k] = given[k]
			if !p.Ref && !c.spelled(p.Type).reference {
				args[k] = c.loaded(args[k])
			}
		case k < len(x.Args):
			if list, is := x.Args[k].(*program.List); is {
				if v, made := c.listed(p.Type, list); made {
					args[k] = v
				} else {
					args[k] = c.initial(c.typeOr(p.Type), list)
				}
			} else if fn.Macro && (!quiet(x.Args[k]) || isBlock(x.Args[k]) || namesWhat(fn, p, x.Args[k]) != "" || c.namesType(x.Args[k])) {
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
	before, src, at, inner := c.scope, c.src, c.at, c.inner
	if in := c.of[fn]; c.modelled(in) {
		c.inner++
	} else if in != nil && in != c.src {
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
	c.scope.fn = &activation{fn: fn, end: c.label(), outermost: c.scope, caller: before.fn, from: before.fn.from}
	if before.fn.caller == nil && src == c.file {
		c.scope.fn.from = at
	}
	if this != nil {
		c.scope.fn.instance = this.t.instanceName()
	}
	defer func() { c.scope, c.src, c.at, c.inner, c.placed = before, src, at, inner, false }()
	if fn.Macro {
		c.scope.fn.block = x.Block
		c.scope.fn.breaks, c.scope.fn.nexts, c.scope.fn.loops = before.fn.breaks, before.fn.nexts, before.fn.loops
	}
	c.templates(fn, list, args, this)
	if this != nil && (this.array == nil || this.array.t != nil && this.array.t.array) { // a static method has none
		c.scope.names["this"] = &variable{t: this.t, reg: -1, alias: this}
		for _, f := range this.t.fields {
			at := c.memberOf(this, f.name)
			c.scope.names[f.name] = &variable{t: at.t, reg: -1, alias: at}
		}
	}
	for k, p := range fn.Params {
		switch {
		case p.Star > 0:
			if c.scope.names[p.Name] = (&variable{t: opaqueType(""), reg: -1, several: true, pack: pack}); fn.Macro {
				break
			}
			if s := c.spelled(p.Type); len(s.path) == 1 {
				var list []argument
				for _, v := range pack {
					list = append(list, argument{t: v.t})
				}
				if c.scope.packs == nil {
					c.scope.packs = map[string][]argument{}
				}
				if _, known := c.scope.packs[s.path[0].name]; !known {
					c.scope.packs[s.path[0].name] = list
				}
			}
		case p.Name == "":
		case fn.Macro && k < len(x.Args) && namesWhat(fn, p, x.Args[k]) != "":
			if c.scope.fn.renames == nil {
				c.scope.fn.renames = map[string]string{}
			}
			c.scope.fn.renames[p.Name] = namesWhat(fn, p, x.Args[k])
		case fn.Macro && args[k].t != nil && declares(fn, x.Args[k]):
			c.refuse(limit.Source, "a macro declares a name that its argument has")
		case fn.Macro && args[k].t == nil && k < len(x.Args):
			if c.scope.names[p.Name] = (&variable{t: intType, reg: -1, macro: x.Args[k]}); !isBlock(x.Args[k]) && mentions(fn.Params, x.Args[k]) {
				// an argument is what its names are where it is written: AT(tile[p.slot]) of AT(p) (C++17 [cpp.subst])
				c.scope.names[p.Name] = &variable{t: opaqueType(""), reg: -1, macro: x.Args[k], env: before}
			}
		case args[k].t != nil && args[k].t.array && c.listType(p.Type) != "":
			c.scope.names[p.Name] = &variable{t: args[k].t, reg: -1, alias: args[k].at}
		case args[k].t != nil:
			c.scope.names[p.Name] = c.argument(p, args[k])
		}
	}
	act := c.scope.fn
	if fn.Macro {
		v := c.expand(fn, asPlace)
		if act.block != nil {
			c.refuse(limit.Source, "what stands in braces behind the macro %s is not followed", fn.Name)
		}
		for name, declared := range c.scope.names { // what its text declares is there behind it
			if !slices.ContainsFunc(fn.Params, func(p program.Param) bool { return p.Name == name }) && before.names[name] == nil {
				before.names[name] = declared
			}
		}
		for name, kind := range c.scope.kinds {
			before.kinds[name] = kind
		}
		before.ends = append(before.ends, c.scope.ends...)
		return v
	}
	result := c.spelled(fn.Result)
	byReference := result.reference && !chooses(fn)
	if fn.Result != "void" && fn.Result != "" {
		t := c.typeOf(fn.Result)
		act.result = &variable{reg: -1}
		if t != nil && !t.pointer() && !byReference && !t.opaque {
			*act.result = *c.local("%r", t)
		}
	}
	act.reference = byReference
	c.undefined(fn)
	c.body(fn.Body)
	c.unlabelled(act)
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

// chooses reports whether a function returns one of several objects to be read alone, as std::max does: what it has is as good as the object.
func chooses(fn *program.Function) bool {
	if !slices.Contains(tokens(fn.Result).list, "const") {
		return false
	}
	returns, several := 0, false
	program.WalkStmts(fn.Body, func(st program.Stmt) bool {
		if r, is := st.(*program.Return); is {
			returns++
			_, cond := r.Value.(*program.Cond)
			several = several || cond || returns > 1
		}
		return true
	})
	return several
}

// packed are the arguments that the last parameter of a function stands for, from one on.
func (c *compiler) packed(fn *program.Function, p program.Param, from int, x *program.Call, given []value) (out []*variable) {
	for k := from; k < len(x.Args); k++ {
		arg := x.Args[k]
		switch id, named := arg.(*program.Name); {
		case fn.Macro:
			if named && c.scope.find(id.Ident) != nil {
				out = append(out, c.scope.find(id.Ident))
			} else {
				out = append(out, &variable{t: opaqueType(""), reg: -1, macro: arg, env: c.scope})
			}
		case k < len(given):
			out = append(out, c.argument(program.Param{Type: p.Type, Ref: p.Ref}, given[k]))
		case p.Ref:
			out = append(out, c.argument(program.Param{Type: "auto&", Ref: true}, c.reference(arg)))
		default:
			out = append(out, c.argument(program.Param{Type: "auto"}, c.expr(arg)))
		}
	}
	return out
}

// declares reports whether the text of a macro declares a name of an expression.
func declares(fn *program.Function, x program.Expr) (yes bool) {
	names := map[string]bool{}
	for _, st := range fn.Body {
		program.Walk(st, func(n program.Node) bool { // a function without a name may be all that a macro is
			if a, is := n.(*program.Assign); is && a.Decl {
				for _, t := range a.Targets {
					if id, ok := t.(*program.Name); ok {
						names[id.Ident] = true
					}
				}
			}
			return true
		})
	}
	program.WalkExprs(x, func(e program.Expr) bool {
		if id, ok := e.(*program.Name); ok {
			yes = yes || names[id.Ident]
		}
		return true
	})
	return yes
}

// mentions reports whether an expression has a name that is one of some parameters, too.
func mentions(params []program.Param, x program.Expr) (yes bool) {
	program.WalkExprs(x, func(e program.Expr) bool {
		id, ok := e.(*program.Name)
		yes = yes || ok && slices.ContainsFunc(params, func(p program.Param) bool { return p.Name == id.Ident })
		return true
	})
	return yes
}

// namesWhat is the name that a macro declares by the text of its argument; "" where that is none.
func namesWhat(fn *program.Function, p program.Param, arg program.Expr) string {
	if id, is := arg.(*program.Name); is && fn.Macro && declares(fn, &program.Name{Ident: p.Name}) {
		return id.Ident
	}
	return ""
}

// namesType reports whether an expression is the name of a type, as macros are given it.
func (c *compiler) namesType(x program.Expr) bool {
	id, is := x.(*program.Name)
	return is && c.lookup(id.Ident) == nil && c.typeOf(id.Ident) != nil
}

// isBlock reports whether a macro is given statements in braces.
func isBlock(x program.Expr) bool {
	_, is := x.(*program.Lambda)
	return is
}

// given translates the statements that a macro is given where its parameter stands as one: in the scope there, as their text is put there. reports whether they are.
func (c *compiler) givenBlock(st *program.OpaqueStmt) bool {
	fn := c.scope.fn
	if fn.fn == nil || !fn.fn.Macro {
		return false
	}
	word := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(c.src.Source.Text(st.Where())), ";"))
	if !slices.ContainsFunc(fn.fn.Params, func(p program.Param) bool { return p.Name == word }) {
		return false
	}
	v := c.scope.find(word)
	if v != nil && v.several && len(v.pack) == 1 {
		v = v.pack[0]
	}
	if v == nil || v.macro == nil {
		return false
	}
	block, is := v.macro.(*program.Lambda)
	if !is || len(block.Params) > 0 {
		return false
	}
	for _, p := range fn.fn.Params { // a name of the block, which is none of the macro's
		if fn.renames[p.Name] != p.Name && speaks(block.Body, p.Name) {
			c.refuse(limit.Source, "a macro has a parameter of a name that its argument has")
		}
	}
	renames, src := fn.renames, c.src
	fn.renames, c.src = nil, c.sourceOf(fn)
	defer func() { fn.renames, c.src = renames, src }()
	c.body(block.Body)
	return true
}

// speaks reports whether statements have a name.
func speaks(body []program.Stmt, name string) (yes bool) {
	for _, st := range body {
		program.Walk(st, func(n program.Node) bool {
			id, is := n.(*program.Name)
			yes = yes || is && slices.Contains(tokens(id.Ident).list, name)
			return !yes
		})
	}
	return yes
}

// sourceOf is the file that what a macro is given stands in.
func (c *compiler) sourceOf(fn *activation) *program.File {
	for fn.caller != nil && fn.fn.Macro {
		fn = fn.caller
	}
	if f := c.of[fn.fn]; f != nil {
		return f
	}
	return c.file
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
			c.refuse(limit.Source, "a macro that returns")
		}
		c.statement(st)
	}
	return out
}

// argument is a parameter of a function that is translated in place.
func (c *compiler) argument(p program.Param, v value) *variable {
	s := c.spelled(p.Type)
	t := c.typeOf(p.Type)
	if s.reference || p.Ref {
		if t != nil && !v.object() {
			if made, is := c.implicitly(v, t); is {
				return c.holding(p.Name, t, made)
			}
		}
		if v.at != nil {
			at := c.seenAs(v.at, t)
			if t != nil && !t.opaque && at.memory != nil && at.t.opaque {
				at = &place{t: t, memory: at.memory}
			}
			return &variable{t: at.t, reg: -1, alias: at}
		}
		if t == nil || t.opaque {
			t = v.t
		}
		if k := c.always(p, t, v); k != nil {
			return k
		}
		return c.holding(p.Name, t, v)
	}
	if t == nil || t.opaque {
		t = v.t
		if s.stars > 0 && !v.t.pointer() && !v.t.array && v.address == nil {
			t = c.typeOr(p.Type)
		}
	}
	if k := c.always(p, t, v); k != nil {
		return k
	}
	return c.copy(p.Name, t, v)
}

// always is a parameter that is a number as long as its function runs; nil where it may be another.
func (c *compiler) always(p program.Param, t *ctype, v value) *variable {
	if n := c.loaded(v); n.op.Reg == -1 && n.op.Of == 0 && n.t.integer() && t.integer() && n.input == "" && c.steady(p.Name) {
		k := c.convert(n, t).op.Imm
		return &variable{t: t, reg: -1, number: &k}
	}
	return nil
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
		return c.callNamed(id.Ident+"::"+fun.Name, x, asPlace)
	default:
		of = c.objectOf(fun.X)
	}
	if of.t.groups != 0 {
		return c.group(of.t, fun.Name, x)
	}
	c.stageOf(of, fun.Name, x)
	if of.t.class == nil && c.effectOf(of.t.written) == computes && c.plainly(x.Args) {
		return c.unknown(opaqueType(fun.Name))
	}
	if of.t.class == nil {
		if v, is := c.saysOf(of, fun.Name, x); is {
			return v
		}
		if v, is := c.asks(of, fun.Name, x); is {
			return v
		}
		if of.t.view || c.effectOf(of.t.written) == dialect.Views {
			c.viewing = x
		}
		return c.opaqueCall(fun.Name+", a method of an object of which nothing is known", x)
	}
	list, base := c.methods(of.t, func(m *program.Function) bool { return m.Name == fun.Name })
	if len(list) == 0 && of.t.env != nil { // a base by an alias, in the list of a constructor
		if b := c.nested(of.t, segment{name: fun.Name}); b != nil && b.class != nil && derives(of.t, b, 0) {
			list, base = c.methods(b, func(m *program.Function) bool { return m.Name == b.class.Name })
			if base = b; len(list) == 0 && len(x.Args) == 0 {
				return value{t: voidType, op: ir.None}
			}
		}
	}
	if base != nil && base.class != nil && len(list) > 0 && list[0].Name == base.class.Name { // a constructor
		call := *x
		var done bool
		if call.Args, done = c.copiedFrom(c.baseOf(of, base), list, x.Args); done {
			return value{t: voidType, op: ir.None}
		}
		x = &call
	}
	fn, args := c.chosen(fun.Name, list, x)
	if fn == nil {
		return c.opaqueCall(fun.Name, x)
	}
	return c.inline(fn, x, args, c.baseOf(of, base), nil, asPlace)
}

// saysOf is what a parameter of the kernel, whose class is not known, says of itself. Handed constants alone it says the same each time, for all threads; handed other numbers it computes
// something of these. That is a guess. A method that is called for no value, or is handed a way to memory, is another matter: it may do anything.
func (c *compiler) saysOf(of *place, method string, x *program.Call) (value, bool) {
	if of.input == "" || !of.t.opaque || len(x.Args) > maxSaysOf || x == c.acting {
		return value{}, false
	}
	var args []string
	constant := true
	for _, a := range x.Args {
		if n, known := c.constant(a); known {
			args = append(args, strconv.FormatInt(n, 10))
			continue
		}
		if !quiet(a) {
			return value{}, false
		}
		if v := c.loaded(c.value(a)); !v.t.scalarLike() || v.t.pointer() {
			return value{}, false
		}
		constant = false
		args = append(args, "?")
	}
	name := fmt.Sprintf("%s.%s(%s)", of.input, method, strings.Join(args, ","))
	if !slices.Contains(c.code.Guesses, name) {
		c.code.Guesses = append(c.code.Guesses, name)
	}
	if constant {
		return c.input(name), true
	}
	return value{t: opaqueType(""), op: ir.Operand{Reg: c.nothing}}, true
}

// asks is what an object of the thread's own is asked, of a class that is not read, which was made of a number: as a function of that, and of other numbers, it computes something of them, see
// computing. That it leaves the object as it is, is a guess.
func (c *compiler) asks(of *place, method string, x *program.Call) (value, bool) {
	if of.object == nil || of.object.reg < 0 || of.t.pointer() || !of.t.scalarLike() || x == c.acting || len(x.Args) > 2 {
		return value{}, false
	}
	numbers := []value{c.load(of)}
	for _, a := range x.Args {
		if isList(a) || !quiet(a) {
			return value{}, false
		}
		v := c.loaded(c.value(a))
		if !v.t.scalarLike() || v.t.pointer() {
			return value{}, false
		}
		numbers = append(numbers, v)
	}
	name := method + ", a method of an object of which nothing is known"
	c.outside(limit.Call.Sayf("call of %s, whose body is not found", name), ir.MayMeet)
	c.missing[name] = true
	outside := len(c.code.Insts) - 1
	v := c.apply("call of ."+method, intType, numbers...)
	if last := len(c.code.Insts) - 1; c.code.Insts[last].Op == ir.Apply {
		c.computing = append(c.computing, computing{method, outside, last})
	}
	return v, true
}

// maxSaysOf bounds the arguments of what an object is asked.
const maxSaysOf = 4

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
