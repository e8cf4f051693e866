package cuda

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// block reads the statements of a body, which may be one statement without braces.
func (r *reader) block(n *node) []program.Stmt {
	if n == nil {
		return nil
	}
	if n.kind != "compound_statement" {
		return r.stmt(n)
	}
	return r.stmts(n.kids)
}

func (r *reader) stmts(kids []*node) []program.Stmt {
	var out []program.Stmt
	for _, k := range kids {
		out = append(out, r.stmt(k)...)
	}
	return out
}

func opaque(n *node, why string) []program.Stmt {
	return []program.Stmt{&program.OpaqueStmt{Place: place(n), Why: why}}
}

// stmt reads one statement, which may become several (int a = 1, b = 2;) or none (;).
func (r *reader) stmt(n *node) []program.Stmt {
	if !n.named && n.kind != "ERROR" {
		return nil
	}
	if n.bad && r.unreadable(n) {
		note(r.file, span(n), "does not parse; the statement is not modelled")
		return opaque(n, "does not parse")
	}
	if n.cut {
		return opaque(n, "nested too deeply, or beyond the limit on syntax nodes")
	}
	switch n.kind {
	case "expression_statement":
		return r.effect(n.only(), n)
	case "declaration":
		out := r.declaration(n, nil, true)
		if name, is := r.blanker.specifiers[n.start]; is {
			why := string(r.src[name.Start:name.End]) + ", which stands before a declaration, may do more than specify it"
			out = append([]program.Stmt{&program.OpaqueStmt{Place: program.Place{Span: name}, Why: why, Doubt: true}}, out...)
		}
		return out
	case "compound_statement":
		if u, is := r.holding[n.start]; is {
			if u.args.Start == u.args.End { // ALWAYS(if (…) …;) is ALWAYS({ if (…) …; })
				held := &program.Lambda{Place: place(n), Body: r.stmts(n.kids), CaptureRef: true}
				return []program.Stmt{&program.ExprStmt{Place: place(n), X: &program.Call{Place: place(n), Fun: &program.Name{Place: program.Place{Span: u.name}, Ident: string(r.src[u.name.Start:u.name.End])}, Args: []program.Expr{held}}}}
			}
			return []program.Stmt{r.headed(n, u, r.stmts(n.kids))}
		}
		return []program.Stmt{&program.Block{Place: place(n), Body: r.stmts(n.kids)}}
	case "if_statement":
		return r.ifStmt(n)
	case "for_statement", "for_range_loop", "while_statement", "do_statement":
		return r.loop(n)
	case "switch_statement":
		return r.switchStmt(n)
	case "return_statement", "co_return_statement":
		return []program.Stmt{&program.Return{Place: place(n), Value: r.expr(n.only())}}
	case "break_statement":
		return []program.Stmt{&program.Break{Place: place(n)}}
	case "continue_statement":
		return []program.Stmt{&program.Continue{Place: place(n)}}
	case "labeled_statement":
		if label := n.child("label"); label != nil {
			return append([]program.Stmt{&program.Block{Place: place(label), Label: r.nameText(label)}}, r.stmts(n.kids)...)
		}
		return r.stmts(n.kids)
	case "attributed_statement":
		return r.stmts(n.kids)
	case "goto_statement":
		out := &program.OpaqueStmt{Place: place(n), Why: "goto"}
		if label := n.child("label"); label != nil {
			out.To = r.nameText(label)
		}
		return []program.Stmt{out}
	case "try_statement":
		return append(r.block(n.child("body")), opaque(n, "exception handler")...)
	case "throw_statement":
		return opaque(n, "throw")
	case "case_statement":
		return opaque(n, "case outside its switch")
	case "function_definition":
		if d := n.child("declarator"); n.child("type") == nil && d != nil && d.kind == "function_declarator" && d.child("parameters") != nil { // no function is defined in another one
			name, p := d.child("declarator"), d.child("parameters")
			return []program.Stmt{r.headed(n, holder{span(name), source.Span{Start: p.start + 1, End: max(p.end-1, p.start+1)}}, r.block(n.child("body")))}
		}
		return r.item(n, nil, n.start)
	case "class_specifier", "struct_specifier", "union_specifier", "enum_specifier", "template_declaration",
		"alias_declaration", "type_definition", "linkage_specification":
		return r.item(n, nil, n.start)
	case "using_declaration":
		r.opens(n)
		return nil
	case "namespace_alias_definition":
		r.renames(n)
		return nil
	case "static_assert_declaration", "comment",
		"statement_identifier", "attribute_declaration", "friend_declaration":
		return nil
	case "gnu_asm_expression":
		return r.effect(n, n)
	}
	return opaque(n, n.kind)
}

