package value

import (
	"math/rand/v2"
	"testing"

	ints "github.com/fencepost-dev/fencepost/integer"
)

// congruentLanes is how many threads the tests have.
const congruentLanes = 5

// sample is a number as the evaluator knows it, and what it may be for each thread in one execution.
type sample struct {
	known Value
	is    [congruentLanes]int64
}

// samples makes numbers by random operations: lanes, counters of loops that are in a round of their own in each thread, an
// unknown that is the same for all.
func samples(r *rand.Rand, shared int64, depth int) sample {
	var s sample
	if depth == 0 {
		switch r.IntN(4) {
		case 0:
			n := int64(r.IntN(9) - 4)
			s.known = Int(n)
			for i := range s.is {
				s.is[i] = n
			}
		case 1:
			at := make(Lanes, congruentLanes)
			for i := range at {
				at[i] = int64(r.IntN(20) - 5)
				s.is[i] = at[i]
			}
			s.known = at
		case 2:
			s.known = Atom("shared")
			for i := range s.is {
				s.is[i] = shared
			}
		default:
			s = samples(r, shared, 1)
			step := int64(r.IntN(12) + 1)
			s.known = Element(RangeValue{s.known, Atom("n"), Int(step)})
			for i := range s.is {
				s.is[i] += step * int64(r.IntN(6))
			}
		}
		return s
	}
	a, b := samples(r, shared, depth-1), samples(r, shared, depth-1)
	switch r.IntN(6) {
	case 0:
		s.known = Binary("+", a.known, b.known)
		for i := range s.is {
			s.is[i] = a.is[i] + b.is[i]
		}
	case 1:
		s.known = Binary("-", a.known, b.known)
		for i := range s.is {
			s.is[i] = a.is[i] - b.is[i]
		}
	case 2:
		n := int64(r.IntN(5) - 1)
		s.known = Binary("*", a.known, Int(n))
		for i := range s.is {
			s.is[i] = a.is[i] * n
		}
	case 3:
		n := r.IntN(4)
		s.known = Binary("<<", a.known, Int(n))
		for i := range s.is {
			s.is[i] = a.is[i] << n
		}
	case 4:
		s.known = Either(a.known, b.known)
		for i := range s.is {
			if s.is[i] = a.is[i]; r.IntN(2) == 0 {
				s.is[i] = b.is[i]
			}
		}
	default:
		s.known = Converted(a.known, ints.Int64)
		s.is = a.is
	}
	return s
}

// TestCongruences: what is said of a number holds of all that it may be.
func TestCongruences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	told := 0
	for range 200_000 {
		shared := int64(r.IntN(50))
		s := samples(r, shared, 1+r.IntN(3))
		d, ok := s.known.(Data)
		if !ok || d.Of == nil {
			continue
		}
		told++
		plus, ok := int64(0), true
		if d.Of.Plus != nil {
			plus, ok = worth(d.Of.Plus, shared)
		}
		for i, n := range s.is {
			rest := d.Of.Rest[min(i, len(d.Of.Rest)-1)]
			if ok && (n-plus-rest)%d.Of.Modulus != 0 {
				t.Fatalf("%s is said of %d in thread %d, where shared is %d", d.Of.Spelled(), n, i, shared)
			}
		}
	}
	if told < 10_000 {
		t.Errorf("only %d numbers are said anything of", told)
	}
}

// worth is an expression for a value of its one unknown.
func worth(e *Expr, shared int64) (int64, bool) {
	switch {
	case e.IsConst:
		return e.Num, true
	case e.Op == "":
		return shared, e.Atom == "shared"
	case e.Y == nil:
		return 0, false
	}
	x, ok1 := worth(e.X, shared)
	y, ok2 := worth(e.Y, shared)
	v, ok3 := Arith(e.Op, x, y).(Int)
	return int64(v), ok1 && ok2 && ok3
}

// TestCongruencesOfTypes: of what comes round, is rounded, or comes from another lane nothing is said.
func TestCongruencesOfTypes(t *testing.T) {
	k := Element(RangeValue{Lanes{0, 1, 2}, Atom("n"), Int(96)})
	for name, v := range map[string]Value{
		"8 bits":      Converted(k, ints.Uint8),
		"16 bits":     NumberType("Int16").Of(k),
		"a float":     NumberType("Float32").Of(k),
		"another":     Unrelated(k),
		"quotient":    Binary("//", k, Int(2)),
		"no constant": Binary("*", k, Lanes{1, 2, 3}),
		"data":        Binary("*", Data{}, Int(32)),
		"real":        Binary("*", k, Float(0.5)),
	} {
		if v != (Data{}) {
			t.Errorf("%s: %v", name, v)
		}
	}
}
