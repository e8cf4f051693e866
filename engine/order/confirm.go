package order

import (
	"math/bits"
	"time"
)

// recheck is how a finding is run again.
type recheck struct {
	how  how
	who  string // of a race: its text, but for what does not order it
	s, t *strand
	pos  int32 // of the command of s
	also int32 // of that of t
	from []clock
	was  int32   // the generation or phase in the execution that was looked at
	lane [2]int  // of both
	fly  [2]bool // of both: it is an operation that goes on
}

type how uint8

const (
	plainly how = iota // a fact about commands: nothing to run
	whole              // the execution that was looked at runs into it
	twice              // in it, both commands are of one generation
	without            // run all but the second command and what must come after it: the first is of another generation then, or the second's goes by
	held               // run all but the command and what must come after it: the phase goes by
	unready            // run what must come before the command: the init has not run then
	both               // run what must come before the two commands: both can run then
	gone               // run all but the command: all threads of a CTA have exited then
)

// maxReplay is how many steps all findings of a program may take together.
const maxReplay = 1 << 28

// confirm runs the findings again, and keeps those that happen.
func (r *run) confirm() {
	kept := r.findings[:0]
	r.sure = [Checks]int{}
	left := maxReplay
	if len(r.findings) > 0 {
		r.events = r.p.events()
	}
	for i := range r.findings {
		f := &r.findings[i]
		if f.Benign {
			kept = append(kept, *f)
			continue
		}
		if f.again.how != plainly && r.sure[f.Check] > 0 && time.Now().After(r.until) {
			continue // one of the check is shown; there is no time for more
		}
		if f.again.how != plainly && left > 0 {
			steps, happens := r.happens(f, false)
			if left -= steps; !happens && f.InOneWarp() && f.again.fly == [2]bool{} && left > 0 { // lanes may meet between to exchange values: that orders the two in time, and no memory (PTX ISA 9.7.9.6)
				if steps, happens = r.happens(f, true); happens && r.handsOver(f) {
					f.Timed = true
					f.Text = f.again.who + "lanes exchange values between, which orders no memory"
				} else if happens {
					r.timed, happens = true, false
				}
				left -= steps
			}
			if !happens {
				r.unsure[f.Check]++
				continue
			}
		} else if f.again.how != plainly && r.sure[f.Check] == 0 {
			r.unsure[f.Check]++
			continue
		}
		r.sure[f.Check]++
		kept = append(kept, *f)
	}
	r.findings = kept
}

// handsOver reports whether the first of two accesses of a warp is a write. A value that was read before lanes met changes no more.
func (r *run) handsOver(f *Finding) bool {
	first := min(f.Points[0].Index, f.Points[1].Index)
	return r.p.Warps[f.Points[0].Warp].Commands[first].Kind == Write
}

// happens runs a finding again; apart, lanes of a warp do not wait for each other where they exchange values.
func (r *run) happens(f *Finding, apart bool) (steps int, yes bool) {
	x, c := newReplayer(r.p, r.events), &f.again
	x.apart = apart
	if r.sure[f.Check] < maxTold {
		x.trace = &tracer{p: r.p}
	}
	limits := r.limits(c)
	if c.how == without && c.fly[1] {
		x.hold = append(x.hold, r.point(c.t, c.also))
	}
	if c.how == both {
		for i, p := range f.Points {
			if c.fly[i] { // it is issued, and goes on
				x.hold = append(x.hold, p)
				limits[p.Warp][p.Lane] = max(limits[p.Warp][p.Lane], int32(p.Index)+1)
			}
		}
	}
	r.play(x, limits)
	if yes = r.seen(x, f); yes && x.trace != nil {
		f.Trace = x.end()
	}
	return x.steps, yes
}

// limits are, for every lane, the command that it is to stop before.
func (r *run) limits(c *recheck) [][32]int32 {
	out := make([][32]int32, len(r.p.Warps))
	for _, s := range r.strands {
		n := int32(len(r.p.Warps[s.warp].Commands))
		if c.how == unready || c.how == both {
			n = 0
			for _, k := range c.from {
				n = max(n, k.of(s.id))
			}
		}
		for m := s.lanes; m != 0; m &= m - 1 {
			out[s.warp][bits.TrailingZeros32(m)] = n
		}
	}
	stop := func(s *strand, pos int32, lane int) {
		w := r.p.Warps[s.warp]
		lanes := uint32(1) << lane
		if k := w.Commands[pos-1].Kind; (k == NamedArrive || k == NamedSync) && r.p.WholeWarps {
			lanes = w.Commands[pos-1].Mask
		}
		for m := lanes; m != 0; m &= m - 1 {
			out[s.warp][bits.TrailingZeros32(m)] = pos - 1
		}
	}
	if c.how == both {
		r.lastMeeting(c.s, c.pos, out)
		r.lastMeeting(c.t, c.also, out)
	}
	switch {
	case c.how == both:
		if !c.fly[0] { // what goes on does not hold its lane up
			stop(c.s, c.pos, c.lane[0])
		}
		if !c.fly[1] {
			stop(c.t, c.also, c.lane[1])
		}
	case c.how == without && !c.fly[1]:
		stop(c.t, c.also, r.point(c.t, c.also).Lane)
	case c.how > without:
		stop(c.s, c.pos, r.point(c.s, c.pos).Lane)
	}
	return out
}

