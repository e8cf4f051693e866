package ir

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Region is what may be executed between a branch and the place where all its ways come together again.
type Region struct {
	To       int32   // that place; -1: there is none
	Insts    []int32 // of the functions called, too
	Why      string  // why lanes cannot pass it without knowing the way
	Accesses []int32 // of shared memory
	Defined  map[int32]int
}

// surveyed are the regions of a kernel's branches, each surveyed when it is asked for first.
type surveyed struct {
	mu      sync.Mutex
	regions map[int32]*Region
	once    sync.Once
	picked  map[uint32]bool // see [Kernel.Picked]
	keeping sync.Once
	kept    map[*Variable][]int32 // see keptIn
	lost    bool                  // a store may be to any of them
}

var regions = &pass[*surveyed]{name: "regions", number: 3, needs: []Pass{controlFlow, origins},
	doc: "what may be executed between a branch and the place where all its ways come together again, and what it may access",
	run: func(c *Kernel) *surveyed {
		c.Flow()
		origins.of(c)
		return &surveyed{regions: map[int32]*Region{}}
	}}

func init() { regions.print = (*Kernel).printRegions } // which asks for regions itself

// RegionOf is the region of the branch at an instruction.
func (c *Kernel) RegionOf(pc int32) *Region {
	s := regions.of(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.regions[pc]; r != nil {
		return r
	}
	r := c.survey(pc)
	s.regions[pc] = r
	return r
}

func (c *Kernel) printRegions(*surveyed) string {
	var out strings.Builder
	fl, text := c.Flow(), c.texts()
	for pc := range c.Insts {
		in := &c.Insts[pc]
		if in.Guard < 0 && in.Op != BranchIndexed || !in.Op.Branches() || in.Op == Call {
			continue
		}
		r := c.RegionOf(int32(pc))
		to := "the end"
		if r.To >= 0 {
			to = fmt.Sprintf("b%d", fl.BlockOf(r.To))
		}
		fmt.Fprintf(&out, "b%d: %s: %d instructions to %s, %d accesses of shared memory", fl.BlockOf(int32(pc)), text(int32(pc)), len(r.Insts), to, len(r.Accesses))
		if r.Why != "" {
			fmt.Fprintf(&out, "; synchronizes: %s", r.Why)
		}
		out.WriteString("\n")
	}
	return out.String()
}

func (c *Kernel) survey(pc int32) *Region {
	fl := c.Flow()
	from := fl.BlockOf(pc)
	stop := fl.after[from]
	r := &Region{To: -1, Defined: map[int32]int{}}
	if stop >= 0 {
		r.To = fl.starts[stop]
	}
	seen, entered := map[int32]bool{}, map[int32]int{}
	for todo := slices.Clone(fl.next[from]); len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[b] || b == stop {
			continue
		}
		seen[b] = true
		c.enclose(r, entered, fl.starts[b], fl.Last(b)+1, 0)
		todo = append(todo, fl.next[b]...)
	}
	slices.Sort(r.Insts)
	slices.Sort(r.Accesses)
	r.Accesses = slices.Compact(r.Accesses)
	return r
}

// enclose adds instructions to a region, with the functions that they call. That one is called twice shows in what it sets;
// more often makes no difference.
func (c *Kernel) enclose(r *Region, entered map[int32]int, from, to int32, depth int) {
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
				if f[0] == in.Target && entered[f[0]] < 2 {
					entered[f[0]]++
					c.enclose(r, entered, f[0], f[1], depth+1)
				}
			}
		case in.Op == Exit && depth > 0 && in.Mode == 0:
			r.Why = "an exit from a function"
		case in.Op.Synchronizes() && in.Op != BarrierWarp:
			if r.Why == "" {
				r.Why = cmp.Or(c.Places[in.Place].Name, in.Op.Name()) // an instruction that no text stands for has no name
			}
		case in.Op == Outside, in.Op.Accesses() && (in.Space == Shared || in.Space == Generic && c.FromShared(in)):
			r.Accesses = append(r.Accesses, k)
		}
	}
}

// Idle reports of both ways from a branch of the kernel's own function, of the one where it is not taken first, whether they lead to the end past
// nothing that accesses shared memory or synchronizes, or is called.
func (c *Kernel) Idle(pc int32) (ends [2]bool) {
	if c.FunctionOf(pc)[0] != 0 {
		return ends
	}
	in, fl := &c.Insts[pc], c.Flow()
	idle := func(from int32) bool {
		return fl.ahead(from, func(k int32) Heading {
			switch in := &c.Insts[k]; {
			case in.Op == Call, in.Op == Outside, in.Op.Synchronizes(), in.Op.Accesses() && (in.Space == Shared || in.Space == Generic && c.FromShared(in)):
				return Found
			}
			return Onward
		}) < 0
	}
	ends[0] = idle(fl.BlockOf(pc + 1))
	ends[1] = in.Op != Branch || idle(fl.BlockOf(in.Target))
	return ends
}

// AfterBranch is the place that all ways from a branch lead to on which the thread does not end; -1 if there is none.
func (c *Kernel) AfterBranch(pc int32) int32 {
	fl := c.Flow()
	if b := fl.joins[fl.BlockOf(pc)]; b >= 0 {
		return fl.starts[b]
	}
	return -1
}

// EndOf is the last instruction of a function.
func (c *Kernel) EndOf(pc int32) int32 { return c.FunctionOf(pc)[1] - 1 }

// FunctionOf is where the function of an instruction starts and ends.
func (c *Kernel) FunctionOf(pc int32) [2]int32 {
	n, _ := slices.BinarySearchFunc(c.Functions, pc, func(r [2]int32, pc int32) int { return int(r[1]-1) - int(pc) })
	return c.Functions[n]
}