// effect reads an expression that stands as a statement.
func (r *reader) effect(x, whole *node) []program.Stmt {
	if x == nil {
		return nil
	}
	at := place(whole)
	switch x.kind {
	case "comma_expression":
		return append(r.effect(x.child("left"), x.child("left")), r.effect(x.child("right"), x.child("right"))...)
	case "parenthesized_expression":
		if inner := x.only(); inner != nil {
			return r.effect(inner, whole)
		}
	case "identifier":
		if a, is := r.weldedExpr(x).(*program.AssignExpr); is {
			return []program.Stmt{&program.Assign{Place: at, Targets: []program.Expr{a.Target}, Op: a.Op, Value: a.Value}}
		}
		return r.statementName(x)
	case "gnu_asm_expression":
		return []program.Stmt{r.asm(x, at)}
	case "assignment_expression":
		return []program.Stmt{r.assign(x, at)}
	}
	return []program.Stmt{&program.ExprStmt{Place: at, X: r.expr(x)}}
}

// assign reads a = b = v as one statement with two targets.
func (r *reader) assign(x *node, at program.Place) *program.Assign {
	a := &program.Assign{Place: at, Op: r.own(x.child("operator"))}
	if row := r.rowReference(x, a); row != nil {
		return row
	}
	for {
		a.Targets = append(a.Targets, r.expr(x.child("left")))
		right := x.child("right")
		if a.Op != "=" || right == nil || right.kind != "assignment_expression" || r.own(right.child("operator")) != "=" {
			a.Value = r.expr(right)
			return a
		}
		x = right
	}
}

// readAsCast is a type, and what is declared to be one, that the grammar takes for a cast: float (&row). Of reinterpret_cast<float4*>(&s[i]), or (float4*)&x, it is none.
func (r *reader) readAsCast(x program.Expr) (typ string, declared program.Expr) {
	cast, is := x.(*program.Cast)
	if !is {
		return "", nil
	}
	text := string(r.src[cast.Span.Start:])
	if end := strings.IndexAny(text, "(< \t\n"); end <= 0 || namedCast[text[:end]] {
		return "", nil
	}
	return cast.Type, cast.X
}

// readAsCall is the same where it takes it for a call: T (*rows).
func (r *reader) readAsCall(x program.Expr) (typ string, declared program.Expr) {
	call, is := x.(*program.Call)
	if !is || len(call.Args) != 1 {
		return "", nil
	}
	id, named := call.Fun.(*program.Name)
	if place, points := call.Args[0].(*program.Unary); named && points && place.Op == "*" {
		return r.typeText(id.Span.Start, id.Span.End), place
	}
	return "", nil
}

// rowReference reads float (&row)[128] = s[0], which the grammar takes for an assignment to an element of a cast, and T (*rows)[128] = s, which it takes for one to an
// element of what a call returns.
func (r *reader) rowReference(x *node, a *program.Assign) *program.Assign {
	left := r.expr(x.child("left"))
	element, ok := left.(*program.Index)
	if !ok || a.Op != "=" {
		return nil
	}
	for inner, more := element.X.(*program.Index); more; inner, more = element.X.(*program.Index) {
		element = inner
	}
	typ, is := r.readAsCast(element.X)
	if is == nil {
		typ, is = r.readAsCall(element.X)
	}
	place, ok := is.(*program.Unary)
	if !ok || place.Op != "&" && place.Op != "*" {
		return nil
	}
	if _, named := place.X.(*program.Name); !named {
		return nil
	}
	a.Op, a.Decl, a.Type = "", true, typ+"&"
	if place.Op == "*" {
		a.Type = typ + "[]" + r.typeText(element.X.Where().End, left.Where().End)
	}
	a.Targets, a.Value = []program.Expr{place.X}, r.expr(x.child("right"))
	return a
}

// condition reads the head of an if, while or switch: the statements before it and the expression.
func (r *reader) condition(n *node) (before []program.Stmt, x program.Expr) {
	if n == nil {
		return nil, nil
	}
	if n.kind != "condition_clause" {
		return nil, r.expr(n)
	}
	if init := n.child("initializer"); init != nil {
		before = r.stmts(init.kids)
	}
	value := n.child("value")
	if value == nil {
		value = n.only()
	}
	return before, r.declaredCondition(value)
}

