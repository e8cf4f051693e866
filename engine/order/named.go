package order

import (
	"fmt"
	"math/bits"

	"github.com/fencepost-dev/fencepost/limit"
)

type namedKey struct {
	cta int
	id  uint32
}

// namedBarrier is a named barrier of a CTA in its current generation (PTX ISA 9.7.13.1).
type namedBarrier struct {
	namedKey
	generation int
	open       bool   // somebody is registered
	count      uint32 // of this generation; 0: all threads of the CTA that have not exited
	units      int
	gathering  gathering
	blocked    []registration
	members    []registration // this generation's
	early      *registration  // who may come to this generation too early
	former     []registration // what the commands of this generation must come after: one sync, or all arrives, of the last
	alone      int8           // whether it is solitary: 1, or not: -1; 0: not asked yet
}

// registration is a strand in a barrier, with its command's position.
type registration struct {
	s   *strand
	pos int32
}

// jointKey is a command of a warp that several of its strands run together.
type jointKey struct {
	warp  int
	index int
}

// joint is strands that have come to such a command.
type joint struct {
	here []*strand
	want int
}

// meet brings a strand to a named barrier or a warp barrier. The lanes of a warp wait for one another there, so the warp
// registers when the last of them has come (PTX ISA 9.7.13.1).
func (r *run) meet(s *strand, c *Command, pos int32) bool {
	here := []*strand{s}
	if c.Mask&r.p.Warps[s.warp].Lanes&^s.lanes != 0 && (r.p.WholeWarps || c.Kind == WarpSync || c.Kind == WarpMeet) {
		if here = r.gatherWarp(s, c); here == nil {
			return false
		}
	}
	switch c.Kind {
	case WarpSync:
		r.meetWarp(here, pos)
		return false
	case WarpMeet:
		r.meetInTime(here, c, pos)
		return false
	}
	if !r.register(here, c, pos) {
		return false
	}
	if c.Kind == NamedArrive {
		for _, x := range here {
			x.next++
			r.wake(x)
		}
	}
	return false
}

// gatherWarp waits for all strands of a command; nil while some are missing.
func (r *run) gatherWarp(s *strand, c *Command) []*strand {
	key := jointKey{s.warp, s.next}
	j := r.joints[key]
	if j == nil {
		j = &joint{}
		for _, x := range r.ofWarp[s.warp] {
			if x.lanes&c.Mask != 0 {
				j.want++
			}
		}
		r.joints[key] = j
	}
	if j.here = append(j.here, s); len(j.here) < j.want {
		return nil
	}
	delete(r.joints, key)
	return j.here
}

// meetWarp orders the lanes of a warp barrier (PTX ISA 9.7.13.2).
func (r *run) meetWarp(here []*strand, pos int32) {
	if len(here) == 1 && here[0].alone {
		here[0].next++
		r.wake(here[0])
		return
	}
	var g gathering
	for _, x := range here {
		g.add(r, x, pos)
	}
	c := g.close(r)
	for _, x := range here {
		r.acquire(x, pos, c)
		x.next++
		r.wake(x)
	}
}

// meetInTime lets the lanes of a collective wait for each other: commands before it are before those behind it, and nothing is
// said of what is seen of them (PTX ISA 9.7.9.6 and 9.7.13.7 promise no order of memory, unlike 9.7.13.2).
func (r *run) meetInTime(here []*strand, c *Command, pos int32) {
	news := false // of a collective right behind the same one there are none
	for _, x := range here {
		news = news || x.met != c.Mask && !(len(here) == 1 && x.alone)
	}
	var g gathering
	for _, x := range here {
		if x.met = c.Mask; news {
			g.add(r, x, pos)
		}
	}
	for _, x := range here {
		if news {
			own := r.newClock()
			copy(own[:r.behind], g.at)
			if x.now != nil {
				copy(own[r.behind:], x.now[r.behind:])
			}
			r.acquire(x, pos, own)
		}
		x.next++
		r.wake(x)
	}
}

