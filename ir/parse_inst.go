package ir

import (
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
)

// names of ops.
var byName = func() map[string]Op {
	out := map[string]Op{}
	for o := range ops {
		out[o.Name()] = o
	}
	return out
}()

// opOf finds the op that a dotted word begins with: the longest there is.
func opOf(word string) (o Op, found bool) {
	for {
		if o, found = byName[word]; found {
			return o, true
		}
		dot := strings.LastIndexByte(word, '.')
		if dot < 0 {
			return 0, false
		}
		word = word[:dot]
	}
}

// result is a name on the left of an instruction, and the one behind its bar.
type result struct {
	name, beside string
	both         bool
}

// inst reads an instruction.
func (p *parser) inst(l *line) {
	if len(p.kernel.Insts) >= MaxInsts {
		l.fail("more than %d instructions", MaxInsts)
		return
	}
	in := Blank(Nop)
	in.Guard = -1
	if l.accept('@') {
		in.GuardNot = l.accept('!')
		in.Guard = p.testOf(l, l.name("a predicate"))
	}
	var results []result
	if p.assigns(l) {
		l.list(func() {
			r := result{name: l.name("a result")}
			if r.both = l.accept('|'); r.both {
				r.beside = l.name("a result")
			}
			results = append(results, r)
		})
		l.expect('=')
	}
	word := l.name("an instruction")
	if l.err != nil {
		return
	}
	op, ok := opOf(word)
	if !ok {
		l.fail("%q is neither an instruction nor a declaration; docs/ir.md lists what there is", short(word))
		return
	}
	in.Op = op
	p.modify(l, &in, strings.TrimPrefix(word, op.Name()))
	p.set(l, &in, results)
	p.operate(l, &in)
	p.words(l, &in)
	p.place(l, &in)
	l.end()
	p.kernel.Insts = append(p.kernel.Insts, in)
	p.lines = append(p.lines, l.number)
}

// assigns reports whether the line has results: names with commas and bars between them, then "=".
func (p *parser) assigns(l *line) bool {
	ahead := *l
	for ahead.tok.kind == 'n' || ahead.tok.kind == 's' {
		ahead.next()
		if ahead.tok.kind != ',' && ahead.tok.kind != '|' {
			break
		}
		ahead.next()
	}
	return ahead.err == nil && ahead.tok.kind == '='
}

// modify reads what stands behind the op's name.
func (p *parser) modify(l *line, in *Inst, text string) {
	if text == "" {
		return
	}
	row := in.Op.row()
	var types []Type
	for _, word := range strings.Split(text[1:], ".") {
		if t, ok := typeOf(word); ok && row.types != untyped {
			types = append(types, t)
			continue
		}
		if !in.modifier(row, word) {
			l.fail("%s has no modifier %q", row.name, short(word))
			return
		}
	}
	switch {
	case row.types == converted && len(types) == 2:
		in.Result, in.Type = types[0], types[1]
	case len(types) > 1 || row.types == converted && len(types) == 1:
		l.fail("%s has %d types, expected %d", row.name, len(types), map[bool]int{true: 2, false: 1}[row.types == converted])
	case len(types) == 1:
		if in.Type = types[0]; row.types == alike {
			in.Result = in.Type
		}
	}
}

// modifier sets the field that a word names.
func (in *Inst) modifier(row *row, word string) bool {
	find := func(names []string, has bool, to *uint8) bool {
		for k, name := range names {
			if has && name == word && name != "" && name != "-" {
				*to = uint8(k)
				return true
			}
		}
		return false
	}
	if find(row.modes, true, &in.Mode) || find(joining, row.has&joined != 0, &in.Join) || find(spaces, row.has&spaced != 0, (*uint8)(&in.Space)) ||
		find(orders, row.has&ordered != 0, (*uint8)(&in.Order)) || find(scopes, row.has&ordered != 0, (*uint8)(&in.Scope)) {
		return true
	}
	for k, name := range flagNames {
		if name == word && row.flags>>k&1 != 0 {
			in.Flags |= 1 << k
			return true
		}
	}
	return false
}

