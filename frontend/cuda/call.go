package cuda

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// call translates a call: an operation of CUDA, a function of the file in place, or one that is known to compute and no more.
func (c *compiler) call(x *program.Call) value {
	asPlace := c.asPlace
	c.asPlace = false
	name := ""
	switch fun := x.Fun.(type) {
	case *program.Name:
		name = strings.TrimPrefix(fun.Ident, "::")
	case *program.Attr:
		if v, is := c.method(x, fun, asPlace); is {
			return v
		}
		c.refuse("call of %s, a method of an object of which nothing is known", fun.Name)
	default:
		c.refuse("a call of what is no name")
	}
	if v, is := c.builtin(name, x); is {
		return v
	}
	if fn := c.callee(name, len(x.Args)); fn != nil {
		return c.inline(fn, x, nil, asPlace)
	}
	if t := c.typeOf(name); t != nil { // T(x)
		if len(x.Args) == 1 && t.scalarLike() {
			return c.convert(c.expr(x.Args[0]), t)
		}
		if t.fields != nil && t.class == nil {
			return c.made(t, x.Args)
		}
		if t.fields != nil && len(x.Args) == 0 {
			return c.unknown(t)
		}
	}
	if op, is := c.table.Call(x, func(program.Expr) string { return "" }); is {
		return c.operation(&op, x)
	}
	if c.table.Effect(name, c.file.Opened) == dialect.Computes {
		return c.computed(name, x)
	}
	c.refuse("call of %s, whose body is not in the file", name)
	return value{}
}

// callee is the function of the file that a call names, by its name and how many arguments it takes; nil if there is none, or several.
func (c *compiler) callee(name string, args int) *program.Function {
	last := name
	if i := strings.LastIndex(name, "::"); i >= 0 {
		last = name[i+2:]
	}
	var found *program.Function
	for _, fn := range c.functions[last] {
		least := 0
		for _, p := range fn.Params {
			if p.Default == nil {
				least++
			}
		}
		if fn.Kernel || fn.Class != nil || args < least || args > len(fn.Params) {
			continue
		}
		if found != nil {
			c.refuse("call of %s, of which there are several", name)
		}
		found = fn
	}
	return found
}

// inline translates a function in place of its call.
func (c *compiler) inline(fn *program.Function, x *program.Call, this *place, asPlace bool) value {
	if c.depth++; c.depth > maxInline {
		c.refuse("calls within each other more than %d deep", maxInline)
	}
	defer func() { c.depth-- }()
	args := make([]value, len(fn.Params))
	for k := range fn.Params {
		switch {
		case k < len(x.Args):
			if list, is := x.Args[k].(*program.List); is {
				t := c.typeOf(fn.Params[k].Type)
				if t == nil {
					c.refuse("a list is handed to what is not known")
				}
				args[k] = c.initial(t, list)
				continue
			}
			if p := fn.Params[k]; fn.Macro && !quiet(x.Args[k]) {
				args[k] = value{} // its text is evaluated where the macro has it
			} else if p.Ref || strings.Contains(p.Type, "&") {
				args[k] = c.reference(x.Args[k])
			} else {
				args[k] = c.expr(x.Args[k])
			}
		case fn.Params[k].Default != nil:
			args[k] = c.expr(fn.Params[k].Default)
		}
	}
	given := x.Template
	if n, is := x.Fun.(*program.Name); is && len(given) == 0 {
		given = n.Template
	}
	templates := make([]program.Expr, 0, len(given))
	for _, g := range given { // their values belong to the caller
		if n, known := c.constant(g); known {
			templates = append(templates, &program.Int{Place: program.Place{Span: g.Where()}, Value: n})
			continue
		}
		templates = append(templates, g)
	}
	kinds := map[string]*ctype{}
	for k, p := range fn.Template {
		if p.Type == "typename" && k < len(templates) {
			kinds[p.Name] = c.typeOfExpr(templates[k])
		}
	}
	c.deduce(fn, args, kinds)
	before, src, at := c.scope, c.src, c.at
	if in := c.of[fn]; in != nil && in != c.src {
		if c.src == c.file {
			c.outer = c.at
		}
		c.src, c.placed = in, false
	}
	outer := before
	for outer.outer != nil && !fn.Macro {
		outer = outer.outer
	}
	c.scope = newScope(outer)
	c.scope.fn = &activation{fn: fn, end: c.label()}
	defer func() { c.src, c.at, c.placed = src, at, false }()
	if fn.Macro {
		c.scope.fn.breaks, c.scope.fn.nexts = before.fn.breaks, before.fn.nexts
	}
	defer func() { c.scope = before }()
	for name, t := range kinds {
		c.scope.kinds[name] = t
	}
	c.templates(fn, templates, kinds)
	if this != nil {
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
		default:
			c.scope.names[p.Name] = c.argument(p, args[k])
		}
	}
	act := c.scope.fn
	if fn.Macro {
		return c.expand(fn, asPlace)
	}
	if fn.Result != "void" && fn.Result != "" {
		t := c.typeOf(fn.Result)
		act.result = &variable{reg: -1}
		if t != nil && !t.pointer() && !strings.Contains(fn.Result, "&") {
			*act.result = *c.local("%r", t)
		}
	}
	c.body(fn.Body)
	c.bind(act.end)
	if act.result == nil || act.result.t == nil {
		return value{t: voidType, op: ir.None}
	}
	result := c.placeOf(act.result)
	if asPlace && act.result.alias != nil {
		return value{t: result.t, at: result, op: ir.Operand{Reg: c.nothing}}
	}
	return c.load(result)
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

