package order

import "math/bits"

// replayer executes a program lane by lane: the plain meaning of the commands, with no clocks and no strands. What the engine
// finds counts only if it happens here. Asynchronous operations complete where they are issued, but for one that is held.
type replayer struct {
	p       *Program
	events  [][]int32 // of each warp, see [Program.events]
	warps   []replayed
	named   map[namedKey]*replayedNamed
	mbars   map[uint32]*replayedMbar
	cluster struct{ generation, arrived int }
	live    []int             // lanes of each warp that have not exited
	units   []int             // threads of each CTA that have not exited, as named barriers count them
	threads int               // of the cluster that have not exited
	hold    []Point           // operations that do not complete
	mixed   map[[2]int32]bool // commands, by warp and index, whose lanes contributed to different generations
	wrong   Check             // what the execution ran into, with over
	over    bool
	apart   bool    // lanes do not wait for each other in a WarpMeet
	steps   int     // tried
	moves   int     // done
	trace   *tracer // nil: nobody asks
}

// replayed is where the lanes of a warp are.
type replayed struct {
	next     [32]int32
	in       uint32 // lanes that are registered in the barrier they stand at
	came     uint32 // lanes that have come to the named barrier they stand at, and wait for the others of the warp
	arrived  [32]int32
	lastBar  [32]int32       // last named barrier of each lane
	credited map[int64]int32 // generation or phase of each command, by creditKey
}

type replayedNamed struct {
	open              bool
	count             uint32
	units, generation int
}

type replayedMbar struct {
	live, invalid         bool // invalid: it was, until mbarrier.inval
	phase                 int32
	pending, expected, tx int64
}

func newReplayer(p *Program, events [][]int32) *replayer {
	x := &replayer{p: p, events: events, warps: make([]replayed, len(p.Warps)), live: make([]int, len(p.Warps)), units: make([]int, p.CTAs), mixed: map[[2]int32]bool{}, named: map[namedKey]*replayedNamed{}, mbars: map[uint32]*replayedMbar{}}
	for _, o := range p.Objects {
		x.mbars[o.Address] = &replayedMbar{live: true, pending: int64(o.Count), expected: int64(o.Count)}
	}
	for i, w := range p.Warps {
		x.live[i] = bits.OnesCount32(w.Lanes)
		x.threads += x.live[i]
		x.units[w.CTA] += x.live[i]
		if p.WholeWarps {
			x.units[w.CTA] += 32 - x.live[i]
		}
		for l := range x.warps[i].lastBar {
			x.warps[i].lastBar[l] = -1
		}
		for n := range w.Commands {
			c := &w.Commands[n]
			switch c.Kind {
			case NamedArrive, NamedSync:
				for m := c.Mask; m != 0; m &= m - 1 {
					x.warps[i].lastBar[bits.TrailingZeros32(m)] = int32(n)
				}
			case MbarInit:
				if x.mbars[c.A] == nil { // in its initial state from the start (usable)
					x.mbars[c.A] = &replayedMbar{pending: int64(c.B), expected: int64(c.B)}
				}
			}
		}
		for m := w.Lanes; m != 0; m &= m - 1 {
			x.skip(i, bits.TrailingZeros32(m))
		}
	}
	for i, w := range p.Warps {
		for m := w.Lanes; m != 0; m &= m - 1 {
			if x.exited(i, bits.TrailingZeros32(m)) {
				x.exit(i)
			}
		}
	}
	return x
}

// events are, for each command of each warp, the next from it on that is no access, or how many commands there are: accesses hold nobody up, and change nothing that holds anybody up.
func (p *Program) events() [][]int32 {
	out := make([][]int32, len(p.Warps))
	for i, w := range p.Warps {
		next := int32(len(w.Commands))
		out[i] = make([]int32, next)
		for n := next - 1; n >= 0; n-- {
			if !w.Commands[n].Kind.Access() {
				next = n
			}
			out[i][n] = next
		}
	}
	return out
}

// exit takes a lane out of those that barriers of all threads wait for.
func (x *replayer) exit(warp int) {
	cta := x.p.Warps[warp].CTA
	x.threads--
	x.live[warp]--
	switch {
	case !x.p.WholeWarps:
		x.units[cta]--
	case x.live[warp] == 0:
		x.units[cta] -= 32
	}
}

// skip moves a lane over commands that it does not run.
func (x *replayer) skip(warp, l int) {
	c := x.p.Warps[warp].Commands
	n := x.warps[warp].next[l]
	for ; int(n) < len(c) && c[n].Mask>>l&1 == 0; n++ {
	}
	x.warps[warp].next[l] = n
}

