package order

import "slices"

// oracle searches all interleavings of a program's lanes, one command at a time: the plain meaning of the commands, written apart
// from the engine. Every lane is a process of its own, and so is every asynchronous operation.
type oracle struct {
	p      *Program
	lanes  []procLane
	named  []namedKey
	mbars  []uint32
	starts []procStart // commands that start an operation, and arrives that have a token
	seen   map[string]bool
	states int
	limit  int

	credits map[[3]int]int // generation or phase of each command, by lane, index and effect
	unequal bool           // two executions credit a command differently
	stuck   bool           // an execution stops with lanes that wait
	bad     map[Check]bool // errors that an execution runs into
	uneven  bool           // bytes are left over at the end
	race    bool
}

type procLane struct{ warp, lane, cta int }

type procStart struct{ lane, index int }

// world is a state: for each lane its next command, whether it is registered in the barrier there, and its cluster arrivals; for
// each named barrier count, units and generation; for each mbarrier phase, pending and expected counts and bytes; for each start
// whether its operation goes on, and the phase of its token; generation and arrivals of the cluster barrier.
type world []int8

func (o *oracle) at(w world, i int) *int8      { return &w[3*i] }
func (o *oracle) in(w world, i int) *int8      { return &w[3*i+1] }
func (o *oracle) turns(w world, i int) *int8   { return &w[3*i+2] }
func (o *oracle) barrier(w world, i int) world { return w[3*len(o.lanes)+3*i:][:3] }
func (o *oracle) mbar(w world, i int) world {
	return w[3*len(o.lanes)+3*len(o.named)+4*i:][:4]
}
func (o *oracle) start(w world, i int) world {
	return w[3*len(o.lanes)+3*len(o.named)+4*len(o.mbars)+2*i:][:2]
}
func (o *oracle) gen(w world) *int8 { return &w[len(w)-2] }
func (o *oracle) met(w world) *int8 { return &w[len(w)-1] }

func search(p *Program, limit int) *oracle {
	o := &oracle{p: p, seen: map[string]bool{}, limit: limit, credits: map[[3]int]int{}, bad: map[Check]bool{}}
	for i, warp := range p.Warps {
		for l := range 32 {
			if warp.Lanes>>l&1 != 0 {
				o.lanes = append(o.lanes, procLane{i, l, warp.CTA})
			}
		}
	}
	for i, q := range o.lanes {
		for index, c := range p.Warps[q.warp].Commands {
			switch c.Kind {
			case NamedArrive, NamedSync:
				if k := (namedKey{q.cta, c.A}); !slices.Contains(o.named, k) {
					o.named = append(o.named, k)
				}
			case AsyncCopy, AsyncArrive, MbarArrive:
				if c.Mask>>q.lane&1 != 0 {
					o.starts = append(o.starts, procStart{i, index})
				}
			}
		}
	}
	for _, b := range p.Objects {
		o.mbars = append(o.mbars, b.Address)
	}
	w := make(world, 3*len(o.lanes)+3*len(o.named)+4*len(o.mbars)+2*len(o.starts)+2)
	for i, b := range p.Objects {
		copy(o.mbar(w, i), world{0, int8(b.Count), int8(b.Count), 0})
	}
	for i := range o.lanes {
		o.skip(w, i)
	}
	o.visit(w)
	return o
}

// skip moves a lane over commands that it does not run.
func (o *oracle) skip(w world, i int) {
	p := o.lanes[i]
	c := o.p.Warps[p.warp].Commands
	for at := o.at(w, i); int(*at) < len(c) && c[*at].Mask>>p.lane&1 == 0; {
		*at++
	}
}

func (o *oracle) command(w world, i int) *Command {
	c := o.p.Warps[o.lanes[i].warp].Commands
	if at := int(*o.at(w, i)); at < len(c) {
		return &c[at]
	}
	return nil
}

// object is the mbarrier at an address.
func (o *oracle) object(w world, at uint32) world { return o.mbar(w, slices.Index(o.mbars, at)) }

// started is what a command of a lane started.
func (o *oracle) started(w world, lane, index int) world {
	return o.start(w, slices.Index(o.starts, procStart{lane, index}))
}

