package cuda

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// undefined says of the names that decide what the text of a function is that nothing defines them.
func (c *compiler) undefined(fn *program.Function) {
	for _, name := range fn.Undefined {
		c.assume(name + " is not defined")
	}
}

// body translates statements in a scope of their own.
func (c *compiler) body(list []program.Stmt) {
	before := c.scope
	c.scope = newScope(before)
	defer func() { c.scope = before }()
	for _, st := range list {
		c.statement(st)
	}
	c.destroyed(c.scope)
}

// anonymous declares the members of a union without a name as variables (C++17 [class.union.anon]). What one holds when another is set is not followed.
func (c *compiler) anonymous(k *program.Class) {
	if !k.Union || !k.Anonymous {
		return
	}
	for _, f := range c.instance(k, nil, c.scope).fields {
		c.scope.names[f.name] = &variable{t: f.t, reg: -1, alias: nowhere(f.t)}
	}
}

// destroyed calls the destructors of the objects of a scope, the last one first (C++17 [class.dtor]).
func (c *compiler) destroyed(s *scope) {
	for k := len(s.ends) - 1; k >= 0; k-- {
		v := s.ends[k]
		list, _ := c.methods(v.t, func(m *program.Function) bool { return m.Destructor })
		if len(list) == 0 {
			continue
		}
		call := &program.Call{Place: program.Place{Span: c.at}, Fun: &program.Name{Place: program.Place{Span: c.at}, Ident: list[0].Name}}
		c.inline(list[0], call, nil, &place{t: v.t, object: v}, nil, false)
	}
}

// leaving calls the destructors of all scopes up to one, which control leaves on its way elsewhere.
func (c *compiler) leaving(to *scope) {
	for s := c.scope; s != nil && s != to; s = s.outer {
		c.destroyed(s)
	}
}

// destructs reports whether an object of a type has a destructor that does anything, or has parts that may.
func (c *compiler) destructs(t *ctype) bool {
	if t.class == nil || t.class.Enum {
		return false
	}
	list, _ := c.methods(t, func(m *program.Function) bool { return m.Destructor && len(m.Body) > 0 })
	return len(list) > 0
}

// statement translates one statement. What is not understood may do anything, if control is sure to come behind it; else the execution ends there.
func (c *compiler) statement(st program.Stmt) {
	c.worked()
	defer c.on(st)()
	why, hard, done := c.attempted(func() { c.understood(st) })
	ret, returns := st.(*program.Return)
	switch {
	case done:
	case !hard && returns: // with a value of which nothing is known
		defer c.on(st)()
		c.unfollowed(ret, why)
		c.leaveWith(&value{t: opaqueType(""), op: ir.Operand{Reg: c.nothing}, at: somewhere(opaqueType("")), unread: true})
	case hard || c.leaves(st):
		defer c.on(st)()
		c.stop(why)
	default:
		defer c.on(st)()
		c.unfollowed(st, why)
	}
}

// leaves reports whether control may go elsewhere in a statement than behind it, or threads wait in it.
func (c *compiler) leaves(st program.Stmt) (yes bool) {
	program.WalkStmts([]program.Stmt{st}, func(st program.Stmt) bool {
		switch st := st.(type) {
		case *program.Return, *program.Break, *program.Continue:
			yes = true
		case *program.OpaqueStmt:
			yes = true
		case *program.Block, *program.If, *program.For, *program.While:
			yes = yes || holdsCalls(st)
		}
		return true
	})
	return yes
}

// holdsCalls reports whether a statement calls anything.
func holdsCalls(st program.Stmt) (yes bool) {
	program.WalkExprs(st, func(x program.Expr) bool {
		if call, is := x.(*program.Call); is {
			id, named := call.Fun.(*program.Name)
			yes = yes || !named || id.Ident != "sizeof"
		}
		return true
	})
	return yes
}

