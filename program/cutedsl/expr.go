package cutedsl

import (
	"slices"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

func (r *reader) exprs(list []*syntax) []program.Expr {
	var out []program.Expr
	for _, n := range list {
		out = append(out, r.expr(n))
	}
	return out
}

func (r *reader) exprOrNil(n *syntax) program.Expr {
	if n == nil {
		return nil
	}
	return r.expr(n)
}

// expr reads an expression; it never returns nil.
func (r *reader) expr(n *syntax) program.Expr {
	if n == nil {
		return &program.OpaqueExpr{Why: "missing"}
	}
	if n.broken || n.wrong {
		return &program.OpaqueExpr{Place: at(n), Why: "syntax error"}
	}
	if !r.enter(n) {
		return &program.OpaqueExpr{Place: at(n), Why: "nested too deep"}
	}
	defer r.leave()
	e := r.bare(n)
	if r.splats[n.start] {
		// Only the outermost expression at this place carried the star.
		if p := n.parent; p == nil || p.start != n.start || p.kind == "expression_list" {
			return &program.Starred{Place: at(n), X: e}
		}
	}
	return e
}

func (r *reader) bare(n *syntax) program.Expr {
	switch n.kind {
	case "identifier", "keyword_identifier":
		return &program.Name{Place: at(n), Ident: r.text(n)}
	case "integer":
		return integer(n, r.text(n))
	case "float":
		return &program.Float{Place: at(n), Text: r.text(n)}
	case "string", "concatenated_string":
		return r.str(n)
	case "true", "false":
		return &program.Bool{Place: at(n), Value: n.kind == "true"}
	case "none":
		return &program.None{Place: at(n)}
	case "ellipsis":
		return &program.Name{Place: at(n), Ident: "Ellipsis"}
	case "call", "attribute", "subscript", "generic_type", "slice", "dotted_name":
		return r.postfix(n)
	case "binary_operator", "boolean_operator", "comparison_operator", "unary_operator", "not_operator",
		"conditional_expression", "named_expression", "lambda":
		return r.operator(n)
	}
	return r.display(n)
}

// hoist moves a star out of the left end of an expression: tree-sitter-python reads *f(x) as (*f)(x).
func hoist(left program.Expr, whole program.Place, build func(program.Expr) program.Expr) program.Expr {
	if s, ok := left.(*program.Starred); ok && !s.Double {
		return &program.Starred{Place: whole, X: build(s.X)}
	}
	return build(left)
}

func (r *reader) postfix(n *syntax) program.Expr {
	switch n.kind {
	case "call":
		c := &program.Call{Place: at(n)}
		args := n.child("arguments")
		fun := r.exprOrNil(n.child("function"))
		if args != nil && args.kind == "generator_expression" {
			c.Args = []program.Expr{r.expr(args)}
		} else if args != nil {
			c.Args, c.Keywords = r.arguments(args)
		}
		return hoist(fun, c.Place, func(x program.Expr) program.Expr { c.Fun = x; return c })
	case "attribute":
		a := &program.Attr{Place: at(n), Name: r.text(n.child("attribute"))}
		return hoist(r.expr(n.child("object")), a.Place, func(x program.Expr) program.Expr { a.X = x; return a })
	case "subscript":
		ix := &program.Index{Place: at(n)}
		for c := n.first; c != nil; c = c.next {
			if c.field == "subscript" {
				ix.Args = append(ix.Args, r.expr(c))
			}
		}
		return hoist(r.expr(n.child("value")), ix.Place, func(x program.Expr) program.Expr { ix.X = x; return ix })
	case "generic_type": // an annotation X[…]
		if names := n.names(); len(names) == 2 && names[1].kind == "type_parameter" {
			return &program.Index{Place: at(n), X: r.expr(names[0]), Args: r.exprs(names[1].names())}
		}
		return r.display(n)
	case "dotted_name":
		var e program.Expr
		for _, c := range n.names() {
			if e == nil {
				e = r.expr(c)
				continue
			}
			e = &program.Attr{Place: program.Place{Span: source.Span{Start: n.start, End: c.end}}, X: e, Name: r.text(c)}
		}
		return e
	}
	s, part := &program.SliceExpr{Place: at(n)}, 0
	for c := n.first; c != nil; c = c.next {
		if c.kind == ":" {
			part++
			continue
		}
		switch part {
		case 0:
			s.Lo = r.expr(c)
		case 1:
			s.Hi = r.expr(c)
		default:
			s.Step = r.expr(c)
		}
	}
	return s
}

func (r *reader) arguments(n *syntax) (args []program.Expr, keywords []program.Keyword) {
	for _, c := range n.names() {
		if c.kind == "keyword_argument" {
			keywords = append(keywords, program.Keyword{Name: r.text(c.child("name")), Value: r.expr(c.child("value"))})
			continue
		}
		args = append(args, r.expr(c))
	}
	return args, keywords
}

func (r *reader) operator(n *syntax) program.Expr {
	switch n.kind {
	case "binary_operator":
		if operands, ops := r.bitwise(n); slices.Contains(ops, "&") && slices.Contains(ops, "^") {
			return r.exclusive(operands, ops)
		}
		b := &program.Binary{Place: at(n), Op: r.text(n.child("operator")), Y: r.expr(n.child("right"))}
		return hoist(r.expr(n.child("left")), b.Place, func(x program.Expr) program.Expr { b.X = x; return b })
	case "boolean_operator":
		op := "&&"
		if o := n.child("operator"); o != nil && o.kind == "or" {
			op = "||"
		}
		return &program.Binary{Place: at(n), Op: op, X: r.expr(n.child("left")), Y: r.expr(n.child("right"))}
	case "comparison_operator":
		return r.comparison(n)
	case "unary_operator":
		return &program.Unary{Place: at(n), Op: r.text(n.child("operator")), X: r.expr(n.child("argument"))}
	case "not_operator":
		return &program.Unary{Place: at(n), Op: "!", X: r.expr(n.child("argument"))}
	case "conditional_expression":
		if list := n.names(); len(list) == 3 {
			return &program.Cond{Place: at(n), Test: r.expr(list[1]), Then: r.expr(list[0]), Else: r.expr(list[2])}
		}
		return r.opaqueExpr(n, "conditional expression")
	case "named_expression":
		return &program.AssignExpr{Place: at(n), Op: ":=", Target: r.expr(n.child("name")), Value: r.expr(n.child("value"))}
	}
	body := n.child("body")
	l := &program.Lambda{Place: at(n), Params: r.params(n.child("parameters"))}
	if body != nil {
		l.Body = []program.Stmt{&program.Return{Place: at(body), Value: r.expr(body)}}
	}
	return l
}

// bitwise lists the operands of a chain of & and ^, and the operators between them, in the order of the text.
func (r *reader) bitwise(n *syntax) (operands []*syntax, ops []string) {
	op := ""
	if n.kind == "binary_operator" {
		op = r.text(n.child("operator"))
	}
	left, right := n.child("left"), n.child("right")
	if op != "&" && op != "^" || left == nil || right == nil || r.depth >= maxDepth {
		return []*syntax{n}, nil
	}
	r.depth++
	operands, ops = r.bitwise(left)
	more, others := r.bitwise(right)
	r.depth--
	return append(operands, more...), append(append(ops, op), others...)
}

// exclusive reads a chain of & and ^: & binds closer (Python reference 6.9); in tree-sitter-python, ^ does.
func (r *reader) exclusive(operands []*syntax, ops []string) program.Expr {
	join := func(op string, x, y program.Expr) program.Expr {
		place := program.Place{Span: x.Where().Join(y.Where())}
		return hoist(x, place, func(x program.Expr) program.Expr { return &program.Binary{Place: place, Op: op, X: x, Y: y} })
	}
	var out program.Expr
	term := r.expr(operands[0])
	for i, op := range ops {
		next := r.expr(operands[i+1])
		switch {
		case op == "&":
			term = join(op, term, next)
			continue
		case out == nil:
			out = term
		default:
			out = join("^", out, term)
		}
		term = next
	}
	if out == nil {
		return term
	}
	return join("^", out, term)
}

// comparison reads a chain a < b < c as (a < b) && (b < c). The middle operand is shared between the two.
func (r *reader) comparison(n *syntax) program.Expr {
	var operands []*syntax
	var ops []string
	for c := n.first; c != nil; c = c.next {
		if c.field == "operators" {
			ops = append(ops, c.kind)
		} else if c.named {
			operands = append(operands, c)
		}
	}
	if len(operands) != len(ops)+1 || len(ops) == 0 || len(ops) > maxDepth {
		return r.opaqueExpr(n, "comparison")
	}
	var out program.Expr
	left := r.expr(operands[0])
	for i, op := range ops {
		right := r.expr(operands[i+1])
		place := program.Place{Span: left.Where().Join(right.Where())}
		var c program.Expr
		switch op {
		case "not in":
			c = &program.Unary{Place: place, Op: "!", X: &program.Binary{Place: place, Op: "in", X: left, Y: right}}
		case "is not":
			c = &program.Unary{Place: place, Op: "!", X: &program.Binary{Place: place, Op: "is", X: left, Y: right}}
		case "<>":
			c = &program.Binary{Place: place, Op: "!=", X: left, Y: right}
		default:
			c = &program.Binary{Place: place, Op: op, X: left, Y: right}
		}
		if out != nil {
			c = &program.Binary{Place: program.Place{Span: out.Where().Join(place.Span)}, Op: "&&", X: out, Y: c}
		}
		out, left = c, right
	}
	return out
}

func (r *reader) display(n *syntax) program.Expr {
	switch n.kind {
	case "parenthesized_expression", "as_pattern_target", "type", "case_pattern":
		if list := n.names(); len(list) == 1 {
			return r.expr(list[0])
		}
	case "tuple", "expression_list", "pattern_list", "tuple_pattern":
		return &program.Tuple{Place: at(n), Elems: r.exprs(n.names())}
	case "list", "list_pattern":
		return &program.List{Place: at(n), Elems: r.exprs(n.names())}
	case "set":
		// A set is a Call of "set": the tree has no node of its own for it.
		list := &program.List{Place: at(n), Elems: r.exprs(n.names())}
		return &program.Call{Place: at(n), Fun: &program.Name{Place: at(n), Ident: "set"}, Args: []program.Expr{list}}
	case "dictionary":
		return r.dict(n)
	case "list_splat", "list_splat_pattern", "dictionary_splat", "dictionary_splat_pattern":
		if list := n.names(); len(list) == 1 {
			double := n.kind == "dictionary_splat" || n.kind == "dictionary_splat_pattern"
			return &program.Starred{Place: at(n), X: r.expr(list[0]), Double: double}
		}
	case "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression":
		return r.comprehension(n)
	}
	return r.opaqueExpr(n, n.kind)
}

// dict reads a dictionary; **d is an entry whose key is nil and whose value is Starred.
func (r *reader) dict(n *syntax) program.Expr {
	d := &program.Dict{Place: at(n)}
	for _, c := range n.names() {
		if c.kind == "pair" {
			d.Keys = append(d.Keys, r.expr(c.child("key")))
			d.Values = append(d.Values, r.expr(c.child("value")))
			continue
		}
		d.Keys = append(d.Keys, nil)
		d.Values = append(d.Values, r.expr(c))
	}
	return d
}

func (r *reader) comprehension(n *syntax) program.Expr {
	kinds := map[string]string{"list_comprehension": "list", "set_comprehension": "set",
		"dictionary_comprehension": "dict", "generator_expression": "generator"}
	c := &program.Comp{Place: at(n), Kind: kinds[n.kind]}
	if body := n.child("body"); body != nil && body.kind == "pair" {
		c.Key, c.Elem = r.expr(body.child("key")), r.expr(body.child("value"))
	} else {
		c.Elem = r.expr(body)
	}
	for _, cl := range n.names() {
		switch cl.kind {
		case "for_in_clause":
			var iter []program.Expr
			for x := cl.first; x != nil; x = x.next {
				if x.field == "right" && x.named {
					iter = append(iter, r.expr(x))
				}
			}
			clause := program.CompClause{Target: r.expr(cl.child("left"))}
			if len(iter) == 1 {
				clause.Iter = iter[0]
			} else {
				clause.Iter = &program.Tuple{Place: at(cl), Elems: iter}
			}
			c.Clauses = append(c.Clauses, clause)
		case "if_clause":
			if last := len(c.Clauses) - 1; last >= 0 {
				c.Clauses[last].Conds = append(c.Clauses[last].Conds, r.exprs(cl.names())...)
			}
		}
	}
	return c
}

// opaqueExpr keeps the parts of an expression that has no place in the tree.
func (r *reader) opaqueExpr(n *syntax, why string) program.Expr {
	return &program.OpaqueExpr{Place: at(n), Why: why, Parts: r.exprs(n.names())}
}
