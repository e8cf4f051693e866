package lower

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/cute"
)

// unknown is a run-time unknown of a kernel and how it is given values.
type unknown struct {
	combination.Need
	tried map[int64]bool
}

// choice is one unknown's place in the tree of combinations: the option it has taken on the way to a leaf.
type choice struct {
	key    string
	option int
}

// search lowers the kernel for every combination of values of its unknowns, or, where these are too many, for a set of
// combinations in which every value of every unknown occurs, and every pair of values as far as the limit goes.
//
// Which unknowns there are depends on the values of others (a loop of no iterations asks nothing), so the combinations
// are a tree, walked in order by repeating the path to the last leaf with its last option changed.
func (w *sweep) search() {
	var path []choice
	for {
		if !w.sample(w.follow(&path)) {
			return
		}
		if len(w.k.Opaque) > 0 { // nothing can be decided: a few more show what else is in the way
			w.levels()
			return
		}
		if w.l.brief && w.l.fuel < briefly*w.dearest {
			w.levels()
			w.covered = "the first, second, middle and last values"
			return
		}
		most := w.l.max
		if w.l.brief {
			most = min(most, exhaustedBriefly)
		}
		if size := w.combinations(path); size > most || w.sampled >= most {
			w.cover()
			return
		}
		for len(path) > 0 {
			last := &path[len(path)-1]
			if last.option++; last.option < len(w.options(last.key)) {
				break
			}
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			return
		}
	}
}

// follow chooses along a path and extends it with the first option of every new unknown.
func (w *sweep) follow(path *[]choice) func(combination.Need) int64 {
	next := 0
	return func(n combination.Need) int64 {
		w.meet(n)
		if next == len(*path) {
			*path = append(*path, choice{key: n.Key})
		}
		c := (*path)[next]
		next++
		opts := w.options(c.key)
		return opts[min(c.option, len(opts)-1)]
	}
}

// meet notes an unknown.
func (w *sweep) meet(n combination.Need) {
	if _, ok := w.unknowns[n.Key]; !ok {
		w.unknowns[n.Key] = &unknown{Need: n, tried: map[int64]bool{}}
		w.order = append(w.order, n.Key)
	}
}

// leastSampled is how many combinations are lowered at the least, those of levels among them.
const leastSampled = 8

// briefly is how many combinations a configuration other than the default must have steps for, or only levels are lowered.
const briefly = 12

// enough reports whether the steps left will do for another combination: one cut short would say nothing of all.
func (w *sweep) enough() bool {
	if w.l.brief { // combinations get longer level by level
		return w.sampled == 0 || w.l.fuel >= 3*w.dearest
	}
	return w.sampled < leastSampled || w.l.fuel >= 2*w.dearest
}

// sample lowers one combination. It answers whether the search goes on.
func (w *sweep) sample(choose func(combination.Need) int64) bool {
	before := w.l.fuel
	c := combination.Choose(choose)
	if c.Ahead(w.asked) {
		w.sampled++
		return true
	}
	if !w.enough() {
		w.covered, w.k.cut = "some, as far as the limit of steps reaches", w.l.brief
		return false
	}
	in := w.run(c.Give)
	took := before - w.l.fuel
	if w.dearest = max(w.dearest, took); w.easiest == 0 || took < w.easiest {
		w.easiest = took
	}
	if w.dirty || w.failed {
		return false
	}
	w.sampled++
	w.asked = c.Known(w.asked)
	if w.none {
		return true
	}
	for k, u := range w.unknowns {
		if v, ok := in.values[k]; ok {
			u.tried[v] = true
		}
	}
	w.pairs.Mark(w.order, in.values)
	return true
}

// combinations is how many combinations a path stands for, at most one more than the limit.
func (w *sweep) combinations(path []choice) int {
	n := 1
	for _, c := range path {
		if n *= len(w.options(c.key)); n > w.l.max {
			return n
		}
	}
	return n
}