func (c *compiler) understood(st program.Stmt) {
	switch st := st.(type) {
	case *program.Assign:
		c.assignment(st)
		for param, name := range c.scope.fn.renames {
			if st.Decl && len(st.Targets) == 1 && identOf(st.Targets[0]) == param && c.scope.names[param] != nil {
				c.scope.names[name] = c.scope.names[param]
			}
		}
	case *program.ExprStmt:
		c.expressionStatement(st)
	case *program.If:
		c.branch(st)
	case *program.For:
		c.loop(st)
	case *program.While:
		c.while(st)
	case *program.Block:
		if st.Label != "" {
			c.labelled(st.Label)
		}
		c.body(st.Body)
	case *program.Return:
		c.leave(st)
	case *program.Break:
		c.jumpTo(c.scope.fn.breaks, "break")
	case *program.Continue:
		c.jumpTo(c.scope.fn.nexts, "continue")
	case *program.Asm:
		c.asm(st)
	case *program.ClassDef:
		c.anonymous(st.Class)
	case *program.FuncDef, *program.Import:
	case *program.OpaqueStmt:
		switch {
		case st.To != "":
			c.goTo(st.To)
			return
		case st.Why == "throw": // device code has no exceptions (CUDA C++ Programming Guide, C++ Language Support)
			c.assume("nothing is thrown")
			c.trap()
			return
		}
		if st.Doubt {
			c.assume(st.Why + ": it is taken not to")
			c.outside(limit.Source.Says(st.Why), ir.MayMeet)
			return
		}
		if st.Macro != "" {
			if v := c.lookup(st.Macro); !st.Part && v != nil && v.macro != nil && pure(v.macro) { // evaluated where the name stands
				return
			}
			c.halt(limit.Source, "%s", unread(st.Why))
		}
		if c.givenBlock(st) || c.namedMacro(st) || c.onlyNamed(st) {
			return
		}
		c.halt(limit.Source, "%s", unread(st.Why))
	default:
		c.halt(limit.Source, "a statement is not understood")
	}
}

// pure reports whether an expression changes nothing by itself, but for what it calls does.
func pure(x program.Expr) (yes bool) {
	yes = true
	program.WalkExprs(&program.ExprStmt{X: x}, func(x program.Expr) bool {
		switch x := x.(type) {
		case *program.AssignExpr, *program.OpaqueExpr, *program.Lambda:
			yes = false
		case *program.Unary:
			yes = yes && x.Op != "++" && x.Op != "--"
		}
		return true
	})
	return yes
}

// unread says why a statement, or an expression, is not understood.
func unread(why string) string {
	switch {
	case why == "does not parse":
		return "this does not parse"
	case strings.HasSuffix(why, "stands as a statement"):
		return why + ", and nothing is known of it"
	}
	return why + " is not understood"
}

// onlyNamed passes over a name that stands as a statement: a function of CUDA's is named there, and not called; a name of which nothing is known is a macro of another file, which may do
// what a call may.
func (c *compiler) onlyNamed(st *program.OpaqueStmt) bool {
	name, ended := st.Bare(c.src.Source)
	if v := c.lookup(name); v != nil && v.env == nil {
		if of, is := v.macro.(*program.Name); is { // #define MEET __syncthreads
			name = of.Ident
		}
	}
	if path := tokens(name).path(); len(path) != 1 || path[0].name != name || c.lookup(name) != nil || len(c.functions[name]) > 0 {
		return false
	}
	if _, known := c.table.Call(&program.Call{Place: st.Place, Fun: &program.Name{Place: st.Place, Ident: name}}, nil); known {
		if ended {
			c.assume(name + " without parentheses calls nothing")
		}
		return ended
	}
	c.outside(limit.Source.Says(unread(st.Why)), ir.MayMeet)
	return true
}

// namedMacro translates a name that stands as a statement where it is a macro without parameters whose text is an expression, perhaps of another file. reports whether it is.
func (c *compiler) namedMacro(st *program.OpaqueStmt) bool {
	name, _ := st.Bare(c.src.Source)
	if name == "" || tokens(name).path() == nil || strings.ContainsAny(name, " :<(") {
		return false
	}
	v := c.lookup(name)
	if v == nil || v.macro == nil {
		return false
	}
	if _, is := v.macro.(*program.Call); !is {
		return false
	}
	c.macro(v, func() { c.expressionStatement(&program.ExprStmt{Place: st.Place, X: v.macro}) })
	return true
}

// expressionStatement translates an expression that stands as a statement. What has the form of a name, or of a call, of which no declaration is found may be a
// macro that declares names.
func (c *compiler) expressionStatement(st *program.ExprStmt) {
	call, is := st.X.(*program.Call)
	if is && c.begins(call) && !strings.HasSuffix(strings.TrimSpace(c.src.Source.Text(st.Where())), ";") { // the reader did not know the macro
		c.refuse(limit.Source, "what stands behind the macro %s, the head of a loop, is not followed", identOf(call.Fun))
	}
	if is && call.Block != nil && c.blockOf(call) {
		return
	}
	c.acting = call
	v := c.expr(st.X)
	if is {
		id, named := call.Fun.(*program.Name)
		is = named && len(id.Template) == 0 && !strings.Contains(id.Ident, "::") && len(c.functions[id.Ident]) == 0 && c.effectOf(id.Ident) == dialect.Unread
	}
	if v.input != "" && c.lookup(v.input) == nil {
		c.outside(limit.Source.Says(v.input+" stands as a statement"), ir.MayMeet)
		is = true
	}
	c.hidden = c.hidden || is
}

