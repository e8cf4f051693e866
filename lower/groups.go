package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/program"
)

// maxGroups bounds how often a CTA's threads may be told apart.
const maxGroups = 512

// group is threads of one CTA that do the same as far as is known.
type group struct {
	cta     int
	threads []int64
	order   []int // where it stands among the parts that its CTA was split into
	held    bool  // it was held back
	m       *machine
}

// parted is the group told apart.
func (g *group) parted(parts [][]int64) (out []*group) {
	for i, threads := range parts {
		out = append(out, &group{cta: g.cta, threads: threads, order: append(slices.Clone(g.order), i), held: g.held})
	}
	return out
}

// roll is the groups of an instance: those still to be evaluated, those that wait for what others store to shared memory
// (letter.go), and those that are done.
type roll struct {
	open, held, done []*group
	runs             []int // by CTA
	moved            bool  // since the held ones were taken up again
	failed           bool
}

// groups evaluates every CTA, telling threads apart as far as they do different things.
func (w *sweep) groups(in *instance) (machines []*machine, again bool) {
	n := in.blockThreads()
	if n > 1024 {
		w.k.opaque(Opaque{w.k.Path, w.k.Line, limit.Undefined.Sayf("a block of %d threads is larger than CUDA allows", n)})
		return nil, false
	}
	all := make([]int64, n)
	for i := range all {
		all[i] = int64(i)
	}
	r := &roll{runs: make([]int, in.ctas)}
	for cta := range in.ctas {
		r.open = append(r.open, &group{cta: cta, threads: all})
	}
	for len(r.open) > 0 {
		again, ok := w.evaluate(in, r)
		if again || !ok {
			return nil, again
		}
		if len(r.open) == 0 && len(r.held) > 0 {
			in.last = !r.moved
			r.open, r.held, r.moved = r.held, nil, false
		}
	}
	in.unawaited(r.done)
	if r.failed {
		return nil, w.carry(in) || w.execute(in)
	}
	slices.SortStableFunc(r.done, func(a, b *group) int {
		if a.cta != b.cta {
			return a.cta - b.cta
		}
		return slices.Compare(a.order, b.order)
	})
	for _, g := range r.done {
		machines = append(machines, g.m)
	}
	if in.divided(machines) {
		return nil, true
	}
	in.settleBytes(machines)
	in.releaseReads(machines)
	return machines, false
}

// evaluate runs the first open group.
func (w *sweep) evaluate(in *instance, r *roll) (again, ok bool) {
	g := r.open[0]
	r.open = r.open[1:]
	if r.runs[g.cta]++; r.runs[g.cta] > maxGroups {
		w.k.opaque(Opaque{w.k.Path, w.k.Line, limit.Size.Sayf("more than %d groups of threads that do different things", maxGroups)})
		return false, false
	}
	if r.failed && g.cta > 0 {
		return false, true
	}
	was := w.precedents.of(g)
	if parts := was.parts(in); parts != nil && w.watcher == nil {
		r.open, r.moved = append(g.parted(parts), r.open...), true
		return false, true
	}
	if was.waits && !g.held && len(r.open) > 0 {
		g.held = true
		r.held = append(r.held, g)
		return false, true
	}
	in.pending = len(r.open) + len(r.held)
	m := w.l.newMachine(in)
	m.cta, m.threads = int64(g.cta), g.threads
	m.watch = w.watcher.of(m)
	g.m = m
	var parts []*group
	waits, failed := false, false
	w.l.protect(func() {
		m.body(w.fn, w.la)
		m.unsure()
	}, func(signal any) {
		switch s := signal.(type) {
		case restart:
			again = true
		case split:
			parts = g.parted(s.parts)
			was.split(m, s.parts)
		case memory.Later:
			waits = true
		case opaque:
			failed = true
			in.noteOpaque(s.file, s.span, s.why, true)
		case raised:
			failed = true
			w.refused(in, s)
		}
	})
	switch {
	case again:
		return true, true
	case parts != nil:
		r.open, r.moved = append(parts, r.open...), true
	case waits:
		g.held, was.waits = true, true
		r.held = append(r.held, g)
	case failed:
		r.failed = true
	default:
		m.watch.finish()
		r.done, in.senders, r.moved = append(r.done, g), append(in.senders, m), true
	}
	return false, true
}

// execute executes, from now on, the loops that were not executed before, or, where there are none, decides the branches
// that were taken both ways.
func (w *sweep) execute(in *instance) (more bool) {
	for _, branches := range []bool{false, true} {
		for st := range in.passed {
			if _, branch := st.(*program.If); branch == branches && !w.l.followed[st] {
				w.l.followed[st], more = true, true
			}
		}
		if more {
			break
		}
	}
	return more
}

// carry follows, from now on, the values that were stored to shared memory, where evaluation failed without. It answers
// whether there are any that were not followed before.
func (w *sweep) carry(in *instance) (more bool) {
	for name := range in.valued {
		if !w.carriers[name] {
			w.carriers[name], more = true, true
		}
	}
	return more
}
