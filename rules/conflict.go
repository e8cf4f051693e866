package rules

import (
	"bytes"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// when says on which way the two meet, for messages.
func (r route) when() string {
	if r.around != nil {
		return " in the iteration before"
	}
	return ""
}

// conflicts calls found for a first and a second access to one object that surely meet in one element and in different warps. One
// pair is enough for the second of the two.
func (p *Pass) conflicts(first, second mode, found func(route)) {
	if p.fn.oneWarp() {
		return
	}
	sites := p.words()
	groups := map[string][]*site{}
	for _, s := range sites {
		if s.slot != nil && !s.slot.passed && (!s.slot.given || p.meets()) {
			groups[s.slot.key] = append(groups[s.slot.key], s)
		}
	}
	told := map[string]bool{}
	for _, b := range sites {
		if b.slot == nil || told[b.slot.key] {
			continue
		}
		for _, a := range groups[b.slot.key] {
			if a.mode&first == 0 || b.mode&second == 0 || counted(a, b) || (a.mode|b.mode)&atomically != 0 && first&second == writes || p.tired() {
				continue
			}
			if r := p.conflict(a, b, first, sites); r != nil {
				told[b.slot.key] = true
				p.about = b.slot.name
				found(*r)
				break
			}
		}
	}
}

// words are the sites of the function with its accesses to shared memory, nil where it has none.
func (p *Pass) words() []*site {
	return p.fn.words()
}

// together are the conditions under which the function has a barrier of the CTA: they let all threads through or none.
func together(sites []*site) map[program.Node]bool {
	out := map[program.Node]bool{}
	for _, s := range sites {
		for i := range s.guards {
			if s.op.Kind == dialect.CtaSync {
				out[s.guards[i].node] = true
			}
		}
	}
	return out
}

// mentionsShared reports whether the text of a function tells threads apart or names shared memory.
func mentionsShared(text []byte) bool {
	return bytes.Contains(text, []byte("threadIdx")) || bytes.Contains(text, []byte("__shared__")) || sharedWords.In(text) && !warpWord.In(text)
}

// meets reports whether the function has a barrier of the CTA: storage it was handed is then shared by the CTA, and not
// the part of one warp.
func (p *Pass) meets() bool {
	for _, s := range p.sites {
		if s.op.Kind == dialect.CtaSync {
			return !strings.Contains(strings.ToLower(p.fn.fn.Name), "warp")
		}
	}
	return false
}

// oneWarp reports whether the file says that a CTA of the kernel has no more than 32 threads.
func (g *function) oneWarp() bool {
	if n := g.file.blocks[g.fn.Name]; n > 0 && n <= 32 {
		return true
	}
	for _, a := range g.fn.Attributes {
		if c, ok := a.(*program.Call); ok && path(c.Fun) == "__launch_bounds__" && len(c.Args) > 0 {
			if n, known := g.fold(c.Args[0]); known && n <= 32 {
				return true
			}
		}
	}
	return false
}

const maxSampled = 300 // ways between two accesses of a function for which samples are drawn

// conflict is a way from a to b on which nothing keeps b of one warp behind a of another, nil if there is none.
func (p *Pass) conflict(a, b *site, first mode, sites []*site) *route {
	if len(a.slot.index) != len(b.slot.index) && !a.slot.any && !b.slot.any || ownSlot(a, b) {
		return nil // a pointer, and what it points to, are two things
	}
	for _, r := range routes(a, b, sites, p.runsOnce, (*site).joins) {
		if p.sampled++; p.sampled > maxSampled {
			return nil
		}
		r.first = first
		if p.collide(r, 0) || r.counts() && p.collide(r, 1) {
			return &r
		}
	}
	return nil
}

// collide reports whether the accesses meet when the loops around both are in that round.
func (p *Pass) collide(r route, round int64) bool {
	return p.agree(func(m *sample) bool { return m.collide(r, round) || r.loads() && m.loading().collide(r, round) }, r)
}

// agree asks CTAs of every shape, for most choices of what is not known. Not for all of them, since the author's unknowns
// fit each other and these do not.
func (p *Pass) agree(ask func(*sample) bool, r route) bool {
	if p.fn.together == nil {
		p.fn.together = together(p.sites)
	}
	for _, shape := range shapes[p.fn.axes()] {
		times := 0
		for scale := range 3 {
			if ask(&sample{fn: p.fn, shape: shape, numbers: map[string]int64{}, scale: scale, moved: r.moved}) {
				times++
			}
			if times < scale { // more than one does not
				return false
			}
			if times == 2 {
				break
			}
		}
	}
	return true
}

func (m *sample) collide(r route, round int64) bool {
	a, b, ok := m.footprints(r, round)
	if !ok {
		return false
	}
	chosenA, chosenB := m.chosen(r.from), m.chosen(r.to)
	if chosenA && chosenB {
		return false
	}
	meet := func(at [4]int64, x, y crowd) bool {
		if chosenA && !y.meets(y) || chosenB && !x.meets(x) {
			return false // the one may be the other
		}
		if r.first == writes && !slices.Contains(at[:], everyElement) {
			y = y.without(x) // who wrote it himself reads what he wrote
		}
		return x.meets(y)
	}
	wide := a.wide() || b.wide()
	for at, x := range a {
		if !wide && meet(at, x, b[at]) {
			return true
		}
		for to, y := range b {
			if !wide {
				break
			}
			if overlap(at, to) && meet(at, x, y) {
				return true
			}
		}
	}
	return false
}

// footprints works out what the two accesses touch when the loops around both are in that round.
func (m *sample) footprints(r route, round int64) (a, b footprint, ok bool) {
	if o := r.from.slot.offset; o != nil && r.shifts(*o) {
		return nil, nil, false // it may point elsewhere by then
	}
	first, second := map[*loop]int64{}, map[*loop]int64{}
	for _, l := range r.from.loops {
		if !r.inside(l) {
			first[l], second[l] = round, round
		}
		if l == r.around {
			second[l] = round + 1
		}
	}
	a, ok = m.footprint(r.from, first)
	if !ok {
		return nil, nil, false
	}
	m.lifted, m.shared = true, nil
	b, ok = m.footprint(r.to, second)
	return a, b, ok
}

// counts reports whether a loop around both accesses has a counter: only then is there more to see in a later round.
func (r route) counts() bool {
	return slices.ContainsFunc(r.from.loops, func(l *loop) bool { return l.counter != "" && !r.inside(l) })
}

// inside reports whether a loop may go round on its own between the two accesses: one of them is outside of it, or it
// stands in the loop that the way goes round.
func (r route) inside(l *loop) bool {
	for o := l.outer; o != nil; o = o.outer {
		if o == r.around {
			return true
		}
	}
	for _, o := range r.to.loops {
		if o == l {
			return false
		}
	}
	return true
}

// moved reports whether a name may have another value at the second access.
func (r route) moved(name string) bool {
	if name == "" {
		return false
	}
	if r.around != nil { // what a parameter of a template is, and a constant, no call changes
		f := r.around.owner
		fixed := f.isConstant(name) || f.bound[name]
		return hits(r.around.assigned(), name) || !fixed && hits(r.around.touched(), name)
	}
	from, to := r.from.op.Span, r.to.op.Span
	for _, d := range r.to.in.fn.defs[name] {
		if at := d.node.Where(); len(r.to.via) > 0 || at.Start > from.Start && at.End < to.End {
			return true
		}
	}
	return false
}

// shifts reports whether an address may be another one at the second access. What is written to an array moves no pointer
// into it.
func (r route) shifts(x term) (found bool) {
	program.WalkExprs(x.x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Name, *program.Attr:
			found = found || r.moved(path(e)) && r.rebound(path(e), x.in.fn)
		case *program.Index:
			found = found || r.moved(path(e))
		}
		return !found
	})
	return found
}

// rebound reports whether a name may be given another value on the way, and not only elements of what it points to.
func (r route) rebound(name string, f *function) bool {
	if r.around == nil || !r.around.assigned()[name] || r.around.touched()[name] {
		return true
	}
	for _, d := range f.defs[name] {
		if covers(r.around.stmt.Where(), d.node.Where()) {
			return true
		}
	}
	return false
}

// axes is the number of axes along which the function looks for a thread's place.
func (g *function) axes() int {
	if g.along == 0 {
		switch text := g.file.text(g.fn); {
		case bytes.Contains(text, []byte("threadIdx.z")):
			g.along = 3
		case bytes.Contains(text, []byte("threadIdx.y")):
			g.along = 2
		default:
			g.along = 1
		}
	}
	return g.along
}
