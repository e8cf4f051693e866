package order

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
)

const maxCount = 1<<20 - 1 // PTX ISA 9.7.13.15.2: counts and outstanding transactions

// object is an mbarrier (PTX ISA 9.7.13.15) in its current phase.
type object struct {
	address uint32
	dim     int // of clocks: how many of its phases are over
	count   int64
	armed   bool
	given   bool // initialised before the program begins
	live    bool
	inits   registration // who initialised it; no strand while given
	uses    []int32      // last use by each strand, if the program invalidates or initialises it again

	phase             int32
	pending, expected int64
	tx                int64

	gathering gathering
	now       []contribution  // to the current phase
	last      []contribution  // to the phase before
	older     []contribution  // to the one before that
	over      map[int32]clock // of phases somebody may still wait for
	waits     []registration  // on the phase before: to come before some contribution to the current one (C2)
	expects   []registration  // stand-alone expects of the current phase: to come before some arrive (C4)
	blocked   []*strand
	failed    [Checks]bool // told once for an object
}

// contribution is an arrive, an expect or a completion that a phase is made of.
type contribution struct {
	s    *strand
	pos  int32
	refs []phaseRef // of an asynchronous operation: it is before whoever knows one of these to be over
}

// phaseRef is a phase of an object.
type phaseRef struct {
	dim   int
	phase int32
}

// object is the object at an address.
func (r *run) object(address uint32) *object {
	b := r.objects[address]
	if b == nil {
		b = &object{address: address, over: map[int32]clock{}}
		r.objects[address] = b
		r.order = append(r.order, b)
	}
	return b
}

// start puts the object into its initial state. Phases of an earlier life at the address count on, with the parity of the
// first.
func (b *object) start() {
	b.phase += b.phase & 1
	b.pending, b.expected, b.tx = b.count, b.count, 0
	b.now, b.last, b.older, b.waits, b.expects = nil, nil, nil, nil, nil
	clear(b.over)
}

// first reports whether this is the first finding of a kind on an object.
func (b *object) first(check Check) bool {
	was := b.failed[check]
	b.failed[check] = true
	return !was
}

// passed reports whether a contribution comes before what s does now at a position.
func (s *strand) passed(y *contribution) bool {
	if y.refs == nil {
		return s.before(y.s, y.pos)
	}
	for _, f := range y.refs {
		if s.now.of(f.dim) > f.phase {
			return true
		}
	}
	return false
}

// after reports whether a wait or expect at a position comes before a contribution of s now, for each of its lanes before that of
// one lane.
func (s *strand) after(w registration) bool { return w.s == s || s.now.of(w.s.id) >= w.pos }

// contribute is mbarrier.arrive, arrive_drop, expect_tx and complete_tx.
func (r *run) contribute(s *strand, c *Command, pos int32) {
	b := r.objects[c.A]
	if !r.usable(b, s, pos) {
		return
	}
	lanes := bits.OnesCount32(c.Mask & s.lanes)
	arrivals, bytes := int64(c.B), int64(c.C)
	switch c.Kind {
	case MbarComplete:
		arrivals, bytes = 0, -bytes
	case MbarExpect:
		arrivals = 0
	}
	if arrivals == 0 && bytes == 0 {
		return
	}
	key := tokenKey{s.id, uint32(pos - 1)}
	if r.waited[key] {
		r.tokens[key] = b.phase
	}
	r.credit(b, s, pos, contribution{s: s, pos: pos}, arrivals > 0)
	if c.Kind == MbarExpect {
		b.expects = append(b.expects, registration{s, pos})
	}
	if c.Kind == MbarDrop {
		b.expected -= arrivals * int64(lanes)
		if b.expected < 0 {
			r.tooMany(b, s, pos, arrivals)
			return
		}
	}
	r.count(b, s, pos, lanes, arrivals, bytes, c.Kind != MbarExpect)
}

