package cuda

import (
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// A macro without parameters stands in the tree as a constant, which it is only if its body is an expression that does nothing
// and says the same wherever it stands.

// uses finds where the code names macros without parameters that are no constants.
func (b *blanker) uses() {
	acting := map[string]bool{}
	b.pre.acting = acting
	for _, d := range b.pre.defines {
		acting[d.name] = acting[d.name] || b.acts(directiveTokens(b.src, d.body.Start, d.body.End), b.src[d.body.Start:d.body.End])
	}
	for _, t := range b.tokens {
		if name := b.text(t); t.kind == word && acting[name] {
			b.pre.doubts = append(b.pre.doubts, doubt{name + ", a macro that is not expanded", source.Span{Start: t.start, End: t.end}, false, name})
		}
	}
}

// acts reports whether the tokens of a macro do something where they stand, or are a part of a statement.
func (b *blanker) acts(body []token, text []byte) bool {
	for i, t := range body {
		s, before, after := b.text(t), "", ""
		if i > 0 && body[i-1].end == t.start {
			before = b.text(body[i-1])
		}
		if i+1 < len(body) && body[i+1].start == t.end {
			after = b.text(body[i+1])
		}
		switch s {
		case "[", "]", "{", "}", ";", "if", "else", "for", "while", "do", "switch", "case", "return", "break", "continue", "goto":
			return true
		case "+", "-":
			if after == s {
				return true
			}
		case "=":
			comparison := after == "=" || before == "=" || before == "!" || (before == "<" || before == ">") && (i < 2 || b.text(body[i-2]) != before)
			if !comparison {
				return true
			}
		}
	}
	return source.HasSync(text, "asm")
}

// statementName is a name that stands as a statement: of a macro that is defined elsewhere, unless one of this file is empty.
func (r *reader) statementName(x *node) []program.Stmt {
	name := r.own(x)
	if d := r.blanker.pre.inForce(name, x.start); d != nil && (d.text == "" || d.function) {
		return nil
	}
	return opaque(x, name+" stands as a statement")
}
