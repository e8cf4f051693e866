package cutedsl

import (
	"regexp"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// block reads an indented body.
func (r *reader) block(n *syntax, sc scope) []program.Stmt {
	if n == nil {
		return nil
	}
	var out []program.Stmt
	for _, c := range n.names() {
		out = append(out, r.stmt(c, sc)...)
	}
	return out
}

// stmt reads one statement; some become several or none.
func (r *reader) stmt(n *syntax, sc scope) []program.Stmt {
	if !r.enter(n) {
		return opaque(n, "nested too deep")
	}
	defer r.leave()
	switch n.kind {
	case "function_definition", "class_definition", "decorated_definition":
		return r.definition(n, sc)
	}
	if n.broken || n.wrong {
		// Inside a function this is never met: the whole function was skipped.
		return r.broken(n, sc)
	}
	switch n.kind {
	case "if_statement", "for_statement", "while_statement", "with_statement", "try_statement", "match_statement":
		return r.compound(n, sc)
	}
	return r.simple(n)
}

var definitionStart = regexp.MustCompile(`^(?:\s*@.*\n)*\s*(?:async\s+)?def\s+(\w+)`)

// broken reads text that does not parse: the definitions inside it, and if it starts like a function, its name.
func (r *reader) broken(n *syntax, sc scope) []program.Stmt {
	if m := definitionStart.FindSubmatch(r.src[n.start:n.end]); m != nil {
		r.out.Skipped = append(r.out.Skipped, program.Skipped{Name: sc.prefix + string(m[1]), Span: span(n)})
	}
	return append(opaque(n, "syntax error"), r.salvage(n, sc)...)
}

func opaque(n *syntax, why string) []program.Stmt {
	return []program.Stmt{&program.OpaqueStmt{Place: at(n), Why: why}}
}

func (r *reader) simple(n *syntax) []program.Stmt {
	switch n.kind {
	case "expression_statement":
		return r.expression(n)
	case "return_statement":
		s := &program.Return{Place: at(n)}
		if list := n.names(); len(list) > 0 {
			s.Value = r.expr(list[0])
		}
		return []program.Stmt{s}
	case "import_statement", "import_from_statement", "future_import_statement":
		return r.imports(n)
	case "break_statement":
		return []program.Stmt{&program.Break{Place: at(n)}}
	case "continue_statement":
		return []program.Stmt{&program.Continue{Place: at(n)}}
	case "pass_statement":
		return nil
	case "delete_statement":
		s := &program.Delete{Place: at(n), Targets: r.exprs(n.names())}
		if tuple, ok := s.Targets[0].(*program.Tuple); ok && len(s.Targets) == 1 {
			s.Targets = tuple.Elems
		}
		return []program.Stmt{s}
	case "assert_statement":
		return []program.Stmt{r.keywordCall(n, "assert", n.names())}
	case "print_statement", "exec_statement":
		return []program.Stmt{r.keywordCall(n, strings.TrimSuffix(n.kind, "_statement"), n.names())}
	case "raise_statement":
		s := &program.Raise{Place: at(n)}
		if list := n.names(); len(list) > 0 { // the second is the cause
			s.X = r.expr(list[0])
		}
		return []program.Stmt{s}
	case "global_statement", "nonlocal_statement":
		s := &program.Outer{Place: at(n), Global: n.kind == "global_statement"}
		for _, c := range n.names() {
			s.Names = append(s.Names, r.text(c))
		}
		return []program.Stmt{s}
	}
	return opaque(n, strings.ReplaceAll(n.kind, "_", " "))
}

// keywordCall makes a call out of a statement that works like one.
func (r *reader) keywordCall(n *syntax, name string, args []*syntax) program.Stmt {
	word := source.Span{Start: n.start, End: min(n.start+len(name), n.end)}
	call := &program.Call{Place: at(n), Fun: &program.Name{Place: program.Place{Span: word}, Ident: name}}
	for _, a := range args {
		call.Args = append(call.Args, r.expr(a))
	}
	return &program.ExprStmt{Place: at(n), X: call}
}

func (r *reader) expression(n *syntax) []program.Stmt {
	list := n.names()
	if len(list) == 0 {
		return nil
	}
	if len(list) > 1 || hasComma(n) {
		return []program.Stmt{&program.ExprStmt{Place: at(n), X: &program.Tuple{Place: at(n), Elems: r.exprs(list)}}}
	}
	switch c := list[0]; c.kind {
	case "assignment":
		return []program.Stmt{r.assignment(n, c)}
	case "augmented_assignment":
		return []program.Stmt{&program.Assign{Place: at(n), Targets: []program.Expr{r.expr(c.child("left"))},
			Op: r.text(c.child("operator")), Value: r.exprOrNil(c.child("right"))}}
	default:
		return []program.Stmt{&program.ExprStmt{Place: at(n), X: r.expr(c)}}
	}
}

func hasComma(n *syntax) bool {
	for c := n.first; c != nil; c = c.next {
		if c.kind == "," {
			return true
		}
	}
	return false
}

// assignment reads x = v, x: T = v, x: T and the chain x = y = v.
func (r *reader) assignment(n, c *syntax) program.Stmt {
	s := &program.Assign{Place: at(n), Op: "="}
	for {
		s.Targets = append(s.Targets, r.expr(c.child("left")))
		if t := c.child("type"); t != nil {
			s.Type = squeeze(r.text(t))
			if inner := t.names(); len(inner) == 1 {
				s.Annotation = r.expr(inner[0])
			}
			s.Const = strings.Contains(s.Type, "Constexpr")
		}
		right := c.child("right")
		if right == nil {
			s.Decl = true
			return s
		}
		if right.kind != "assignment" {
			s.Value = r.expr(right)
			return s
		}
		c = right
	}
}

func (r *reader) compound(n *syntax, sc scope) []program.Stmt {
	switch n.kind {
	case "if_statement":
		return r.ifs(n, sc)
	case "for_statement":
		s := &program.For{Place: at(n), Target: r.expr(n.child("left")), Iter: r.expr(n.child("right")),
			Body: r.block(n.child("body"), sc), Header: r.header(n), Else: r.loopElse(n, sc)}
		return []program.Stmt{s}
	case "while_statement":
		s := &program.While{Place: at(n), Cond: r.expr(n.child("condition")), Body: r.block(n.child("body"), sc),
			Header: r.header(n), Else: r.loopElse(n, sc)}
		return []program.Stmt{s}
	case "with_statement":
		return []program.Stmt{r.with(n, sc)}
	case "try_statement":
		return []program.Stmt{r.try(n, sc)}
	}
	return r.match(n, sc)
}

// header returns the span up to and including the colon.
func (r *reader) header(n *syntax) source.Span {
	for c := n.first; c != nil; c = c.next {
		if c.kind == ":" {
			return source.Span{Start: n.start, End: c.end}
		}
	}
	return span(n)
}

// loopElse reads the else block of a loop.
func (r *reader) loopElse(n *syntax, sc scope) []program.Stmt {
	if alt := n.child("alternative"); alt != nil {
		return r.block(alt.child("body"), sc)
	}
	return nil
}

func (r *reader) ifs(n *syntax, sc scope) []program.Stmt {
	clauses := []*syntax{n}
	var last []program.Stmt
	for c := n.first; c != nil; c = c.next {
		switch c.kind {
		case "elif_clause":
			clauses = append(clauses, c)
		case "else_clause":
			last = r.block(c.child("body"), sc)
		}
	}
	if len(clauses) > maxDepth {
		r.note(span(n), "more elif clauses than can be read")
		return opaque(n, "too many elif clauses")
	}
	for i := len(clauses) - 1; i >= 0; i-- {
		c := clauses[i]
		s := &program.If{Place: program.Place{Span: source.Span{Start: c.start, End: n.end}},
			Cond: r.expr(c.child("condition")), Then: r.block(c.child("consequence"), sc), Else: last}
		if inner, ok := constExpr(s.Cond); ok {
			s.Cond, s.Const = inner, true
		}
		last = []program.Stmt{s}
	}
	return last
}

// constExpr unwraps const_expr(c) and cutlass.const_expr(c).
func constExpr(e program.Expr) (program.Expr, bool) {
	c, ok := e.(*program.Call)
	if !ok || lastName(c.Fun) != "const_expr" || len(c.Args) != 1 || len(c.Keywords) != 0 {
		return nil, false
	}
	return c.Args[0], true
}

func (r *reader) with(n *syntax, sc scope) program.Stmt {
	s := &program.With{Place: at(n)}
	for c := n.first; c != nil; c = c.next {
		if c.kind != "with_clause" {
			continue
		}
		for _, item := range c.names() {
			value := item.child("value")
			if value == nil {
				continue
			}
			it := program.WithItem{}
			if value.kind == "as_pattern" {
				parts := value.names()
				it.X = r.expr(parts[0])
				if alias := value.child("alias"); alias != nil {
					it.As = r.expr(alias)
				}
			} else {
				it.X = r.expr(value)
			}
			s.Items = append(s.Items, it)
		}
	}
	s.Body = r.block(n.child("body"), sc)
	return s
}

func (r *reader) try(n *syntax, sc scope) program.Stmt {
	s := &program.Try{Place: at(n), Body: r.block(n.child("body"), sc)}
	for c := n.first; c != nil; c = c.next {
		switch c.kind {
		case "else_clause":
			s.Else = r.block(c.child("body"), sc)
		case "finally_clause":
			for _, b := range c.names() {
				s.Finally = append(s.Finally, r.block(b, sc)...)
			}
		case "except_clause", "except_group_clause":
			s.Handlers = append(s.Handlers, r.handler(c, sc))
		}
	}
	return s
}

func (r *reader) handler(n *syntax, sc scope) program.Handler {
	var h program.Handler
	for _, c := range n.names() {
		switch c.kind {
		case "block":
			h.Body = r.block(c, sc)
		case "as_pattern":
			if parts := c.names(); len(parts) > 0 {
				h.Type = r.expr(parts[0])
			}
			h.Name = r.text(c.child("alias"))
		case "comment":
		default:
			if h.Type == nil {
				h.Type = r.expr(c)
			} else {
				h.Name = r.text(c)
			}
		}
	}
	return h
}

// match turns a match statement into an If chain; a pattern that is more than constants has an opaque condition.
func (r *reader) match(n *syntax, sc scope) []program.Stmt {
	subject, body := n.child("subject"), n.child("body")
	if subject == nil || body == nil {
		return opaque(n, "match")
	}
	x := r.expr(subject)
	cases := body.names()
	if len(cases) > maxDepth {
		r.note(span(n), "more case clauses than can be read")
		return opaque(n, "too many case clauses")
	}
	var last []program.Stmt
	for i := len(cases) - 1; i >= 0; i-- {
		c := cases[i]
		s := &program.If{Place: program.Place{Span: source.Span{Start: c.start, End: n.end}}, Else: last}
		for p := c.first; p != nil; p = p.next {
			if p.kind != "case_pattern" {
				continue
			}
			if s.Cond != nil {
				s.Cond = &program.OpaqueExpr{Place: at(c), Why: "match pattern"}
				break
			}
			s.Cond = r.pattern(x, p)
		}
		if s.Cond == nil {
			s.Cond = &program.OpaqueExpr{Place: at(c), Why: "match pattern"}
		}
		if g := c.child("guard"); g != nil {
			for _, e := range g.names() {
				s.Cond = &program.Binary{Place: at(g), Op: "&&", X: s.Cond, Y: r.expr(e)}
			}
		}
		s.Then = r.block(c.child("consequence"), sc)
		last = []program.Stmt{s}
	}
	return last
}

// pattern is the condition under which a case pattern matches x.
func (r *reader) pattern(x program.Expr, p *syntax) program.Expr {
	list := p.names()
	if p.kind == "case_pattern" && len(list) == 0 && r.text(p) == "_" {
		return &program.Bool{Place: at(p), Value: true}
	}
	if p.kind == "case_pattern" && len(list) == 1 && r.text(list[0]) == r.text(p) {
		return r.pattern(x, list[0])
	}
	switch p.kind {
	case "union_pattern":
		var any program.Expr
		for _, alt := range list {
			c := r.pattern(x, alt)
			if any != nil {
				c = &program.Binary{Place: at(p), Op: "||", X: any, Y: c}
			}
			any = c
		}
		if any != nil && len(list) <= maxDepth {
			return any
		}
	case "integer", "string", "concatenated_string", "true", "false", "none":
		return &program.Binary{Place: at(p), Op: "==", X: x, Y: r.expr(p)}
	case "dotted_name":
		if strings.Contains(r.text(p), ".") { // a value; a bare name would be bound, not compared
			return &program.Binary{Place: at(p), Op: "==", X: x, Y: r.expr(p)}
		}
	}
	return &program.OpaqueExpr{Place: at(p), Why: "match pattern"}
}
