package ptx

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

type span = source.Span

const maxBytes = 256 << 20

// Read reads a .ptx file. Every .entry and .func with a body is a Function; its Body is one Asm statement an
// instruction, and an Assign for each shared or global variable declared inside. Performance directives (.reqntid
// 128, 1, 1) are Attributes. Module-level variables are Assigns with their state space in Shared and Const; .version,
// .target and .address_size are Assigns of a string. Register and parameter declarations leave nothing.
func Read(f *source.File) *program.File {
	out := &program.File{Source: f, Language: program.PTX}
	if len(f.Data) > maxBytes {
		out.Notes = append(out.Notes, program.Note{Text: "file is too long and was not read"})
		return out
	}
	m := &module{scanner: scanner{text: string(f.Data)}, out: out}
	for m.skip(); !m.done(); m.skip() {
		m.statement()
	}
	return out
}

// module reads the top level of a file.
type module struct {
	scanner
	out    *program.File
	instrs int
}

func (m *module) statement() {
	start := m.pos
	if m.peek(0) == '#' {
		m.line()
		return
	}
	word := m.word()
	for word == ".visible" || word == ".extern" || word == ".weak" || word == ".common" {
		m.skip()
		word = m.word()
	}
	switch {
	case word == ".entry" || word == ".func":
		m.function(word == ".entry", start)
	case word == ".file":
		m.path(stripComment(m.line()))
	case word == ".loc":
		m.line()
	case lineDirectives[word]:
		text := strings.Join(strings.Fields(stripComment(m.line())), " ")
		place := program.Place{Span: span{Start: start, End: m.pos}}
		m.out.Body = append(m.out.Body, &program.Assign{Place: place, Op: "=", Value: &program.String{Place: place, Value: text},
			Targets: []program.Expr{&program.Name{Place: place, Ident: word[1:]}}})
	case word == ".section":
		m.line()
		m.skip()
		if m.peek(0) == '{' {
			m.braces()
		}
	case stateSpaces[strings.SplitN(word, "::", 2)[0]]:
		b := m.body()
		b.variable(word, start)
		m.take(b)
		for _, it := range b.items {
			m.out.Body = append(m.out.Body, it.decl...)
		}
	case m.pos > start:
		m.operandsUntilEnd() // .pragma, .alias, and what is not known
	default:
		m.pos++
	}
}

func stripComment(s string) string {
	s, _, _ = strings.Cut(s, "//")
	return s
}

// body makes a reader of statements that starts where the module stands.
func (m *module) body() *body {
	return &body{scanner: m.scanner, limit: max(maxFileInstrs-m.instrs, 0), at: span{Start: m.pos, End: m.pos},
		place: func(start, end int) source.Span { return span{Start: start, End: end} }}
}

// take moves the module to where the body stopped.
func (m *module) take(b *body) {
	m.pos = b.pos
	m.instrs += len(b.items)
	m.out.Notes = append(m.out.Notes, b.notes...)
}

// function reads .func (ret) name (params) directives { … } from behind its keyword; a prototype leaves nothing.
func (m *module) function(kernel bool, start int) {
	f := &program.Function{Kernel: kernel}
	m.skip()
	if m.peek(0) == '.' { // .attribute(.unified(…))
		m.word()
		m.skip()
		if m.peek(0) == '(' {
			m.group()
		}
	}
	m.skip()
	if m.peek(0) == '(' {
		f.Returns, _ = m.params()
		m.skip()
	}
	nameAt := m.pos
	f.Name = m.word()
	f.Qualified, f.NameSpan = f.Name, span{Start: nameAt, End: m.pos}
	m.skip()
	listed := true
	if m.peek(0) == '(' {
		f.Params, listed = m.params()
	}
	for m.skip(); m.peek(0) == '.'; m.skip() {
		m.attribute(f)
	}
	if m.peek(0) != '{' {
		m.operandsUntilEnd()
		return
	}
	m.pos++
	b := m.body()
	closed := false
	for !closed && !b.done() {
		b.skip()
		if closed = b.peek(0) == '}' && len(b.stack) <= 1; closed {
			b.pos++
			break
		}
		b.statement()
	}
	b.finish()
	m.take(b)
	f.Span = span{Start: start, End: m.pos}
	if !closed || !listed || f.Name == "" {
		m.out.Skipped = append(m.out.Skipped, program.Skipped{Name: f.Name, Span: f.Span})
		return
	}
	for _, it := range b.items {
		if it.instr == nil {
			f.Body = append(f.Body, it.decl...)
			continue
		}
		f.Body = append(f.Body, &program.Asm{Place: program.Place{Span: it.instr.Span}, Instrs: []program.Instr{*it.instr}})
	}
	m.out.Functions = append(m.out.Functions, f)
	m.out.Body = append(m.out.Body, &program.FuncDef{Place: program.Place{Span: f.Span}, Func: f})
}

// group passes a parenthesised list and returns its pieces; a list that is not closed before a body ends there.
func (m *module) group() (pieces []string, closed bool) {
	m.pos++
	end := strings.IndexAny(m.text[m.pos:], "){};")
	if end < 0 {
		end = len(m.text) - m.pos
	}
	s := scanner{text: m.text[m.pos : m.pos+end]}
	m.pos += end
	for m.peek(0) == ')' { // two after .attribute(.unified(1, 2))
		m.pos++
		closed = true
	}
	var out []string
	for s.skip(); !s.done(); s.skip() {
		from := s.pos
		for !s.done() && s.text[s.pos] != ',' {
			s.pos++
		}
		out = append(out, strings.TrimSpace(s.text[from:s.pos]))
		s.pos++
	}
	return out, closed
}

func (m *module) params() ([]program.Param, bool) {
	at := m.pos
	var out []program.Param
	pieces, closed := m.group()
	for _, text := range pieces {
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		name, dims, _ := strings.Cut(words[len(words)-1], "[")
		typ := strings.Join(words[:len(words)-1], " ")
		if dims != "" {
			typ += "[" + dims
		}
		out = append(out, program.Param{Name: name, Type: typ, Span: span{Start: at, End: m.pos}})
	}
	return out, closed
}

// attribute reads a performance-tuning or cluster directive, .reqntid 128, 1, 1 (PTX ISA 11.4), as a call.
func (m *module) attribute(f *program.Function) {
	start := m.pos
	name := strings.TrimPrefix(m.word(), ".")
	var args []program.Expr
	for {
		m.skip()
		c := m.peek(0)
		if c == '"' {
			at := m.pos
			text := strings.Trim(m.quoted(), `"`)
			args = append(args, &program.String{Place: program.Place{Span: span{Start: at, End: m.pos}}, Value: text})
		} else if c >= '0' && c <= '9' {
			at := m.pos
			text := m.word()
			args = append(args, value(text, program.Place{Span: span{Start: at, End: m.pos}}))
		}
		m.skip()
		if c := m.peek(0); c != ',' && (c != ';' || name != "pragma") {
			break
		}
		m.pos++
	}
	place := program.Place{Span: span{Start: start, End: m.pos}}
	var e program.Expr = &program.Name{Place: place, Ident: name}
	if len(args) > 0 {
		e = &program.Call{Place: place, Fun: e, Args: args}
	}
	f.Attributes = append(f.Attributes, e)
}
