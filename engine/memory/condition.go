package memory

import (
	"strconv"
	"strings"
)

// term is a register of a thread, a cell, or a number.
type term struct {
	text   string
	thread int // index, or -1
	reg    int
	cell   int // or -1
	imm    int64
}

// formula is a condition on the final state.
type formula struct {
	op    string // and, or, not, or a comparison
	parts []*formula
	a, b  term
}

func (f *formula) String() string {
	switch f.op {
	case "not":
		return "~(" + f.parts[0].String() + ")"
	case "and", "or":
		var list []string
		for _, part := range f.parts {
			if text := part.String(); part.op == "or" {
				list = append(list, "("+text+")")
			} else {
				list = append(list, text)
			}
		}
		return strings.Join(list, map[string]string{"and": " /\\ ", "or": " \\/ "}[f.op])
	}
	return f.a.text + " " + f.op + " " + f.b.text
}

// truth is true, false, or not known yet.
type truth uint8

const (
	unknown truth = iota
	no
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// eval evaluates f where value tells some terms.
func (f *formula) eval(value func(*term) (int64, bool)) truth {
	switch f.op {
	case "not":
		switch f.parts[0].eval(value) {
		case yes:
			return no
		case no:
			return yes
		}
		return unknown
	case "and", "or":
		settles, else_ := no, yes
		if f.op == "or" {
			settles, else_ = yes, no
		}
		out := else_
		for _, part := range f.parts {
			switch part.eval(value) {
			case settles:
				return settles
			case unknown:
				out = unknown
			}
		}
		return out
	}
	a, okA := value(&f.a)
	b, okB := value(&f.b)
	if !okA || !okB {
		return unknown
	}
	return truthOf(compare(f.op, a, b))
}

func compare(op string, a, b int64) bool {
	switch op {
	case "=", "==", "beq":
		return a == b
	case "!=", "bne":
		return a != b
	case "<", "blt":
		return a < b
	case ">", "bgt":
		return a > b
	case "<=", "ble":
		return a <= b
	}
	return a >= b
}

// terms calls see for the terms of f that are no numbers.
func (f *formula) terms(see func(term)) {
	for _, part := range f.parts {
		part.terms(see)
	}
	for _, t := range []term{f.a, f.b} {
		if t.text != "" && (t.thread >= 0 || t.cell >= 0) {
			see(t)
		}
	}
}

// assertions reads locations [x; P0:r0], filter (…) and the quantified condition.
func (p *reader) assertions() (err error) {
	if p.accept("locations") {
		if err := p.locations(); err != nil {
			return err
		}
	}
	if p.accept("filter") {
		if p.out.filter, err = p.formula(0); err != nil {
			return err
		}
		p.accept(";")
	}
	t := p.next()
	switch {
	case t.text == "exists":
	case t.text == "forall":
		p.out.Quantifier = Forall
	case (t.text == "~" || t.text == "not") && p.accept("exists"):
		p.out.Quantifier = NotExists
	default:
		return errorAt(t.line, "expected exists, ~exists or forall, not %s", t)
	}
	if p.out.condition, err = p.formula(0); err != nil {
		return err
	}
	p.accept(";")
	if t := p.peek(); t.text != "" {
		return errorAt(t.line, "unexpected %s behind the condition", t)
	}
	p.out.condition.terms(p.show)
	return nil
}

// show makes t a part of the state, once.
func (p *reader) show(t term) {
	for _, old := range p.out.shown {
		if old.thread == t.thread && old.reg == t.reg && old.cell == t.cell {
			return
		}
	}
	p.out.shown = append(p.out.shown, t)
}

func (p *reader) locations() error {
	if err := p.expect("["); err != nil {
		return err
	}
	for !p.accept("]") {
		t, err := p.term()
		if err != nil {
			return err
		}
		if t.thread >= 0 || t.cell >= 0 {
			p.show(t)
		}
		if !p.accept(";") && p.peek().text != "]" {
			return errorAt(p.peek().line, "expected ; or ] in locations, not %s", p.peek())
		}
	}
	p.accept(";")
	return nil
}

// formula reads a disjunction. And binds tighter than or.
func (p *reader) formula(depth int) (*formula, error) {
	return p.joined(depth, "or", "\\/", func() (*formula, error) {
		return p.joined(depth, "and", "/\\", func() (*formula, error) { return p.atom(depth) })
	})
}

func (p *reader) joined(depth int, op, sign string, part func() (*formula, error)) (*formula, error) {
	if depth > maxDepth {
		return nil, errorAt(p.peek().line, "the condition is nested deeper than %d", maxDepth)
	}
	out := &formula{op: op}
	for {
		f, err := part()
		if err != nil {
			return nil, err
		}
		out.parts = append(out.parts, f)
		if !p.accept(sign) {
			break
		}
	}
	if len(out.parts) == 1 {
		return out.parts[0], nil
	}
	return out, nil
}

func (p *reader) atom(depth int) (*formula, error) {
	if p.accept("~") || p.accept("not") {
		if depth > maxDepth {
			return nil, errorAt(p.peek().line, "the condition is nested deeper than %d", maxDepth)
		}
		f, err := p.atom(depth + 1)
		return &formula{op: "not", parts: []*formula{f}}, err
	}
	if p.accept("(") {
		f, err := p.formula(depth + 1)
		if err != nil {
			return nil, err
		}
		return f, p.expect(")")
	}
	a, err := p.term()
	if err != nil {
		return nil, err
	}
	t := p.next()
	switch t.text {
	case "=", "==", "!=", "<", ">", "<=", ">=":
	default:
		return nil, errorAt(t.line, "expected a comparison, not %s", t)
	}
	b, err := p.term()
	return &formula{op: t.text, a: a, b: b}, err
}

// term reads P0:r0, 0:r0, x, [x] or a number.
func (p *reader) term() (term, error) {
	bracket := p.accept("[")
	t := p.peek()
	if m := isThread.FindStringSubmatch(t.text); m != nil && p.list[p.at+1].text == ":" {
		p.at += 2
		id, _ := strconv.Atoi(m[1])
		reg := p.next()
		if !isRegister.MatchString(reg.text) {
			return term{}, errorAt(reg.line, "expected a register such as r0, not %s", reg)
		}
		for i := range p.out.threads {
			if th := &p.out.threads[i]; th.id == id {
				if len(th.regs) == maxRegs {
					return term{}, errorAt(reg.line, "more than %d registers in P%d", maxRegs, id)
				}
				return term{text: "P" + m[1] + ":" + reg.text, thread: i, reg: th.register(reg.text), cell: -1}, nil
			}
		}
		return term{}, errorAt(t.line, "there is no thread P%d", id)
	}
	if identifier.MatchString(t.text) {
		p.at++
		i, err := p.cell(t)
		if err == nil && bracket {
			err = p.expect("]")
		}
		if err == nil && p.out.objectOf(p.out.names[i].cell) >= 0 {
			err = errorAt(t.line, "%s is an mbarrier and has no value", t)
		}
		if err != nil {
			return term{}, err
		}
		return term{text: t.text, thread: -1, cell: p.out.names[i].cell}, nil
	}
	v, err := p.number()
	return term{text: strconv.FormatInt(v, 10), thread: -1, cell: -1, imm: v}, err
}