// run lets lanes of a warp go on, those behind first, until they block or stand before the commands at their limits.
func (x *replayer) run(warp int, lanes uint32, limit *[32]int32) {
	w := &x.warps[warp]
	for going := lanes; going != 0 && !x.over; {
		first := int32(1<<31 - 1)
		for m := going; m != 0; m &= m - 1 {
			first = min(first, w.next[bits.TrailingZeros32(m)])
		}
		for m := going; m != 0 && !x.over; m &= m - 1 {
			if l := bits.TrailingZeros32(m); w.next[l] == first && (first >= limit[l] || !x.step(warp, l, limit[l])) {
				going &^= 1 << l
			}
		}
	}
}

// move takes a lane to its next command.
func (x *replayer) move(warp, l int) { x.moveTo(warp, l, x.warps[warp].next[l]+1) }

// moveTo takes a lane to its first command from one on; at the end it exits.
func (x *replayer) moveTo(warp, l int, n int32) {
	w := &x.warps[warp]
	x.moves++
	w.in &^= 1 << l
	w.came &^= 1 << l
	w.next[l] = n
	x.skip(warp, l)
	if x.exited(warp, l) {
		x.exit(warp)
		if w.arrived[l] > int32(x.cluster.generation) {
			x.cluster.arrived--
		}
		x.meetCluster()
		for key, b := range x.named {
			if key.cta == x.p.Warps[warp].CTA && b.open && b.count == 0 {
				x.meet(key, b)
			}
		}
	}
}

func (x *replayer) exited(warp, l int) bool {
	return int(x.warps[warp].next[l]) >= len(x.p.Warps[warp].Commands)
}

// step executes the next command of a lane, and accesses behind it that stand before the command at its limit; false if it blocks or ends.
func (x *replayer) step(warp, l int, limit int32) bool {
	if x.exited(warp, l) || x.warps[warp].in>>l&1 != 0 || x.warps[warp].came>>l&1 != 0 {
		return false
	}
	x.steps++
	n := x.warps[warp].next[l]
	c := &x.p.Warps[warp].Commands[n]
	if c.Kind.Access() {
		x.moveTo(warp, l, min(x.events[warp][n], limit))
		return true
	}
	switch c.Kind {
	case NamedArrive, NamedSync:
		return x.come(warp, l, c)
	case WarpSync, WarpMeet:
		if c.Kind == WarpSync || !x.apart {
			return x.comeWarp(warp, l, n, c)
		}
	case ClusterArrive:
		x.warps[warp].arrived[l]++
		x.cluster.arrived++
		x.tell(warp, l, c)
		x.meetCluster()
	case ClusterWait:
		if int32(x.cluster.generation) < x.warps[warp].arrived[l] {
			return false
		}
	case MbarWait, MbarWaitToken:
		if !x.passes(warp, n, c) {
			return false
		}
		x.tell(warp, l, c)
	default:
		x.change(warp, n, c)
		x.tell(warp, l, c)
		if x.over {
			return false
		}
	}
	x.move(warp, l)
	return true
}

// passes reports whether a wait passes now.
func (x *replayer) passes(warp int, n int32, c *Command) bool {
	b := x.mbars[c.A]
	if b == nil {
		x.fail(Lifetime)
		return false
	}
	if c.Kind == MbarWaitToken {
		phase := x.warps[warp].credited[int64(c.C)]
		if b.phase > phase+1 {
			x.mixed[[2]int32{int32(warp), n}] = true
		}
		return b.phase > phase
	}
	if b.phase&1 == int32(c.C) {
		return false
	}
	x.credit(warp, n, 0, b.phase-1)
	return true
}

// creditKey names an effect of a command; 0 is the command's own.
func creditKey(n int32, effect int) int64 { return int64(effect)<<32 | int64(n) }

func (x *replayer) credit(warp int, n int32, effect int, generation int32) {
	w := &x.warps[warp]
	if w.credited == nil {
		w.credited = map[int64]int32{}
	}
	if old, ok := w.credited[creditKey(n, effect)]; ok && old != generation {
		x.mixed[[2]int32{int32(warp), n}] = true
	}
	w.credited[creditKey(n, effect)] = generation
}

func (x *replayer) fail(check Check) { x.over, x.wrong = true, check }

