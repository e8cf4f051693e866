package cuda

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

func (r *reader) exprs(nodes []*node) []program.Expr {
	out := make([]program.Expr, 0, len(nodes))
	for _, n := range nodes {
		out = append(out, r.expr(n))
	}
	return out
}

// expr reads an expression; nil gives nil.
func (r *reader) expr(n *node) program.Expr {
	switch {
	case n == nil:
		return nil
	case n.cut:
		return &program.OpaqueExpr{Place: place(n), Why: "nested too deeply, or beyond the limit on syntax nodes"}
	case n.kind == "ERROR" || n.missing:
		return &program.OpaqueExpr{Place: place(n), Why: "does not parse"}
	}
	if x := r.leaf(n); x != nil {
		return x
	}
	if x := r.operation(n); x != nil {
		return x
	}
	switch n.kind {
	case "parenthesized_expression", "condition_clause":
		return r.inner(n)
	case "call_expression":
		return r.call(n)
	case "compound_literal_expression":
		return r.object(n)
	case "compound_statement": // DISPATCH(type, { … }), ({ … })
		return &program.Lambda{Place: place(n), Body: r.stmts(n.kids), CaptureRef: true}
	case "initializer_list":
		return &program.List{Place: place(n), Elems: r.exprs(n.content())}
	case "initializer_pair":
		target := &program.Name{Place: place(n), Ident: trimDot(r.nameText(n.child("designator")))}
		return &program.AssignExpr{Place: place(n), Target: target, Op: "=", Value: r.expr(n.child("value"))}
	case "lambda_expression":
		return r.lambda(n)
	case "sizeof_expression", "alignof_expression", "offsetof_expression":
		return r.sizeOf(n)
	case "parameter_pack_expansion":
		return &program.Starred{Place: place(n), X: r.expr(n.child("pattern"))}
	case "type_descriptor", "template_type", "dependent_type", "decltype", "sized_type_specifier", "placeholder_type_specifier", "auto":
		return r.typeExpr(n)
	case "fold_expression":
		return r.fold(n)
	case "requires_expression":
		return r.requires(n)
	case "comma_expression":
		return &program.OpaqueExpr{Place: place(n), Why: program.Comma, Parts: r.commaParts(n)}
	}
	return r.opaqueExpr(n)
}

// fold reads a fold-expression of one operand. Of one with two it is only the names in them that tell which has the pack.
func (r *reader) fold(n *node) program.Expr {
	op, left, right := n.child("operator"), n.child("left"), n.child("right")
	if op == nil || left == nil || right == nil || (left.kind == "...") == (right.kind == "...") {
		return r.opaqueExpr(n)
	}
	x := &program.Fold{Place: place(n), Op: r.own(op), Left: left.kind == "..."}
	if x.X = r.expr(left); x.Left {
		x.X = r.expr(right)
	}
	return x
}

// requires reads a requires-expression without parameters whose requirements are simple ones.
func (r *reader) requires(n *node) program.Expr {
	list := n.child("requirements")
	if n.child("parameters") != nil || list == nil {
		return r.opaqueExpr(n)
	}
	x := &program.OpaqueExpr{Place: place(n), Why: program.Requires}
	for _, k := range list.content() {
		if k.kind != "simple_requirement" || len(k.content()) != 1 {
			return r.opaqueExpr(n)
		}
		x.Parts = append(x.Parts, r.expr(k.content()[0]))
	}
	return x
}

// opaqueExpr keeps what can still be read inside.
func (r *reader) opaqueExpr(n *node) program.Expr {
	x := &program.OpaqueExpr{Place: place(n), Why: n.kind}
	for _, k := range n.content() {
		if isExpr(k.kind) {
			x.Parts = append(x.Parts, r.expr(k))
		} else if k.kind == "argument_list" || k.kind == "new_declarator" {
			x.Parts = append(x.Parts, r.exprs(k.content())...)
		}
	}
	return x
}

// isExpr reports whether the kind is an expression that holds more than a name.
func isExpr(kind string) bool {
	switch kind {
	case "identifier", "field_expression", "qualified_identifier", "number_literal", "subscript_expression", "initializer_list":
		return true
	}
	return len(kind) > 11 && kind[len(kind)-11:] == "_expression"
}

