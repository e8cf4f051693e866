package explore

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/certificate"
	"github.com/fencepost-dev/fencepost/protocol"
)

// span is an unknown whose loops make at least copies·rounds rounds more in the instance at hand than they must: the rounds
// that repeat, rounds at a time, stand there twice.
type span struct {
	unknown string
	rounds  int
}

// copies is how often the rounds that repeat stand in the instance that all larger ones are like.
const copies = 2

// horizon is what frozen runs may not reach if they are to be the same in all larger instances; see Every.
type horizon struct {
	unknown string
	regions int
	heads   [][][copies + 1]int // by class with loops and region: the locations at which the copies begin, and the end
	fixed   [][]int             // by class without loops and region: the location of its threads in all cuts
	alone   map[string]bool     // by region and classes: whether they go round on their own
	record  *certificate.Rounds // nil where nothing is written down
}

// lay finds the regions of an unknown and checks the cuts of Every; an error says why it does not apply.
func (pr *proof) lay(s span) (*horizon, error) {
	h := &horizon{unknown: s.unknown, heads: make([][][copies + 1]int, len(pr.p.Classes)), fixed: make([][]int, len(pr.p.Classes)), alone: map[string]bool{}}
	if pr.witness != nil {
		h.record = &certificate.Rounds{Unknown: s.unknown, Period: s.rounds}
	}
	for c := range pr.p.Classes {
		loops, err := loopsOf(pr.p, c, s.unknown)
		if err != nil {
			return nil, err
		}
		for _, l := range loops {
			if l.Lead+copies*s.rounds >= len(l.Heads) {
				return nil, fmt.Errorf("a loop of %s has %d rounds, too few to repeat %d from round %d", pr.p.Classes[c].Name, len(l.Heads)-1, s.rounds, l.Lead)
			}
			var heads [copies + 1]int
			for i := range heads {
				heads[i] = l.Heads[l.Lead+i*s.rounds]
			}
			if heads[0] == heads[copies] {
				continue // nothing in it
			}
			if !alike(&pr.p.Classes[c], heads) {
				return nil, fmt.Errorf("the rounds of %s differ", pr.p.Classes[c].Name)
			}
			h.heads[c] = append(h.heads[c], heads)
		}
	}
	for c := range h.heads {
		n := len(h.heads[c])
		if n > 0 && h.regions > 0 && n != h.regions {
			return nil, fmt.Errorf("%s goes round %d loops, others %d", pr.p.Classes[c].Name, n, h.regions)
		}
		h.regions = max(h.regions, n)
	}
	if err := pr.stand(h); err != nil {
		return nil, err
	}
	return h, pr.cuts(h)
}

// alike reports whether the copies of some rounds do the same.
func alike(c *protocol.Class, heads [copies + 1]int) bool {
	n := heads[1] - heads[0]
	if heads[2]-heads[1] != n {
		return false
	}
	for l := heads[0]; l < heads[1]; l++ {
		a, b := c.Ops[l], c.Ops[l+n]
		if len(a.Drains) != len(b.Drains) {
			return false
		}
		for i := range a.Drains {
			if a.Drains[i]+n != b.Drains[i] {
				return false
			}
		}
		b.Drains, b.Behind, b.Site = a.Drains, a.Behind, a.Site
		if !a.Equal(&b) || !slices.EqualFunc(c.Blocks[l], c.Blocks[l+n], protocol.Access.Equal) {
			return false
		}
	}
	return true
}

// stand finds, for the classes without loops, the location in the cuts of each region: the first from which the others can
// get through the region.
func (pr *proof) stand(h *horizon) error {
	for c := range pr.p.Classes {
		if h.heads[c] != nil {
			continue
		}
		low := 0
		for r := range h.regions {
			high := len(pr.p.Classes[c].Ops)
			for low < high {
				mid := (low + high) / 2
				if pr.late() {
					return fmt.Errorf("stopped by %s", pr.over)
				}
				if pr.through(h, r, c, mid) {
					high = mid
				} else {
					low = mid + 1
				}
			}
			h.fixed[c] = append(h.fixed[c], low)
		}
	}
	return nil
}

// through reports whether the classes with loops get through region r while class c stays at a location.
func (pr *proof) through(h *horizon, r, c, at int) bool {
	w := pr.newWorld()
	pr.limit(w, h, r, copies)
	for d := range pr.p.Classes {
		if h.heads[d] == nil {
			w.groups[d].limit = free
		}
	}
	w.groups[c].limit = pr.progs[c].first[at]
	w.run()
	for d := range pr.p.Classes {
		if h.heads[d] != nil && w.groups[d].pos < w.groups[d].limit {
			return false
		}
	}
	return true
}

// limit keeps everyone from going on beyond the cut before a copy of region r.
func (pr *proof) limit(w *world, h *horizon, r, copy int) {
	for c := range pr.p.Classes {
		switch {
		case h.heads[c] != nil:
			w.groups[c].limit = pr.progs[c].first[h.heads[c][r][copy]]
		case r < len(h.fixed[c]):
			w.groups[c].limit = pr.progs[c].first[h.fixed[c][r]]
		}
	}
}

