package ir

import "strings"

// Bank is where a field of an instruction finds its value.
type Bank uint8

const (
	Unused Bank = iota
	Register
	Predicate
)

// form is which fields of an instruction an op uses, and what they hold.
type form struct {
	d, e     Bank // results; any of them may be none
	dests    bool // and more of them
	operands [3]Bank
	optional [3]bool
	more     bool // operands behind these
	address  bool // A is one, with an offset
	four     bool // the operands behind these are addresses: see [Async]
}

// forms are those of all ops, as the table writes them.
var forms = func() (out [ops]form) {
	for o := range out {
		out[o] = readForm(table[o].form)
	}
	return out
}()

func (o Op) form() *form {
	if o >= ops {
		o = Nop
	}
	return &forms[o]
}

func readForm(text string) (f form) {
	left, right, both := strings.Cut(text, "=")
	if !both {
		left, right = "", text
	}
	for _, part := range strings.Fields(left) {
		switch d, e, _ := strings.Cut(part, "|"); {
		case part == "*":
			f.dests = true
		default:
			f.d, f.e = bankOf(d), bankOf(e)
		}
	}
	n := 0
	for _, part := range strings.Fields(right) {
		switch part {
		case "*":
			f.more = true
			continue
		case "[*]":
			f.more, f.four = true, true
			continue
		}
		name, optional := strings.CutSuffix(part, "?")
		if inner, ok := strings.CutPrefix(name, "["); ok {
			f.address, name = true, strings.TrimSuffix(inner, "]")
		}
		f.operands[n], f.optional[n] = bankOf(name), optional
		n++
	}
	return f
}

func bankOf(letter string) Bank {
	switch letter {
	case "r":
		return Register
	case "p":
		return Predicate
	}
	return Unused
}