// options are the values an unknown is given.
//
// Three iterations make every phase of a single barrier come back to its first parity; a ring of S stages needs 2S+1
// (notes/semantics.md 7.4), and one whose stages are filled by copies in groups S+1: S-1 groups are in flight where it waits. Zero is always tried: an empty tile is a classic (notes/bugs.md, fa-2258). A size that is
// divided into parts of n is tried at multiples of n, and once with a remainder. Extents of tensors that TMA copies are
// zero only where the kernel provides for it.
func (w *sweep) options(key string) []int64 {
	if w.unknowns[key].Boolean {
		return []int64{0, 1}
	}
	var out []int64
	if values := w.l.domains[key]; values != nil {
		return values
	}
	if cute.TileExtent(key) {
		return []int64{combination.Plausible(key)}
	}
	if c := w.l.wholes[key]; c > 1 {
		for n := int64(1); n <= 4; n *= 2 {
			if c%n == 0 {
				out = append(out, c/n)
			}
		}
		return out
	}
	if g := w.extent(key); g > 0 {
		for v := int64(0); v < min(g, maxCluster-1); v++ {
			out = append(out, v)
		}
		if g >= maxCluster {
			out = append(out, g-1)
		}
		return out
	}
	scale := max(1, w.l.scales[key])
	out = []int64{0, scale, 2 * scale, 3 * scale}
	if w.la.filled(key) && !w.l.provided[key] {
		w.full, out = true, out[1:]
	} else if w.l.divisors[key] {
		out = out[1:]
	}
	most := int64(least)
	if deep := w.deep(); deep > least {
		most = deep
		out = append(out, deep*scale)
	}
	if scale > 1 {
		out = append(out, scale+1)
		if w.l.counts[key] { // another loop goes by single steps: what is left there shows behind as many rounds as rings take
			out = append(out, most*scale+1)
		}
		if w.l.strides[key] {
			out = append(out, 1, scale-1, 2*scale-1)
		}
	}
	out = w.uncrowded(key, out, append(w.reaching(key, nil), w.l.tested[key]...))
	if v, ok := w.la.passed[key]; ok && !slices.Contains(out, v) {
		out = append(out, v)
	}
	return out
}

// uncrowded adds values with which loops go round farther than in every combination, but for those with which loops within each
// other would do so too often together.
func (w *sweep) uncrowded(key string, out, farther []int64) []int64 {
	n := w.l.nests[key]
	each := max(1, w.l.scales[key])
	if w.l.counts[key] {
		each = 1
	}
	for _, v := range farther {
		if n.crowds(v / each) {
			n.crowded = true
			w.l.nests[key] = n
			continue
		}
		out = combination.Including(out, v)
	}
	return out
}

// deep is how many rounds bring all stages of the longest ring back, 0 where there is none or they are too many.
func (w *sweep) deep() (rounds int64) {
	if w.depth > 1 {
		rounds = 2*w.depth + 1
	}
	if w.flights > 1 {
		rounds = max(rounds, w.flights+2)
	}
	if rounds > 64 {
		return 0
	}
	return rounds
}

// extent is the known number of values of a block index, 0 for any other unknown.
func (w *sweep) extent(key string) int64 {
	if axis, ok := strings.CutPrefix(key, "block_idx."); ok {
		return w.la.grid[axisIndex(axis)]
	}
	return 0
}

// middle is the value of an unknown that a combination says nothing about.
func (w *sweep) middle(key string) int64 {
	opts := w.options(key)
	return opts[min(2, len(opts)-1)]
}

// exhaustedBriefly is how many combinations may be all of a configuration other than the default.
const exhaustedBriefly = 16