func (r *reader) commaParts(n *node) []program.Expr {
	var out []program.Expr
	for n != nil && n.kind == "comma_expression" {
		out = append(out, r.expr(n.child("left")))
		n = n.child("right")
	}
	return append(out, r.expr(n))
}

func (r *reader) inner(n *node) program.Expr {
	if x := n.child("value"); x != nil {
		return r.expr(x)
	}
	if x := n.only(); x != nil {
		return r.expr(x)
	}
	return &program.OpaqueExpr{Place: place(n), Why: "empty"}
}

// leaf reads names and literals; it returns nil for anything else.
func (r *reader) leaf(n *node) program.Expr {
	at := place(n)
	switch n.kind {
	case "identifier", "field_identifier", "type_identifier", "namespace_identifier", "primitive_type", "this",
		"operator_name", "destructor_name", "statement_identifier":
		if x := r.weldedExpr(n); x != nil {
			return x
		}
		return &program.Name{Place: at, Ident: r.nameText(n)}
	case "qualified_identifier", "template_function", "dependent_name", "template_method":
		return r.name(n)
	case "number_literal":
		return r.number(n)
	case "user_defined_literal":
		return r.userLiteral(n)
	case "char_literal":
		return r.character(n)
	case "string_literal", "raw_string_literal", "concatenated_string":
		if v, _, ok := r.literal(n); ok {
			return &program.String{Place: at, Value: string(v)}
		}
	case "true", "false":
		return &program.Bool{Place: at, Value: n.kind == "true"}
	case "null":
		return &program.None{Place: at}
	}
	return nil
}

// weldedExpr reads the expression behind an identifier the blanking pass made, or returns nil for a true name.
func (r *reader) weldedExpr(n *node) program.Expr {
	if !r.welded[n.start] {
		return nil
	}
	if parts := r.snippet(span(n)); len(parts) == 1 {
		return parts[0]
	}
	return &program.OpaqueExpr{Place: place(n), Why: "does not parse"}
}

func (r *reader) number(n *node) program.Expr {
	s := r.own(n)
	if s[0] == '-' || s[0] == '+' { // the grammar takes the sign of -1 into the literal
		if x := integer(s[1:], program.Place{Span: source.Span{Start: n.start + 1, End: n.end}}); x != nil {
			return &program.Unary{Place: place(n), Op: s[:1], X: x}
		}
	}
	if x := integer(s, place(n)); x != nil {
		return x
	}
	return &program.Float{Place: place(n), Text: s}
}

// userLiteral reads 3_c as the call operator""_c(3).
func (r *reader) userLiteral(n *node) program.Expr {
	parts := n.content()
	if len(parts) != 2 {
		return r.opaqueExpr(n)
	}
	return &program.Call{Place: place(n), Fun: &program.Name{Place: place(parts[1]), Ident: `operator""` + r.own(parts[1])},
		Args: []program.Expr{r.expr(parts[0])}}
}

// characters are the types of character literals by what stands ahead of the quote (C++17 [lex.ccon]).
var characters = map[string]string{"": "char", "u8": "char", "u": "char16_t", "U": "char32_t", "L": "wchar_t"}

// character reads a character literal: a number of its type, an int where it has several characters.
func (r *reader) character(n *node) program.Expr {
	prefix, s, _ := strings.Cut(r.own(n), "'")
	if len(s) < 2 {
		return r.opaqueExpr(n)
	}
	v, _ := decode([]byte(s[:len(s)-1]))
	x := &program.Int{Place: place(n)}
	for _, c := range v {
		x.Value = x.Value<<8 | int64(c)
	}
	if len(v) > 1 && prefix == "" {
		return x
	}
	return &program.Cast{Place: place(n), Type: characters[prefix], X: x}
}

// name reads a name that may end in template arguments: ns::f<1, T>.
func (r *reader) name(n *node) *program.Name {
	last := n
	for last.kind == "qualified_identifier" || last.kind == "dependent_name" {
		next := last.child("name")
		if next == nil {
			next = last.only()
		}
		if next == nil {
			break
		}
		last = next
	}
	x := &program.Name{Place: place(n)}
	switch last.kind {
	case "template_function", "template_method", "template_type":
		args := last.child("arguments")
		if args != nil {
			x.Template = r.exprs(args.content())
			x.Ident = r.typeText(n.start, args.start)
			return x
		}
	}
	x.Ident = r.nameText(n)
	return x
}

