package cuda

// A syntax error is set aside as narrowly as the tree allows: the statement around it becomes opaque, and the rest
// of the function is still read. A function whose braces do not balance around an error is not trusted at all.

// healthy reports whether the function's errors all lie in statements of its body.
func (r *reader) healthy(n, body *node) bool {
	if body == nil {
		return false
	}
	for _, k := range n.kids {
		if k != body && k.bad {
			return false
		}
	}
	return r.contained(body)
}

// contained reports whether no error below n swallowed or made up a brace.
func (r *reader) contained(n *node) bool {
	if !n.bad {
		return true
	}
	if n.missing && (n.kind == "}" || n.kind == "{") {
		return false
	}
	if n.kind == "ERROR" {
		depth := 0
		l := lexer{src: r.text[:n.end]}
		for i := n.start; i < n.end; {
			if c := r.text[i]; c == ' ' || c == '\n' || c == '\r' || c == '\t' {
				i++
				continue
			}
			t := l.token(i)
			if t.kind == punct && r.text[i] == '{' {
				depth++
			}
			if t.kind == punct && r.text[i] == '}' {
				if depth--; depth < 0 {
					return false
				}
			}
			i = t.end
		}
		return depth == 0
	}
	for _, k := range n.kids {
		if !r.contained(k) {
			return false
		}
	}
	return true
}

// unreadable reports whether an error belongs to the statement itself rather than to one nested in it.
func (r *reader) unreadable(n *node) bool {
	if n.kind == "ERROR" || n.missing {
		return true
	}
	for _, k := range n.kids {
		if !k.bad {
			continue
		}
		if k.kind == "ERROR" || k.missing {
			// Between the statements of a block an error is a statement of its own.
			if n.kind != "compound_statement" && n.kind != "case_statement" {
				return true
			}
			continue
		}
		if !statement[k.kind] && r.unreadable(k) {
			return true
		}
	}
	return false
}

// statement are the kinds that stmt reads on their own, wherever they stand.
var statement = map[string]bool{
	"compound_statement": true, "expression_statement": true, "declaration": true, "if_statement": true,
	"for_statement": true, "for_range_loop": true, "while_statement": true, "do_statement": true,
	"switch_statement": true, "return_statement": true, "labeled_statement": true, "try_statement": true,
	"function_definition": true, "struct_specifier": true, "class_specifier": true,
}
