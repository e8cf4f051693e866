package spin

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Lex accepts the text of a model only if it is in the small language this package prints: integers, generated
// names, a fixed set of words and operators, in the grammar below. It is run on the text before the text is written
// to disk, and knows nothing of the tree it was printed from, so a hole in the printer does not become a hole in
// the process that compiles and runs the model (notes/anchors.md C1.1 to C1.4).
//
//	model   = { type name [ "[" int "]" ] ";" } "active" "proctype" name "(" ")" "{" step ";" "do" { "::" option } "od" "}"
//	option  = step | "atomic" "{" "else" "->" step ";" "break" "}"
//	step    = "d_step" "{" [ expr "->" ] stmts "}"
//	stmts   = stmt { ";" stmt }
//	stmt    = "skip" | "assert" "(" int "<" "0" ")" | place "=" expr | "if" arms "fi" | "do" arms "od"
//	arms    = { "::" expr "->" stmts } "::" "else" "->" ( stmts | "break" )
//	expr    = int | place | "(" expr { operator expr } ")"
//	place   = name [ "[" int "]" ]
func Lex(text string) error {
	r, err := scan(text)
	if err != nil {
		return err
	}
	r.model()
	if r.err == nil && r.at != len(r.tokens) {
		r.fail("the end")
	}
	return r.err
}

var (
	tokenPattern = regexp.MustCompile(`^(?:[a-z_]+[0-9]*|[0-9]+|->|::|==|!=|>=|<=|&&|\|\||[-+%<>=;(){}\[\]])`)
	namePattern  = regexp.MustCompile(`^v_[a-z][0-9]{1,9}$`)
	intPattern   = regexp.MustCompile(`^[0-9]{1,10}$`)
	operators    = []string{"+", "-", "%", "==", "!=", ">=", "<=", ">", "<", "&&", "||"}
)

// deepest bounds the nesting of expressions and statements: the printer's own is below 20.
const deepest = 64

// reader walks over the tokens of a text; after the first error it stays where it is.
type reader struct {
	tokens []string
	at     int
	err    error
}

func scan(text string) (*reader, error) {
	r := &reader{}
	for i := 0; i < len(text); {
		if text[i] == ' ' || text[i] == '\n' {
			i++
			continue
		}
		t := tokenPattern.FindString(text[i:])
		if t == "" {
			return nil, fmt.Errorf("the model has the byte %q at offset %d, which is in no token of ours", text[i], i)
		}
		r.tokens = append(r.tokens, t)
		i += len(t)
	}
	return r, nil
}

func (r *reader) peek() string {
	if r.err != nil || r.at >= len(r.tokens) {
		return ""
	}
	return r.tokens[r.at]
}

func (r *reader) fail(want string) {
	if r.err == nil {
		r.err = fmt.Errorf("the model has %q as token %d, expected %s", r.peek(), r.at, want)
	}
}

// try takes the next token if it is the one given.
func (r *reader) try(t string) bool {
	if r.peek() != t {
		return false
	}
	r.at++
	return true
}

func (r *reader) need(tokens ...string) {
	for _, t := range tokens {
		if !r.try(t) {
			r.fail(t)
			return
		}
	}
}

func (r *reader) match(p *regexp.Regexp, want string) {
	if !p.MatchString(r.peek()) {
		r.fail(want)
		return
	}
	r.at++
}

func (r *reader) model() {
	for slices.Contains([]string{"byte", "short", "int"}, r.peek()) {
		r.at++
		r.place()
		r.need(";")
	}
	r.need("active", "proctype")
	r.match(namePattern, "a name")
	r.need("(", ")", "{")
	r.step(0)
	r.need(";", "do")
	for r.try("::") {
		if r.try("atomic") {
			r.need("{", "else", "->")
			r.step(0)
			r.need(";", "break", "}")
		} else {
			r.step(0)
		}
	}
	r.need("od", "}")
}

func (r *reader) step(depth int) {
	r.need("d_step", "{")
	if !r.assigns() && (r.peek() == "(" || strings.HasPrefix(r.peek(), "v_") || intPattern.MatchString(r.peek())) {
		r.expr(depth)
		r.need("->")
	}
	r.stmts(depth)
	r.need("}")
}

// assigns reports whether an assignment stands next.
func (r *reader) assigns() bool {
	for i := r.at; i < len(r.tokens) && i < r.at+5; i++ {
		switch r.tokens[i] {
		case "=":
			return true
		case "->", "(":
			return false
		}
	}
	return false
}

func (r *reader) stmts(depth int) {
	for {
		r.stmt(depth)
		if !r.try(";") {
			return
		}
	}
}

func (r *reader) stmt(depth int) {
	if depth > deepest {
		r.fail("less nesting")
	}
	switch {
	case r.err != nil, r.try("skip"):
	case r.try("assert"):
		r.need("(")
		r.match(intPattern, "a number")
		r.need("<", "0", ")")
	case r.try("if"):
		r.arms(depth+1, false)
		r.need("fi")
	case r.try("do"):
		r.arms(depth+1, true)
		r.need("od")
	default:
		r.place()
		r.need("=")
		r.expr(depth + 1)
	}
}

// arms reads the guarded branches of an if or do up to the one with else.
func (r *reader) arms(depth int, loop bool) {
	for r.try("::") {
		if r.try("else") {
			r.need("->")
			if !loop || !r.try("break") {
				r.stmts(depth)
			}
			return
		}
		r.expr(depth)
		r.need("->")
		r.stmts(depth)
	}
	r.fail("a branch with else")
}

func (r *reader) expr(depth int) {
	if depth > deepest {
		r.fail("less nesting")
	}
	switch {
	case r.err != nil:
	case r.try("("):
		r.expr(depth + 1)
		for slices.Contains(operators, r.peek()) {
			r.at++
			r.expr(depth + 1)
		}
		r.need(")")
	case intPattern.MatchString(r.peek()):
		r.at++
	default:
		r.place()
	}
}

func (r *reader) place() {
	r.match(namePattern, "a name")
	if r.try("[") {
		r.match(intPattern, "a number")
		r.need("]")
	}
}
