package spin

import (
	"fmt"
	"strconv"
	"strings"
)

// The tree a model is built as. It has no string in it that comes from a source file: names are made from a letter
// and a number, everything else is an integer or one of a fixed set of words, so nothing in a kernel can reach the C
// code that spin generates (notes/anchors.md C1.1).

// variable is a declared variable; size 0 is a scalar, else the length of an array.
type variable struct {
	letter byte
	number int
	size   int
	most   int // the largest absolute value it takes, which chooses its type
}

func (v *variable) name() string { return "v_" + string(v.letter) + strconv.Itoa(v.number) }

// width is the smallest type that holds every value. A byte is unsigned; all values but those of int are natural.
func (v *variable) width() string {
	switch {
	case v.most <= 255:
		return "byte"
	case v.most <= 32767:
		return "short"
	}
	return "int"
}

// expr is an expression.
type expr interface{ write(b *strings.Builder) }

type number int

// ref reads a variable, or an element of one.
type ref struct {
	of    *variable
	index int
}

type binary struct {
	op   string
	l, r expr
}

// join is a flat chain of one operator, so that long disjunctions do not nest.
type join struct {
	op    string
	terms []expr
}

func (n number) write(b *strings.Builder) {
	if n < 0 {
		b.WriteString("(0 - " + strconv.Itoa(-int(n)) + ")")
		return
	}
	b.WriteString(strconv.Itoa(int(n)))
}

func (r ref) write(b *strings.Builder) {
	b.WriteString(r.of.name())
	if r.of.size > 0 {
		b.WriteString("[" + strconv.Itoa(r.index) + "]")
	}
}

func (e binary) write(b *strings.Builder) {
	b.WriteByte('(')
	e.l.write(b)
	b.WriteString(" " + e.op + " ")
	e.r.write(b)
	b.WriteByte(')')
}

func (e join) write(b *strings.Builder) {
	b.WriteByte('(')
	for i, t := range e.terms {
		if i > 0 {
			b.WriteString(" " + e.op + " ")
		}
		t.write(b)
	}
	b.WriteByte(')')
}

var (
	yes expr = number(1)
	no  expr = number(0)
)

// anyOf is true when a term is. Without terms it is false.
func anyOf(terms ...expr) expr { return chain("||", no, yes, terms) }

// allOf is true when every term is. Without terms it is true.
func allOf(terms ...expr) expr { return chain("&&", yes, no, terms) }

func sum(terms ...expr) expr { return chain("+", no, nil, terms) }

// chain leaves out the neutral terms, and is the deciding one where there is one.
func chain(op string, empty, decides expr, terms []expr) expr {
	var kept []expr
	for _, t := range terms {
		if t == decides {
			return decides
		}
		if t != empty {
			kept = append(kept, t)
		}
	}
	switch len(kept) {
	case 0:
		return empty
	case 1:
		return kept[0]
	}
	return join{op, kept}
}

// stmt is a statement inside one atomic step.
type stmt interface{ print(b *strings.Builder) }

type assign struct {
	to    ref
	value expr
}

// fail is a failed check of the property with that number.
type fail int

// branch is taken when its guard holds.
type branch struct {
	guard expr
	body  []stmt
	other []stmt
}

// repeat takes its branches, in order, until no guard holds.
type repeat []branch

func (s assign) print(b *strings.Builder) {
	s.to.write(b)
	b.WriteString(" = ")
	s.value.write(b)
}

func (s fail) print(b *strings.Builder) { fmt.Fprintf(b, "assert(%d < 0)", int(s)) }

func (s branch) print(b *strings.Builder) {
	b.WriteString("if :: ")
	s.guard.write(b)
	b.WriteString(" -> ")
	sequence(b, s.body)
	b.WriteString(" :: else -> ")
	sequence(b, s.other)
	b.WriteString(" fi")
}

func (s repeat) print(b *strings.Builder) {
	b.WriteString("do")
	for _, br := range s {
		b.WriteString(" :: ")
		br.guard.write(b)
		b.WriteString(" -> ")
		sequence(b, br.body)
	}
	// SPIN 6.5.2 loses the label a break goes to when the loop is the last statement of its step.
	b.WriteString(" :: else -> break od; skip")
}

func sequence(b *strings.Builder, body []stmt) {
	if len(body) == 0 {
		b.WriteString("skip")
	}
	for i, s := range body {
		if i > 0 {
			b.WriteString("; ")
		}
		s.print(b)
	}
}