// register counts strands that run one command together in a named barrier; false if nothing means anything any more.
func (r *run) register(here []*strand, c *Command, pos int32) bool {
	s := here[0]
	key := namedKey{s.cta, c.A}
	b := r.named[key]
	if b == nil {
		b = &namedBarrier{namedKey: key, generation: 1}
		r.named[key] = b
		r.allNamed = append(r.allNamed, b)
	}
	units := r.units(here, c)
	if !r.agreed(b, s, c, pos) {
		return false
	}
	r.recycled(b, here, pos)
	if need := r.need(b); b.units+units > need {
		r.overRegistered(b, s, pos, units, need)
		return false
	}
	b.units += units
	if r.p.WholeWarps || r.p.Once {
		r.registeredTwice(b, here, pos)
	}
	for _, x := range here {
		m := registration{x, pos}
		b.gathering.add(r, x, pos)
		b.members = append(b.members, m)
		if c.Kind == NamedSync {
			b.blocked = append(b.blocked, m)
		}
	}
	if b.units >= r.need(b) {
		r.completeNamed(b)
	}
	return true
}

// units is what strands that run a command together count in a named barrier. A warp counts as 32 threads even where lanes
// have exited or do not exist; part of a warp, which only barriers without .aligned may be run by, counts by its threads.
func (r *run) units(here []*strand, c *Command) int {
	if r.p.WholeWarps && r.whole(here[0].warp, here[0].next, c.Mask) {
		return 32
	}
	if r.p.WholeWarps {
		return bits.OnesCount32(c.Mask)
	}
	return bits.OnesCount32(c.Mask & here[0].lanes)
}

// whole reports whether the lanes that do not run a command at an index run no barrier of their own later, so that they will have
// exited.
func (r *run) whole(warp, index int, mask uint32) bool {
	rest := r.p.Warps[warp].Lanes &^ mask
	if rest == 0 {
		return true
	}
	for _, s := range r.ofWarp[warp] {
		if s.lanes&rest != 0 && r.lastNamed[s.id] > index {
			return false
		}
	}
	return true
}

// agreed checks that all who come to one generation bring the same count.
func (r *run) agreed(b *namedBarrier, s *strand, c *Command, pos int32) bool {
	if !b.open {
		b.open, b.count = true, c.C
		return true
	}
	if b.count == c.C {
		return true
	}
	if all := uint32(r.ctas[b.cta].all); b.count == 0 && c.C == all || c.C == 0 && b.count == all {
		r.fall(limit.Undefined, "threads come to one generation of barrier %d with a count of all threads and without a count: whether exited threads count is not said (PTX ISA 9.7.13.1)", b.id)
		return false
	}
	first := b.members[0]
	r.report(Counts, b.id, fmt.Sprintf("threads come to one generation of barrier %d with counts %s and %s; expected one count",
		b.id, r.countWord(b.count), r.countWord(c.C)), r.point(first.s, first.pos), r.point(s, pos)).again = recheck{how: whole, s: s, pos: pos}
	r.stopped = true
	return false
}

func (r *run) countWord(n uint32) string {
	if n == 0 {
		return "of all threads"
	}
	return fmt.Sprint(n)
}

// need is how many threads complete the generation.
func (r *run) need(b *namedBarrier) int {
	if b.count == 0 {
		return r.ctas[b.cta].live
	}
	return int(b.count)
}

// recycled checks that a command cannot come to the generation before: it must come after one of its syncs, or after all
// its arrives where nobody waits in it (notes/semantics.md 2.5, both repairs).
func (r *run) recycled(b *namedBarrier, here []*strand, pos int32) {
	if r.solitary(b) {
		return
	}
	for _, y := range b.former {
		ordered := false
		for _, x := range here {
			ordered = ordered || x.before(y.s, y.pos) || x == y.s && r.p.WholeWarps
		}
		if !ordered {
			r.report(Recycling, b.id, fmt.Sprintf("%s may come to barrier %d too early, in generation %d: nothing makes them wait for %s",
				r.who(here[0]), b.id, b.generation-1, r.who(y.s)), r.point(y.s, y.pos), r.point(here[0], pos)).again = recheck{how: without, s: here[0], pos: pos, t: y.s, also: y.pos, was: int32(b.generation)}
			b.early = &registration{here[0], pos}
			return
		}
	}
}