// typeExpr is a type used as a value or a template argument: a Name with the type's text.
func (r *reader) typeExpr(n *node) program.Expr {
	if n == nil {
		return nil
	}
	if d := n.child("declarator"); d != nil && d.kind == "abstract_function_declarator" {
		// Foo<f(a, b)>: the grammar takes the call for a function type.
		if parts := r.snippet(span(n)); len(parts) == 1 {
			return parts[0]
		}
	}
	x := &program.Name{Place: place(n), Ident: r.nameText(n)}
	inner := n
	if inner.kind == "type_descriptor" && len(inner.kids) == 1 {
		inner = inner.kids[0]
	}
	if w := r.weldedExpr(inner); w != nil {
		return w
	}
	if inner.kind == "dependent_type" && inner.only() != nil {
		inner = inner.only()
	}
	if inner.kind == "template_type" || inner.kind == "qualified_identifier" {
		named := r.name(inner)
		named.Span = x.Span
		return named
	}
	return x
}

func (r *reader) sizeOf(n *node) program.Expr {
	name := n.kind[:len(n.kind)-len("_expression")]
	arg := n.child("type")
	if arg == nil {
		arg = n.child("value")
	}
	if arg == nil {
		return r.opaqueExpr(n)
	}
	if strings.Contains(string(r.src[n.start:arg.start]), "...") {
		return &program.OpaqueExpr{Place: place(n), Why: program.PackSize, Parts: []program.Expr{&program.Name{Place: place(arg), Ident: strings.Trim(r.nameText(arg), "() ")}}}
	}
	if arg.kind == "parenthesized_expression" && arg.only() != nil {
		arg = arg.only()
	}
	return &program.Call{Place: place(n), Fun: &program.Name{Place: place(n), Ident: name},
		Args: []program.Expr{&program.String{Place: place(arg), Value: r.nameText(arg)}}}
}

// lambda reads [captures](params) { body }; captures with an initialiser become declarations at its start.
func (r *reader) lambda(n *node) program.Expr {
	x := &program.Lambda{Place: place(n), Template: r.templateParams(n.child("template_parameters"))}
	if c := n.child("captures"); c != nil {
		for _, k := range c.kids {
			if k.kind == "lambda_capture_initializer" {
				left := k.child("left")
				x.Body = append(x.Body, &program.Assign{Place: place(k), Targets: []program.Expr{r.expr(left)}, Op: "=",
					Value: r.expr(k.child("right")), Decl: true, Type: "auto"})
			}
		}
		x.Inits = len(x.Body)
		x.CaptureRef = capturesByReference(r.own(c))
		for _, item := range strings.Split(strings.Trim(r.own(c), "[]"), ",") {
			name, byReference := strings.CutPrefix(strings.TrimSpace(item), "&")
			switch {
			case name == "=":
				x.CopyAll = true
			case name == "", name == "this", name == "*this", strings.ContainsAny(name, "=({.<"):
			case byReference:
				x.Referred = append(x.Referred, name)
			default:
				x.Copied = append(x.Copied, name)
			}
		}
	}
	head := n.child("declarator")
	x.Params = r.params(head.child("parameters"))
	if t := head.first("trailing_return_type"); t != nil {
		x.Result = strings.TrimSpace(strings.TrimPrefix(r.typeText(t.start, t.end), "->"))
	}
	outer := r.outer
	x.Body = append(x.Body, r.block(n.child("body"))...)
	r.outer = outer
	return x
}

// capturesByReference finds a & that begins a capture: after [ or a comma.
func capturesByReference(s string) bool {
	fresh := true
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[', ',':
			fresh = true
		case ' ', '\n', '\t', '\r':
		case '&':
			if fresh {
				return true
			}
		default:
			fresh = false
		}
	}
	return false
}

func trimDot(s string) string {
	if len(s) > 0 && s[0] == '.' {
		return s[1:]
	}
	return s
}
