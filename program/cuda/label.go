package cuda

import (
	"bytes"
	"slices"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// The text of a macro may begin with what belongs to a statement around its use: with the label of a case, or with else.

// label is the label that the text of a macro begins with.
type label struct {
	value   []token // of case
	tokens  int     // how many it is
	leaves  bool    // the text ends with a break or a return
	without bool    // it is default
}

// labelOf is the label that a macro's text begins with; nil: it begins with none.
func (b *blanker) labelOf(body []token) *label {
	if len(body) == 0 || b.text(body[0]) != "case" && b.text(body[0]) != "default" {
		return nil
	}
	open := 0
	for k := 1; k < len(body); k++ {
		switch b.text(body[k]) {
		case "(", "{", "?":
			open++
		case ")", "}":
			open--
		case ":":
			if pair := k+1 < len(body) && b.text(body[k+1]) == ":" && body[k].end == body[k+1].start; pair {
				k++
				continue
			}
			if open > 0 {
				open--
				continue
			}
			return &label{value: body[1:k], tokens: k + 1, leaves: b.leaves(body[k+1:]), without: b.text(body[0]) == "default"}
		}
	}
	return nil
}

// leaves reports whether the last statement of a text is a break or a return.
func (b *blanker) leaves(body []token) bool {
	n := len(body)
	for n > 0 && (b.text(body[n-1]) == "}" || b.text(body[n-1]) == ";") {
		n--
	}
	for n--; n >= 0; n-- {
		switch b.text(body[n]) {
		case "break", "return":
			return true
		case ";", "{", "}":
			return false
		}
	}
	return false
}

// headless blanks what a macro's text begins with that belongs to a statement around its use, and says what that was: "else", "case" or "".
func (r *reader) headless(text []byte, body source.Span, tokens []token) (head string) {
	end := 0
	if l := r.blanker.labelOf(tokens); l != nil {
		head, end = "case", tokens[l.tokens-1].end
	} else if r.token(tokens[0]) == "else" {
		head, end = "else", tokens[0].end
	} else {
		return ""
	}
	copy(text, bytes.Repeat([]byte{' '}, end-body.Start))
	return head
}

// labelledBy is the arm that a statement begins which is a macro with the label of a case; nil: it is none.
func (r *reader) labelledBy(n *node) *arm {
	call := n.only()
	if n.kind != "expression_statement" || call == nil || call.kind != "call_expression" {
		return nil
	}
	fun := call.child("function")
	if fun == nil || fun.kind != "identifier" {
		return nil
	}
	d := r.blanker.pre.inForce(string(r.text[fun.start:fun.end]), n.start)
	if d == nil || !d.function {
		return nil
	}
	params, body := r.blanker.parts(d)
	l := r.blanker.labelOf(body)
	if l == nil {
		return nil
	}
	a := &arm{kids: []*node{n}, ends: l.leaves, isDefault: l.without}
	if l.without {
		return a
	}
	var value program.Expr = &program.OpaqueExpr{Place: place(n)}
	if args := call.child("arguments"); args != nil && len(l.value) == 1 {
		name, list := r.blanker.text(l.value[0]), args.content()
		if x := integer(name, place(n)); x != nil {
			value = x
		} else if k := slices.Index(params, name); k >= 0 && k < len(list) {
			value = r.expr(list[k])
		}
	}
	a.values = []program.Expr{value}
	return a
}