// solitary reports whether whoever comes to a barrier completes a generation by that alone: a barrier of 32 threads that whole warps run. None
// is ever open, so no command can be of another one.
func (r *run) solitary(b *namedBarrier) bool {
	if b.alone != 0 {
		return b.alone > 0
	}
	b.alone = 1
	for _, w := range r.p.Warps {
		for i := range w.Commands {
			c := &w.Commands[i]
			if (c.Kind == NamedArrive || c.Kind == NamedSync) && w.CTA == b.cta && c.A == b.id && (!r.p.WholeWarps || c.C != 32 || c.Mask != w.Lanes) {
				b.alone = -1
				return false
			}
		}
	}
	return true
}

// registeredTwice reports a warp that comes to a generation that it has registered in already: it counts twice, so the
// generation is over with a warp less than the count says (PTX ISA 9.7.13.1).
func (r *run) registeredTwice(b *namedBarrier, here []*strand, pos int32) {
	for _, m := range b.members {
		if m.s == here[0] {
			r.report(Registration, b.id, fmt.Sprintf("%s comes to generation %d of barrier %d a second time; expected each warp once a generation", r.who(m.s), b.generation, b.id),
				r.point(m.s, m.pos), r.point(here[0], pos)).again = recheck{how: twice, s: m.s, pos: pos, also: m.pos}
			return
		}
	}
}

// overRegistered says that a generation has fewer places left than threads come to it.
func (r *run) overRegistered(b *namedBarrier, s *strand, pos int32, units, need int) {
	check, text := Recycling, fmt.Sprintf("%d threads come to barrier %d, where generation %d takes %d more: which of them it takes depends on timing",
		units, b.id, b.generation, need-b.units)
	if r.p.WholeWarps {
		check, text = Registration, fmt.Sprintf("a warp comes to barrier %d as %d threads, where generation %d takes %d more of %d",
			b.id, units, b.generation, need-b.units, need)
	}
	points := []Point{r.point(s, pos)}
	for _, m := range b.members {
		points = append(points, r.point(m.s, m.pos))
	}
	r.report(check, b.id, text, points...).again = recheck{how: whole, s: s, pos: pos}
	r.stopped = true
}

// completeNamed lets the threads go that wait in a generation, and starts the next.
func (r *run) completeNamed(b *namedBarrier) {
	if b.count == 0 {
		if b.gathering.at == nil {
			b.gathering.at = r.newClock()
		}
		b.gathering.join(r.ctas[b.cta].exits.at)
	}
	now := b.gathering.close(r)
	b.former, b.early = append(b.former[:0], b.members...), nil
	if len(b.blocked) > 0 {
		b.former = append(b.former[:0], b.blocked[0])
	} else if m := b.members[0]; r.found[Registration] == 0 {
		r.report(Unwaited, b.id, fmt.Sprintf("generation %d of barrier %d is over with arrives alone; expected a thread that waits in it", b.generation, b.id), r.point(m.s, m.pos))
	}
	r.node(NamedSync, b.id, b.cta, b.generation, b.members, b.blocked)
	blocked := b.blocked
	b.open, b.count, b.units, b.members, b.blocked = false, 0, 0, b.members[:0], nil
	b.generation++
	r.barriers++
	for _, m := range blocked {
		r.acquire(m.s, m.pos, now)
		m.s.next++
		r.wake(m.s)
	}
	b.blocked = blocked[:0]
}

// wideMet looks whether an exit completes barriers of all threads of a CTA.
func (r *run) wideMet(cta int) {
	for _, b := range r.allNamed {
		if b.cta == cta && b.open && b.count == 0 && b.units >= r.need(b) {
			r.completeNamed(b)
		}
	}
}

// surplus reports threads that a named barrier has no place for: more come to it, with nothing to keep generations apart, than
// its generations take.
func (r *run) surplus(stuck []*strand) {
	for _, s := range stuck {
		w := r.p.Warps[s.warp]
		if w.Commands[s.next].Kind != NamedSync {
			continue
		}
		b := r.named[namedKey{s.cta, w.Commands[s.next].A}]
		if b == nil || !b.open || b.early == nil || r.comes(s, stuck) != nil {
			continue
		}
		r.report(Registration, b.id, fmt.Sprintf("%s is too many for barrier %d: nothing keeps it from generation %d, which counts %d threads, and generation %d lacks %d for ever",
			r.who(b.early.s), b.id, b.generation-1, r.need(b), b.generation, r.need(b)-b.units), r.point(b.early.s, b.early.pos))
		b.early = nil
	}
}