// begins reports whether a call without a block is the use of a macro whose text is the head of a loop.
func (c *compiler) begins(call *program.Call) bool {
	return call.Block == nil && slices.ContainsFunc(c.functions[identOf(call.Fun)], func(fn *program.Function) bool {
		if !fn.Macro || len(fn.Body) == 0 {
			return false
		}
		loop, is := fn.Body[len(fn.Body)-1].(*program.For)
		return is && len(loop.Body) == 0
	})
}

func (c *compiler) jumpTo(list []*label, word string) {
	if loops := c.scope.fn.loops; len(loops) > 0 {
		c.leaving(loops[len(loops)-1])
	}
	if len(list) == 0 {
		c.halt(limit.Source, "%s outside of a loop", word)
	}
	c.jump(list[len(list)-1], ir.None, true)
}

// leave translates a return: one in the text of a macro is of the function where that is used.
func (c *compiler) leave(st *program.Return) {
	if st.Value == nil {
		c.leaveWith(nil)
		return
	}
	fn := c.returning()
	var v value
	if list, is := st.Value.(*program.List); is && fn.result != nil && fn.result.t != nil {
		v = c.initial(fn.result.t, list)
	} else if is {
		for _, e := range list.Elems {
			if !isList(e) {
				c.value(e)
			}
		}
		v = c.unknown(opaqueType(""))
	} else if fn.reference {
		v = c.reference(st.Value)
	} else {
		v = c.value(st.Value)
	}
	c.leaveWith(&v)
}

// returning is the function that a return leaves.
func (c *compiler) returning() *activation {
	fn := c.scope.fn
	for fn.fn != nil && fn.fn.Macro && fn.caller != nil {
		fn = fn.caller
	}
	return fn
}

// leaveWith leaves the function with a value, if it has one.
func (c *compiler) leaveWith(v *value) {
	fn := c.returning()
	if v != nil && fn.result != nil {
		c.result(fn, *v)
	}
	c.leaving(fn.outermost)
	if fn.caller == nil && fn.fn.Kernel { // the thread ends: it is no way to what stands behind
		c.emit(blank(ir.Return))
		return
	}
	c.jump(fn.end, ir.None, true)
}

// result is what a function returns: its own type, or, where that is deduced, that of the first return.
func (c *compiler) result(fn *activation, v value) {
	v = c.numbered(v)
	r := fn.result
	if v.t != nil && v.t.array && !fn.reference { // an array is where its elements are (C++17 [conv.array])
		v = c.decayed(c.loaded(v))
	}
	if r.t == nil && v.closure == nil && v.address == nil && !(fn.reference && v.at != nil) {
		*r = *c.local("%r", c.loaded(v).t)
	}
	switch {
	case v.address != nil:
		if fn.returns && r.points != v.address {
			c.refuse(limit.Access, "one of several objects of the thread's own is returned by its address")
		}
		r.points, r.t, r.reg = v.address, v.t, -1
	case r.alias != nil || fn.reference && v.at != nil || v.closure != nil:
		if fn.returns && !(v.closure == nil && r.alias.is(v.at)) {
			if v.closure != nil || r.alias == nil || v.at == nil {
				c.refuse(limit.Access, "one of several objects is returned by reference")
			}
			c.escape(r.alias)
			c.escape(v.at)
			v.at = somewhere(v.t)
		}
		if v.closure != nil {
			v.at = &place{t: v.t}
		}
		r.alias, r.t = v.at, v.t
	default:
		c.set(r, c.convert(v, r.t))
	}
	fn.returns = true
}

