package ptx

import (
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// lineDirectives end with the line, not with a semicolon (PTX ISA 11.1, 11.5).
var lineDirectives = map[string]bool{".version": true, ".target": true, ".address_size": true, ".file": true, ".loc": true}

// stateSpaces start a variable declaration (PTX ISA 5.1).
var stateSpaces = map[string]bool{".reg": true, ".sreg": true, ".const": true, ".global": true, ".local": true,
	".param": true, ".shared": true, ".tex": true}

// directive reads one directive inside a body. Declarations of shared and global variables become items; register
// declarations only name things; the rest is passed over.
func (b *body) directive() {
	start := b.pos
	word := b.word()
	switch {
	case word == ".loc":
		b.loc = location(b.line())
	case lineDirectives[word]:
		b.line()
	case word == ".section":
		b.line()
		b.skip()
		if b.peek(0) == '{' {
			b.braces()
		}
	case stateSpaces[word]:
		b.variable(word, start)
	case word == ".branchtargets" || word == ".calltargets":
		// The label before it names the list, not a place in the code (PTX ISA 11.3): it stays with the list.
		in := &program.Instr{Op: word, Span: b.place(start, b.pos)}
		for _, text := range b.operandsUntilEnd() {
			in.Operands = append(in.Operands, operand(b.unescape(text)))
		}
		b.emit(in)
	case word == ".callprototype":
		b.label = ""
		b.operandsUntilEnd()
	default:
		b.operandsUntilEnd()
	}
}

// variable reads `.shared .align 8 .b64 bar[2], x;` from behind its state space.
func (b *body) variable(space string, start int) {
	space, _, _ = strings.Cut(space, "::") // .param::entry, .shared::cta
	typ := b.types()
	for _, text := range b.operandsUntilEnd() {
		d := declarator(text)
		if d.name == "" {
			continue
		}
		if space != ".param" { // the param0 of every call sequence lives no longer than its braces
			b.declare(b.unescape(d.name))
		}
		if b.inline || space != ".shared" && space != ".global" && space != ".const" && space != ".local" {
			continue
		}
		b.items = append(b.items, item{decl: []program.Stmt{d.assign(space, typ, b.place(start, b.pos))}, scope: b.current()})
	}
}

// typed is the type of a declaration.
type typed struct {
	name    string // its fundamental type
	vector  string // "4" of .v4
	aligned int64
}

// types passes the dotted words of a declaration: .align 8, .v4, .b64.
func (b *body) types() typed {
	var typ typed
	for b.skip(); b.peek(0) == '.'; b.skip() {
		word := b.word()
		switch word {
		case ".align":
			b.skip()
			typ.aligned, _ = number(b.word())
		case ".attribute":
			for !b.done() && b.peek(0) != ')' && b.peek(0) != ';' {
				b.pos++
			}
			if b.peek(0) == ')' {
				b.pos++
			}
		case ".ptr":
		case ".v2", ".v4", ".v8":
			typ.vector = word[2:]
		default:
			typ.name = strings.TrimPrefix(word, ".")
		}
		if b.done() {
			break
		}
	}
	return typ
}

// declared is one name of a declaration: name[8][4] = {1, 2}.
type declared struct {
	name string
	dims []string
	init string
}

func declarator(text string) declared {
	head, init, _ := strings.Cut(text, "=")
	name, rest, _ := strings.Cut(head, "[")
	d := declared{init: init}
	if rest != "" {
		d.dims = strings.Split(strings.TrimSuffix(rest, "]"), "][")
	}
	// A register family %r<8> declares %r0 to %r7; such names never collide with those of an asm block.
	if name, _, family := strings.Cut(name, "<"); !family {
		d.name = name
	}
	return d
}

// maxInit bounds an initialiser that is kept; longer ones are data (tables, images).
const maxInit = 1024

func (d declared) assign(space string, typ typed, at span) *program.Assign {
	place := program.Place{Span: at}
	a := &program.Assign{Place: place, Targets: []program.Expr{&program.Name{Place: place, Ident: d.name}}, Op: "=",
		Decl: true, Type: typ.name, Shared: space == ".shared", Const: space == ".const", Space: space[1:], Align: typ.aligned}
	for _, text := range d.dims {
		a.Dims = append(a.Dims, value(text, place))
	}
	if typ.vector != "" {
		a.Dims = append(a.Dims, value(typ.vector, place))
	}
	if d.init == "" {
		return a
	}
	o := operand(d.init)
	if len(o.Vector) > maxInit {
		a.Value = &program.OpaqueExpr{Place: place, Why: "long initialiser"}
		return a
	}
	if o.Vector == nil {
		a.Value = value(d.init, place)
		return a
	}
	l := &program.List{Place: place}
	for _, v := range o.Vector {
		l.Elems = append(l.Elems, value(v, place))
	}
	a.Value = l
	return a
}

// value reads a constant of a declaration; an empty extent (smem[]) is None.
func value(text string, place program.Place) program.Expr {
	if text == "" {
		return &program.None{Place: place}
	}
	if v, ok := integer(text); ok {
		return &program.Int{Place: place, Value: v}
	}
	if strings.IndexFunc(text, func(r rune) bool { return r < 0x80 && !isNameByte(byte(r)) }) < 0 && (text[0] < '0' || text[0] > '9') {
		return &program.Name{Place: place, Ident: text}
	}
	return &program.OpaqueExpr{Place: place, Why: "constant expression"}
}

// location reads what follows .loc: a file's number, a line, a column (PTX ISA 11.5.3).
func location(text string) program.Loc {
	words := strings.Fields(strings.ReplaceAll(text, ",", " "))
	if len(words) < 2 {
		return program.Loc{}
	}
	file, err1 := strconv.Atoi(words[0])
	line, err2 := strconv.Atoi(words[1])
	if err1 != nil || err2 != nil || line <= 0 { // line 0: the compiler knows none
		return program.Loc{}
	}
	return program.Loc{File: file, Line: line}
}

// maxPaths bounds the files that are remembered.
const maxPaths = 10_000

// path reads what follows .file: a number and a name, in DWARF 5 a folder before the name (PTX ISA 11.5.2).
func (m *module) path(text string) {
	number, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	n, err := strconv.Atoi(strings.TrimSpace(number))
	names := strings.Split(rest, `"`)
	if err != nil || len(names) < 3 || len(m.out.Paths) >= maxPaths {
		return
	}
	name := names[1]
	if len(names) >= 5 && strings.TrimSpace(names[2]) == "" {
		if name = names[3]; !strings.HasPrefix(name, "/") {
			name = strings.TrimSuffix(names[1], "/") + "/" + name
		}
	}
	if m.out.Paths == nil {
		m.out.Paths = map[int]string{}
	}
	m.out.Paths[n] = name
}
