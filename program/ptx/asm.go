// Package ptx reads PTX: the text of inline asm (ParseAsm) and whole .ptx files (Read).
//
// Instructions are kept whether they are known or not; what they mean is the dialect's business. Modifiers keep their
// source order, which varies in the wild. Scopes are flattened: a label or register declared again in another scope
// (every inlined copy of a wait loop has its LAB_WAIT) gets the name "LAB_WAIT$1", "LAB_WAIT$2", … in all its uses.
// A label that stands before no instruction ("DONE: }") is an instruction with an empty Op.
package ptx

import (
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// Limits against hostile input.
const (
	maxAsmInstrs  = 100_000
	maxFileInstrs = 1_000_000
	maxScopes     = 10_000
	maxNesting    = 100
)

// ParseAsm parses the template of an asm statement, decoded but with its operand escapes: "%0" is an operand, "%%r" the
// register %r. lineAt gives the source span of a byte offset in the template; when it is nil every instruction is at.
func ParseAsm(template string, at source.Span, lineAt func(off int) source.Span) ([]program.Instr, []program.Note) {
	b := &body{scanner: scanner{text: template}, limit: maxAsmInstrs, inline: true, at: at}
	b.place = func(start, _ int) source.Span {
		if lineAt == nil {
			return at
		}
		return lineAt(start)
	}
	for !b.done() {
		b.statement()
	}
	b.finish()
	out := make([]program.Instr, 0, len(b.items))
	for _, it := range b.items {
		if it.instr != nil {
			out = append(out, *it.instr)
		}
	}
	return out, b.notes
}

// item is one thing of a body: an instruction or a variable declaration.
type item struct {
	instr *program.Instr
	decl  []program.Stmt
	scope int
	label int // scope of the instruction's label
}

// body reads statements, of an asm template or of a function, into items.
type body struct {
	scanner
	scopes
	items  []item
	notes  []program.Note
	limit  int
	inline bool
	at     source.Span
	place  func(start, end int) source.Span

	label      string // waits for its instruction
	labelScope int
	labelPos   int
	loc        program.Loc // of the last .loc directive
	warned     bool
}

func (b *body) note(text string) {
	if !b.warned {
		b.warned = true
		b.notes = append(b.notes, program.Note{Span: b.at, Text: text})
	}
}

// statement reads one statement, brace or piece of junk; it always advances.
func (b *body) statement() {
	b.skip()
	if b.done() {
		return
	}
	if len(b.items) >= b.limit {
		b.note(fmt.Sprintf("more than %d PTX instructions; the rest was not read", b.limit))
		b.pos = len(b.text)
		return
	}
	switch c := b.text[b.pos]; c {
	case '{':
		b.pos++
		b.open()
	case '}':
		b.pos++
		b.close()
	case ';':
		b.pos++
	case '#':
		b.line()
	case '.':
		b.directive()
	default:
		b.instruction()
	}
}

func (b *body) instruction() {
	start := b.pos
	in := &program.Instr{Loc: b.loc}
	if b.text[b.pos] == '@' {
		b.pos++
		b.skip()
		if b.peek(0) == '!' {
			in.PredNot = true
			b.pos++
			b.skip()
		}
		in.Pred = b.unescape(b.word())
		b.skip()
	}
	word := b.word()
	if word == "" {
		if start == b.pos {
			b.note(fmt.Sprintf("unexpected %q in PTX text", b.text[b.pos]))
			b.pos++
			return
		}
		// A predicate without an instruction: keep it, so that it is not silently nothing.
		b.note("predicate without an instruction in PTX text")
	}
	if in.Pred == "" && !in.PredNot && b.isLabel() {
		b.setLabel(b.unescape(word), start)
		return
	}
	parts := strings.Split(b.unescape(word), ".")
	in.Op = parts[0]
	for _, m := range parts[1:] {
		if m != "" {
			in.Modifiers = append(in.Modifiers, m)
		}
	}
	for _, text := range b.operandsUntilEnd() {
		in.Operands = append(in.Operands, operand(b.unescape(text)))
	}
	in.Span = b.place(start, b.pos)
	b.emit(in)
}

// isLabel passes the colon after a label.
func (b *body) isLabel() bool {
	at := b.pos
	b.skip()
	if b.peek(0) == ':' && b.peek(1) != ':' {
		b.pos++
		return true
	}
	b.pos = at
	return false
}

func (b *body) setLabel(name string, at int) {
	b.flushLabel()
	b.label, b.labelScope, b.labelPos = name, b.current(), at
	b.declare(name)
}

// flushLabel gives a label without an instruction an empty one.
func (b *body) flushLabel() {
	if b.label != "" {
		b.emit(&program.Instr{Span: b.place(b.labelPos, b.labelPos+len(b.label))})
	}
}

func (b *body) emit(in *program.Instr) {
	in.Label = b.label
	b.items = append(b.items, item{instr: in, scope: b.current(), label: b.labelScope})
	b.label = ""
}

// finish ends the body: the last label, then the names that scopes hide.
func (b *body) finish() {
	b.flushLabel()
	if b.renamed == 0 {
		return
	}
	for _, it := range b.items {
		if in := it.instr; in != nil {
			in.Label = b.resolve(in.Label, it.label)
			in.Pred = b.resolve(in.Pred, it.scope)
			for i := range in.Operands {
				in.Operands[i] = operand(b.rename(in.Operands[i].Text, it.scope))
			}
		}
	}
}

// unescape turns the asm statement's %% into %.
func (b *body) unescape(s string) string {
	if b.inline && strings.Contains(s, "%%") {
		return strings.ReplaceAll(s, "%%", "%")
	}
	return s
}

// operand sorts an operand's text: an address [a+8], a vector {a, b}, or anything else.
func operand(text string) program.Operand {
	o := program.Operand{Text: text}
	switch {
	case strings.HasPrefix(text, "["):
		o.Address = true
	case strings.HasPrefix(text, "{"):
		s := scanner{text: strings.TrimSuffix(text[1:], "}")}
		o.Vector = s.operandsUntilEnd()
	}
	return o
}