// set puts the results where the op's form has them.
func (p *parser) set(l *line, in *Inst, results []result) {
	form := in.Op.form()
	name := func(text string, bank Bank) int32 {
		switch {
		case text == "_":
			return -1
		case bank == Predicate:
			return p.testOf(l, text)
		}
		return p.registerOf(l, text)
	}
	for k, r := range results {
		_, test := p.tests[r.name]
		_, register := p.registers[r.name]
		alone := in.Op == Vote && in.Mode != 3 || in.Op == BarrierCTA && in.Mode > 1 // the result is a predicate
		switch {
		case k == 0 && r.both && form.e != Unused:
			in.D, in.E = name(r.name, form.d), name(r.beside, form.e)
		case r.both:
			l.fail("%s has no second result behind a bar", in.Op.Name())
		case k == 0 && form.d == Register && form.e == Predicate && (test || alone && !register && r.name != "_"):
			in.E = name(r.name, Predicate)
		case k == 0 && form.d != Unused:
			in.D = name(r.name, form.d)
		case form.dests:
			in.extra().Dests = append(in.extra().Dests, name(r.name, Register))
		default:
			l.fail("%s has fewer results", in.Op.Name())
		}
	}
}

func (in *Inst) extra() *Extra {
	if in.Extra == nil {
		in.Extra = &Extra{}
	}
	return in.Extra
}

// operate reads the operands.
func (p *parser) operate(l *line, in *Inst) {
	form := in.Op.form()
	switch {
	case in.Op == Branch:
		p.jumps = append(p.jumps, jump{int32(len(p.kernel.Insts)), -1, l.name("a block"), l.number})
		return
	case in.Op == Call:
		in.extra().Text = l.name("a function")
		p.calls = append(p.calls, jump{int32(len(p.kernel.Insts)), -1, in.Extra.Text, l.number})
		return
	case form.four:
		p.endpoints(l, in)
		return
	case !p.operandNext(l):
		return
	}
	fields := [3]*Operand{&in.A, &in.B, &in.C}
	k := 0
	l.list(func() {
		for k < 3 && form.operands[k] == Unused {
			k++
		}
		switch {
		case k == 0 && form.address && l.tok.kind == '[':
			in.A, in.Offset = p.address(l)
		case k == 0 && form.address && l.tok.text != "_":
			l.fail("%s, expected an address: [%%r1+16]", l.seen())
		case k < 3:
			*fields[k] = p.operand(l, form.operands[k])
		case form.more:
			in.extra().Operands = append(in.extra().Operands, p.operand(l, Register))
		default:
			l.fail("%s has fewer operands", in.Op.Name())
		}
		k++
	})
}

// operandNext reports whether an operand follows, and neither a word nor the place.
func (p *parser) operandNext(l *line) bool {
	switch l.tok.kind {
	case 0:
		return false
	case 'n':
		return l.tok.text == "_" || !keywords[l.tok.text]
	case '!':
		return !p.placeNext(l)
	}
	return true
}

// placeNext tells "! file.cu:12" from "!%p".
func (p *parser) placeNext(l *line) bool {
	return l.tok.kind == '!' && (l.rest == "" || strings.HasPrefix(l.rest, " "))
}

func (p *parser) endpoints(l *line, in *Inst) {
	x := in.extra()
	x.Operands, x.Offsets = []Operand{None, None, None, None}, make([]int64, 4)
	k := 0
	if !p.operandNext(l) {
		return
	}
	l.list(func() {
		switch {
		case k > 3:
			l.fail("%s has at most a destination, a source, an mbarrier and a mask", in.Op.Name())
		case l.tok.kind == '[' && k < 3:
			x.Operands[k], x.Offsets[k] = p.address(l)
		default:
			x.Operands[k] = p.operand(l, Register)
		}
		k++
	})
}