// credit takes a contribution to the current phase: nobody contributes to a phase before the one before it is over for them (C1).
func (r *run) credit(b *object, s *strand, pos int32, x contribution, arrive bool) {
	for i := range b.last {
		if y := &b.last[i]; !s.passed(y) && !r.alikeCommits(y, &x) {
			if b.first(Attribution) {
				r.report(Attribution, b.address, fmt.Sprintf("%s may arrive in %s while phase %d still lacks %s: the arrival then counts for that phase",
					r.who(s), r.barrier(b), b.phase-1, r.who(y.s)), r.point(y.s, y.pos), r.point(s, pos)).again = recheck{how: without, s: s, pos: pos, t: y.s, also: y.pos, was: b.phase, fly: [2]bool{false, y.refs != nil}}
			}
			break
		}
	}
	b.waits = slices.DeleteFunc(b.waits, s.after)
	if arrive {
		b.expects = slices.DeleteFunc(b.expects, s.after)
	}
	b.gathering.add(r, s, pos)
	for i := range b.now {
		if y := &b.now[i]; y.s == s && y.refs == nil && x.refs == nil {
			y.pos = pos
			return
		}
	}
	b.now = append(b.now, x)
}

// alikeCommits reports whether two contributions are commits of one thread to the tensor core. The later one tracks all that the
// earlier one does and arrives with as many, so an execution in which it arrives first is, with the two exchanged, one in which it
// does not.
func (r *run) alikeCommits(y, x *contribution) bool {
	if y.s != x.s {
		return false
	}
	commands := r.p.Warps[x.s.warp].Commands
	c, d := &commands[y.pos-1], &commands[x.pos-1]
	return c.Kind == AsyncArrive && d.Kind == AsyncArrive && c.C == uint32(Tensor) && d.C == c.C && c.Flags&d.Flags&Included != 0 &&
		c.Mask == d.Mask && c.Mask&(c.Mask-1) == 0
}

// count applies the arrivals and bytes of lanes, one lane after the other, and ends the phase when nothing is missing. Lanes of a
// strand may run in any order, so if the phase ends before the last of them, whose contribution is for the next one
// depends on timing.
func (r *run) count(b *object, s *strand, pos int32, lanes int, arrivals, bytes int64, test bool) {
	for i := range lanes {
		if arrivals > b.pending {
			r.tooMany(b, s, pos, arrivals)
			return
		}
		b.pending -= arrivals
		b.tx += bytes
		if b.tx > maxCount || b.tx < -maxCount {
			r.report(Bytes, b.address, fmt.Sprintf("%s has %d transaction bytes outstanding; expected at most %d (PTX ISA 9.7.13.15.2)", r.barrier(b), b.tx, maxCount), r.point(s, pos)).again = recheck{how: whole, s: s, pos: pos}
			r.stopped = true
			return
		}
		switch {
		case !test || b.pending > 0 || b.tx != 0:
		case i+1 < lanes:
			r.report(Attribution, b.address, fmt.Sprintf("%d threads contribute to %s, where phase %d is over after %d of them: whose contribution is for the next phase depends on timing",
				lanes, r.barrier(b), b.phase, i+1), r.point(s, pos)).again = recheck{how: whole, s: s, pos: pos}
			r.stopped = true
			return
		default:
			r.completePhase(b)
		}
	}
}

func (r *run) tooMany(b *object, s *strand, pos int32, arrivals int64) {
	r.report(Arrivals, b.address, fmt.Sprintf("%s arrives in %s with %d, where phase %d lacks %d of %d arrivals; expected no more than are pending",
		r.who(s), r.barrier(b), arrivals, b.phase, b.pending, b.expected), r.point(s, pos)).again = recheck{how: whole, s: s, pos: pos}
	r.stopped = true
}

