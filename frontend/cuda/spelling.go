package cuda

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// maxSpelled bounds the tokens of a type or an expression that is read from text.
const maxSpelled = 512

// spelling is a type as it is written: a name, and what stands behind it.
type spelling struct {
	path      []segment
	stars     int
	reference bool
	strong    bool     // volatile
	extent    string   // of the array that is referred to
	rows      []string // extents of what it is an array of, or points to
	of        string   // the expression of a decltype
}

// segment is one of the names that :: joins, with the template arguments that it is given, as text or as expressions.
type segment struct {
	name  string
	args  []string
	exprs []program.Expr
	given bool
}

// spelled reads a type. It is tolerant: what it does not know is left out.
func (c *compiler) spelled(text string) *spelling {
	if s, known := c.spellings[text]; known {
		return s
	}
	p := tokens(text)
	s := &spelling{}
	bracketed := false
	var words []string
	for !p.end() {
		switch t := p.next(); {
		case ignored[t]:
		case t == "volatile":
			s.strong = true
		case t == "*":
			s.stars++
		case t == "&" || t == "&&":
			s.reference = true
		case t == "[" && bracketed:
			s.rows = append(s.rows, p.until("]"))
		case t == "[":
			s.extent, bracketed = p.until("]"), true
			s.stars++
		case t == "decltype" && p.peek() == "(":
			p.next()
			s.of = p.until(")")
		case t == "::":
		case word(t) && p.peek() == "::" || word(t) && p.peek() == "<":
			p.back()
			s.path = p.path()
		case word(t):
			words = append(words, t)
		case t == "(" && p.follows("*", ")", "["): // T (*)[8]
			s.stars, bracketed, p.at = s.stars+1, true, p.at+2
		case t == "(" && p.follows("&", ")", "["): // T (&)[8]
			s.reference, p.at = true, p.at+2
		default: // pointers to functions and the like
			s.path, words = nil, nil
			for !p.end() {
				p.next()
			}
		}
	}
	if len(s.path) > 1 && !s.path[0].given { // what follows is a name of a namespace, or of a class
		if of := c.spaces[s.path[0].name]; of != "" {
			s.path = append(tokens(of).path(), s.path[1:]...)
		}
	}
	if s.path == nil && len(words) > 0 {
		s.path = []segment{{name: strings.Join(words, " ")}}
	}
	c.spellings[text] = s
	return s
}

// ignored are words of a declaration that do not say what the type is.
var ignored = map[string]bool{"const": true, "__restrict__": true, "__restrict": true, "restrict": true, "static": true, "constexpr": true, "typename": true, "__device__": true,
	"register": true, "extern": true, "inline": true, "struct": true, "class": true, "enum": true, "__grid_constant__": true, "__constant__": true, "template": true}

// lexer reads the tokens of a type.
type lexer struct {
	list []string
	at   int
}

func tokens(text string) *lexer {
	l := &lexer{}
	for i := 0; i < len(text) && len(l.list) < maxSpelled; {
		start := i
		switch b := text[i]; {
		case b == ' ' || b == '\t' || b == '\n' || b == '\r':
			i++
			continue
		case letter(b):
			for i < len(text) && (letter(text[i]) || digit(text[i])) {
				i++
			}
		case digit(b):
			for i < len(text) && (letter(text[i]) || digit(text[i]) || text[i] == '.' || text[i] == '\'') {
				i++
			}
		default:
			i++
			if two := text[start:min(start+2, len(text))]; two == "::" || two == "&&" || two == "||" || two == "==" || two == "!=" || two == "<=" || two == ">=" || two == "<<" {
				i = start + 2
			}
		}
		l.list = append(l.list, text[start:i])
	}
	return l
}

func letter(b byte) bool   { return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }
func digit(b byte) bool    { return b >= '0' && b <= '9' }
func word(t string) bool   { return t != "" && letter(t[0]) }
func (l *lexer) end() bool { return l.at >= len(l.list) }
func (l *lexer) back()     { l.at-- }

// follows reports whether these tokens come next.
func (l *lexer) follows(all ...string) bool {
	return l.at+len(all) <= len(l.list) && slices.Equal(l.list[l.at:l.at+len(all)], all)
}

func (l *lexer) peek() string {
	if l.end() {
		return ""
	}
	return l.list[l.at]
}

func (l *lexer) next() string {
	t := l.peek()
	l.at++
	return t
}