func (o *oracle) visit(w world) {
	key := make([]byte, len(w))
	for i, x := range w {
		key[i] = byte(x)
	}
	if o.seen[string(key)] || o.states > o.limit {
		return
	}
	o.seen[string(key)] = true
	o.states++
	if !o.race {
		o.races(w)
	}
	moved, ended := false, true
	try := func(do func(v world) (Check, bool)) {
		moved = true
		v := slices.Clone(w)
		if check, bad := do(v); bad {
			o.bad[check] = true
			return
		}
		o.visit(v)
	}
	for i := range o.lanes {
		if c := o.command(w, i); c != nil {
			ended = false
			if *o.in(w, i) == 0 && o.enabled(w, i, c) {
				try(func(v world) (Check, bool) { return o.step(v, i, c) })
			}
		}
	}
	for k, f := range o.starts {
		if o.start(w, k)[0] != 0 && !o.waits(w, f) {
			try(func(v world) (Check, bool) { o.start(v, k)[0] = 0; return o.complete(v, f) })
		}
	}
	switch {
	case moved:
	case !ended:
		o.stuck = true
	default:
		for i := range o.mbars {
			o.uneven = o.uneven || o.mbar(w, i)[3] != 0
		}
	}
}

// waits reports whether an arrival waits for operations that its lane issued before.
func (o *oracle) waits(w world, f procStart) bool {
	warp := o.p.Warps[o.lanes[f.lane].warp]
	c := &warp.Commands[f.index]
	if c.Kind != AsyncArrive {
		return false
	}
	for k, g := range o.starts {
		if g.lane != f.lane || g.index >= f.index || o.start(w, k)[0] == 0 {
			continue
		}
		if op := &warp.Commands[g.index]; op.Kind == AsyncCopy && len(warp.copies[op.C].Effects) == 0 && uint32(warp.copies[op.C].Unit) == c.C {
			return true
		}
	}
	return false
}

// credit takes down what a command contributed to, or waited for.
func (o *oracle) credit(i, index, effect int, generation int8) {
	k := [3]int{i, index, effect}
	if old, ok := o.credits[k]; ok && old != int(generation) {
		o.unequal = true
	}
	o.credits[k] = int(generation)
}

func (o *oracle) enabled(w world, i int, c *Command) bool {
	switch c.Kind {
	case MbarWait:
		return o.object(w, c.A)[0]&1 != int8(c.C)
	case MbarWaitToken:
		return o.object(w, c.A)[0] > o.started(w, i, int(c.C))[1]
	case ClusterWait:
		return *o.gen(w) >= *o.turns(w, i)
	case AsyncWait:
		for k, f := range o.starts {
			if f.lane == i && o.start(w, k)[0] != 0 && o.inGroup(f, int(*o.at(w, i)), c) {
				return false
			}
		}
	}
	return true
}

// inGroup reports whether an operation belongs to a group that a wait_group at an index waits for.
func (o *oracle) inGroup(f procStart, index int, c *Command) bool {
	w := o.p.Warps[o.lanes[f.lane].warp]
	op := &w.Commands[f.index]
	if op.Kind != AsyncCopy || uint32(w.copies[op.C].Unit) != c.C || len(w.copies[op.C].Effects) > 0 {
		return false
	}
	commits := 0
	for k := f.index; k < index; k++ {
		if x := &w.Commands[k]; x.Kind == AsyncCommit && x.C == c.C && x.Mask>>o.lanes[f.lane].lane&1 != 0 {
			commits++
		}
	}
	return commits > int(c.B)
}

func (o *oracle) step(w world, i int, c *Command) (Check, bool) {
	at := int(*o.at(w, i))
	switch c.Kind {
	case NamedArrive, NamedSync:
		return o.register(w, i, c)
	case WarpSync:
		o.warp(w, i, c)
		return 0, false
	case ClusterArrive:
		*o.turns(w, i)++
		*o.met(w)++
		o.cluster(w)
	case MbarArrive, MbarDrop, MbarExpect, MbarComplete:
		if check, bad := o.contribute(w, i, c); bad {
			return check, bad
		}
	case MbarWait, MbarWaitToken:
		o.credit(i, at, 0, o.object(w, c.A)[0]-1)
	case AsyncCopy, AsyncArrive:
		o.started(w, i, at)[0] = 1
		if c.Kind == AsyncArrive && c.Flags&Included == 0 {
			b := o.object(w, c.A)
			b[1]++
			o.credit(i, at, 1, b[0])
		}
	}
	o.move(w, i)
	return 0, false
}

