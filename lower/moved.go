package lower

import (
	"maps"
	"slices"
)

// moved says by how much a value is larger in other executions of the same kind. For each unknown there are two numbers: by
// how many periods it is larger, n, and, within the rounds that are put in for it, which of them it is, j, 0 ≤ j ≤ n. What a
// value is larger by is a sum of products of them with factors, in which each unknown has one of its numbers at most.
type moved map[factors]int64

// factors is a product of some of the numbers: bit 2i for n, bit 2i+1 for j of the i-th unknown.
type factors uint32

// maxMoving is for how many unknowns there is room.
const maxMoving = 16

func periodsMore(unknown int) factors { return 1 << (2 * unknown) }
func periodIn(unknown int) factors    { return 2 << (2 * unknown) }

// unknowns has both bits of each unknown of which there is one.
func (p factors) unknowns() factors {
	either := (p | p>>1) & 0x55555555
	return either | either<<1
}

func (a moved) plus(b moved, k int64) moved {
	out := moved{}
	maps.Copy(out, a)
	for p, n := range b {
		if out[p] += k * n; out[p] == 0 {
			delete(out, p)
		}
	}
	return out
}

// over is a divided by k, which divides all of it.
func (a moved) over(k int64) moved {
	out := moved{}
	for p, n := range a {
		out[p] = n / k
	}
	return out
}

// times multiplies by one of the numbers; false where it would occur together with another of its unknown.
func (a moved) times(x factors) (moved, bool) {
	out := moved{}
	for p, n := range a {
		if p.unknowns()&x != 0 {
			return nil, false
		}
		out[p|x] = n
	}
	return out, true
}

// multiplied is how a factors moves of numbers that are x and y here.
func (a moved) multiplied(x int64, b moved, y int64) (moved, bool) {
	out := moved{}.plus(a, y).plus(b, x)
	for p, n := range a {
		for q, k := range b {
			if p.unknowns()&q != 0 {
				return nil, false
			}
			out = out.plus(moved{p | q: n}, k)
		}
	}
	return out, true
}

// multiple reports whether k divides all of it.
func (a moved) multiple(k int64) bool {
	for _, n := range a {
		if n%k != 0 {
			return false
		}
	}
	return true
}

func (a moved) equal(b moved) bool { return maps.Equal(a, b) }

// has reports whether a number is part of it.
func (a moved) has(x factors) bool {
	for p := range a {
		if p&x != 0 {
			return true
		}
	}
	return false
}

// up reports whether it is never negative: with n = j + r its factors are not.
func (a moved) up() bool {
	sums := map[factors]int64{}
	for p, n := range a {
		parts := []factors{p}
		for i := range maxMoving {
			if p&periodsMore(i) == 0 {
				continue
			}
			for _, q := range slices.Clone(parts) { // r keeps the bit of n
				parts = append(parts, q&^periodsMore(i)|periodIn(i))
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

func (a moved) down() bool { return moved{}.plus(a, -1).up() }