// lastMeeting lets the lanes of a warp come to the last collective before a command of it: of several one behind the other the clock has
// the first alone (meetInTime). An arrival that they run together is not in the clock of each other at all.
func (r *run) lastMeeting(s *strand, pos int32, limits [][32]int32) {
	w := r.p.Warps[s.warp]
	for i := pos - 2; i >= 0; i-- {
		c := &w.Commands[i]
		if c.Kind.Access() || c.Mask&s.lanes == 0 {
			continue
		}
		if c.Kind == WarpMeet || c.Kind == NamedArrive && r.p.WholeWarps {
			for m := c.Mask & w.Lanes; m != 0; m &= m - 1 {
				limit := &limits[s.warp][bits.TrailingZeros32(m)]
				*limit = max(*limit, i+1)
			}
		}
		return
	}
}

// play runs lanes up to their limits, in the order of the execution that was looked at, and then in any.
func (r *run) play(x *replayer, limits [][32]int32) {
	some := func(s *strand, until int32) {
		limit := limits[s.warp]
		for l := range limit {
			limit[l] = min(limit[l], until)
		}
		x.run(s.warp, s.lanes, &limit)
	}
	for _, t := range r.schedule {
		some(r.strands[t.strand], t.to)
	}
	for before := -1; before != x.moves && !x.over; {
		before = x.moves
		for _, s := range r.strands {
			some(s, int32(len(r.p.Warps[s.warp].Commands)))
		}
	}
}

// seen reports whether a replay shows what was found.
func (r *run) seen(x *replayer, f *Finding) bool {
	c := &f.again
	here := x.warps[c.s.warp].next[r.point(c.s, c.pos).Lane] == c.pos-1
	switch c.how {
	case whole:
		return r.seenWhole(x, f)
	case twice:
		w := &x.warps[c.s.warp]
		return w.credited[int64(c.pos-1)] == w.credited[int64(c.also-1)]
	case without:
		return x.over && x.wrong != Lifetime || r.seenWithout(x, f)
	case held:
		b := x.mbars[f.Object]
		return b != nil && b.phase > c.was && here
	case gone:
		for i, w := range r.p.Warps {
			if w.CTA == int(f.Object>>offsetBits) && x.live[i] > 0 {
				return false
			}
		}
		return here
	case unready:
		return here && x.warps[c.t.warp].next[r.point(c.t, c.also).Lane] < c.also
	}
	for i, q := range f.Points {
		n, pos := x.warps[q.Warp].next[q.Lane], int32(q.Index)
		if c.fly[i] && n <= pos || !c.fly[i] && n != pos {
			return false
		}
	}
	return !x.over
}

// seenWithout reports whether, without the second command, the first is of another generation than in the execution that was
// looked at, or the generation of the second is over.
func (r *run) seenWithout(x *replayer, f *Finding) bool {
	c := &f.again
	w := r.p.Warps[c.s.warp]
	command := &w.Commands[c.pos-1]
	key := creditKey(c.pos-1, 0)
	if command.Kind == AsyncCopy {
		for n, e := range w.copies[command.C].Effects {
			if e.Mbar == f.Object {
				key = creditKey(c.pos-1, n)
			}
		}
	}
	if got, ran := x.warps[c.s.warp].credited[key]; ran && got != c.was {
		return true
	}
	if command.Kind == NamedArrive || command.Kind == NamedSync {
		b := x.named[namedKey{c.s.cta, command.A}]
		return b != nil && int32(b.generation) >= c.was
	}
	b := x.mbars[f.Object]
	return b != nil && b.phase >= c.was
}

// seenWhole reports whether the execution that was looked at runs into what was found.
func (r *run) seenWhole(x *replayer, f *Finding) bool {
	c := &f.again
	switch f.Check {
	case Deadlock:
		for _, p := range f.Points {
			if x.over || int(x.warps[p.Warp].next[p.Lane]) != p.Index {
				return false
			}
		}
		return len(f.Points) > 0
	case Recycling, Attribution, Phase:
		return x.over || x.mixed[[2]int32{int32(c.s.warp), c.pos - 1}]
	case Bytes:
		b := x.mbars[f.Object]
		return x.over && x.wrong == Bytes || b != nil && b.tx != 0
	}
	return x.over && x.wrong == f.Check
}
