package ptx

import (
	"strconv"
	"strings"
)

// integer evaluates a constant expression of integers (PTX ISA 4.5.4): numbers, + - * / % << >> & | ^ ~ !, brackets.
func integer(text string) (int64, bool) {
	if text == "" || len(text) > 256 {
		return 0, false
	}
	if c := text[len(text)-1]; c >= '0' && c <= '9' && text[0] != '0' { // the usual case: a decimal number
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, true
		}
	}
	if strings.IndexByte("0123456789-+~!(", text[0]) < 0 {
		return 0, false
	}
	e := expression{text: text}
	n, ok := e.sum(0, 0)
	return n, ok && e.pos == len(text)
}

// expression reads constants by precedence.
type expression struct {
	text string
	pos  int
}

// levels are the operators, the loosest first.
var levels = [][]string{{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

func (e *expression) sum(level, depth int) (int64, bool) {
	if level == len(levels) {
		return e.unary(depth)
	}
	a, ok := e.sum(level+1, depth)
	for ok {
		op := ""
		for _, o := range levels[level] {
			if strings.HasPrefix(e.text[e.pos:], o) {
				op = o
			}
		}
		if op == "" {
			break
		}
		e.pos += len(op)
		var b int64
		if b, ok = e.sum(level+1, depth); ok {
			a, ok = combine(op, a, b)
		}
	}
	return a, ok
}

func combine(op string, a, b int64) (int64, bool) {
	switch op {
	case "|":
		return a | b, true
	case "^":
		return a ^ b, true
	case "&":
		return a & b, true
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	}
	switch {
	case (op == "<<" || op == ">>") && (b < 0 || b > 63), (op == "/" || op == "%") && b == 0:
		return 0, false
	case op == "<<":
		return a << b, true
	case op == ">>":
		return a >> b, true
	case op == "/":
		return a / b, true
	}
	return a % b, true
}

func (e *expression) unary(depth int) (int64, bool) {
	if depth > 32 || e.pos >= len(e.text) {
		return 0, false
	}
	switch c := e.text[e.pos]; c {
	case '-', '+', '~', '!':
		e.pos++
		n, ok := e.unary(depth + 1)
		switch c {
		case '-':
			n = -n
		case '~':
			n = ^n
		case '!':
			if n == 0 {
				n = 1
			} else {
				n = 0
			}
		}
		return n, ok
	case '(':
		e.pos++
		n, ok := e.sum(0, depth+1)
		if !ok || e.pos >= len(e.text) || e.text[e.pos] != ')' {
			return 0, false
		}
		e.pos++
		return n, true
	}
	start := e.pos
	for e.pos < len(e.text) && isNameByte(e.text[e.pos]) {
		e.pos++
	}
	return number(e.text[start:e.pos])
}

// number reads 10, 0x1F, 017, 0b101, each perhaps with U behind it (PTX ISA 4.5.1).
func number(text string) (int64, bool) {
	text = strings.TrimSuffix(text, "U")
	if text == "" || strings.IndexByte(text, '_') >= 0 || strings.HasPrefix(text, "0o") || strings.HasPrefix(text, "0O") {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 0, 64)
	return int64(n), err == nil
}