// assignment translates a declaration or an assignment.
func (c *compiler) assignment(a *program.Assign) {
	if a.Decl {
		c.declaration(a)
		return
	}
	if a.Init && c.initialised(a) {
		return
	}
	var v value
	for k := len(a.Targets) - 1; k >= 0; k-- {
		if k == len(a.Targets)-1 {
			v = c.assign(a.Targets[k], a.Op, a.Value)
			continue
		}
		at := c.lvalue(a.Targets[k])
		if v.t == nil || !v.t.scalarLike() {
			v = c.read(a.Targets[k+1])
		}
		v = c.convert(v, at.t) // what was assigned is not read again
		c.store(at, v)
	}
}

// assign translates x = v and x op= v.
func (c *compiler) assign(target program.Expr, op string, x program.Expr) value {
	if name := c.namedByReference(target); name != "" && op == "=" && c.lookup(name) == nil {
		v := c.reference(x)
		c.scope.names[name] = c.argument(program.Param{Type: "auto&", Ref: true}, v)
		return v
	}
	if list, is := x.(*program.List); is && op == "=" {
		at := c.lvalue(target)
		c.store(at, c.initial(at.t, list))
		return value{t: at.t, at: at}
	}
	v := c.value(x)
	at := c.lvalue(target)
	c.advances(at, target, op != "" && op != "=")
	if at.t.class != nil && !at.t.class.Enum {
		if op == "" {
			op = "="
		}
		if !quiet(x) { // evaluated once
			const right = "%right"
			c.scope.names[right] = &variable{t: v.t, reg: -1, alias: c.kept(v)}
			x = &program.Name{Place: program.Place{Span: x.Where()}, Ident: right}
		}
		if out, is := c.operator(op, c.unread(at), target, []program.Expr{x}, true); is {
			return out
		}
	}
	if op != "=" && op != "" {
		if out, is := c.freely(op, target, []program.Expr{target, x}, []value{c.unread(at), v}, true); is {
			return out
		}
	}
	if op != "=" && op != "" {
		v = c.operate(strings.TrimSuffix(op, "="), c.load(at), v)
	}
	c.store(at, c.convert(v, at.t))
	if at.memory != nil {
		out := c.convert(v, at.t)
		out.at = at
		return out
	}
	return c.load(at)
}

func (c *compiler) branch(st *program.If) {
	before := c.scope
	c.scope = newScope(before)
	defer func() { c.scope = before }()
	if st.Const {
		if n, known := c.constant(st.Cond); known {
			c.goes(st, n != 0)
			return
		}
	}
	p := c.test(c.value(st.Cond))
	if st.Const && p.Reg >= 0 { // which way it goes is the same for all threads
		in := c.src
		if c.inner > 0 {
			in = c.of[c.scope.fn.fn]
		}
		text := in.Source.Data[st.Cond.Where().Start:st.Cond.Where().End]
		c.scope.fn.undecided = true
		p = c.test(c.input("if " + string(text)))
	}
	if p.Reg == -1 {
		c.goes(st, p.Imm != 0)
		return
	}
	other := c.label()
	c.jump(other, p, false)
	c.body(st.Then)
	if len(st.Else) == 0 {
		c.bind(other)
		return
	}
	over := c.label()
	c.jump(over, ir.None, true)
	c.bind(other)
	c.body(st.Else)
	c.bind(over)
}

// within translates the body of a loop.
func (c *compiler) within(body []program.Stmt, next, end *label) {
	fn := c.scope.fn
	fn.breaks, fn.nexts, fn.loops = append(fn.breaks, end), append(fn.nexts, next), append(fn.loops, c.scope)
	breaks, nexts, loops := len(fn.breaks), len(fn.nexts), len(fn.loops)
	defer func() { fn.breaks, fn.nexts, fn.loops = fn.breaks[:breaks-1], fn.nexts[:nexts-1], fn.loops[:loops-1] }()
	c.body(body)
}

func (c *compiler) loop(st *program.For) {
	if st.Iter != nil {
		c.ranged(st)
		return
	}
	before := c.scope
	c.scope = newScope(before)
	defer func() { c.scope = before }()
	for _, s := range st.Init {
		c.statement(s)
	}
	again, next, end := c.label(), c.label(), c.label()
	c.bind(again)
	if st.Cond != nil {
		back := c.on(st.Cond)
		c.jump(end, c.test(c.value(st.Cond)), false)
		back()
	}
	if c.scope.fn.block != nil && len(st.Body) == 0 {
		c.behind(next, end)
	} else {
		c.within(st.Body, next, end)
	}
	c.bind(next)
	for _, s := range st.Post {
		c.statement(s)
	}
	c.jump(again, ir.None, true)
	c.bind(end)
}