// declaredCondition reads `auto x = v` in a condition as the assignment it is.
func (r *reader) declaredCondition(n *node) program.Expr {
	if n == nil || n.kind != "declaration" {
		return r.expr(n)
	}
	stmts := r.declaration(n, nil, true)
	if len(stmts) == 1 {
		if a, ok := stmts[0].(*program.Assign); ok && a.Value != nil {
			return &program.AssignExpr{Place: place(n), Target: a.Targets[0], Op: "=", Value: a.Value}
		}
	}
	return &program.OpaqueExpr{Place: place(n), Why: "declaration in a condition"}
}

func (r *reader) ifStmt(n *node) []program.Stmt {
	before, cond := r.condition(n.child("condition"))
	s := &program.If{Place: place(n), Cond: cond, Then: r.block(n.child("consequence"))}
	for _, k := range n.kids {
		if k.kind == "constexpr" || k.kind == "consteval" {
			s.Const = true
		}
	}
	if e := n.child("alternative"); e != nil {
		if e.kind == "else_clause" {
			s.Else = r.elseBody(e)
		} else {
			s.Else = r.block(e)
		}
	}
	if len(before) > 0 {
		return []program.Stmt{&program.Block{Place: place(n), Body: append(before, s)}}
	}
	return []program.Stmt{s}
}

func (r *reader) elseBody(e *node) []program.Stmt {
	content := e.content()
	if len(content) == 1 {
		return r.block(content[0])
	}
	return r.stmts(content)
}

// header is the span from a loop's start to its body.
func (r *reader) header(n, body *node) source.Span {
	end := n.end
	if body != nil && body.start > n.start && n.kind != "do_statement" {
		end = body.start
		for end > n.start && (r.text[end-1] == ' ' || r.text[end-1] == '\n' || r.text[end-1] == '\r' || r.text[end-1] == '\t') {
			end--
		}
	} else if n.kind == "do_statement" {
		end = n.start + len("do")
	}
	return source.Span{Start: n.start, End: end}
}

// headed is the use of a macro with the statements behind it, or that it holds.
func (r *reader) headed(n *node, u holder, block []program.Stmt) program.Stmt {
	call := &program.Call{Place: place(n), Fun: &program.Name{Place: program.Place{Span: u.name}, Ident: string(r.src[u.name.Start:u.name.End])}, Block: block}
	if block == nil {
		call.Block = []program.Stmt{}
	}
	r.apart("auto x=LOOP(", u.args, ");", func(root *node) {
		if list := below(root, "declaration", "init_declarator", "call_expression", "argument_list"); list != nil {
			call.Args = r.exprs(list.content())
		}
	})
	return &program.ExprStmt{Place: place(n), X: call}
}

func (r *reader) loop(n *node) []program.Stmt {
	body := n.child("body")
	head := r.header(n, body)
	switch n.kind {
	case "while_statement":
		before, cond := r.condition(n.child("condition"))
		return append(before, &program.While{Place: place(n), Cond: cond, Body: r.block(body), Header: head})
	case "do_statement":
		return []program.Stmt{&program.While{Place: place(n), Cond: r.expr(n.child("condition")), Body: r.block(body), DoWhile: true, Header: head}}
	case "for_range_loop":
		d := unwrap(n.child("declarator"))
		f := &program.For{Place: place(n), Iter: r.expr(n.child("right")), Body: r.block(body), Header: head}
		if d.tuple != nil {
			f.Target = &program.Tuple{Place: place(d.tuple), Elems: r.exprs(d.tuple.content())}
		} else if d.name != nil {
			f.Type = r.typeText(n.child("type").start, n.child("declarator").start) + d.stars
			f.Target = &program.Name{Place: place(d.name), Ident: r.own(d.name)}
		}
		var out []program.Stmt
		if init := n.child("initializer"); init != nil {
			out = r.stmts(init.kids)
		}
		return append(out, f)
	}
	if u, is := r.holding[n.start]; is {
		return []program.Stmt{r.headed(n, u, r.block(body))}
	}
	f := &program.For{Place: place(n), Cond: r.declaredCondition(n.child("condition")), Body: r.block(body), Header: head}
	if init := n.child("initializer"); init != nil {
		if init.kind == "declaration" {
			f.Init = r.declaration(init, nil, true)
		} else {
			f.Init = r.effect(init, init)
		}
	}
	f.Post = r.effect(n.child("update"), n.child("update"))
	return []program.Stmt{f}
}
