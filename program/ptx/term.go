package ptx

import (
	"math"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// TermKind sorts operands (PTX ISA 4.5, 6).
type TermKind uint8

// The kinds of a [Term].
const (
	NoTerm  TermKind = iota // not an operand of PTX
	Name                    // a register, variable, label or special register, perhaps with a displacement: buf+16
	Integer                 // an integer constant
	Float                   // a floating-point constant
	Sink                    // _, a result that is not wanted
	Address                 // [a+8]; Parts is nil but for a tensor's [map, {x, y}], which has all its parts
	Vector                  // {a, b}
	List                    // (a, b), the arguments of a call
	Pair                    // p|q, two results
)

// Term is an operand taken apart.
type Term struct {
	Kind  TermKind
	Name  string // of a Name, or of an Address's base, "" if it is a number
	Value int64  // of an Integer; the bits of a Float; the displacement of a Name or an Address
	Not   bool   // !p
	Minus bool   // -a
	Parts []Term
}

// Take takes an operand apart.
func Take(o program.Operand) Term { return take(o.Text, 0) }

func take(text string, depth int) Term {
	if depth > 4 || text == "" {
		return Term{}
	}
	if text == "_" {
		return Term{Kind: Sink}
	}
	inner := func(open, close string) (string, bool) {
		s, ok := strings.CutPrefix(text, open)
		if !ok {
			return "", false
		}
		return strings.CutSuffix(s, close)
	}
	if s, ok := inner("[", "]"); ok {
		return address(s, depth)
	}
	if s, ok := inner("{", "}"); ok {
		return Term{Kind: Vector, Parts: parts(s, depth)}
	}
	if n, ok := integer(text); ok { // before lists: (4+4)*2
		return Term{Kind: Integer, Value: n}
	}
	if s, ok := inner("(", ")"); ok {
		return Term{Kind: List, Parts: parts(s, depth)}
	}
	if a, b, ok := strings.Cut(text, "|"); ok {
		return Term{Kind: Pair, Parts: []Term{take(a, depth+1), take(b, depth+1)}}
	}
	if s, ok := strings.CutPrefix(text, "!"); ok {
		t := take(s, depth+1)
		t.Not = !t.Not
		return t
	}
	if bits, ok := float(text); ok {
		return Term{Kind: Float, Value: bits}
	}
	if s, ok := strings.CutPrefix(text, "-"); ok {
		t := take(s, depth+1)
		if t.Kind == Name {
			t.Minus = !t.Minus
		}
		return t
	}
	return displaced(text)
}

func parts(text string, depth int) []Term {
	s := scanner{text: text}
	var out []Term
	for _, p := range s.operandsUntilEnd() {
		out = append(out, take(p, depth+1))
	}
	return out
}

// address reads what stands between brackets: reg, reg+8, reg+-8, name, 64, or the parts of a tensor's address.
func address(text string, depth int) Term {
	if ps := parts(text, depth); len(ps) > 1 {
		t := ps[0]
		t.Kind, t.Parts = Address, ps
		return t
	}
	t := take(text, depth+1)
	if t.Kind != Name && t.Kind != Integer {
		return Term{}
	}
	t.Kind = Address
	return t
}

// displaced reads a name with constants added to it.
func displaced(text string) Term {
	end := strings.IndexAny(text, "+-")
	if end < 0 {
		end = len(text)
	}
	name := text[:end]
	if name == "" || strings.IndexFunc(name, func(r rune) bool { return r < 0x80 && !isNameByte(byte(r)) && r != '.' && r != ':' }) >= 0 {
		return Term{}
	}
	t := Term{Kind: Name, Name: name}
	if end < len(text) {
		n, ok := integer("0" + strings.ReplaceAll(text[end:], "+-", "-"))
		if !ok {
			return Term{}
		}
		t.Value = n
	}
	return t
}

// float reads a floating-point constant: 0f3F800000, 0d…, 1.5, 2e7 (PTX ISA 4.5.2). The latter are of double precision.
func float(text string) (bits int64, ok bool) {
	body := strings.TrimPrefix(text, "-")
	if len(body) > 2 && body[0] == '0' && strings.IndexByte("fFdD", body[1]) >= 0 {
		n, err := strconv.ParseUint(body[2:], 16, 64)
		if sign := map[int]uint64{10: 1 << 31, 18: 1 << 63}[len(body)]; body != text {
			n ^= sign
		}
		return int64(n), err == nil
	}
	if body == "" || body[0] != '.' && (body[0] < '0' || body[0] > '9') {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return int64(math.Float64bits(f)), err == nil
}
