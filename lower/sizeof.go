package lower

import (
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/program"
)

// sizeof is sizeof of what stands there, a type or an expression, as text (C++17 [expr.sizeof]).
func (m *machine) sizeof(of program.Expr, s *scope) value {
	written, ok := of.(*program.String)
	if !ok {
		return data{}
	}
	n, known := m.sizeIn(written.Value, s)
	if !known {
		return typed(m.unevaluated("sizeof("+written.Value+")"), ints.Uint64, true)
	}
	return typed(integer(n), ints.Uint64, true)
}

// sizeIn is the size of a number, a vector, a pointer, or a variable that is a number or an array in shared memory. That of a class
// is not known.
func (m *machine) sizeIn(written string, s *scope) (int64, bool) {
	for range maxAliases {
		written = strings.TrimRight(written, " &")
		if strings.HasSuffix(written, "*") {
			return 8, true
		}
		name := plainType(written)
		if t, ok := numberNames[name]; ok {
			return bytesOfNumber(t), true
		}
		l, found := s.lookup(name)
		if !found {
			n, ok := sizes[name]
			return n, ok && (floatNames[name] || vectors[name] > 0)
		}
		switch v := l.get().(type) {
		case path:
			if string(v) == written {
				return 0, false
			}
			written = string(v)
		case pointer:
			return v.bytes(l)
		default:
			c, variable := l.(*cell)
			if !variable || c.as == nil || !c.as.t.Known() {
				return 0, false
			}
			return bytesOfNumber(c.as.t), true
		}
	}
	return 0, false
}

func bytesOfNumber(t ints.Type) int64 { return int64(max(8, t.Bits)) / 8 }

// bytes is the size of the array that a variable is: not of what only points to one.
func (p pointer) bytes(l location) (int64, bool) {
	c, ok := l.(*cell)
	if !ok || c.own || !p.block.shared || p.each != 0 || p.block.size == 0 || len(p.dims) == 0 {
		return 0, false
	}
	n := p.block.size
	for _, d := range p.dims {
		n *= d
	}
	return n, n > 0
}
