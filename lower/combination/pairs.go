package combination

import "slices"

// Pairs holds the pairs of values of two unknowns that some combination had.
type Pairs map[pair]bool

type pair struct {
	a, b string
	x, y int64
}

// maxPaired bounds the unknowns whose pairs are covered, the first that are met.
const maxPaired = 24

// Mark notes the pairs of a combination, of the unknowns in the order in which they were met.
func (p Pairs) Mark(order []string, values map[string]int64) {
	order = order[:min(len(order), maxPaired)]
	for i, a := range order {
		x, ok := values[a]
		if !ok {
			continue
		}
		for _, b := range order[i+1:] {
			if y, ok := values[b]; ok {
				p[pair{a, b, x, y}] = true
			}
		}
	}
}

// Next gives a combination, of the options that unknowns have, with a pair that has not been seen and as many more as a greedy choice finds.
func (p Pairs) Next(order []string, options func(string) []int64) (map[string]int64, bool) {
	order = order[:min(len(order), maxPaired)]
	var first *pair
	for i, a := range order {
		for _, b := range order[i+1:] {
			for _, x := range options(a) {
				for _, y := range options(b) {
					if q := (pair{a, b, x, y}); first == nil && !p[q] {
						first = &q
					}
				}
			}
		}
	}
	if first == nil {
		return nil, false
	}
	p[*first] = true // the pair may turn out not to occur: one unknown may decide that the other is never asked for
	row := map[string]int64{first.a: first.x, first.b: first.y}
	for i, key := range order {
		if _, ok := row[key]; ok {
			continue
		}
		best, gain := int64(0), -1
		for _, v := range options(key) {
			fresh := 0
			for j, other := range order {
				o, ok := row[other]
				q := pair{key, other, v, o}
				if j < i {
					q = pair{other, key, o, v}
				}
				if ok && j != i && !p[q] {
					fresh++
				}
			}
			if fresh > gain {
				best, gain = v, fresh
			}
		}
		row[key] = best
	}
	return row, true
}

// Pairwise lists choices among n things, each taken or not, that together have every pair of them in every way: at most so
// many, that of none left out.
func Pairwise(n, most int) [][]bool {
	rows := [][]bool{make([]bool, n)}
	missing := func(i, j int, a, b bool) bool {
		return !slices.ContainsFunc(rows, func(r []bool) bool { return r[i] == a && r[j] == b })
	}
	if n == 1 {
		rows = append(rows, []bool{true})
	}
	for len(rows) < most {
		row, fixed := make([]bool, n), make([]bool, n)
		started := false
		for i := range n {
			for j := i + 1; j < n; j++ {
				for _, ab := range [][2]bool{{true, false}, {false, true}, {true, true}} {
					a, b := ab[0], ab[1]
					if fixed[i] && row[i] != a || fixed[j] && row[j] != b || !missing(i, j, a, b) {
						continue
					}
					row[i], row[j], fixed[i], fixed[j], started = a, b, true, true, true
				}
			}
		}
		if !started {
			break
		}
		rows = append(rows, row)
	}
	return rows[1:]
}
