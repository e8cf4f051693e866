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
	open   *operator           // of its body, the one that binds least and that no bracket keeps together; nil: there is none
	loose  map[int]*surrounded // parameters that stand beside an operator
	twice  map[int]bool        // parameters that do not stand in the body exactly once
	member bool                // a parameter takes the place of a member's name
	names  bool                // it declares a name for what follows its use
}

// operator is a binary operator, or one beside a part of a macro: what binds least of it.
type operator struct {
	text string // "": of several, or none that is known
	rank int    // the more the tighter it binds
}

// surrounded is what stands beside a parameter; a rank of 0 is nothing.
type surrounded struct{ before, after operator }

// ranks are those of the binary operators (C++ [expr.mul] to [expr.cond]).
var ranks = map[string]int{"*": 12, "/": 12, "%": 12, "+": 11, "-": 11, "<<": 10, ">>": 10, "<": 9, ">": 9, "<=": 9, ">=": 9, "==": 8, "!=": 8, "&": 7, "^": 6, "|": 5, "&&": 4, "||": 3}

const (
	tightest = 13 // of what has one operand, and what is not read as a binary operator
	loosest  = 1  // of conditions and assignments
)

// keepsLeft reports whether an expression of which an operator binds least stays together as the left operand of another one, keepsRight as the right one. Sums of sums and products
// of products are the same numbers.
func (o operator) keepsLeft(of operator) bool { return of.rank < tightest && o.rank >= of.rank }

func (o operator) keepsRight(of operator) bool {
	return of.rank < tightest && (o.rank > of.rank || o == of && (o.text == "+" || o.text == "*"))
}

// splices looks at the body of a function-like macro.
func (r *reader) splices(body []token, f *program.Function) *splice {
	s := &splice{open: r.least(body), loose: map[int]*surrounded{}, twice: map[int]bool{}}
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
			beside := surrounded{}
			if before != "" {
				if o := r.operatorAt(body, k-1, -1); o.text != "" || !slices.Contains([]string{"(", ",", "[", "=", ";", "{", "}", "return"}, before) {
					beside.before = o
				}
			}
			if after != "" && !slices.Contains([]string{")", ",", "]", ";", "}"}, after) {
				beside.after = r.operatorAt(body, k+1, 1)
			}
			if old := s.loose[i]; old != nil { // it has to stay together everywhere
				beside = surrounded{old.before.tighter(beside.before), old.after.tighter(beside.after)}
			}
			if beside != (surrounded{}) && len(body) > 1 {
				s.loose[i] = &beside
			}
		}
		if count != 1 {
			s.twice[i] = true
		}
		if len(body) == 1 && count == 1 {
			s.open = &operator{rank: loosest} // the argument itself
		}
	}
	for _, st := range f.Body {
		a, ok := st.(*program.Assign)
		s.names = s.names || ok && a.Decl
	}
	return s
}

// tighter is which of two operators binds more.
func (o operator) tighter(other operator) operator {
	switch {
	case o.rank > other.rank:
		return o
	case o.rank == other.rank && o.text != other.text:
		return operator{rank: o.rank}
	}
	return other
}

// operatorAt is the binary operator of which a token of the body is the first, going on in a direction, or the last; what is none binds more than any.
func (r *reader) operatorAt(body []token, k, step int) operator {
	text := r.token(body[k])
	if other := k + step; other >= 0 && other < len(body) && body[other].kind == punct && body[min(k, other)].end == body[max(k, other)].start {
		pair := r.token(body[min(k, other)]) + r.token(body[max(k, other)])
		if ranks[pair] > 0 {
			text, k = pair, min(k, other)
		}
	}
	rank := ranks[text]
	if step < 0 && rank > 0 && (k == 0 || !r.operand(body[k-1])) { // it has one operand
		rank = 0
	}
	switch {
	case text == "?" || text == ":":
		return operator{rank: loosest}
	case rank == 0:
		return operator{rank: tightest}
	}
	return operator{text, rank}
}

// operand reports whether a token ends an operand.
func (r *reader) operand(t token) bool {
	return t.kind != punct || slices.Contains([]string{")", "]", "}"}, r.token(t))
}

// least is the binary operator outside all brackets that binds least; nil where there is none.
func (r *reader) least(body []token) (out *operator) {
	depth, operand, angles := 0, false, false
	for i := 0; i < len(body); i++ {
		t := body[i]
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
			o := r.operatorAt(body, i, 1)
			if len(o.text) > 1 {
				i++
			}
			switch {
			case o.rank == tightest: // an assignment, say
				o = operator{rank: loosest}
				fallthrough
			case out == nil || o.rank < out.rank:
				out = &o
			case o.rank == out.rank && o.text != out.text:
				out.text = ""
			}
			operand = false
		default:
			operand = false
		}
	}
	return out
}

// unsplice renames the uses of macros that come apart.
func (r *reader) unsplice() {
	var visit func(n, above program.Node)
	visit = func(n, above program.Node) {
		switch e := n.(type) {
		case *program.Call:
			if id, ok := e.Fun.(*program.Name); ok {
				if s := r.spliced[id.Ident]; s != nil && s.loose != nil && r.comesApart(s, e, above) {
					e.Fun = &program.Name{Place: id.Place, Ident: id.Ident + " by its tokens"}
				}
			}
		case *program.Name:
			if s := r.spliced[e.Ident]; s != nil && s.loose == nil && r.breaks(s, e, above) {
				e.Ident += " by its tokens"
			}
		}
		around := n // what has operands
		switch n.(type) {
		case *program.Binary, *program.Unary, *program.Cast, *program.Cond, *program.Attr, *program.Index:
		default:
			around = nil
		}
		first := true
		program.Walk(n, func(k program.Node) bool {
			if first {
				first = false
				return true
			}
			visit(k, around)
			return false
		})
	}
	for _, f := range r.file.Functions {
		for _, st := range f.Body {
			visit(st, nil)
		}
	}
	for _, c := range r.file.Classes {
		for _, a := range c.Fields {
			visit(a, nil)
		}
	}
	for _, st := range r.file.Body {
		visit(st, nil)
	}
}

// breaks reports whether what stands around the use of a macro takes a part of its body.
func (r *reader) breaks(s *splice, e program.Expr, above program.Node) bool {
	if x, is := above.(*program.Index); s.open == nil || above == nil || is && x.X != e || r.parenthesised(e) {
		return false
	}
	if _, is := above.(*program.Cond); is {
		return s.open.rank <= loosest
	}
	b, is := above.(*program.Binary)
	if !is {
		return true
	}
	around := operator{b.Op, ranks[b.Op]}
	if around.rank == 0 {
		around.rank = tightest
	}
	if b.X == e {
		return !s.open.keepsLeft(around)
	}
	return !s.open.keepsRight(around)
}

func (r *reader) comesApart(s *splice, e *program.Call, above program.Node) bool {
	if s.member || s.names && above != nil && !r.ends(e) || r.breaks(s, e, above) {
		return true
	}
	for i, a := range e.Args {
		beside := s.loose[i]
		switch a := a.(type) {
		case *program.Binary, *program.Cond:
			own := operator{} // less than anything
			if b, is := a.(*program.Binary); is && ranks[b.Op] > 0 {
				own = operator{b.Op, ranks[b.Op]}
			}
			if beside != nil && !r.bracketed(a.(program.Expr), e) && (beside.after.rank > 0 && !own.keepsLeft(beside.after) || beside.before.rank > 0 && !own.keepsRight(beside.before)) {
				return true
			}
		case *program.AssignExpr, *program.IncDec:
			if beside != nil || s.twice[i] {
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
