package cuda

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// A macro without parameters stands in the tree as a constant, which it is only if its body is an expression that does nothing
// and says the same wherever it stands. Where it stands as a statement it is a call of a function, as a macro with parameters is (bare).

// uses finds where the code names macros without parameters that are no constants, and not as statements that these are.
func (b *blanker) uses() {
	acting := map[string]bool{}
	b.pre.acting = acting
	for _, d := range b.pre.defines {
		acting[d.name] = acting[d.name] || acts(d.text)
	}
	for i, t := range b.tokens {
		name, part := b.text(t), false
		if t.kind != word {
			continue
		}
		if prev := b.at(i - 1); i > 0 && (b.tokens[i-1].kind == word && !operands[prev] || (prev == "*" || prev == "&") && primitives[b.at(i-2)]) {
			part = true
		}
		if _, begins := b.alone[t.start]; (acting[name] || begins && b.included(name) != nil) && !b.bare(name, t.start) {
			b.pre.doubts = append(b.pre.doubts, doubt{name + ", a macro that is not expanded", source.Span{Start: t.start, End: t.end}, false, name, part})
		}
	}
}

// operands are the words that an expression may stand behind.
var operands = map[string]bool{"return": true, "else": true, "do": true, "case": true, "sizeof": true, "throw": true, "not": true, "and": true, "or": true}

// governs reports whether the text of a macro is statements, or a part of one.
func governs(body string) bool {
	tokens := directiveTokens([]byte(body), 0, len(body))
	return len(tokens) > 0 && controls[body[tokens[0].start:tokens[0].end]] || slices.ContainsFunc(tokens, func(t token) bool {
		return t.kind == punct && strings.IndexByte(";{}", body[t.start]) >= 0
	})
}

// acts reports whether the text of a macro does something where it stands, or is a part of a statement.
func acts(body string) bool {
	tokens := directiveTokens([]byte(body), 0, len(body))
	text := func(i int) string { return body[tokens[i].start:tokens[i].end] }
	for i, t := range tokens {
		s, before, after := text(i), "", ""
		if i > 0 && tokens[i-1].end == t.start {
			before = text(i - 1)
		}
		if i+1 < len(tokens) && tokens[i+1].start == t.end {
			after = text(i + 1)
		}
		switch s {
		case "[", "]", "{", "}", ";":
			return true
		case "+", "-":
			if after == s {
				return true
			}
		case "=":
			comparison := after == "=" || before == "=" || before == "!" || (before == "<" || before == ">") && (i < 2 || text(i-2) != before)
			if !comparison {
				return true
			}
		default:
			if controls[s] {
				return true
			}
		}
	}
	if len(tokens) == 1 && tokens[0].kind == word && text(0) != "asm" { // the name of something: whoever writes parentheses behind it calls that
		return false
	}
	return source.HasSync([]byte(body), "asm")
}

// bare reports whether a name that stands as a statement is a macro without parameters whose text is statements, in this file or in one that it includes.
func (b *blanker) bare(name string, at int) bool {
	d := b.pre.inForce(name, at)
	if d == nil {
		d = b.included(name)
	} else if d.function || !b.pre.acting[name] || !b.pre.inMacro(at) && b.pre.names[name].varies() {
		return false
	}
	if d == nil || b.pre.inMacro(at) { // hides has asked how it stands there
		return d != nil
	}
	use, stands := b.alone[at]
	return stands && !use.part && d.statements(use)
}

// included is the macro without parameters that a name is which this file does not define, where its text is statements, or a part of one; else nil.
func (b *blanker) included(name string) *define {
	if !macroName(name) || b.pre.names[name] != nil {
		return nil
	}
	d, known := b.foreign[name]
	if !known {
		if text := b.behind(b.pre.headers(), name).Text; governs(text) {
			d = &define{name: name, text: text}
		}
		b.foreign[name] = d
	}
	return d
}

// statements reports whether the text of a macro, where it is used so, is statements as a whole: it closes what it opens, and nothing before or behind it belongs to a
// part of it alone.
func (d *define) statements(use alone) bool {
	tokens := directiveTokens([]byte(d.text), 0, len(d.text))
	var open []byte
	ended := use.closed
	for i, t := range tokens {
		c, last := d.text[t.start], i+1 == len(tokens)
		switch {
		case t.kind != punct:
		case c == '(' || c == '[' || c == '{':
			open = append(open, c)
		case c == ')' || c == ']' || c == '}':
			if len(open) == 0 || open[len(open)-1] != map[byte]byte{')': '(', ']': '[', '}': '{'}[c] {
				return false
			}
			open = open[:len(open)-1]
			ended = ended || last && c == '}'
			if use.held && c == '}' && len(open) == 0 && !last { // do {…} while (0) is one
				if word := tokens[i+1]; d.text[word.start:word.end] != "while" && d.text[word.start:word.end] != "else" {
					return false
				}
			}
		case c == ';':
			ended = ended || last
			if use.held && len(open) == 0 && !last { // the first of several
				return false
			}
		}
	}
	return ended && len(open) == 0
}

// statementName is a name that stands as a statement: of a macro that is defined elsewhere, unless one of this file is empty, or is statements.
func (r *reader) statementName(x *node) []program.Stmt {
	name := r.own(x)
	if r.blanker.bare(name, x.start) {
		at := place(x)
		return []program.Stmt{&program.ExprStmt{Place: at, X: &program.Call{Place: at, Fun: &program.Name{Place: at, Ident: name}}}}
	}
	if d := r.blanker.pre.inForce(name, x.start); d != nil && (d.text == "" || d.function) {
		return nil
	}
	return opaque(x, name+" stands as a statement")
}