// change executes a command on an mbarrier, or an asynchronous one, of one lane.
func (x *replayer) change(warp int, n int32, c *Command) {
	switch c.Kind {
	case MbarInit, MbarInval:
		x.initialise(c)
	case MbarArrive, MbarDrop, MbarExpect, MbarComplete:
		if b := x.mbars[c.A]; b == nil {
			x.fail(Lifetime)
		} else {
			x.credit(warp, n, 0, b.phase)
			x.contribute(b, c)
		}
	case AsyncArrive:
		if b := x.mbars[c.A]; b == nil {
			x.fail(Lifetime)
		} else if x.credit(warp, n, 0, b.phase); c.Flags&Included != 0 {
			x.apply(b, 1, 0, true)
		}
	case AsyncCopy:
		for _, h := range x.hold {
			if h.Warp == warp && h.Index == int(n) {
				return
			}
		}
		for i, e := range x.p.Warps[warp].copies[c.C].Effects {
			b := x.mbars[e.Mbar]
			switch {
			case e.Bytes == 0 && e.Arrivals == 0:
			case b == nil:
				x.fail(Lifetime)
			default:
				x.credit(warp, n, i, b.phase)
				x.apply(b, int64(e.Arrivals), -int64(e.Bytes), true)
			}
		}
	}
}

func (x *replayer) initialise(c *Command) {
	b := x.mbars[c.A]
	if c.Kind == MbarInval {
		if b != nil {
			b.live, b.invalid = false, true
		}
		return
	}
	switch {
	case b.live:
		x.fail(Lifetime) // what it is worth after that is not said
		return
	case b.invalid: // another life: its phases count on, with the parity of the first
		b.phase += b.phase & 1
		b.pending, b.expected, b.tx = int64(c.B), int64(c.B), 0
	}
	b.live = true
}

func (x *replayer) contribute(b *replayedMbar, c *Command) {
	arrivals, bytes := int64(c.B), int64(c.C)
	switch c.Kind {
	case MbarComplete:
		arrivals, bytes = 0, -bytes
	case MbarExpect:
		arrivals = 0
	case MbarDrop:
		if b.expected -= arrivals; b.expected < 0 {
			x.fail(Arrivals)
			return
		}
	}
	x.apply(b, arrivals, bytes, c.Kind != MbarExpect)
}

func (x *replayer) apply(b *replayedMbar, arrivals, bytes int64, test bool) {
	if arrivals > b.pending {
		x.fail(Arrivals)
		return
	}
	b.pending -= arrivals
	b.tx += bytes
	if b.tx > maxCount || b.tx < -maxCount {
		x.fail(Bytes)
		return
	}
	if test && b.pending == 0 && b.tx == 0 && (arrivals != 0 || bytes != 0) {
		b.phase++
		b.pending = b.expected
	}
}

// comeWarp brings a lane to the barrier of its warp.
func (x *replayer) comeWarp(warp, l int, n int32, c *Command) bool {
	w := &x.warps[warp]
	w.in |= 1 << l
	for m := c.Mask; m != 0; m &= m - 1 {
		if k := bits.TrailingZeros32(m); w.in>>k&1 == 0 || w.next[k] != n {
			return false
		}
	}
	for m := c.Mask; m != 0; m &= m - 1 {
		x.move(warp, bits.TrailingZeros32(m))
	}
	return true
}

func (x *replayer) meetCluster() {
	if x.cluster.arrived > 0 && x.cluster.arrived >= x.threads {
		x.cluster.generation++
		x.cluster.arrived = 0
	}
}

// tell adds a step to the trace, if there is one.
func (x *replayer) tell(warp, l int, c *Command) {
	if x.trace == nil {
		return
	}
	var text string
	var after []Standing
	switch c.Kind {
	case NamedArrive, NamedSync, ClusterArrive:
		text, after = x.standing(c, x.p.Warps[warp].CTA)
	case MbarWait, MbarWaitToken:
		text, after = x.standing(c, 0)
		text = "passes: " + text
	case AsyncCopy:
		if effects := x.p.Warps[warp].copies[c.C].Effects; len(effects) > 0 && x.mbars[effects[0].Mbar] != nil {
			text, after = x.trace.mbarrier(effects[0].Mbar, x.mbars[effects[0].Mbar])
			text = "completes: " + text
		}
	default:
		if b := x.mbars[c.A]; b != nil && c.Kind != AsyncCommit && c.Kind != AsyncWait {
			text, after = x.trace.mbarrier(c.A, b)
		}
	}
	if text != "" {
		x.trace.note(warp, l, c, text, after)
	}
}
