package combination

import (
	"math/bits"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// maxTested is the largest of the values with which several tests may come out together.
const maxTested = 4096

// Candidates are numbers around the constants of tests, their multiples and those that two have in common.
func Candidates(tests []*value.Expr) (out []int64) {
	var all []int64
	for _, e := range tests {
		all = Constants(e, all)
	}
	slices.Sort(all)
	all = slices.DeleteFunc(slices.Compact(all), func(c int64) bool { return c < 1 || c > maxTested })
	for i, a := range all[:min(len(all), 16)] {
		out = append(out, a-1, a, a+1, 2*a-1, 2*a, 2*a+1)
		for _, b := range all[:i] {
			out = append(out, a*b-1, a*b, a*b+1, a/value.Gcd(a, b)*b, a+b, a-b)
		}
	}
	for v := range int64(16) {
		out = append(out, v)
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(v int64) bool { return v < 0 || v > maxTested })
}

// Constants lists the numbers of an expression.
func Constants(e *value.Expr, out []int64) []int64 {
	switch {
	case e == nil:
		return out
	case e.IsConst:
		return append(out, e.Num)
	}
	return Constants(e.Y, Constants(e.X, out))
}

// HasNumber reports whether an expression has a number in it.
func HasNumber(e *value.Expr) bool {
	return e != nil && (e.IsConst || HasNumber(e.X) || HasNumber(e.Y) || HasNumber(e.C))
}

// Crossings are the values tried for an unknown: those around the constants of a question, as round as these are, then its own
// value doubled and halved again and again.
func Crossings(q *value.Expr, old int64) (out []int64) {
	var constants func(e *value.Expr)
	constants = func(e *value.Expr) {
		switch {
		case e == nil:
		case e.IsConst:
			if c := e.Num; c > 0 && c < maxNumber {
				round := int64(1) << bits.TrailingZeros64(uint64(c))
				out = append(out, c, c+round, c-round, c+1, c-1)
			} else if c == 0 {
				out = append(out, 1)
			}
		default:
			constants(e.X)
			constants(e.Y)
			constants(e.C)
		}
	}
	constants(q)
	for up, down := 2*old, old/2; up < maxNumber || down > 0; up, down = 2*up, down/2 {
		out = append(out, up, down)
		if up == 0 {
			break
		}
	}
	return slices.DeleteFunc(out, func(v int64) bool { return v < 1 || v > maxNumber })
}

// maxNumber is the largest value that an option is tried with.
const maxNumber = 1 << 18

// Including adds the values that are not in a list.
func Including(list []int64, values ...int64) []int64 {
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}