// deduce finds type parameters that arguments give: T, T*, const T&.
func (c *compiler) deduce(fn *program.Function, args []value, kinds map[string]*ctype) {
	for _, p := range fn.Template {
		if p.Type != "typename" || kinds[p.Name] != nil {
			continue
		}
		for k, formal := range fn.Params {
			words := strings.Fields(strings.NewReplacer("*", " * ", "&", " ", "const", " ", "__restrict__", " ", "volatile", " ").Replace(formal.Type))
			if len(words) == 0 || words[0] != p.Name || args[k].t == nil {
				continue
			}
			t := args[k].t
			for range len(words) - 1 {
				if t.to == nil {
					break
				}
				t = t.to
			}
			kinds[p.Name] = t
			break
		}
	}
}

// argument is a parameter of a function that is translated in place.
func (c *compiler) argument(p program.Param, v value) *variable {
	t := c.typeOf(p.Type)
	if strings.Contains(p.Type, "&") || p.Ref {
		if v.at != nil {
			return &variable{t: v.at.t, reg: -1, alias: v.at}
		}
		if t == nil {
			t = v.t
		}
		return c.holding(p.Name, t, v)
	}
	if t == nil {
		if v.t.name != "" && v.t.fields == nil {
			return &variable{t: v.t, reg: -1} // a group
		}
		c.refuse("the type %s of %s is not known", p.Type, p.Name)
	}
	if t.pointer() && v.t.array && v.at != nil {
		v = c.decayed(v)
	}
	if t.pointer() && v.address != nil {
		return &variable{t: t, reg: -1, points: v.address}
	}
	if t.pointer() && v.t.pointer() {
		t = pointerTo(t.to, v.t.space)
	}
	out := c.local(p.Name, t)
	out.t = t
	c.set(out, c.convert(v, t))
	return out
}

// method translates a call of a method: of a group of threads, or of an object whose class the file has.
func (c *compiler) method(x *program.Call, fun *program.Attr, asPlace bool) (value, bool) {
	if id, ok := fun.X.(*program.Name); ok && !fun.Arrow && c.lookup(id.Ident) == nil && c.classes[id.Ident] == nil {
		return value{}, false
	}
	var of *place
	if fun.Arrow {
		if id, ok := fun.X.(*program.Name); ok && id.Ident == "this" && c.lookup("this") != nil {
			of = c.placeOf(c.lookup("this"))
		} else {
			of = c.pointee(c.expr(fun.X))
		}
	} else {
		of = c.objectOf(fun.X)
	}
	if kind := groupOf(of.t.name); kind != "" {
		return c.group(kind, fun.Name, x), true
	}
	if of.t.class == nil {
		return value{}, false
	}
	var found *program.Function
	for _, m := range of.t.class.Methods {
		if m.Name == fun.Name && len(x.Args) <= len(m.Params) {
			if found != nil {
				c.refuse("call of %s, of which there are several", fun.Name)
			}
			found = m
		}
	}
	if found == nil {
		return value{}, false
	}
	return c.inline(found, x, of, asPlace), true
}

// made is an object of a vector type.
func (c *compiler) made(t *ctype, args []program.Expr) value {
	return c.initial(t, &program.List{Elems: args})
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
		v := c.expr(a)
		if v.address != nil || v.t.pointer() && v.t.space != ir.Global || v.t.array {
			c.refuse("%s is handed memory", last)
		}
		args = append(args, v)
	}
	if t := vectors[strings.TrimPrefix(last, "make_")]; t != nil && strings.HasPrefix(last, "make_") {
		return c.made(t, x.Args)
	}
	t := realType
	switch {
	case strings.Contains(last, "2int") || strings.Contains(last, "_as_int") || strings.HasPrefix(last, "__ffs") || last == "__double2hiint" || strings.HasPrefix(last, "lrint") || strings.HasPrefix(last, "is"):
		t = intType
	case strings.Contains(last, "2uint") || strings.Contains(last, "_as_uint") || strings.HasPrefix(last, "__byte_perm"):
		t = uintType
	case strings.Contains(last, "2ll") || strings.Contains(last, "as_longlong") || strings.HasPrefix(last, "clock"):
		t = longType
	case strings.Contains(last, "2ull"):
		t = ulongOf
	case strings.Contains(last, "2float") || strings.Contains(last, "as_float"):
	case strings.Contains(last, "2double") || strings.Contains(last, "as_double"):
		t = scalars["double"]
	case strings.Contains(last, "2half2") || strings.Contains(last, "floats2"):
		t = scalars["half2"]
	case strings.Contains(last, "2half") || strings.Contains(last, "2bfloat16"):
		t = scalars["half"]
	case len(args) > 0 && args[0].t.scalarLike() && !args[0].t.pointer():
		t = args[0].t
		for _, a := range args {
			if a.t.data() && (!t.data() || a.t.number.Bits > t.number.Bits) {
				t = a.t
			}
		}
	}
	if strings.HasPrefix(last, "clock") {
		return c.unknown(t)
	}
	return c.apply(last, t, args...)
}
