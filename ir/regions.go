package ir

import "slices"

// Region is what may be executed between a branch and the place where all its ways come together again.
type Region struct {
	To       int32   // that place; -1: there is none
	Insts    []int32 // of the functions called, too
	Why      string  // why lanes cannot pass it without knowing the way
	Accesses []int32 // of shared memory
	Defined  map[int32]int
}

// RegionOf is the region of the branch at an instruction.
func (c *Kernel) RegionOf(pc int32) *Region {
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

func (c *Kernel) survey(pc int32) *Region {
	from := c.blockOf(pc)
	end, stop := c.flow.ends[from], c.flow.after[from]
	r := &Region{To: -1, Defined: map[int32]int{}}
	if stop >= 0 {
		r.To = c.flow.starts[stop]
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
	slices.Sort(r.Insts)
	slices.Sort(r.Accesses)
	r.Accesses = slices.Compact(r.Accesses)
	return r
}

// enclose adds instructions to a region, with the functions that they call.
func (c *Kernel) enclose(r *Region, from, to int32, depth int) {
	for k := from; k < to; k++ {
		in := &c.Insts[k]
		r.Insts = append(r.Insts, k)
		registers, _ := in.Results()
		for _, d := range registers {
			if _, again := r.Defined[d]; again {
				r.Defined[d] = -1
			} else {
				r.Defined[d] = int(k)
			}
		}
		switch {
		case in.Op == Call:
			for _, f := range c.Functions {
				if f[0] == in.Target && depth < MaxFunctions {
					c.enclose(r, f[0], f[1], depth+1)
				}
			}
		case in.Op == Exit && depth > 0 && in.Mode == 0:
			r.Why = "an exit from a function"
		case in.Op >= BarrierCTA && in.Op != Outside && in.Op != BarrierWarp:
			if r.Why == "" {
				r.Why = c.Places[in.Place].Name
			}
		case in.Op == Outside, in.Op >= Load && in.Op <= Matrix && (in.Space == Shared || in.Space == Generic && c.FromShared(in)):
			r.Accesses = append(r.Accesses, k)
		}
	}
}

// AfterBranch is the place that all ways from a branch lead to; -1 if there is none.
func (c *Kernel) AfterBranch(pc int32) int32 {
	c.flow.once.Do(c.build)
	if b := c.flow.after[c.blockOf(pc)]; b >= 0 {
		return c.flow.starts[b]
	}
	return -1
}

// EndOf is the last instruction of a function.
func (c *Kernel) EndOf(pc int32) int32 {
	for _, r := range c.Functions {
		if pc >= r[0] && pc < r[1] {
			return r[1] - 1
		}
	}
	return pc
}