// warp is the barrier of lanes of a warp.
func (o *oracle) warp(w world, i int, c *Command) {
	*o.in(w, i) = 1
	at := *o.at(w, i)
	var all []int
	for j, q := range o.lanes {
		if q.warp == o.lanes[i].warp && c.Mask>>q.lane&1 != 0 {
			if *o.in(w, j) == 0 || *o.at(w, j) != at {
				return
			}
			all = append(all, j)
		}
	}
	for _, j := range all {
		o.move(w, j)
	}
}

// move takes a lane to its next command; at the end it exits.
func (o *oracle) move(w world, i int) {
	*o.in(w, i) = 0
	*o.at(w, i)++
	o.skip(w, i)
	if o.command(w, i) != nil {
		return
	}
	if *o.turns(w, i) > *o.gen(w) {
		*o.met(w)--
	}
	o.cluster(w)
	for k, key := range o.named {
		if b := o.barrier(w, k); key.cta == o.lanes[i].cta && b[0] == 0 && b[1] > 0 {
			o.meet(w, k)
		}
	}
}

func (o *oracle) live(w world, cta int) (n int8) {
	for i, p := range o.lanes {
		if (cta < 0 || p.cta == cta) && o.command(w, i) != nil {
			n++
		}
	}
	return n
}

func (o *oracle) cluster(w world) {
	if *o.met(w) > 0 && *o.met(w) >= o.live(w, -1) {
		*o.met(w) = 0
		*o.gen(w)++
	}
}

func (o *oracle) register(w world, i int, c *Command) (Check, bool) {
	k := slices.Index(o.named, namedKey{o.lanes[i].cta, c.A})
	b := o.barrier(w, k)
	if b[1] == 0 {
		b[0] = int8(c.C)
	} else if b[0] != int8(c.C) {
		return Counts, true
	}
	b[1]++
	o.credit(i, int(*o.at(w, i)), 0, b[2])
	if c.Kind == NamedSync {
		*o.in(w, i) = 1
	}
	o.meet(w, k)
	if c.Kind == NamedArrive {
		o.move(w, i)
	}
	return 0, false
}

func (o *oracle) meet(w world, k int) {
	key, b := o.named[k], o.barrier(w, k)
	need := b[0]
	if need == 0 {
		need = o.live(w, key.cta)
	}
	if b[1] < need {
		return
	}
	b[1] = 0
	b[2]++
	for j, q := range o.lanes {
		if *o.in(w, j) != 0 && q.cta == key.cta {
			if c := o.command(w, j); c.Kind == NamedSync && c.A == key.id {
				o.move(w, j)
			}
		}
	}
}

func (o *oracle) contribute(w world, i int, c *Command) (Check, bool) {
	b := o.object(w, c.A)
	arrivals, bytes := int8(c.B), int8(c.C)
	switch c.Kind {
	case MbarComplete:
		arrivals, bytes = 0, -bytes
	case MbarExpect:
		arrivals = 0
	case MbarDrop:
		if b[2] -= arrivals; b[2] < 0 {
			return Arrivals, true
		}
	}
	if arrivals == 0 && bytes == 0 {
		return 0, false
	}
	at := int(*o.at(w, i))
	o.credit(i, at, 0, b[0])
	if c.Kind == MbarArrive {
		o.started(w, i, at)[1] = b[0]
	}
	return apply(b, arrivals, bytes, c.Kind != MbarExpect)
}

func apply(b world, arrivals, bytes int8, test bool) (Check, bool) {
	if arrivals > b[1] {
		return Arrivals, true
	}
	b[1] -= arrivals
	b[3] += bytes
	if test && b[1] == 0 && b[3] == 0 {
		b[0]++
		b[1] = b[2]
	}
	return 0, false
}

func (o *oracle) complete(w world, f procStart) (Check, bool) {
	warp := o.p.Warps[o.lanes[f.lane].warp]
	c := &warp.Commands[f.index]
	if c.Kind == AsyncArrive {
		b := o.object(w, c.A)
		o.credit(f.lane, f.index, 0, b[0])
		return apply(b, 1, 0, true)
	}
	for n, e := range warp.copies[c.C].Effects {
		if e.Bytes == 0 && e.Arrivals == 0 {
			continue
		}
		b := o.object(w, e.Mbar)
		o.credit(f.lane, f.index, n, b[0])
		if check, bad := apply(b, int8(e.Arrivals), -int8(e.Bytes), true); bad {
			return check, bad
		}
	}
	return 0, false
}
