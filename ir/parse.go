package ir

import (
	"fmt"
	"math"
	"strings"

	"github.com/fencepost-dev/fencepost/source"
)

// Parse reads a kernel in the text form and verifies it; name is that of the file, for errors. What no line declares is declared
// where it first stands: registers as wide as they are used.
func Parse(name, text string) (*Kernel, error) {
	p := &parser{kernel: &Kernel{Special: map[string]int32{}, Variables: map[string]*Variable{}, Nothing: -1},
		registers: map[string]int32{}, tests: map[string]int32{}, blocks: map[string]int32{}, entries: map[string]int32{}}
	number := 0
	for text != "" {
		number++
		var now string
		now, text, _ = strings.Cut(text, "\n")
		if err := p.line(newLine(number, now)); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
	}
	if err := p.finish(); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if err := Verify(p.kernel); err != nil {
		if f, ok := err.(*Fault); ok && f.Inst >= 0 && int(f.Inst) < len(p.lines) {
			return nil, fmt.Errorf("read %s: line %d: %s", name, p.lines[f.Inst], f.Why)
		}
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return p.kernel, nil
}

type parser struct {
	kernel    *Kernel
	registers map[string]int32
	tests     map[string]int32
	inferred  bool             // a register stands in no declaration
	blocks    map[string]int32 // labels of the function that is read
	entries   map[string]int32 // where functions start
	jumps     []jump           // of that function
	calls     []jump
	lines     []int // of instructions
}

// jump is a target that is not known yet.
type jump struct {
	inst  int32
	index int // of the targets; -1: the target
	label string
	line  int
}

func (p *parser) line(l *line) error {
	switch {
	case l.tok.kind == 0 || l.tok.kind == '/' && strings.HasPrefix(l.rest, "/"): // nothing, or a comment
		return l.err
	case len(p.kernel.Functions) == 0 && l.tok.kind == 'n' && declarations[l.tok.text]:
		p.declaration(l)
	case l.tok.kind == 'n' && l.tok.text == "function":
		l.next()
		p.function(l)
	case p.label(l):
		p.open(l)
		name := l.tok.text
		if _, again := p.blocks[name]; again {
			l.fail("two blocks of one function are called %s", short(name))
		}
		p.blocks[name] = int32(len(p.kernel.Insts))
		l.next()
		l.expect(':')
		l.end()
	default:
		p.open(l)
		p.inst(l)
	}
	return l.err
}

// label reports whether the line begins with a name and a colon.
func (p *parser) label(l *line) bool {
	return l.tok.kind == 'n' && strings.HasPrefix(strings.TrimLeft(l.rest, " \t"), ":")
}

// open starts a function where the text has instructions before one.
func (p *parser) open(l *line) {
	if len(p.kernel.Functions) == 0 {
		p.start(l, p.kernel.Name)
	}
}

func (p *parser) function(l *line) {
	name := l.name("the name of a function")
	l.end()
	if l.err == nil {
		p.start(l, name)
	}
}

func (p *parser) start(l *line, name string) {
	c := p.kernel
	if err := p.close(); err != nil {
		l.err = err
		return
	}
	if _, again := p.entries[name]; again {
		l.fail("two functions are called %s", short(name))
		return
	}
	if len(c.Functions) >= MaxFunctions {
		l.fail("more than %d functions", MaxFunctions)
		return
	}
	at := int32(len(c.Insts))
	p.entries[name] = at
	c.Functions, c.Called = append(c.Functions, [2]int32{at, at}), append(c.Called, name)
	p.blocks, p.jumps = map[string]int32{}, nil
}

// close ends a function: its jumps have their targets.
func (p *parser) close() error {
	c := p.kernel
	n := len(c.Functions)
	if n == 0 {
		return nil
	}
	f := &c.Functions[n-1]
	if f[1] = int32(len(c.Insts)); f[0] == f[1] {
		return fmt.Errorf("function %s has no instructions; it needs at least: return", short(c.Called[n-1]))
	}
	for _, j := range p.jumps {
		at, ok := p.blocks[j.label]
		if !ok || at >= f[1] {
			return fmt.Errorf("line %d: no block %s with instructions in function %s", j.line, short(j.label), short(c.Called[n-1]))
		}
		if in := &c.Insts[j.inst]; j.index < 0 {
			in.Target = at
		} else {
			in.Extra.Targets[j.index] = at
		}
	}
	return nil
}

func (p *parser) finish() error {
	c := p.kernel
	if len(c.Functions) == 0 {
		return fmt.Errorf("no instructions")
	}
	if err := p.close(); err != nil {
		return err
	}
	for _, j := range p.calls {
		at, ok := p.entries[j.label]
		if !ok {
			return fmt.Errorf("line %d: no function %s", j.line, short(j.label))
		}
		c.Insts[j.inst].Target = at
	}
	if c.Nothing < 0 {
		c.Nothing = p.register("?")
	}
	c.Registers, c.Predicates = len(c.Names), len(c.Tests)
	if p.inferred {
		declared := c.Types
		c.InferTypes()
		for r, t := range declared {
			if t != (Type{}) {
				c.Types[r] = t
			}
		}
	}
	return nil
}

// declarations are the words that such lines begin with.
var declarations = map[string]bool{"kernel": true, "file": true, "directive": true, "parameter": true, "assume": true, "followed": true,
	"registers": true, "predicates": true, "special": true, "nothing": true, "writes": true, "part": true, "address": true, "variable": true}

// declaration is a line before the first function.
func (p *parser) declaration(l *line) {
	c := p.kernel
	word := l.tok.text
	l.next()
	switch word {
	case "kernel":
		c.Name = l.name("the name of the kernel")
	case "file":
		c.File = &source.File{Name: l.name("the name of a file")}
	case "directive":
		if c.Directives == nil {
			c.Directives = map[string][3]int{}
		}
		name, extent, n := l.name("the name of a directive"), [3]int{1, 1, 1}, 0
		l.list(func() {
			if x := l.within("an extent", 0, 1<<31); n < 3 {
				extent[n] = int(x)
			}
			n++
		})
		c.Directives[name] = extent
	case "parameter":
		c.Formals = append(c.Formals, l.name("the name of a parameter"))
	case "assume":
		c.Assumed = append(c.Assumed, l.name("what is assumed"))
	case "followed":
		l.list(func() { p.mark(l, l.name("data, tracked or blocking")) })
	case "registers":
		t := p.typ(l)
		l.list(func() { p.declare(l, l.name("the name of a register"), t, false) })
	case "predicates":
		l.list(func() { p.declare(l, l.name("the name of a predicate"), Type{}, true) })
	case "special":
		l.list(func() {
			name := l.name("a special register")
			c.Special[name] = p.registerOf(l, name)
		})
	case "nothing":
		c.Nothing = p.registerOf(l, l.name("a register"))
	case "writes":
		if c.Writes == nil {
			c.Writes = map[int32]bool{}
		}
		l.list(func() { c.Writes[p.registerOf(l, l.name("a register"))] = true })
	case "part":
		p.part(l)
	case "address":
		r := p.registerOf(l, l.name("a register"))
		l.expect('=')
		if c.Globals == nil {
			c.Globals = map[string]int32{}
		}
		c.Globals[l.name("the name of a variable")] = r
	case "variable":
		p.variable(l)
	}
	l.end()
}

func (p *parser) mark(l *line, word string) {
	switch word {
	case "data":
		p.kernel.Data = true
	case "tracked":
		p.kernel.Tracked = true
	case "blocking":
		p.kernel.Blocking = true
	default:
		l.fail("%q is not followed; there are data, tracked and blocking", short(word))
	}
}

func (p *parser) typ(l *line) Type {
	word := l.name("a type")
	t, ok := typeOf(word)
	if !ok {
		l.fail("%q is no type; there are b, s and f with 1 to 255 bits, and any", short(word))
	}
	return t
}

func (p *parser) declare(l *line, name string, t Type, predicate bool) {
	_, register := p.registers[name]
	if _, test := p.tests[name]; register || test {
		l.fail("%s is declared before", short(name))
		return
	}
	if predicate {
		p.test(name)
		return
	}
	p.registers[name] = int32(len(p.kernel.Names))
	p.kernel.Names, p.kernel.Types = append(p.kernel.Names, name), append(p.kernel.Types, t)
}

// register is the number of a name.
func (p *parser) register(name string) int32 {
	r, ok := p.registers[name]
	if !ok {
		r = int32(len(p.kernel.Names))
		p.registers[name] = r
		p.kernel.Names, p.kernel.Types = append(p.kernel.Names, name), append(p.kernel.Types, Type{})
		p.inferred = true
	}
	return r
}

func (p *parser) registerOf(l *line, name string) int32 {
	if _, test := p.tests[name]; test {
		l.fail("%s is a predicate, expected a register", short(name))
		return 0
	}
	return p.register(name)
}

func (p *parser) test(name string) int32 {
	n, ok := p.tests[name]
	if !ok {
		n = int32(len(p.kernel.Tests))
		p.tests[name] = n
		p.kernel.Tests = append(p.kernel.Tests, name)
	}
	return n
}

func (p *parser) testOf(l *line, name string) int32 {
	if _, register := p.registers[name]; register {
		l.fail("%s is a register, expected a predicate", short(name))
		return 0
	}
	return p.test(name)
}

// part is a part of a parameter: part %rd1 = p+8 pointer as "p.at".
func (p *parser) part(l *line) {
	s := Parameter{Register: p.registerOf(l, l.name("a register"))}
	l.expect('=')
	s.Name = l.name("the name of a parameter")
	if l.accept('+') {
		s.Offset = l.integer("an offset")
	}
	s.Pointer = l.word("pointer")
	if l.word("as") {
		s.Text = l.name("how the source spells it")
	}
	p.kernel.Slots = append(p.kernel.Slots, s)
}

// variable is: variable shared row at 0 bytes 128 element 4 = 1, 2.
func (p *parser) variable(l *line) {
	v := &Variable{Space: l.name("a state space"), Name: l.name("the name of a variable")}
	for _, f := range []struct {
		word string
		to   *int64
	}{{"at", &v.At}, {"bytes", &v.Size}, {"element", &v.Elem}} {
		if l.word(f.word) {
			*f.to = l.within(f.word, -1, math.MaxInt64)
		}
	}
	if l.accept('=') {
		l.list(func() { v.Init = append(v.Init, l.integer("an initial value")) })
	}
	if p.kernel.Variables[v.Name] != nil {
		l.fail("two variables are called %s", short(v.Name))
	}
	p.kernel.Variables[v.Name] = v
	if v.Space == "const" && v.Size >= 0 {
		p.kernel.Constants = append(p.kernel.Constants, v)
	}
}

// variableOf is the number of a shared variable.
func (p *parser) variableOf(l *line, name string) uint16 {
	n := p.kernel.Variables[name].number(p.kernel)
	if n == 0 {
		l.fail("%s is no shared variable that was declared", short(name))
	}
	return n
}