// cuts checks that every cut is reached, and that those of a region leave the same to happen.
func (pr *proof) cuts(h *horizon) error {
	w, s, played := pr.newWorld(), pr.judge.m.Start(), 0
	for r := range h.regions {
		var before protocol.State
		for copy := range copies + 1 {
			pr.limit(w, h, r, copy)
			w.run()
			for c := range w.groups {
				if w.groups[c].pos != w.groups[c].limit {
					return fmt.Errorf("%s does not get to round %d of %s while the others stay there", pr.p.Classes[c].Name, copy, h.unknown)
				}
			}
			h.cut(w.steps[played:])
			for ; played < len(w.steps); played++ {
				if ok, broken := pr.play(s, w.steps[played]); !ok || broken {
					return fmt.Errorf("the rounds of %s cannot be played one after the other", h.unknown)
				}
			}
			if copy == 1 && !pr.judge.m.Alike(before, s) { // and so the others: where the last copy ends, threads may exit
				return fmt.Errorf("a round of %s leaves the objects otherwise than it finds them", h.unknown)
			}
			before = slices.Clone(s)
		}
	}
	return nil
}

// region is the one that frozen runs may not get through when a thread of class c stays at a location, or an operation
// issued there in flight; h.regions if there is none.
func (h *horizon) region(c, l int) int {
	for r := range h.regions {
		if h.heads[c] != nil && l < h.heads[c][r][1] || h.heads[c] == nil && l < h.fixed[c][r] {
			return r
		}
	}
	return h.regions
}

// within judges a run with something frozen that may not get through region r of a horizon, but for classes that go round
// on their own.
func (pr *proof) within(w *world, h *horizon, r int) {
	for ; r < h.regions && pr.beyond == ""; r++ {
		ahead := make([]bool, len(pr.p.Classes))
		for i := range w.groups {
			g := &w.groups[i]
			if heads := h.heads[g.class]; heads != nil && g.n > 0 && g.pos >= pr.progs[g.class].first[heads[r][copies]] {
				ahead[g.class] = true
			}
		}
		if first := slices.Index(ahead, true); first < 0 {
			return
		} else if !pr.onTheirOwn(h, r, ahead) {
			pr.beyond = fmt.Sprintf("%s may get far ahead of others in the rounds of %s", pr.p.Classes[first].Name, h.unknown)
		}
	}
}

// onTheirOwn reports whether some classes can go round while the others stay where they are, and leave the objects as they
// find them.
func (pr *proof) onTheirOwn(h *horizon, r int, who []bool) bool {
	key := fmt.Sprint(r, who)
	if known, ok := h.alone[key]; ok {
		return known
	}
	w, s := pr.newWorld(), pr.judge.m.Start()
	pr.limit(w, h, r, 0)
	w.run()
	played := len(w.steps)
	for c := range who {
		if who[c] {
			w.groups[c].limit = pr.progs[c].first[h.heads[c][r][1]]
		}
	}
	w.run()
	ok := !slices.ContainsFunc(w.groups, func(g group) bool { return g.pos != g.limit })
	var before protocol.State
	for i, step := range w.steps {
		if i == played {
			before = slices.Clone(s)
		}
		may, broken := pr.play(s, step)
		ok = ok && may && !broken
	}
	ok = ok && before != nil && pr.judge.m.Alike(before, s)
	if h.alone[key] = ok; ok {
		h.onTheirOwn(r, who, w.steps[:played], w.steps[played:])
	}
	return ok
}

// local judges a run with a thread of class c frozen at l, or an operation issued there in flight.
func (pr *proof) local(w *world, c, l int) {
	for _, h := range pr.horizons {
		pr.within(w, h, h.region(c, l))
	}
}

// capped judges a run in which nobody passes a wait on an mbarrier for phase k or later.
func (pr *proof) capped(w *world, list []place, k int) {
	for _, h := range pr.horizons {
		r := h.regions
		for _, at := range list {
			if at.k >= k {
				r = min(r, h.region(at.class, at.loc))
			}
		}
		pr.within(w, h, r)
	}
}

// waitedInCopies reports whether what waitedBefore says of a wait in the first copy of a region holds in the second, and so
// in all that follow.
func (pr *proof) waitedInCopies(list []place, at place) bool {
	for _, h := range pr.horizons {
		for _, heads := range h.heads[at.class] {
			n := heads[1] - heads[0]
			if at.loc < heads[0] || at.loc >= heads[1] {
				continue
			}
			i := slices.IndexFunc(list, func(b place) bool { return b.class == at.class && b.loc == at.loc+n })
			if i < 0 || !pr.waitedBefore(list, list[i]) {
				return false
			}
		}
	}
	return true
}

// proveAll is the proof for an instance that larger ones are like in the unknowns given, or why there is none.
func (j *judge) proveAll(meter *meter, spans []span) (*engine.Result, string) {
	pr := prove(j, meter, spans...)
	if pr.differs == "" && pr.beyond == "" {
		pr.races()
		pr.late()
	}
	switch {
	case pr.differs != "":
		return nil, "no proof without search: " + pr.differs
	case pr.beyond != "":
		return nil, pr.beyond
	}
	if pr.witness != nil {
		j.record.Frozen = pr.witness.Frozen
		for _, h := range pr.horizons {
			h.record.Fixed = h.fixed
			j.record.Rounds = append(j.record.Rounds, *h.record)
		}
	}
	r := pr.result()
	r.States = pr.states()
	return r, ""
}
