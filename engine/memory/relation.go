package memory

import "math/bits"

// A relation over n events is n rows of w words, row after row: bit j of row i says that i is before j. A set is one row.
type relation []uint64

func wordsFor(n int) int { return (n + 63) / 64 }

// grid is the size of the relations of one execution.
type grid struct{ n, w int }

func (g grid) relation() relation { return make(relation, g.n*g.w) }
func (g grid) set() relation      { return make(relation, g.w) }

func (g grid) has(r relation, i, j int) bool { return r[i*g.w+j>>6]>>(j&63)&1 != 0 }
func (g grid) add(r relation, i, j int)      { r[i*g.w+j>>6] |= 1 << (j & 63) }
func (g grid) drop(r relation, i, j int)     { r[i*g.w+j>>6] &^= 1 << (j & 63) }
func (g grid) row(r relation, i int) relation {
	return r[i*g.w : (i+1)*g.w]
}

func (g grid) in(s relation, i int) bool { return s[i>>6]>>(i&63)&1 != 0 }

// compose sets dst to a;b.
func (g grid) compose(dst, a, b relation) {
	clear(dst)
	if g.w == 1 {
		for i, row := range a {
			for ; row != 0; row &= row - 1 {
				dst[i] |= b[bits.TrailingZeros64(row)]
			}
		}
		return
	}
	for i := 0; i < g.n; i++ {
		to := g.row(dst, i)
		for k, word := range g.row(a, i) {
			for ; word != 0; word &= word - 1 {
				from := g.row(b, k<<6+bits.TrailingZeros64(word))
				for x := range to {
					to[x] |= from[x]
				}
			}
		}
	}
}

// closure sets dst to the transitive closure of a (Warshall).
func (g grid) closure(dst, a relation) {
	copy(dst, a)
	for k := 0; k < g.n; k++ {
		through := g.row(dst, k)
		word, bit := k>>6, uint64(1)<<(k&63)
		for i := 0; i < g.n; i++ {
			to := g.row(dst, i)
			if to[word]&bit != 0 {
				for x := range to {
					to[x] |= through[x]
				}
			}
		}
	}
}

func (g grid) inverse(dst, a relation) {
	clear(dst)
	for i := 0; i < g.n; i++ {
		for k, word := range g.row(a, i) {
			for ; word != 0; word &= word - 1 {
				g.add(dst, k<<6+bits.TrailingZeros64(word), i)
			}
		}
	}
}

// product sets dst to the pairs of a member of the set a and one of b.
func (g grid) product(dst, a, b relation) {
	clear(dst)
	for i := 0; i < g.n; i++ {
		if g.in(a, i) {
			copy(g.row(dst, i), b)
		}
	}
}

// identity sets dst to the identity on the set a.
func (g grid) identity(dst, a relation) {
	clear(dst)
	for i := 0; i < g.n; i++ {
		if g.in(a, i) {
			g.add(dst, i, i)
		}
	}
}

func (g grid) reflexive(dst, a relation) {
	copy(dst, a)
	for i := 0; i < g.n; i++ {
		g.add(dst, i, i)
	}
}

func (g grid) irreflexive(a relation) bool {
	for i := 0; i < g.n; i++ {
		if g.has(a, i, i) {
			return false
		}
	}
	return true
}

func empty(a relation) bool {
	for _, word := range a {
		if word != 0 {
			return false
		}
	}
	return true
}