// completePhase starts the next phase (PTX ISA 9.7.13.15.6).
func (r *run) completePhase(b *object) {
	for _, w := range b.waits {
		if b.first(Phase) {
			r.report(Phase, b.address, fmt.Sprintf("%s may miss that phase %d of %s is over, since phase %d does not wait for it",
				r.who(w.s), b.phase-1, r.barrier(b), b.phase), r.point(w.s, w.pos)).again = recheck{how: held, s: w.s, pos: w.pos, was: b.phase}
		}
	}
	for _, e := range b.expects {
		if b.first(Bytes) {
			r.report(Bytes, b.address, fmt.Sprintf("%s may expect bytes in %s when phase %d is over already, with no arrival of it to come", r.who(e.s), r.barrier(b), b.phase), r.point(e.s, e.pos)).again = recheck{how: held, s: e.s, pos: e.pos, was: b.phase}
		}
	}
	now := b.gathering.close(r)
	now[b.dim], now[r.behind+b.dim] = b.phase+1, b.phase+1
	b.over[b.phase] = now
	delete(b.over, b.phase-2)
	r.node(MbarWait, b.address, int(b.address>>offsetBits), int(b.phase), members(b.now), nil)
	b.older, b.last, b.now = b.last, b.now, nil
	b.waits, b.expects = b.waits[:0], b.expects[:0]
	b.phase++
	b.pending = b.expected
	r.barriers++
	blocked := b.blocked
	b.blocked = nil
	for _, s := range blocked {
		r.wake(s)
	}
}

// members are the strands of contributions.
func members(list []contribution) []registration {
	out := make([]registration, len(list))
	for i, c := range list {
		out[i] = registration{c.s, c.pos}
	}
	return out
}

// wait passes when the phase is over: for a parity, when the current phase has the other one.
func (r *run) wait(s *strand, c *Command, pos int32) bool {
	b := r.objects[c.A]
	if !r.usable(b, s, pos) {
		return true
	}
	open := b.phase&1 != int32(c.C)
	if c.Kind == MbarWaitToken {
		phase, known := r.tokens[tokenKey{s.id, c.C}]
		if !known {
			r.fall(limit.Undefined, "%s with the token of a command that is no arrive", r.does(s, "wait"))
			return false
		}
		open = b.phase > phase
		if b.phase > phase+1 && b.first(Phase) {
			r.report(Phase, b.address, fmt.Sprintf("%s in %s for phase %d with a token, when phase %d is over too; expected a wait before the next phase ends",
				r.does(s, "wait"), r.barrier(b), phase, phase+1), r.point(s, pos)).again = recheck{how: whole, s: s, pos: pos}
		}
	}
	if !open {
		b.blocked = append(b.blocked, s)
		return false
	}
	k := b.phase - 1
	if c.Kind == MbarWait {
		r.notEarly(b, s, pos)
	}
	b.waits = append(b.waits, registration{s, pos})
	if k >= 0 {
		r.acquire(s, pos, r.joinClocks(s.now, b.over[k]))
	}
	r.met(s, MbarWait, b.address, int(k))
	return true
}

// notEarly checks that a wait cannot pass for the phase two before (C3).
func (r *run) notEarly(b *object, s *strand, pos int32) {
	for i := range b.older {
		if y := &b.older[i]; !s.passed(y) {
			if b.first(Phase) {
				r.report(Phase, b.address, fmt.Sprintf("%s may pass its wait for phase %d of %s before phase %d is over, since a parity does not tell phase %d from it",
					r.who(s), b.phase-1, r.barrier(b), b.phase-2, b.phase-3), r.point(y.s, y.pos), r.point(s, pos)).again = recheck{how: without, s: s, pos: pos, t: y.s, also: y.pos, was: b.phase - 1, fly: [2]bool{false, y.refs != nil}}
			}
			return
		}
	}
}

// leftover checks what is in an object at the end (C0).
func (r *run) leftover(b *object) {
	if !b.live || b.tx == 0 || b.armed && b.pending > 0 {
		return
	}
	word := "bytes are expected that nothing brings"
	if b.tx < 0 {
		word = "bytes came that nothing expects"
	}
	points := []Point{}
	for _, y := range b.now {
		points = append(points, r.point(y.s, y.pos))
	}
	r.report(Bytes, b.address, fmt.Sprintf("phase %d of %s is left with %d transaction bytes at the end: %s", b.phase, r.barrier(b), b.tx, word), points...).again = recheck{how: whole, s: r.strands[0], pos: 1}
}
