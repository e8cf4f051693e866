package order

import (
	"fmt"
	"math/bits"

	"github.com/fencepost-dev/fencepost/limit"
)

// What is looked at to tell races apart, at most.
const (
	maxWatched = 1 << 12 // kinds of access of one cell
	maxTests   = 1 << 25 // of two accesses: some seconds
)

// watch is what a second run keeps of the cells that have races: all accesses but those for which a later one of the same
// place, lanes and value speaks.
type watch struct {
	cells  []watched
	on     []bool
	pairs  [2]map[uint64]int // where in found a pair of places is, the lesser one first; of equal values the second
	values map[Value]uint64  // numbers of values that lanes write
	tests  int
	cut    bool // not all pairs were looked at
	found  []race
}

// watched is the accesses of one cell.
type watched []sample

// sample is an access and what it writes.
type sample struct {
	entry
	place    uint32
	at, size uint32
	value    uint64 // 0: not known
}

// race is two accesses.
type race struct {
	a, b   sample
	benign bool
}

// races runs the program again to find which lines race in the cells that have races, and to tell those of equal values from
// the others.
func (r *run) races(out *Result) {
	if r.cells.raced == 0 {
		return
	}
	again := newRun(r.p, r.o)
	again.until, again.limit = r.until, r.limit
	again.o.Graph = false
	again.prepare()
	w := &watch{on: make([]bool, len(r.cells.list)), cells: make([]watched, len(r.cells.list)), pairs: [2]map[uint64]int{{}, {}}, values: map[Value]uint64{}}
	for i := range r.cells.list {
		w.on[i] = r.cells.list[r.cells.list[i].class].raced
	}
	again.cells.watch = w
	again.execute()
	r.memory += again.memory
	out.Compared = int64(w.tests)
	again.findings, again.found = nil, [Checks]int{}
	harmful := false
	for _, benign := range []bool{false, true} { // those that do harm come first: the report ends after a few
		for i := range w.found {
			if x := &w.found[i]; x.benign == benign {
				harmful = harmful || !benign
				again.tell(x)
			}
		}
	}
	r.findings = append(r.findings, again.findings...)
	r.found[Race] = 0
	for _, f := range again.findings {
		if f.Benign {
			out.Benign++
		} else {
			r.found[Race]++
		}
	}
	switch {
	case harmful:
	case again.short.Code != 0:
		r.short = again.short
	case w.cut:
		r.fall(limit.Size, "there are races of equal values, and too many accesses to tell whether there are others")
	case len(w.found) == 0:
		r.fall(limit.Unshown, "a race was seen that was not found again")
	}
}

// look visits the cells with races that lanes of a strand access, each for itself: what is written differs from lane to lane.
func (m *cells) look(s *strand, e *entry, a Address, c *Command) {
	f := footprint{printKey: printKey{a, c.Mask & s.lanes}}
	m.cellsOf(&f, func(i int32, lanes uint32) {
		if m.watch.on[i] {
			e.lanes = lanes
			at := a.lane(bits.TrailingZeros32(lanes))
			m.watch.meet(m, s, i, &sample{entry: *e, place: c.Place, at: at, size: a.Size, value: m.value(s, e, c)})
		}
	})
}

// value is a number for the value that the lanes of an access write, the same number exactly for the same value; 0 where it is
// not known.
func (m *cells) value(s *strand, e *entry, c *Command) uint64 {
	if c.Kind != Write || c.D == 0 {
		return 0
	}
	v := m.r.p.Warps[s.warp].values[c.D-1]
	if v.Stride != 0 && e.lanes&(e.lanes-1) != 0 {
		return 0
	}
	v.Base, v.Stride = v.Base+int64(bits.TrailingZeros32(e.lanes))*v.Stride, 0
	n, ok := m.watch.values[v]
	if !ok {
		n = uint64(len(m.watch.values) + 1)
		m.watch.values[v] = n
	}
	return n
}

// meet compares an access with all that were before.
func (w *watch) meet(m *cells, s *strand, id int32, d *sample) {
	list := w.cells[id]
	if d.kind == Write && d.lanes&(d.lanes-1) != 0 {
		w.take(m.r, d, d, d.value != 0)
	}
	same := -1
	w.tests += len(list)
	for i := range list {
		e := &list[i]
		if conflict(&e.entry, &d.entry) && !m.ordered(s, &e.entry, &d.entry) {
			benign := e.kind == Write && d.kind == Write && e.value != 0 && e.value == d.value && (e.at == d.at && e.size == d.size || m.r.p.EqualForms)
			if !m.r.p.EqualForms { // there one form may stand for one line
				benign = benign || e.kind == Write && d.kind == Read && list.only(e, d) || e.kind == Read && d.kind == Write && list.only(d, e)
			}
			w.take(m.r, e, d, benign)
		}
		if e.strand == d.strand && e.lanes == d.lanes && e.place == d.place && e.value == d.value && e.kind == d.kind &&
			(e.async|d.async == 0 || m.ordered(s, &e.entry, &d.entry)) {
			same = i
		}
	}
	switch {
	case same >= 0:
		list[same] = *d
	case len(list) < maxWatched:
		w.cells[id] = append(list, *d)
		m.r.memory += 64
	default:
		w.cut = true
	}
	if w.tests > maxTests {
		w.cut = true
		m.r.stopped = true
	}
}

// only reports whether all that was written to a cell is what a write writes, and the lanes of a read that races with it have written it, too: they
// find that in any order.
func (list watched) only(write, read *sample) bool {
	own := false
	for k := range list {
		w := &list[k]
		if w.kind == Read {
			continue
		}
		if w.kind == Atomic || w.value == 0 || w.value != write.value || w.at != write.at || w.size != write.size {
			return false
		}
		own = own || w.async == 0 && w.strand == read.strand && read.lanes&^w.lanes == 0 && w.pos < read.pos
	}
	return own
}

