package emulate

import "slices"

// region is what may be executed between a branch and the place where all its ways come together again.
type region struct {
	to       int32   // that place; -1: there is none
	insts    []int32 // of the functions called, too
	why      string  // why lanes cannot pass it without knowing the way
	accesses []int32 // of shared memory
	defined  map[int32]int
}

// undecided passes a branch whose way is not known for the lanes of open. If no way synchronizes, it does not matter which is
// taken: what any of them sets is unknown afterwards, and its accesses of shared memory may or may not be made.
func (w *warp) undecided(f *fragment, in *inst, mask, open uint32) outcome {
	r := w.m.code.regionOf(f.pc)
	if r.to < 0 || r.why != "" {
		why := "the branch depends on data"
		if r.why != "" {
			why += ", and there is " + r.why + " on a way from it"
		}
		return w.halt(f, why+w.m.code.because(in))
	}
	w.m.assume("loops whose end depends on data end")
	w.havoc(r, open)
	if open == f.mask {
		f.pc = r.to
		return jumped
	}
	w.split(f, open, r.to, f.stack, r.to)
	if mask == 0 {
		f.pc++
		return changed
	}
	if out := w.jump(f, in, mask, 0); out == next {
		f.pc++
	}
	return changed
}

// havoc makes the accesses of a region, as far as their addresses follow from what is known before it, and forgets what it
// sets.
func (w *warp) havoc(r *region, open uint32) {
	for _, k := range r.accesses {
		in := &w.m.code.insts[k]
		state := map[int32]bool{}
		if in.op == opOutside || in.a.reg >= 0 && !w.derive(r, in.a.reg, open, state, 0) {
			w.miss(in, "the address depends on data")
			continue
		}
		w.memory(&inst{op: in.op, sub: in.sub, t: in.t, guard: -1, d: -1, e: -1, a: in.a, b: operand{reg: w.m.code.nothing}, c: none, place: in.place,
			size: in.size, space: in.space, flags: in.flags, offset: in.offset}, 0, open)
	}
	for _, k := range r.insts {
		registers, predicates := w.m.code.insts[k].results()
		for _, d := range registers {
			w.set(d, &top, open, 0)
		}
		for _, d := range predicates {
			w.setPredicate(d, predicate{open: ^uint32(0)}, open, 0)
		}
	}
}

// maxDerived bounds how far back an address is followed in a region.
const maxDerived = 64

// derive computes a register as it is in a region, if only one instruction there sets it, and never from itself.
func (w *warp) derive(r *region, reg int32, open uint32, done map[int32]bool, depth int) bool {
	n, set := r.defined[reg]
	if !set {
		return true
	}
	if ok, seen := done[reg]; seen {
		return ok
	}
	done[reg] = false
	if n < 0 || depth > maxDerived {
		return false
	}
	in := &w.m.code.insts[n]
	if in.guard >= 0 || in.op < opMove || in.op > opMadWide {
		return false
	}
	registers, _ := in.operandsOf()
	for _, o := range registers {
		if !w.derive(r, o, open, done, depth+1) {
			return false
		}
	}
	v := w.arithmetic(in)
	w.set(in.d, &v, open, 0)
	done[reg] = true
	return true
}

// regionOf is the region of the branch at an instruction.
func (c *code) regionOf(pc int32) *region {
	c.flow.once.Do(c.build)
	c.flow.mu.Lock()
	defer c.flow.mu.Unlock()
	if r := c.flow.regions[pc]; r != nil {
		return r
	}
	r := c.survey(pc)
	c.flow.regions[pc] = r
	return r
}

func (c *code) survey(pc int32) *region {
	from := c.blockOf(pc)
	end, stop := c.flow.ends[from], c.flow.after[from]
	r := &region{to: -1, defined: map[int32]int{}}
	if stop >= 0 {
		r.to = c.flow.starts[stop]
	}
	seen := map[int32]bool{}
	for todo := c.next(from, end); len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[b] || b == stop {
			continue
		}
		seen[b] = true
		c.enclose(r, c.flow.starts[b], c.last(b)+1, 0)
		if b == end {
			continue
		}
		todo = append(todo, c.next(b, end)...)
	}
	slices.Sort(r.insts)
	slices.Sort(r.accesses)
	r.accesses = slices.Compact(r.accesses)
	return r
}

// enclose adds instructions to a region, with the functions that they call.
func (c *code) enclose(r *region, from, to int32, depth int) {
	for k := from; k < to; k++ {
		in := &c.insts[k]
		r.insts = append(r.insts, k)
		registers, _ := in.results()
		for _, d := range registers {
			if _, again := r.defined[d]; again {
				r.defined[d] = -1
			} else {
				r.defined[d] = int(k)
			}
		}
		switch {
		case in.op == opCall:
			for _, f := range c.functions {
				if f[0] == in.target && depth < maxFunctions {
					c.enclose(r, f[0], f[1], depth+1)
				}
			}
		case in.op == opExit && depth > 0 && in.sub == 0:
			r.why = "an exit from a function"
		case in.op >= opNamed && in.op != opOutside && in.op != opWarpSync:
			if r.why == "" {
				r.why = spelled(c.places[in.place])
			}
		case in.op == opOutside, in.op >= opLoad && in.op <= opMatrix && (in.space == sharedMemory || in.space == generic && c.fromShared(in)):
			r.accesses = append(r.accesses, k)
		}
	}
}
