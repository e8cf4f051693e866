package ir

import "slices"

// Strong reports whether an access says that others may write there at the same time (PTX ISA 8.3, 8.4).
func (in *Inst) Strong() bool {
	return in.Op == Atomic || in.Order != Weak || in.Flags&Changes != 0
}

// Polls are the reads of memory by which a loop waits: what they find says whether there is another round, and they are strong,
// or each round reads the same address. One that takes a ticket waits for nobody. What decides whether a round notes that the loop ends says so, too, if it is strong. A compare-and-swap with what was read before ends the loop unless another thread came between. A loop that compares what it finds there with what it finds at other places in turn looks for something, and one that compares it with how often it went round counts.
func (c *Kernel) Polls() map[int32]bool {
	out := map[int32]bool{}
	fl := c.Flow()
	for _, l := range c.Loops() {
		for _, b := range l.Blocks {
			if !slices.ContainsFunc(fl.Next(b), func(next int32) bool { return !l.Has(next) }) {
				continue
			}
			seen := c.madeIn(l, fl.Last(b))
			polls, searches := c.reads(l, seen)
			counts := false
			for k := range seen {
				counts = counts || c.Insts[k].Op == Add && c.madeIn(l, k)[k]
			}
			for _, k := range polls {
				if c.Insts[k].Strong() && !c.boundsCount(l, seen, k) || !c.Insts[k].Strong() && !searches && !counts {
					out[k] = true
				}
			}
			seen = c.decidedIn(l, fl.Last(b))
			polls, _ = c.reads(l, seen)
			for _, k := range polls {
				if c.Insts[k].Strong() && !c.boundsCount(l, seen, k) {
					out[k] = true
				}
			}
		}
	}
	return out
}

// WaitsInside reports whether a poll is of shared memory, by a loop in which the threads of the CTA do not meet: what one of them writes lets another one go on. Lanes that meet in the
// loop, and one of which writes there in it, hand something to each other.
func (c *Kernel) WaitsInside(poll int32) bool {
	in := &c.Insts[poll]
	if in.Space != Shared && (in.Space != Generic || !c.FromShared(in)) {
		return false
	}
	l := c.Innermost(poll)
	if l == nil {
		return true
	}
	lanes := c.some(l, func(k int32) bool { return c.Insts[k].Op == BarrierWarp })
	return !c.meetsIn(l) && !(lanes && in.Op == Load && c.some(l, func(k int32) bool { return c.Insts[k].Op == Store && c.mayMeet(k, poll) }))
}

// meetsIn reports whether the threads of a CTA may meet in a loop.
func (c *Kernel) meetsIn(l *Loop) bool {
	return c.some(l, func(k int32) bool { return c.Insts[k].Op == BarrierCTA })
}

// some reports whether an instruction of a loop is as asked.
func (c *Kernel) some(l *Loop, is func(k int32) bool) bool {
	fl := c.Flow()
	return slices.ContainsFunc(l.Blocks, func(b int32) bool {
		for k := fl.Start(b); k <= fl.Last(b); k++ {
			if is(k) {
				return true
			}
		}
		return false
	})
}

// mayMeet reports whether two accesses may be of the same bytes, as far as state spaces and the buffers that addresses start from say.
func (c *Kernel) mayMeet(a, b int32) bool {
	for _, t := range c.TargetsOf(a) {
		if slices.ContainsFunc(c.TargetsOf(b), t.mayMeet) {
			return true
		}
	}
	return false
}

// writesPolled reports whether the kernel itself may write what a poll of global memory, by a loop in which the threads of the CTA do not meet, waits for.
func (c *Kernel) writesPolled(poll int32) bool {
	outside := func(in *Inst) bool { return in.Space == Global || in.Space == Generic && !c.FromShared(in) }
	l := c.Innermost(poll)
	if l == nil || !outside(&c.Insts[poll]) || c.meetsIn(l) {
		return false
	}
	for n := range c.Insts {
		in := &c.Insts[n]
		if (in.Op == Store || in.Op == Atomic) && outside(in) && !l.Has(c.Flow().BlockOf(int32(n))) && c.mayMeet(int32(n), poll) {
			return true
		}
	}
	return false
}