// cover lowers a covering set of combinations: all unknowns at their first value, second, middle and largest; every value
// of each with the others at the middle; then pairs of values, the ones not seen yet first: some loop may go round for a pair alone.
func (w *sweep) cover() {
	row := map[string]int64{}
	pick := func(n combination.Need) int64 {
		w.meet(n)
		if v, ok := row[n.Key]; ok {
			return v
		}
		return w.middle(n.Key)
	}
	if !w.levels() {
		return
	}
	for i := 0; i < len(w.order); i++ { // grows while it runs
		key := w.order[i]
		for _, v := range w.options(key) {
			if v == w.middle(key) { // all have been there together
				continue
			}
			row = map[string]int64{key: v}
			if !w.sample(pick) {
				return
			}
		}
	}
	most := 2 * w.l.max
	if w.l.brief {
		most = w.l.max
	}
	for w.sampled < most && w.l.fuel > w.floor {
		var ok bool
		if row, ok = w.pairs.Next(w.order, w.options); !ok {
			if w.covered = "every pair of values"; len(w.order) <= 2 { // these are all combinations
				w.covered = ""
			}
			return
		}
		if !w.sample(pick) {
			return
		}
	}
	w.covered = "every value of each, and some pairs"
}

// leveled is how many combinations levels lowers.
const leveled = 5

// levels lowers all unknowns at their first value, their second, in the middle, and as large as they get: the one in
// which loops go round most often, for the first CTA and the first element of arrays of offsets. In one more, sizes that are divided
// into parts of different lengths are one size, as extents of tensors that go together are.
func (w *sweep) levels() bool {
	const most, alike = -1, -2
	for _, k := range [leveled]int{0, 1, 2, alike, most} {
		common := w.common()
		if k == alike && common == 0 {
			continue
		}
		if !w.sample(func(n combination.Need) int64 {
			w.meet(n)
			opts := w.options(n.Key)
			switch {
			case k == alike:
				if c := w.divided(n.Key); c > 0 && common%c == 0 {
					return common
				}
				return w.middle(n.Key)
			case k >= 0:
				return opts[min(k, len(opts)-1)]
			case w.l.position(n.Key):
				return opts[0]
			}
			return slices.Max(opts)
		}) {
			return false
		}
	}
	return true
}

// divided is the length of the parts that a size is divided into, 0 for an unknown that is no such size.
func (w *sweep) divided(key string) int64 {
	if w.unknowns[key].Boolean || w.l.domains[key] != nil || cute.TileExtent(key) || w.l.wholes[key] > 1 || w.extent(key) > 0 {
		return 0
	}
	return max(0, w.l.scales[key])
}

// common is a size of two parts at the least for all sizes, 0 where these are divided into parts of one length.
func (w *sweep) common() int64 {
	least, most := int64(0), int64(0)
	for _, key := range w.order {
		if c := w.divided(key); c > 0 {
			if least == 0 || c < least {
				least = c
			}
			most = max(most, c)
		}
	}
	if least == most {
		return 0
	}
	return 2 * most
}

// total spells the number of combinations of all unknowns.
func (w *sweep) total() string {
	n := 1.0
	for _, k := range w.order {
		n *= float64(len(w.options(k)))
	}
	if n < 1e6 {
		return strconv.Itoa(int(n))
	}
	return fmt.Sprintf("%.0e", n)
}

// values spells the values an unknown took.
func (u *unknown) values() string {
	vals := make([]int64, 0, len(u.tried))
	for v := range u.tried {
		vals = append(vals, v)
	}
	slices.Sort(vals)
	parts := make([]string, len(vals))
	for i, v := range vals {
		parts[i] = strconv.FormatInt(v, 10)
	}
	return strings.Join(parts, ", ")
}

// rings is the number of stages of the longest ring of mbarriers: neighbours in one allocation with the same arrival
// count, as the full barriers of a pipeline are and as its empty barriers are.
func (in *instance) rings() int64 {
	longest := int64(0)
	for k, i := range in.mbarKey {
		n := int64(1)
		for ; n < 32; n++ {
			next, ok := in.mbarKey[objectKey{k.b, k.i + n, k.cta}]
			if !ok || in.mbars[next].Count != in.mbars[i].Count {
				break
			}
		}
		longest = max(longest, n)
	}
	return longest
}