// behind translates what stands in braces behind a macro that is the head of a loop, as the loop's body. It is of whoever uses the macro: of the macro's names it sees those
// that this declares.
func (c *compiler) behind(next, end *label) {
	before, src, macro := c.scope, c.src, c.scope.fn
	block := macro.block
	macro.block = nil
	c.scope, c.src = newScope(before), c.sourceOf(macro)
	c.scope.fn = macro.caller
	defer func() { c.scope, c.src = before, src }()
	for _, p := range macro.fn.Params {
		if _, declares := macro.renames[p.Name]; declares || macro.outermost.outer == nil {
			continue
		}
		if v := macro.outermost.outer.find(p.Name); v != nil {
			c.scope.names[p.Name] = v
		}
	}
	c.within(block, next, end)
}

// maxRanged is how many elements a loop goes over one by one, so that an array of the thread's own is one of registers.
const maxRanged = 16

// ranged is a loop over the elements of an array, or of a list (C++17 [stmt.ranged]).
func (c *compiler) ranged(st *program.For) {
	name, named := st.Target.(*program.Name)
	list, listed := st.Iter.(*program.List)
	varies := func(x program.Expr) bool { // and is evaluated in its round, not before the first
		_, known := c.constant(x)
		return !known
	}
	if !named || listed && slices.ContainsFunc(list.Elems, varies) {
		c.rounds(st)
		return
	}
	element := func(x program.Expr) program.Stmt {
		return &program.Assign{Place: name.Place, Targets: []program.Expr{name}, Op: "=", Value: x, Decl: true, Type: st.Type}
	}
	var all []program.Expr
	if listed {
		all = list.Elems
	} else {
		if !quiet(st.Iter) { // evaluated once
			before := c.scope
			c.scope = newScope(before)
			defer func() { c.scope = before }()
			v := c.reference(st.Iter)
			c.scope.names[rangeName] = &variable{t: v.t, reg: -1, alias: c.kept(v)}
			once := *st
			once.Iter = &program.Name{Place: program.Place{Span: st.Iter.Where()}, Ident: rangeName}
			st = &once
		}
		at := c.objectOf(st.Iter)
		if c.isRange(at.t) {
			c.iterated(st, element)
			return
		}
		if !at.t.array || at.t.extent < 0 {
			c.rounds(st)
			return
		}
		place := program.Place{Span: st.Iter.Where()}
		index := func(i program.Expr) program.Expr {
			return &program.Index{Place: place, X: st.Iter, Args: []program.Expr{i}}
		}
		if at.t.extent > maxRanged {
			i := &program.Name{Place: place, Ident: "%i"}
			c.loop(&program.For{Place: st.Place, Header: st.Header, Cond: &program.Binary{Place: place, Op: "<", X: i, Y: &program.Int{Place: place, Value: at.t.extent}},
				Init: []program.Stmt{&program.Assign{Place: place, Targets: []program.Expr{i}, Op: "=", Value: &program.Int{Place: place}, Decl: true, Type: "int"}},
				Post: []program.Stmt{&program.ExprStmt{Place: place, X: &program.IncDec{Place: place, X: i, Op: "++"}}},
				Body: append([]program.Stmt{element(index(i))}, st.Body...)})
			return
		}
		for k := range at.t.extent {
			all = append(all, index(&program.Int{Place: place, Value: k}))
		}
	}
	if len(all) > maxUnroll {
		c.rounds(st)
		return
	}
	before, end := c.scope, c.label()
	for _, x := range all {
		next := c.label()
		c.scope = newScope(before)
		c.statement(element(x))
		c.within(st.Body, next, end)
		c.bind(next)
	}
	c.scope = before
	c.bind(end)
}

// rangeName is what the object of a loop over a range is called, whose expression may be evaluated only once.
const rangeName = "%range"

// isRange reports whether an object has both methods that a loop over it asks for, with their bodies.
func (c *compiler) isRange(t *ctype) bool {
	for _, name := range []string{"begin", "end"} {
		list, _ := c.methods(t, func(m *program.Function) bool { return m.Name == name && len(m.Params) == 0 })
		if !slices.ContainsFunc(list, func(m *program.Function) bool { return len(m.Body) > 0 }) {
			return false
		}
	}
	return true
}