// take takes down a race of a pair of places that has none yet; one of two warps is better than one of lanes of a warp, which collectives of these
// may keep from running to both at once.
func (w *watch) take(r *run, a, b *sample, benign bool) {
	pairs, k := w.pairs[0], uint64(min(a.place, b.place))<<32|uint64(max(a.place, b.place))
	if benign {
		pairs = w.pairs[1]
	}
	n, known := pairs[k]
	warps := func(a, b *sample) bool { return r.strands[a.strand].warp != r.strands[b.strand].warp }
	switch {
	case !known:
		pairs[k] = len(w.found)
		w.found = append(w.found, race{*a, *b, benign})
	case warps(a, b) && !warps(&w.found[n].a, &w.found[n].b):
		w.found[n] = race{*a, *b, benign}
	}
}

// tell reports a race.
func (r *run) tell(x *race) {
	a, b := r.strands[x.a.strand], r.strands[x.b.strand]
	p, q := r.lanesOf(x)
	byte := x.b.at
	other := r.thread(q, p)
	switch {
	case a.warp == b.warp && p.Lane == q.Lane: // one access is a copy's
		other += " itself"
	case a.warp == b.warp:
		other += " of its warp"
	}
	who := fmt.Sprintf("%s %s %s while %s %s it; ", r.thread(p, q), r.verb(&x.a), memoryAt(byte), other, r.verb(&x.b))
	text := who + "nothing orders them"
	switch {
	case x.benign && x.a.kind == x.b.kind:
		text += ", but both write the same value"
	case x.benign:
		text += ", but what is written the reader has written before"
	}
	barrier := r.orders(a, x.a.pos, b, x.b.pos)
	if barrier < 0 {
		barrier = r.orders(b, x.b.pos, a, x.a.pos)
	}
	f := r.report(Race, byte, text, p, q)
	f.Benign, f.Barrier = x.benign, barrier
	f.again = recheck{how: both, who: who, s: a, t: b, pos: x.a.pos, also: x.b.pos, from: []clock{a.at(x.a.pos), b.at(x.b.pos)},
		lane: [2]int{p.Lane, q.Lane}, fly: [2]bool{x.a.async > 0, x.b.async > 0}}
}

// lanesOf are a lane of each access: two lanes, unless one of the accesses goes on by itself.
func (r *run) lanesOf(x *race) (p, q Point) {
	p, q = r.point(r.strands[x.a.strand], x.a.pos), r.point(r.strands[x.b.strand], x.b.pos)
	first, second := x.a.lanes, x.b.lanes
	if x.a.strand == x.b.strand && first != second || first&(first-1) != 0 {
		if other := first &^ (second & -second); other != 0 && x.a.strand == x.b.strand {
			first = other
		} else if x.a.strand == x.b.strand {
			second &^= first & -first
		}
	}
	p.Lane, q.Lane = bits.TrailingZeros32(first), bits.TrailingZeros32(second)
	return p, q
}

// thread names a thread beside another one: with its CTA where they are of two.
func (r *run) thread(p, beside Point) string {
	w := r.p.Warps[p.Warp]
	text := fmt.Sprintf("thread %d", w.First+p.Lane)
	if w.CTA != r.p.Warps[beside.Warp].CTA {
		text += fmt.Sprintf(" of CTA %d", w.CTA)
	}
	return text
}

func (r *run) verb(x *sample) string {
	word := [...]string{Read: "reads", Write: "writes", Atomic: "updates"}[x.kind]
	if x.async == 0 {
		return word
	}
	switch Unit(r.cells.async[x.async-1].unit) % units {
	case CpAsync, Bulk:
		return "has a copy that " + word
	}
	return "has an operation under way that " + word
}

// orders is the place of the first barrier of t, after its command at a position, that comes after a command of s: the earliest
// happens-after. Had it come before the command of t, it would have ordered the two.
func (r *run) orders(s *strand, pos int32, t *strand, after int32) int {
	for _, m := range t.past {
		if m.pos > after && m.now.of(s.id) >= pos {
			return int(r.p.Warps[t.warp].Commands[m.pos-1].Place)
		}
	}
	return -1
}

// Interval is the barrier interval of a command against a lane of another warp: which commands of that lane may run at the
// same time are those whose index lies between the two, both excluded: the latest that happens before, and the earliest that
// happens after. It is -1 and the number of commands where there is none.
func Interval(p *Program, warp, index, lane, other, otherLane int) (latest, earliest int, err error) {
	r := newRun(p, Options{})
	if err := p.Validate(); err != nil {
		return 0, 0, err
	}
	r.prepare()
	r.execute()
	s, t := r.strandOf(warp, lane), r.strandOf(other, otherLane)
	if s == nil || t == nil || r.stopped || r.failed {
		return 0, 0, fmt.Errorf("program %q is not well synchronized, or has no such lanes", p.Name)
	}
	pos := int32(index + 1)
	earliest = len(p.Warps[other].Commands)
	for _, m := range t.past {
		if m.now.of(s.id) >= pos {
			earliest = int(m.pos)
			break
		}
	}
	return int(s.at(pos).of(t.id)) - 1, earliest, nil
}

// strandOf is the strand of a lane.
func (r *run) strandOf(warp, lane int) *strand {
	if warp < 0 || warp >= len(r.ofWarp) {
		return nil
	}
	for _, s := range r.ofWarp[warp] {
		if lane >= 0 && lane < 32 && s.lanes>>lane&1 != 0 {
			return s
		}
	}
	return nil
}