// until takes the text up to a closing bracket, which it passes.
func (l *lexer) until(closing string) string {
	var out []string
	for depth := 0; !l.end(); {
		t := l.next()
		if depth == 0 && t == closing {
			break
		}
		switch t {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		out = append(out, t)
	}
	return strings.Join(out, " ")
}

// path reads a name with its scopes and their template arguments.
func (l *lexer) path() (out []segment) {
	for !l.end() {
		switch t := l.next(); {
		case t == "::" || t == "template" || t == "typename":
			continue
		case word(t):
			s := segment{name: t}
			if at := l.at; l.peek() == "<" {
				l.next()
				if s.args, s.given = l.arguments(); !s.given { // it is less than what follows
					s.args, l.at = nil, at
				}
			}
			out = append(out, s)
			if l.peek() == "::" {
				continue
			}
		default:
			l.back()
		}
		break
	}
	return out
}

// arguments reads a list of template arguments, and passes its end; closed reports whether it has one.
func (l *lexer) arguments() (out []string, closed bool) {
	var arg []string
	angle, round := 0, 0
	flush := func() {
		if len(arg) > 0 {
			out = append(out, strings.Join(arg, " "))
		}
		arg = nil
	}
	for !l.end() {
		t := l.next()
		switch {
		case t == "(" || t == "[" || t == "{":
			round++
		case t == ")" || t == "]" || t == "}":
			if round--; round < 0 {
				return nil, false
			}
		case round > 0:
		case t == "<":
			angle++
		case t == ">" && angle == 0:
			flush()
			return out, true
		case t == ">":
			angle--
		case t == "," && angle == 0:
			flush()
			continue
		}
		arg = append(arg, t)
	}
	flush()
	return out, len(l.list) == maxSpelled // cut off
}

// precedences of binary operators, C++ [expr].
var precedences = map[string]int{"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}

// expression reads an integer constant expression of a template argument; nil where it is none.
func expression(text string) program.Expr {
	l := tokens(text)
	x := l.binary(0, 0)
	if !l.end() {
		return nil
	}
	return x
}

func (l *lexer) binary(least, depth int) program.Expr {
	x := l.unary(depth)
	for x != nil {
		op := l.peek()
		if op == ">" && l.at+1 < len(l.list) && l.list[l.at+1] == ">" { // no operand begins so
			op = ">>"
		}
		p := precedences[op]
		if p == 0 || p <= least {
			break
		}
		if l.next(); op == ">>" {
			l.next()
		}
		y := l.binary(p, depth+1)
		if y == nil {
			return nil
		}
		x = &program.Binary{Op: op, X: x, Y: y}
	}
	if x != nil && least == 0 && l.peek() == "?" {
		l.next()
		then := l.binary(0, depth+1)
		if then == nil || l.next() != ":" {
			return nil
		}
		other := l.binary(0, depth+1)
		if other == nil {
			return nil
		}
		return &program.Cond{Test: x, Then: then, Else: other}
	}
	return x
}

func (l *lexer) unary(depth int) program.Expr {
	if depth > maxInline {
		return nil
	}
	switch t := l.next(); {
	case t == "-" || t == "!" || t == "~" || t == "+":
		if x := l.unary(depth + 1); x != nil {
			return &program.Unary{Op: t, X: x}
		}
	case t == "(":
		x := l.binary(0, depth+1)
		if x == nil || l.next() != ")" {
			return nil
		}
		return x
	case t == "true" || t == "false":
		return &program.Bool{Value: t == "true"}
	case (t == "sizeof" || t == "alignof") && l.peek() == "(":
		l.next()
		return &program.Call{Fun: &program.Name{Ident: t}, Args: []program.Expr{&program.Name{Ident: l.until(")")}}}
	case t != "" && digit(t[0]):
		digits := strings.TrimRight(strings.ReplaceAll(t, "'", ""), "uUlLzZ")
		n, err := strconv.ParseInt(digits, 0, 64)
		if err != nil {
			return nil
		}
		return &program.Int{Value: n, Suffix: strings.ToLower(t[min(len(digits), len(t)):]), Based: len(digits) > 1 && digits[0] == '0'}
	case word(t):
		l.back()
		start := l.at
		l.path()
		name := &program.Name{Ident: strings.ReplaceAll(strings.Join(l.list[start:l.at], " "), " :: ", "::")}
		if l.peek() != "(" {
			return name
		}
		l.next()
		call := &program.Call{Fun: name}
		for l.peek() != ")" && !l.end() {
			x := l.binary(0, depth+1)
			if x == nil {
				return nil
			}
			call.Args = append(call.Args, x)
			if l.peek() == "," {
				l.next()
			}
		}
		l.next()
		return call
	}
	return nil
}
