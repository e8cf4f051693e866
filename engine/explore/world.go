package explore

import (
	"math"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
)

// world is one execution of M: identical threads that nothing freezes move together, as M has no choices.
type world struct {
	*monotone
	counters []int
	groups   []group
	held     []hold        // operations in flight that do not complete
	begin    []engine.Step // shared with the world that this one was made of
	steps    []engine.Step // since
	cap      int           // a counter that is not let past capAt, -1 for none: waits above it stay blocked
	capAt    int
	meter    *meter
}

// hold is an operation in flight that is kept there.
type hold struct{ class, loc int }

// group is n threads of a class at a micro, kept from executing the micro at limit.
type group struct{ class, n, pos, limit int }

const free = math.MaxInt

// How many counters are copied, and blocked groups looked at, in the time of a micro.
const (
	countersPerMicro = 64
	groupsPerMicro   = 8
)

// newWorld starts all threads but those taken out, which are groups of their own after the classes.
func (pr *proof) newWorld(singles ...group) *world {
	w := &world{monotone: pr.monotone, counters: slices.Clone(pr.start), cap: -1, meter: pr.meter}
	pr.spend(len(pr.start) / countersPerMicro)
	for c := range pr.p.Classes {
		w.groups = append(w.groups, group{c, pr.p.Classes[c].Count, 0, free})
	}
	for _, s := range singles {
		w.groups[s.class].n--
		w.groups = append(w.groups, s)
	}
	return w
}

// clone is a world of its own that goes on from here.
func (w *world) clone() *world {
	c := *w
	w.meter.spend(len(w.counters) / countersPerMicro)
	c.counters, c.groups, c.held = slices.Clone(w.counters), slices.Clone(w.groups), slices.Clone(w.held)
	c.begin, c.steps = slices.Clip(w.trace()), nil
	return &c
}

// trace is all steps so far.
func (w *world) trace() []engine.Step {
	if len(w.begin) == 0 {
		return w.steps
	}
	return slices.Concat(w.begin, w.steps)
}

// run moves everyone as far as possible.
func (w *world) run() {
	for moved := true; moved; {
		moved = false
		if w.meter.spend(1 + len(w.groups)/groupsPerMicro) {
			return
		}
		for i := range w.groups {
			for w.advance(i, true) {
				moved = true
			}
		}
	}
}

// advance lets a group execute its next micro, if it may. Operations it issues complete at once when complete is set
// and are held otherwise.
func (w *world) advance(i int, complete bool) bool {
	g := &w.groups[i]
	prog := &w.progs[g.class]
	if g.n == 0 || g.pos >= g.limit || g.pos >= len(prog.micros) {
		return false
	}
	u := &prog.micros[g.pos]
	if u.counter >= 0 && (w.counters[u.counter] < u.least || u.counter == w.cap && u.least >= w.capAt) {
		return false
	}
	for _, d := range u.drains {
		if slices.Contains(w.held, hold{g.class, d}) {
			return false
		}
	}
	w.raise(u.now, g.n)
	if !u.silent {
		w.steps = append(w.steps, engine.Step{Class: g.class, Op: u.op, N: g.n})
	}
	switch {
	case u.issue && complete:
		w.raise(u.complete, g.n)
		w.steps = append(w.steps, engine.Step{Class: g.class, Op: u.op, N: g.n, Completion: true})
	case u.issue:
		w.held = append(w.held, hold{g.class, u.op})
	}
	g.pos++
	w.meter.work++
	return true
}

func (w *world) raise(list []bump, n int) {
	for _, b := range list {
		if b.store {
			w.counters[b.counter] = max(w.counters[b.counter], b.by)
		} else {
			w.counters[b.counter] += n * b.by
		}
	}
}

// phase is the phase of mbarrier o.
func (w *world) phase(o int) int {
	if w.sum[o] >= 0 {
		return w.counters[w.sum[o]] / w.p.Mbars[o].Count
	}
	k := 0
	for ; k < w.gates[o].phases && w.counters[w.gates[o].first+k] >= w.need[w.gates[o].first+k]; k++ {
	}
	return k
}

// ended reports whether every thread of a CTA has exited.
func (w *world) ended(cta int) bool {
	for i := range w.groups {
		g := &w.groups[i]
		if g.n > 0 && w.p.Classes[g.class].CTA == cta && (!w.progs[g.class].end || g.pos < len(w.progs[g.class].micros)) {
			return false
		}
	}
	return true
}

// bulk is how far the unfrozen threads of a class are, -1 if there are none.
func (w *world) bulk(c int) int {
	if w.groups[c].n == 0 {
		return -1
	}
	return w.groups[c].pos
}
