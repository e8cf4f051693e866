package cuda

import (
	"strings"
)

// storage words say how a thing is stored, not what it is.
var storage = map[string]bool{
	"static": true, "inline": true, "extern": true, "constexpr": true, "__shared__": true, "typename": true, "register": true,
	"thread_local": true, "mutable": true, "virtual": true, "explicit": true, "friend": true, "constinit": true,
	"__constant__": true, "__managed__": true, "__inline": true, "struct": true, "class": true, "consteval": true,
}

// typeText is the text of [start, end) as a type: blanked attributes left out, spaces normalised.
func (r *reader) typeText(start, end int) string {
	start, end = max(start, 0), min(end, len(r.text))
	var words []string
	l := lexer{src: r.src[:max(start, end)]}
	for i := start; i < end; {
		c := r.text[i]
		if c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v' {
			i++
			continue
		}
		t := l.token(i)
		words = append(words, l.text(t))
		i = t.end
	}
	return joinType(words)
}

// joinType sets the words of a type with single spaces where C++ needs or likes them: "const Foo<A, 3>*".
func joinType(words []string) string {
	var b strings.Builder
	prev := ""
	for _, w := range words {
		if storage[w] {
			continue
		}
		if prev != "" && (isWord(prev) && isWord(w) || prev == "," || (prev == ">" || prev == "*" || prev == "&") && isWord(w)) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
		prev = w
	}
	return b.String()
}

func isWord(s string) bool { return isLetter(s[0]) || isDigit(s[0]) }

// declarator is what a declarator says about the name it declares.
type declarator struct {
	name  *node
	stars string  // "*", "&", "&&" in order
	dims  []*node // array extents; nil for []
	array bool
	rows  int   // how many of the extents, the last ones, are those of an array that it is a pointer to: float (*p)[8]
	call  *node // the function_declarator, if it declares a function
	tuple *node // structured_binding_declarator
	value *node
}

// unwrap walks down a declarator to its name.
func unwrap(n *node) declarator {
	var d declarator
	for n != nil {
		switch n.kind {
		case "init_declarator":
			d.value = n.child("value")
			n = n.child("declarator")
		case "pointer_declarator", "abstract_pointer_declarator", "pointer_type_declarator":
			if d.array && d.stars == "" {
				d.rows = len(d.dims)
			} else {
				d.stars += "*"
			}
			n = n.child("declarator")
		case "reference_declarator", "abstract_reference_declarator":
			d.stars += "&"
			n = n.only()
		case "array_declarator", "abstract_array_declarator":
			d.array = true
			d.dims = append([]*node{n.child("size")}, d.dims...)
			n = n.child("declarator")
		case "function_declarator":
			if d.call == nil {
				d.call = n
			}
			n = n.child("declarator")
		case "parenthesized_declarator", "attributed_declarator", "variadic_declarator":
			n = n.only()
		case "structured_binding_declarator":
			d.tuple = n
			return d
		default:
			d.name = n
			return d
		}
	}
	return d
}

// nameText is the spelling of a declared or used name, spaces out: "ns::f", "operator()".
func (r *reader) nameText(n *node) string {
	if n == nil {
		return ""
	}
	return r.typeText(n.start, n.end)
}
