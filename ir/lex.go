package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// token is a piece of a line.
type token struct {
	kind byte // 'n' a name, 'i' an integer, 's' a string in quotes, else the character itself; 0 at the end of the line
	text string
	num  int64
}

// line takes one line of the text form apart.
type line struct {
	number int
	rest   string
	tok    token // the next one
	err    error // the first
}

func newLine(number int, text string) *line {
	l := &line{number: number, rest: text}
	l.next()
	return l
}

// fail notes what is wrong; the first complaint is the one that counts.
func (l *line) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("line %d: %s", l.number, fmt.Sprintf(format, args...))
	}
	l.tok, l.rest = token{}, ""
}

// next moves on to the next token.
func (l *line) next() {
	l.rest = strings.TrimLeft(l.rest, " \t\r")
	l.tok = token{}
	if l.rest == "" {
		return
	}
	switch c := l.rest[0]; {
	case c == '"':
		text, err := strconv.QuotedPrefix(l.rest)
		if err != nil {
			l.fail("a string without its end")
			return
		}
		l.rest = l.rest[len(text):]
		l.tok.kind = 's'
		l.tok.text, _ = strconv.Unquote(text)
	case c == '-' || c >= '0' && c <= '9':
		n := 1
		for n < len(l.rest) && (isDigit(l.rest[n]) || l.rest[n] == 'x') {
			n++
		}
		value, err := strconv.ParseInt(l.rest[:n], 0, 64)
		if err != nil {
			l.fail("%q is no integer of 64 bits", short(l.rest[:n]))
			return
		}
		l.tok, l.rest = token{'i', l.rest[:n], value}, l.rest[n:]
	case c != '@' && InName(rune(c)):
		n := 1
		for n < len(l.rest) && InName(rune(l.rest[n])) {
			n++
		}
		l.tok, l.rest = token{'n', l.rest[:n], 0}, l.rest[n:]
	default:
		l.tok, l.rest = token{kind: c, text: l.rest[:1]}, l.rest[1:]
	}
}

func isDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// short keeps what a message quotes from growing with the input.
func short(text string) string {
	if len(text) > 40 {
		return text[:40] + "…"
	}
	return text
}

// accept passes a character, if it is the next token.
func (l *line) accept(kind byte) bool {
	if l.tok.kind != kind {
		return false
	}
	l.next()
	return true
}

func (l *line) expect(kind byte) {
	if !l.accept(kind) {
		l.fail("%s, expected %q", l.seen(), string(kind))
	}
}

// seen names the next token, for messages.
func (l *line) seen() string {
	if l.tok.kind == 0 {
		return "the line ends"
	}
	return fmt.Sprintf("found %q", short(l.tok.text))
}

// word passes a certain name, if it is the next token.
func (l *line) word(text string) bool {
	if l.tok.kind != 'n' || l.tok.text != text {
		return false
	}
	l.next()
	return true
}

// name is a name, in quotes or without.
func (l *line) name(what string) string {
	text := l.tok.text
	if l.tok.kind != 'n' && l.tok.kind != 's' {
		l.fail("%s, expected %s", l.seen(), what)
		return ""
	}
	l.next()
	return text
}

func (l *line) integer(what string) int64 {
	n := l.tok.num
	if l.tok.kind != 'i' {
		l.fail("%s, expected %s", l.seen(), what)
		return 0
	}
	l.next()
	return n
}

// within is an integer of a range.
func (l *line) within(what string, low, high int64) int64 {
	n := l.integer(what)
	if l.err == nil && (n < low || n > high) {
		l.fail("%s is %d, expected %d to %d", what, n, low, high)
		return low
	}
	return n
}

// list reads what is separated by commas.
func (l *line) list(item func()) {
	for item(); l.accept(','); {
		item()
	}
}

// end complains about what is left.
func (l *line) end() {
	if l.tok.kind != 0 {
		l.fail("%s behind the end of what the line says", l.seen())
	}
}