// BehindWaits are the places that a thread may come to from where it waits for others of its CTA, as for a lock, before all meet: what is done there
// may be ordered by that. Reads that are not strong order nothing.
func (c *Kernel) BehindWaits() map[uint32]bool {
	if c.behind != nil {
		return c.behind()
	}
	out, fl, met := map[uint32]bool{}, c.Flow(), map[int32]bool{}
	var todo []int32
	pass := func(b, from int32) { // to the end of the block
		for k := from; k <= fl.Last(b); k++ {
			if c.Insts[k].Op == BarrierCTA {
				return
			}
			out[c.Insts[k].Place] = true
		}
		for _, next := range fl.Next(b) {
			if !met[next] {
				met[next], todo = true, append(todo, next)
			}
		}
	}
	for k := range c.Polls() {
		if c.Insts[k].Strong() && (c.WaitsInside(k) || c.writesPolled(k)) {
			pass(fl.BlockOf(k), k+1)
		}
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		pass(b, fl.Start(b))
	}
	return out
}

// madeIn are the instructions of a loop that what an instruction reads is made by.
func (c *Kernel) madeIn(l *Loop, inst int32) map[int32]bool {
	in := &c.Insts[inst]
	registers, predicates := in.OperandsOf()
	if in.Guard >= 0 {
		predicates = append(predicates, in.Guard)
	}
	return c.makes(l, registers, predicates)
}

// decidedIn are the instructions of a loop that make what an instruction reads, with those that decide whether these, or it, are executed in a round: a loop
// that goes on until a lock is had may note that in a variable.
func (c *Kernel) decidedIn(l *Loop, inst int32) map[int32]bool {
	fl, met := c.Flow(), map[int32]bool{}
	return c.closure(l, []int32{inst}, func(k int32) (branches []int32) {
		at := fl.BlockOf(k)
		if met[at] {
			return nil
		}
		met[at] = true
		for _, b := range fl.Deciders(at) {
			if !l.Has(b) {
				continue
			}
			leaves := slices.ContainsFunc(fl.Next(b), func(next int32) bool { return !l.Has(next) })
			if in := &c.Insts[fl.Last(b)]; in.Op == Branch && in.Guard >= 0 && !leaves {
				branches = append(branches, fl.Last(b))
			}
		}
		return branches
	})
}

// makes are the instructions of a loop that registers and predicates are made by.
func (c *Kernel) makes(l *Loop, registers, predicates []int32) map[int32]bool {
	return c.closure(l, c.settersIn(l, registers, predicates), nil)
}

// settersIn are the instructions of a loop that set registers and predicates.
func (c *Kernel) settersIn(l *Loop, registers, predicates []int32) (out []int32) {
	d := definitions.of(c)
	for _, r := range registers {
		out = append(out, c.inside(l, d.registers[r])...)
	}
	for _, p := range predicates {
		out = append(out, c.inside(l, d.predicates[p])...)
	}
	return out
}

// closure are instructions of a loop with those that make what they read, and what these lead to otherwise.
func (c *Kernel) closure(l *Loop, todo []int32, more func(k int32) []int32) map[int32]bool {
	seen := map[int32]bool{}
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; seen[k] {
			continue
		}
		seen[k] = true
		in := &c.Insts[k]
		registers, predicates := in.OperandsOf()
		if in.Guard >= 0 {
			predicates = append(predicates, in.Guard)
		}
		todo = append(todo, c.settersIn(l, registers, predicates)...)
		if in.Op == Load && in.Space == Local { // in a variable of the thread's own
			stores, _ := c.keptIn(k)
			todo = append(todo, c.inside(l, stores)...)
		}
		if more != nil {
			todo = append(todo, more(k)...)
		}
	}
	return seen
}

// reads are those of some instructions of a loop that are strong, or read the same address in each round, and whether others read one after the other.
func (c *Kernel) reads(l *Loop, insts map[int32]bool) (polls []int32, others bool) {
	for k := range insts {
		switch in := &c.Insts[k]; {
		case in.Op == Load && in.Space == Local: // no other thread writes there
		case in.Op == Atomic && in.Named() == "cas" && !c.steady(l, in.B, map[int32]bool{}):
		case in.Op == Atomic && c.advances(in) && !c.equated(l, insts, k) && !c.changedBeside(l, k): // each round has another ticket, whatever others do
		case in.Op == Atomic || in.Op == Load && (in.Strong() || c.steady(l, in.A, map[int32]bool{})):
			polls = append(polls, k)
		case in.Op == Load:
			others = true
		}
	}
	return polls, others
}

// boundsCount reports whether what is read is compared with nothing but what changes by itself from round to round: the loop goes over so much, and waits for nobody.
func (c *Kernel) boundsCount(l *Loop, insts map[int32]bool, k int32) bool {
	counted := false
	for n := range insts {
		in := &c.Insts[n]
		if in.Op != Setp {
			continue
		}
		var reads, counts [2]bool
		for side, o := range [2]Operand{in.A, in.B} {
			if o.Reg < 0 {
				continue
			}
			made := c.makes(l, []int32{o.Reg}, nil)
			reads[side] = made[k]
			for m := range made {
				counts[side] = counts[side] || c.Insts[m].Op == Add && c.madeIn(l, m)[m]
			}
		}
		switch {
		case !reads[0] && !reads[1]:
		case reads[0] != reads[1] && (reads[0] && counts[1] || reads[1] && counts[0]):
			counted = true
		default:
			return false
		}
	}
	return counted
}

