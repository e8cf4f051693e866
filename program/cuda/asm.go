package cuda

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// asm reads an inline-assembly statement.
func (r *reader) asm(n *node, at program.Place) *program.Asm {
	a := &program.Asm{Place: at}
	for _, k := range n.kids {
		switch k.kind {
		case "gnu_asm_qualifier":
			if strings.Contains(r.own(k), "volatile") {
				a.Volatile = true
			}
		case "gnu_asm_output_operand_list":
			a.Outputs = r.operands(k)
		case "gnu_asm_input_operand_list":
			a.Inputs = r.operands(k)
		case "gnu_asm_clobber_list":
			for _, c := range k.content() {
				if s, _, ok := r.literal(c); ok {
					a.Clobbers = append(a.Clobbers, string(s))
				}
			}
		}
	}
	code := n.child("assembly_code")
	var texts []program.AsmOperand
	s, offsets, ok := r.asmTemplate(code, len(a.Outputs)+len(a.Inputs), &texts)
	a.Inputs = append(a.Inputs, texts...)
	if !ok {
		return a
	}
	template := string(s)
	a.Template = &template
	place := func(off int) source.Span {
		if off < 0 || off >= len(offsets) {
			return span(code)
		}
		end := off
		for end < len(template) && template[end] != ';' && template[end] != '\n' {
			end++
		}
		last := max(off, end-1)
		return source.Span{Start: offsets[off], End: offsets[last] + 1}
	}
	instrs, notes := ptx.ParseAsm(template, span(code), place)
	a.Instrs = instrs
	if len(notes) > 0 {
		a.Unread = notes[0].Text
	}
	r.file.Notes = append(r.file.Notes, notes...)
	return a
}

func (r *reader) operands(list *node) []program.AsmOperand {
	var out []program.AsmOperand
	for _, k := range list.content() {
		c, _, _ := r.literal(k.child("constraint"))
		out = append(out, program.AsmOperand{Constraint: string(c), X: r.expr(k.child("value"))})
	}
	return out
}

// maxName bounds the name of a macro's parameter whose argument is made text.
const maxName = 256

// asmTemplate is the value of an asm template. Macros between its pieces were blanked before parsing: they are put
// back when this file defines them as strings, and otherwise make the template unknown. An argument of a macro whose text stands there is an operand more.
func (r *reader) asmTemplate(n *node, operands int, texts *[]program.AsmOperand) (value []byte, offsets []int, ok bool) {
	if n == nil {
		return nil, nil, false
	}
	pieces := n.content()
	if n.kind != "concatenated_string" {
		pieces = []*node{n}
	}
	end := n.end
	for end < len(r.text) && (r.text[end] == ' ' || r.text[end] == '\n' || r.text[end] == '\r' || r.text[end] == '\t') {
		end++
	}
	spliced := r.blanker.spliced
	for i := sort.Search(len(spliced), func(i int) bool { return spliced[i].start >= n.start }); i < len(spliced) && spliced[i].start < end; i++ {
		pieces = append(pieces, &node{kind: "identifier", start: spliced[i].start, end: spliced[i].end, named: true})
	}
	sort.SliceStable(pieces, func(i, j int) bool { return pieces[i].start < pieces[j].start })
	for _, k := range pieces {
		if strings.HasPrefix(r.own(k), "#") { // C++17 [cpp.stringize]; see stringized
			name := directiveTokens(r.src, k.start+1, min(k.start+maxName, len(r.src)))
			if len(name) == 0 {
				return nil, nil, false
			}
			text := fmt.Sprintf("%%%d", operands+len(*texts))
			value, offsets = append(value, text...), append(offsets, slices.Repeat([]int{k.start}, len(text))...)
			*texts = append(*texts, program.AsmOperand{Constraint: "#", X: &program.Name{Place: place(k), Ident: r.token(name[0])}})
			continue
		}
		v, at, ok := r.literal(k)
		if !ok {
			return nil, nil, false
		}
		value, offsets = append(value, v...), append(offsets, at...)
	}
	return value, offsets, true
}

// literal is the value of a string literal or of a concatenation of them, with the offset in the file of each byte.
// It is not ok when a piece is no literal: a macro or a name.
func (r *reader) literal(n *node) (value []byte, offsets []int, ok bool) {
	if n == nil {
		return nil, nil, false
	}
	switch n.kind {
	case "concatenated_string":
		for _, k := range n.content() {
			v, at, ok := r.literal(k)
			if !ok {
				return nil, nil, false
			}
			value, offsets = append(value, v...), append(offsets, at...)
		}
		return value, offsets, true
	case "parenthesized_expression":
		return r.literal(n.only())
	case "string_literal", "raw_string_literal":
		return r.piece(n)
	case "identifier": // a macro of this file that stands for strings
		value, ok = r.blanker.pieces(r.own(n), n.start)
		return value, slices.Repeat([]int{n.start}, len(value)), ok
	}
	return nil, nil, false
}

// pieces is the value of the literals that a use of a macro stands for, which may be none. It is not ok where that is anything else.
func (b *blanker) pieces(use string, at int) (value []byte, ok bool) {
	inner := &blanker{lexer: &lexer{src: []byte(use), words: use}}
	inner.tokens = directiveTokens(inner.src, 0, len(use))
	inner.pair()
	if len(inner.tokens) == 0 {
		return nil, false
	}
	d := b.pre.inForce(inner.at(0), at)
	if d == nil || d.function != (len(inner.tokens) > 1) {
		return nil, false
	}
	var args []string
	if d.function {
		if inner.at(1) != "(" || inner.match[1] != len(inner.tokens)-1 {
			return nil, false
		}
		args = inner.arguments(1)
	}
	b.used = at
	whole, ok := b.expanded(d, args, nil)
	for _, t := range directiveTokens([]byte(whole), 0, len(whole)) {
		piece := []byte(whole[t.start:t.end])
		if piece[0] != '"' || len(piece) < 2 || quoteEnd(piece, 0) != len(piece) {
			return nil, false
		}
		part, _ := decode(piece[1 : len(piece)-1])
		value = append(value, part...)
	}
	return value, ok
}

// piece decodes one literal.
func (r *reader) piece(n *node) (value []byte, offsets []int, ok bool) {
	s := r.own(n)
	open := strings.IndexByte(s, '"')
	if open < 0 || len(s) < open+2 {
		return nil, nil, false
	}
	if n.kind == "raw_string_literal" {
		from, to := strings.IndexByte(s, '(')+1, strings.LastIndexByte(s, ')')
		if from <= 0 || to < from {
			return nil, nil, false
		}
		for i := from; i < to; i++ {
			value, offsets = append(value, s[i]), append(offsets, n.start+i)
		}
		return value, offsets, true
	}
	value, offsets = decode([]byte(s[open+1 : len(s)-1]))
	for i := range offsets {
		offsets[i] += n.start + open + 1
	}
	return value, offsets, true
}
