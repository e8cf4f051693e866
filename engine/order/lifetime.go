package order

import "fmt"

// lifetime is mbarrier.init and inval.
func (r *run) lifetime(s *strand, c *Command, pos int32) {
	b := r.objects[c.A]
	if s.lanes&c.Mask&(s.lanes&c.Mask-1) != 0 {
		r.report(Lifetime, b.address, fmt.Sprintf("%s all run %s on %s; expected one thread", r.who(s), c.Kind, r.barrier(b)), r.point(s, pos))
	}
	if c.Kind == MbarInval {
		if !r.usable(b, s, pos) {
			return
		}
		r.afterUses(b, s, pos, c)
		b.live, b.given, b.inits = false, false, registration{s, pos}
		return
	}
	switch {
	case b.live && b.inits.s == nil:
		r.report(Lifetime, b.address, fmt.Sprintf("%s initialises %s, which is initialised already", r.who(s), r.barrier(b)), r.point(s, pos))
	case b.live:
		r.report(Lifetime, b.address, fmt.Sprintf("%s initialises %s, which is initialised already; expected mbarrier.inval before", r.who(s), r.barrier(b)), r.point(b.inits.s, b.inits.pos), r.point(s, pos))
	case c.B < 1 || c.B > maxCount:
		r.report(Arrivals, b.address, fmt.Sprintf("%s is initialised with count %d; expected 1 to %d (PTX ISA 9.7.13.15.9)", r.barrier(b), c.B, maxCount), r.point(s, pos))
		r.stopped = true
	}
	r.failed = r.failed || b.live
	r.afterUses(b, s, pos, c)
	fresh := b.live || b.inits.s != nil
	b.live, b.given, b.inits = true, false, registration{s, pos}
	if fresh || b.count != int64(c.B) {
		b.count = int64(c.B)
		b.start()
	}
}

// afterUses checks that nothing uses an object while it is initialised or invalidated.
func (r *run) afterUses(b *object, s *strand, pos int32, c *Command) {
	for id, used := range b.uses {
		if y := r.strands[id]; used > 0 && !s.before(y, used) {
			r.failed = r.failed || b.inits.s != nil
			if b.first(Lifetime) {
				r.report(Lifetime, b.address, fmt.Sprintf("%s may run %s on %s while %s it", r.who(s), c.Kind, r.barrier(b), r.does(y, "use")), r.point(y, used), r.point(s, pos)).again = recheck{how: unready, s: s, pos: pos, t: y, also: used, from: []clock{s.now}}
			}
			return
		}
	}
}

// usable checks that an object is initialised when a strand uses it, in this execution and in all: its init comes before.
//
// An object is in its initial state from the start, so that what is asked of it does not depend on when its init runs; a use
// before it is a matter of lifetime alone.
func (r *run) usable(b *object, s *strand, pos int32) bool {
	if b.uses == nil {
		b.uses = make([]int32, len(r.strands))
		r.memory += 4 * int64(len(r.strands))
	}
	first := b.uses[s.id] == 0
	b.uses[s.id] = pos
	if !b.live {
		if b.first(Lifetime) {
			r.report(Lifetime, b.address, fmt.Sprintf("%s %s, which is not initialised", r.does(s, "use"), r.barrier(b)), r.point(s, pos))
		}
		r.stopped = b.inits.s != nil || b.count == 0
		return !r.stopped
	}
	if first && !b.given && !s.before(b.inits.s, b.inits.pos) && b.first(Lifetime) {
		r.report(Lifetime, b.address, fmt.Sprintf("%s may use %s before its init, since nothing orders it after it", r.who(s), r.barrier(b)), r.point(b.inits.s, b.inits.pos), r.point(s, pos)).again = recheck{how: unready, s: s, pos: pos, t: b.inits.s, also: b.inits.pos, from: []clock{s.now}}
	}
	return true
}

// outlives checks that the threads of a CTA do not all exit while another CTA may still use its shared memory: some thread
// of it must come after each such use (PTX ISA 2.2.2).
func (r *run) outlives() {
	for _, b := range r.order {
		home := int(b.address >> offsetBits)
		for id, used := range b.uses {
			s := r.strands[id]
			if used == 0 || s.cta == home {
				continue
			}
			safe := false
			for _, t := range r.strands {
				safe = safe || t.cta == home && t.now.of(s.id) >= used
			}
			if !safe && b.first(Lifetime) {
				r.report(Lifetime, b.address, fmt.Sprintf("%s may use %s when all threads of that CTA have exited", r.who(s), r.barrier(b)), r.point(s, used)).again = recheck{how: gone, s: s, pos: used}
			}
		}
	}
}
