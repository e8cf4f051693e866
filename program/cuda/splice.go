package cuda

import (
	"bytes"
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// A macro is tokens that take the place of its name (C++ [cpp.replace]). It is read as a function, or a constant, which is the
// same as long as no operator around it or in an argument takes a part of it. A use where one does is given a name of its
// own, of which nothing is known.

// splice says where the tokens of a macro may come apart.
type splice struct {
	open   bool         // its body is an expression with an operator that no bracket keeps together
	loose  map[int]bool // parameters that stand beside an operator
	twice  map[int]bool // parameters that do not stand in the body exactly once
	member bool         // a parameter takes the place of a member's name
	names  bool         // it declares a name for what follows its use
}

// splices looks at the body of a function-like macro.
func (r *reader) splices(body []token, f *program.Function) *splice {
	s := &splice{open: r.operates(body), loose: map[int]bool{}, twice: map[int]bool{}}
	for i, p := range f.Params {
		count := 0
		for k, t := range body {
			if r.token(t) != p.Name {
				continue
			}
			count++
			before, after := "", ""
			if k > 0 {
				before = r.token(body[k-1])
			}
			if k+1 < len(body) {
				after = r.token(body[k+1])
			}
			s.member = s.member || before == "." || before == "->" || (before == ":" && k > 1 && r.token(body[k-2]) == ":") || before == ">" && k > 1 && r.token(body[k-2]) == "-" // threadIdx.x, and not ? x : y
			kept := slices.Contains([]string{"(", ",", "[", "=", ";", "{", "}", "return"}, before) && slices.Contains([]string{")", ",", "]", ";", "}"}, after)
			if !kept && len(body) > 1 {
				s.loose[i] = true
			}
		}
		if count != 1 {
			s.twice[i] = true
		}
		if len(body) == 1 && count == 1 {
			s.open = true // the argument itself
		}
	}
	for _, st := range f.Body {
		a, ok := st.(*program.Assign)
		s.names = s.names || ok && a.Decl
	}
	return s
}

// operates reports whether a binary operator stands outside all brackets.
func (r *reader) operates(body []token) bool {
	depth, operand, angles := 0, false, false
	for i, t := range body {
		s := r.token(t)
		switch s {
		case "(", "[", "{":
			depth, operand = depth+1, false
			continue
		case ")", "]", "}":
			depth, operand = depth-1, true
			continue
		case "<":
			for _, u := range body[i:] {
				angles = angles || r.token(u) == ">" // of a template, or two comparisons, which nobody writes
			}
		}
		switch {
		case t.kind != punct:
			operand = true
		case s == "." || s == ":" && (i > 0 && r.token(body[i-1]) == ":" || i+1 < len(body) && r.token(body[i+1]) == ":"):
		case s == "-" && i+1 < len(body) && r.token(body[i+1]) == ">", s == ">" && i > 0 && r.token(body[i-1]) == "-":
		case angles && (s == "<" || s == ">"):
			operand = false
		case depth == 0 && operand && s != "," && s != ";":
			return true
		default:
			operand = false
		}
	}
	return false
}

// unsplice renames the uses of macros that come apart.
func (r *reader) unsplice() {
	var visit func(n program.Node, inside bool)
	visit = func(n program.Node, inside bool) {
		switch e := n.(type) {
		case *program.Call:
			if id, ok := e.Fun.(*program.Name); ok {
				if s := r.spliced[id.Ident]; s != nil && s.loose != nil && r.comesApart(s, e, inside) {
					e.Fun = &program.Name{Place: id.Place, Ident: id.Ident + " by its tokens"}
				}
			}
		case *program.Name:
			if s := r.spliced[e.Ident]; s != nil && s.loose == nil && s.open && inside && !r.parenthesised(e) {
				e.Ident += " by its tokens"
			}
		}
		operator := false
		switch e := n.(type) {
		case *program.Binary, *program.Unary, *program.Cast:
			operator = true
		case *program.Cond:
			operator = true
		case *program.Attr:
			operator = true
			_ = e
		}
		first := true
		program.Walk(n, func(k program.Node) bool {
			if first {
				first = false
				return true
			}
			visit(k, operator)
			return false
		})
	}
	for _, f := range r.file.Functions {
		for _, st := range f.Body {
			visit(st, false)
		}
	}
	for _, c := range r.file.Classes {
		for _, a := range c.Fields {
			visit(a, false)
		}
	}
	for _, st := range r.file.Body {
		visit(st, false)
	}
}

func (r *reader) comesApart(s *splice, e *program.Call, inside bool) bool {
	if s.member || s.names && inside && !r.ends(e) || s.open && inside && !r.parenthesised(e) {
		return true
	}
	for i, a := range e.Args {
		switch a.(type) {
		case *program.Binary, *program.Cond:
			if s.loose[i] && !r.bracketed(a, e) {
				return true
			}
		case *program.AssignExpr, *program.IncDec:
			if s.loose[i] || s.twice[i] {
				return true
			}
		}
	}
	return false
}

// ends reports whether nothing follows a statement in its block.
func (r *reader) ends(e program.Expr) bool {
	return bytes.HasPrefix(bytes.TrimLeft(r.src[e.Where().End:], " \t\r\n;"), []byte("}"))
}

// parenthesised reports whether parentheses stand around an expression, which the tree leaves out.
func (r *reader) parenthesised(e program.Expr) bool {
	from, to := r.around(e)
	return from >= 0 && to < len(r.src) && r.src[from] == '(' && r.src[to] == ')' && !r.calls(from)
}

// bracketed reports whether parentheses of its own stand around an argument.
func (r *reader) bracketed(a program.Expr, e *program.Call) bool {
	from, to := r.around(a)
	return from >= 0 && to < len(r.src) && r.src[from] == '(' && r.src[to] == ')' && to != e.Span.End-1
}

func (r *reader) around(e program.Expr) (from, to int) {
	at := e.Where()
	from, to = at.Start-1, at.End
	for from >= 0 && space(r.src[from]) {
		from--
	}
	for to < len(r.src) && space(r.src[to]) {
		to++
	}
	return from, to
}

// calls reports whether the parenthesis at an offset is that of a call.
func (r *reader) calls(open int) bool {
	i := open - 1
	for i >= 0 && space(r.src[i]) {
		i--
	}
	return i >= 0 && (r.src[i] == '_' || r.src[i] == '>' || r.src[i] >= '0' && r.src[i] <= '9' || r.src[i]|0x20 >= 'a' && r.src[i]|0x20 <= 'z')
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\' }
