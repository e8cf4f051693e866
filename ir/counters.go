package ir

// maxCounted bounds the rounds of a loop that a condition is asked in.
const maxCounted = 64

// splits reports whether the guard of an instruction differs between threads of the block in some round of a loop around it, and whether it does between lanes of a warp: where it is made of their
// numbers, the shape of the block, and one value that the loop counts from a constant by itself (`for (int n = blockDim.x / 2; n > 0; n /= 2)`). Of a shape that is guessed it has to be so with others, too.
func (t *tests) splits(pc, n int32) (is, lanes bool) {
	counter, loop := t.counter(pc, n)
	if counter == 0 && !t.guess {
		return false, false
	}
	block, count, guess := t.at.Block, t.count, t.guess
	defer func() { t.at.Block, t.count, t.guess, t.counts = block, count, guess, counts{} }()
	t.guess = false
	is, lanes = true, true
	for _, shape := range t.shapes(block, guess) {
		t.at.Block, t.count = shape, shape[0]*shape[1]*shape[2]
		differs, parts := false, false
		if counter == 0 {
			differs, parts, _ = t.split(n)
		} else {
			differs, parts = t.inRounds(pc, n, counter, loop)
		}
		if !differs {
			return false, false
		}
		lanes = lanes && parts
	}
	return is, lanes
}

// shapes are those that a condition is asked with where the block is a guess: as many threads along an axis as usual, fewer and more.
func (t *tests) shapes(block [3]int, guess bool) [][3]int {
	if !guess {
		return [][3]int{block}
	}
	x, y, z := block[0], block[1], block[2]
	if y == 1 {
		return [][3]int{block, {x / 2, 1, z}, {x / 4, 1, z}, {2 * x, 1, z}}
	}
	return [][3]int{block, {x, y / 2, z}, {x / 2, y * 2, z}, {x / 4, y, z}, {x / 4, y * 4, z}}
}

// counter is the one value that a loop around an instruction changes from round to round, of what another one is made of, and that loop; 0: there is none, or more.
func (t *tests) counter(pc, n int32) (counter int32, loop *Loop) {
	seen := map[int32]bool{}
	for todo := []int32{n}; len(todo) > 0; {
		n := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; n <= 0 || seen[n] {
			continue
		}
		if seen[n] = true; len(seen) > maxParts {
			return 0, nil
		}
		v := &t.s.Values[n]
		switch {
		case v.Kind == Merged:
			if counter > 0 || !t.headers[t.fl.BlockOf(v.At)] {
				return 0, nil
			}
			counter = n
		case v.Kind == Defined && len(v.From) == 0:
			todo = append(todo, t.s.reads[v.At]...)
		}
	}
	if counter == 0 {
		return 0, nil
	}
	for _, l := range t.c.Loops() {
		if l.Header == t.fl.BlockOf(t.s.Values[counter].At) && l.Has(t.fl.BlockOf(pc)) {
			return counter, l
		}
	}
	return 0, nil
}

// counts is what a loop counts with in the round that is looked at.
type counts struct {
	value int32
	n     int64
}

// inRounds reports whether a predicate differs between threads, and between lanes, in a round in which all threads come to an instruction by all that is known.
func (t *tests) inRounds(pc, n, counter int32, l *Loop) (differs, lanes bool) {
	v := &t.s.Values[counter]
	next, begins := int32(0), int32(0)
	before := t.fl.Before(l.Header)
	for k, from := range v.From {
		to := &begins
		if k < len(before) && l.Has(before[k]) {
			to = &next
		}
		if *to != 0 && *to != from || from <= 0 || k >= len(before) {
			return false, false
		}
		*to = from
	}
	alike := func(n int32) (x int64, known bool) {
		if differs, _, known := t.split(n); !known || differs {
			return 0, false
		}
		return t.eval(n, 0)
	}
	x, known := alike(begins)
	for round := range maxCounted {
		if !known {
			return differs, lanes
		}
		t.counts = counts{counter, x}
		switch comes, stays, sure := t.comesTo(pc, l, round < fewRounds); {
		case !stays:
			return differs, lanes
		case comes:
			d, parts, known := t.split(n)
			if differs, lanes = differs || known && d, lanes || known && parts && sure; lanes || !known || differs && !sure {
				return differs, lanes
			}
		}
		x, known = alike(next)
	}
	return differs, lanes
}

// fewRounds is how often a loop goes round whose end is not known, and which all threads leave together.
const fewRounds = 2

// comesTo reports whether all threads surely come to an instruction in this round of a loop, and whether they surely do not leave before that; early: where that is not known, and they leave it together,
// they do not, which is not sure then.
func (t *tests) comesTo(pc int32, l *Loop, early bool) (comes, stays, sure bool) {
	comes, sure = true, true
	for b := t.fl.BlockOf(pc); b != l.Header && b >= 0; b = t.fl.Above(b) {
		above := t.fl.Above(b)
		last := t.fl.Last(above)
		in := &t.c.Insts[last]
		if in.Op != Branch || in.Guard < 0 {
			continue
		}
		to := [2]int32{t.fl.BlockOf(last + 1), t.fl.BlockOf(in.Target)}
		leaves := !l.Has(to[0]) || !l.Has(to[1])
		if !leaves && to[0] != b && to[1] != b { // its ways come together again
			continue
		}
		differs, _, known := t.split(t.s.Read(last, Operand{Reg: in.Guard}, Predicate))
		x, _ := t.eval(t.s.Read(last, Operand{Reg: in.Guard}, Predicate), 0)
		if in.GuardNot {
			x = 1 - x
		}
		switch goes := to[x&1]; {
		case !known && early && leaves && t.u.Predicates[in.Guard] == UniformCTA:
			sure = false
		case !known || differs:
			return false, !leaves, sure
		case !l.Has(goes):
			return false, false, sure
		case goes != b && (to[0] == b || to[1] == b):
			comes = false
		}
	}
	return comes, true, sure
}