func (p *parser) operand(l *line, bank Bank) Operand {
	if l.tok.kind == 'n' && l.tok.text == "_" {
		l.next()
		return None
	}
	o := Operand{Reg: -1, Not: l.accept('!')}
	switch {
	case l.tok.kind == 'i':
		o.Imm = l.integer("a constant")
		if bank == Register && l.accept(':') {
			o.Of = p.variableOf(l, l.name("a shared variable"))
		}
	case bank == Predicate:
		o.Reg = p.testOf(l, l.name("a predicate"))
	default:
		o.Reg = p.registerOf(l, l.name("a register or a constant"))
	}
	return o
}

// address reads [base+offset].
func (p *parser) address(l *line) (o Operand, offset int64) {
	l.expect('[')
	o = p.operand(l, Register)
	if l.accept('+') || l.tok.kind == 'i' {
		offset = l.integer("an offset")
	}
	l.expect(']')
	return o, offset
}

// words reads the fields that have a word before them.
func (p *parser) words(l *line, in *Inst) {
	row := in.Op.row()
	for l.tok.kind == 'n' {
		word := l.tok.text
		l.next()
		switch {
		case word == row.word && row.has&measured != 0, word == "size" && row.word == "" && row.has&measured != 0:
			in.Size = uint32(l.within(word, 0, 1<<32-1))
		case word == row.word && row.has&worded != 0, word == "text" && row.word == "" && row.has&worded != 0:
			in.extra().Text = l.name("a text")
		case word == "code" && row.has&worded != 0:
			if in.extra().Code = limit.Parse(l.name("a code")); in.Extra.Code == 0 {
				l.fail("there is no such code")
			}
		case word == "bytes" && in.Op.form().four:
			in.B = p.operand(l, Register)
		case word == "lanes" && row.has&lanes != 0:
			in.Mode = uint8(l.within(word, 0, 255))
		case word == "members" && row.has&masked != 0:
			in.Members = p.operand(l, Register)
		case word == "to" && in.Op == BranchIndexed:
			x := in.extra()
			if l.tok.kind != 'n' {
				continue
			}
			l.list(func() {
				p.jumps = append(p.jumps, jump{int32(len(p.kernel.Insts)), len(x.Targets), l.name("a block"), l.number})
				x.Targets = append(x.Targets, 0)
			})
		default:
			l.fail("found %q, which %s does not have", short(word), row.name)
		}
	}
}

// place reads "! file:line name", "! - name" or "! same"; without any, the instruction has a place of its own.
func (p *parser) place(l *line, in *Inst) {
	c := p.kernel
	in.Place = uint32(len(c.Places))
	var at Place
	if p.placeNext(l) {
		text := strings.TrimSpace(l.rest)
		l.tok, l.rest = token{}, ""
		if text == "same" && len(c.Insts) > 0 {
			in.Place = c.Insts[len(c.Insts)-1].Place
			return
		}
		at = readPlace(l, text)
	}
	c.Places = append(c.Places, at)
}

func readPlace(l *line, text string) (at Place) {
	where := ""
	quoted, err := strconv.QuotedPrefix(text)
	if err == nil && quoted[0] == '"' {
		at.Path, _ = strconv.Unquote(quoted)
		where, text, _ = strings.Cut(text[len(quoted):], " ")
		where = strings.TrimPrefix(where, ":")
	} else {
		where, text, _ = strings.Cut(text, " ")
		if colon := strings.LastIndexByte(where, ':'); colon >= 0 {
			at.Path, where = where[:colon], where[colon+1:]
		}
	}
	if where != "-" {
		n, err := strconv.ParseInt(where, 10, 32)
		if err != nil || n < 1 || at.Path == "" && quoted == "" {
			l.fail("%q is no place; expected file:line", short(where))
		}
		at.Line = int(n)
	}
	at.Name = text
	if name, err := strconv.Unquote(text); err == nil && text[0] == '"' {
		at.Name = name
	}
	return at
}
