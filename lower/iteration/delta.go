// Package iteration has what changes from round to round: by how much a value is larger in other executions of the same kind, of which
// certificates for every number of rounds are made, and after how many rounds it comes back.
package iteration

import (
	"maps"
	"slices"
)

// Delta says by how much a value is larger in other executions of the same kind. For each unknown there are two numbers: by
// how many periods it is larger, n, and, within the rounds that are put in for it, which of them it is, j, 0 ≤ j ≤ n. What a
// value is larger by is a sum of products of them with factors, in which each unknown has one of its numbers at most.
type Delta map[Factors]int64

// Factors is a product of some of the numbers: bit 2i for n, bit 2i+1 for j of the i-th unknown.
type Factors uint32

// MaxUnknowns is for how many unknowns there is room.
const MaxUnknowns = 16

// PeriodsMore is the number of periods by which an unknown is larger.
func PeriodsMore(unknown int) Factors { return 1 << (2 * unknown) }

// PeriodIn is the number of the period within these.
func PeriodIn(unknown int) Factors { return 2 << (2 * unknown) }

// unknowns has both bits of each unknown of which there is one.
func (p Factors) unknowns() Factors {
	either := (p | p>>1) & 0x55555555
	return either | either<<1
}

// Plus is a and k times b.
func (a Delta) Plus(b Delta, k int64) Delta {
	out := Delta{}
	maps.Copy(out, a)
	for p, n := range b {
		if out[p] += k * n; out[p] == 0 {
			delete(out, p)
		}
	}
	return out
}

// Over is a divided by k, which divides all of it.
func (a Delta) Over(k int64) Delta {
	out := Delta{}
	for p, n := range a {
		out[p] = n / k
	}
	return out
}

// Times multiplies by one of the numbers; false where it would occur together with another of its unknown.
func (a Delta) Times(x Factors) (Delta, bool) {
	out := Delta{}
	for p, n := range a {
		if p.unknowns()&x != 0 {
			return nil, false
		}
		out[p|x] = n
	}
	return out, true
}

// Multiplied is how a Factors moves of numbers that are x and y here.
func (a Delta) Multiplied(x int64, b Delta, y int64) (Delta, bool) {
	out := Delta{}.Plus(a, y).Plus(b, x)
	for p, n := range a {
		for q, k := range b {
			if p.unknowns()&q != 0 {
				return nil, false
			}
			out = out.Plus(Delta{p | q: n}, k)
		}
	}
	return out, true
}

// Multiple reports whether k divides all of it.
func (a Delta) Multiple(k int64) bool {
	for _, n := range a {
		if n%k != 0 {
			return false
		}
	}
	return true
}

// Equal reports whether both are the same.
func (a Delta) Equal(b Delta) bool { return maps.Equal(a, b) }

// Has reports whether a number is part of it.
func (a Delta) Has(x Factors) bool {
	for p := range a {
		if p&x != 0 {
			return true
		}
	}
	return false
}

// Up reports whether it is never negative: with n = j + r its Factors are not.
func (a Delta) Up() bool {
	sums := map[Factors]int64{}
	for p, n := range a {
		parts := []Factors{p}
		for i := range MaxUnknowns {
			if p&PeriodsMore(i) == 0 {
				continue
			}
			for _, q := range slices.Clone(parts) { // r keeps the bit of n
				parts = append(parts, q&^PeriodsMore(i)|PeriodIn(i))
			}
		}
		for _, q := range parts {
			sums[q] += n
		}
	}
	for _, n := range sums {
		if n < 0 {
			return false
		}
	}
	return true
}

// Down reports whether it is never positive.
func (a Delta) Down() bool { return Delta{}.Plus(a, -1).Up() }