// advances reports whether an atomic operation makes another value of each: it adds what is not zero.
func (c *Kernel) advances(in *Inst) bool {
	switch in.Named() {
	case "inc", "dec":
		return true
	case "add":
		n, constant := c.constantOf(in.B)
		return !constant || n != 0
	}
	return false
}

// equated reports whether one of some instructions asks whether what an instruction gives is just some value: others may have to bring that about, as of a lock.
func (c *Kernel) equated(l *Loop, insts map[int32]bool, k int32) bool {
	for n := range insts {
		if in := &c.Insts[n]; in.Op == Setp && (in.Named() == "eq" || in.Named() == "ne") && c.madeIn(l, n)[k] {
			return true
		}
	}
	return false
}

// changedBeside reports whether another instruction of a loop may write where one does, at a place that is not chosen by what that gave: a semaphore is given back what was taken too much.
func (c *Kernel) changedBeside(l *Loop, k int32) bool {
	fl := c.Flow()
	for _, b := range l.Blocks {
		for n := fl.Start(b); n <= fl.Last(b); n++ {
			if in := &c.Insts[n]; n == k || in.Op != Store && in.Op != Atomic || in.A.Reg >= 0 && c.makes(l, []int32{in.A.Reg}, nil)[k] {
				continue
			}
			if c.mayMeet(n, k) {
				return true
			}
		}
	}
	return false
}

// mayMeet reports whether two targets may have bytes in common, as far as state spaces, and the variables and buffers that addresses start from, say.
func (t Target) mayMeet(other Target) bool {
	if t.Space != other.Space {
		return t.Space == Generic || other.Space == Generic
	}
	if t.Space == Shared && len(t.Objects) > 0 && len(other.Objects) > 0 {
		return slices.ContainsFunc(t.Objects, func(v *Variable) bool { return slices.Contains(other.Objects, v) })
	}
	return t.Buffer == "" || other.Buffer == "" || t.Buffer == other.Buffer
}

// Steady reports whether the address of an access is the same in each round of a loop.
func (c *Kernel) Steady(l *Loop, k int32) bool { return c.steady(l, c.Insts[k].A, map[int32]bool{}) }

// steady reports whether an operand is the same in each round of a loop; seen are the registers that are being looked at.
func (c *Kernel) steady(l *Loop, o Operand, seen map[int32]bool) bool {
	if o.Reg < 0 {
		return true
	}
	from := c.inside(l, definitions.of(c).registers[o.Reg])
	if len(from) == 0 {
		return true
	}
	in := &c.Insts[from[0]]
	if seen[o.Reg] || len(from) > 1 || in.Guard >= 0 || !in.Op.Does(Integer) {
		return false
	}
	seen[o.Reg] = true
	for _, o := range append([]Operand{in.A, in.B, in.C}, in.more()...) {
		if !c.steady(l, o, seen) {
			return false
		}
	}
	delete(seen, o.Reg)
	return true
}

// Rereads reports whether some way round a loop comes back to an access with the address that it had: who looks back through what others have written stays where nothing is written yet.
func (c *Kernel) Rereads(l *Loop, k int32) bool {
	changes := map[int32]bool{}
	c.changing(l, c.Insts[k].A, map[int32]bool{}, changes)
	fl := c.Flow()
	return fl.Behind(k, func(n int32) Heading {
		switch {
		case n == k:
			return Found
		case changes[n] || !l.Has(fl.BlockOf(n)):
			return Aside
		}
		return Onward
	}) >= 0
}

// changing collects the instructions of a loop after which an operand may be another one than the round before.
func (c *Kernel) changing(l *Loop, o Operand, seen, out map[int32]bool) {
	if o.Reg < 0 || seen[o.Reg] {
		return
	}
	seen[o.Reg] = true
	from := c.inside(l, definitions.of(c).registers[o.Reg])
	for _, n := range from {
		in := &c.Insts[n]
		operands := append([]Operand{in.A, in.B, in.C}, in.more()...)
		if len(from) > 1 || in.Guard >= 0 || !in.Op.Does(Integer) || slices.ContainsFunc(operands, func(p Operand) bool { return p.Reg >= 0 && seen[p.Reg] }) {
			out[n] = true
			continue
		}
		for _, p := range operands {
			c.changing(l, p, seen, out)
		}
	}
}