// iterated is a loop over an object that says where it begins and ends (C++17 [stmt.ranged]/1).
func (c *compiler) iterated(st *program.For, element func(program.Expr) program.Stmt) {
	place := program.Place{Span: st.Iter.Where()}
	at := func(name string) program.Expr { return &program.Name{Place: place, Ident: "%" + name} }
	first := func(name string) program.Stmt {
		method := &program.Call{Place: place, Fun: &program.Attr{Place: place, X: st.Iter, Name: name}}
		return &program.Assign{Place: place, Targets: []program.Expr{at(name)}, Op: "=", Value: method, Decl: true, Type: "auto"}
	}
	c.loop(&program.For{Place: st.Place, Header: st.Header, Init: []program.Stmt{first("begin"), first("end")}, Cond: &program.Binary{Place: place, Op: "!=", X: at("begin"), Y: at("end")},
		Post: []program.Stmt{&program.ExprStmt{Place: place, X: &program.IncDec{Place: place, X: at("begin"), Op: "++"}}},
		Body: append([]program.Stmt{element(&program.Unary{Place: place, Op: "*", X: at("begin")})}, st.Body...)})
}

// rounds is a loop over a range that is not followed: how often it goes round, and with which elements, is not known.
func (c *compiler) rounds(st *program.For) {
	c.unfollowed(st.Iter, limit.Source.Says("a loop over a range"))
	before := c.scope
	c.scope = newScope(before)
	defer func() { c.scope = before }()
	again, end := c.label(), c.label()
	c.bind(again)
	c.jump(end, c.test(c.unknown(boolType)), false)
	t := c.typeOr(st.Type)
	v := &variable{t: t, reg: -1, lost: true}
	if c.spelled(st.Type).reference {
		v.alias = somewhere(t)
	} else if t.scalarLike() {
		v = c.local("%e", t)
		c.set(v, c.unknown(t))
	}
	program.WalkExprs(&program.ExprStmt{X: st.Target}, func(x program.Expr) bool {
		if id, is := x.(*program.Name); is {
			c.scope.names[id.Ident] = v
		}
		return true
	})
	c.within(st.Body, again, end)
	c.jump(again, ir.None, true)
	c.bind(end)
}

// blockOf translates what stands in braces behind a macro of which nothing is known, as behind one of a header that is not there: the body of a loop, as a rule. That all threads of a CTA go
// round as often is taken for granted; a name that it is given first and that nothing declares is the loop's own.
func (c *compiler) blockOf(call *program.Call) bool {
	id, named := call.Fun.(*program.Name)
	if !named || len(c.functions[id.Ident]) > 0 || c.lookup(id.Ident) != nil || c.effectOf(id.Ident) != dialect.Unread {
		return false
	}
	before := c.scope
	c.scope = newScope(before)
	defer func() { c.scope = before }()
	rounds := id.Ident + " rounds"
	c.outside(limit.Call.Sayf("call of %s, whose body is not found", id.Ident), 0)
	c.missing[id.Ident] = true
	c.code.Guesses = append(c.code.Guesses, rounds)
	c.taking(id.Ident + " is the head of a loop that" + waitsForNobody)
	n := c.as(rounds, intType)
	k := c.local("%e", intType)
	c.set(k, value{t: intType, op: constant(0)})
	if len(call.Args) > 0 {
		if own, is := call.Args[0].(*program.Name); is && c.lookup(own.Ident) == nil {
			i := c.local(own.Ident, intType)
			c.scope.names[own.Ident] = i
			c.set(i, c.unknown(intType))
		}
	}
	again, next, end := c.label(), c.label(), c.label()
	c.bind(again)
	c.jump(end, c.test(value{t: boolType, op: c.compare(ir.Less, intType.number, ir.Operand{Reg: k.reg}, n.op)}), false)
	c.within(call.Block, next, end)
	c.bind(next)
	c.set(k, c.operate("+", value{t: intType, op: ir.Operand{Reg: k.reg}}, value{t: intType, op: constant(1)}))
	c.jump(again, ir.None, true)
	c.bind(end)
	return true
}

func (c *compiler) while(st *program.While) {
	again, next, end := c.label(), c.label(), c.label()
	c.bind(again)
	if !st.DoWhile {
		c.bind(next)
		back := c.on(st.Cond)
		c.jump(end, c.test(c.value(st.Cond)), false)
		back()
		c.within(st.Body, again, end)
		c.jump(again, ir.None, true)
		c.bind(end)
		return
	}
	c.within(st.Body, next, end)
	c.bind(next)
	back := c.on(st.Cond)
	c.jump(again, c.test(c.value(st.Cond)), true)
	back()
	c.bind(end)
}
