package ir

import (
	"slices"
	"sort"
	"sync"
)

// flow is the control flow of the code, for branches that depend on data.
type flow struct {
	once   sync.Once
	starts []int32 // of blocks; functions start blocks of their own
	after  []int32 // block → the block that all ways from it come to first; -1: none
	ends   []int32 // block → the last block of its function, which returns

	mu      sync.Mutex
	regions map[int32]*Region
}

// successors lists where control goes after an instruction, in its own function. end is the function's last return.
func (c *Kernel) successors(k, end int32) []int32 {
	in := &c.Insts[k]
	var out []int32
	switch in.Op {
	case Branch:
		out = append(out, in.Target)
	case BranchIndexed:
		out = append(out, in.Extra.Targets...)
	case Return:
		if k != end {
			out = append(out, end)
		}
	case Exit:
		if in.Mode == 0 { // a trap leads nowhere
			out = append(out, end)
		}
	default:
		return []int32{k + 1}
	}
	if in.Guard >= 0 {
		out = append(out, k+1)
	}
	return out
}

// build cuts the code into blocks and finds what all ways come to.
func (c *Kernel) build() {
	fl := &c.flow
	fl.regions = map[int32]*Region{}
	leaders := map[int32]bool{}
	for _, r := range c.Functions {
		leaders[r[0]], leaders[r[1]-1] = true, true
		for k := r[0]; k < r[1]; k++ {
			switch c.Insts[k].Op {
			case Branch, BranchIndexed, Return, Exit:
				leaders[k+1] = true
				for _, t := range c.successors(k, r[1]-1) {
					leaders[t] = true
				}
			}
		}
	}
	delete(leaders, int32(len(c.Insts)))
	for k := range leaders {
		fl.starts = append(fl.starts, k)
	}
	slices.Sort(fl.starts)
	fl.after = make([]int32, len(fl.starts))
	fl.ends = make([]int32, len(fl.starts))
	for k := range fl.after {
		fl.after[k] = -1
	}
	for _, r := range c.Functions {
		c.postdominate(c.blockOf(r[0]), c.blockOf(r[1]-1))
	}
}

// blockOf is the block of an instruction.
func (c *Kernel) blockOf(k int32) int32 {
	n := sort.Search(len(c.flow.starts), func(i int) bool { return c.flow.starts[i] > k })
	return int32(n - 1)
}

// last is the last instruction of a block.
func (c *Kernel) last(block int32) int32 {
	if int(block)+1 < len(c.flow.starts) {
		return c.flow.starts[block+1] - 1
	}
	return int32(len(c.Insts)) - 1
}

// next lists the blocks behind a block of a function that ends with block end.
func (c *Kernel) next(block, end int32) []int32 {
	if block == end {
		return nil
	}
	var out []int32
	for _, k := range c.successors(c.last(block), c.flow.starts[end]) {
		if int(k) < len(c.Insts) {
			out = append(out, c.blockOf(k))
		}
	}
	return out
}

// postdominate finds the immediate postdominators of the blocks of a function, after Cooper, Harvey and Kennedy, "A Simple,
// Fast Dominance Algorithm".
func (c *Kernel) postdominate(first, end int32) {
	n := end - first + 1
	before := make([][]int32, n)
	ahead := make([][]int32, n)
	for b := first; b <= end; b++ {
		c.flow.ends[b] = end
		for _, s := range c.next(b, end) {
			if s >= first && s <= end {
				before[s-first] = append(before[s-first], b-first)
				ahead[b-first] = append(ahead[b-first], s-first)
			}
		}
	}
	order := postorder(before, end-first)
	number := make([]int32, n)
	dom := make([]int32, n)
	for k := range dom {
		dom[k], number[k] = -1, -1
	}
	for k, b := range order {
		number[b] = int32(k)
	}
	root := end - first
	dom[root] = root
	for again := true; again; {
		again = false
		for k := len(order) - 2; k >= 0; k-- {
			b, best := order[k], int32(-1)
			for _, s := range ahead[b] {
				if dom[s] < 0 {
					continue
				}
				if best < 0 {
					best = s
				} else {
					best = meet(dom, number, best, s)
				}
			}
			if best >= 0 && dom[b] != best {
				dom[b], again = best, true
			}
		}
	}
	for b := int32(0); b < n-1; b++ {
		if dom[b] >= 0 {
			c.flow.after[first+b] = first + dom[b]
		}
	}
}

func meet(dom, number []int32, a, b int32) int32 {
	for a != b {
		for number[a] < number[b] {
			a = dom[a]
		}
		for number[b] < number[a] {
			b = dom[b]
		}
	}
	return a
}

// postorder walks a graph from its root.
func postorder(edges [][]int32, root int32) []int32 {
	type visit struct {
		node int32
		next int
	}
	seen := make([]bool, len(edges))
	seen[root] = true
	stack := []visit{{node: root}}
	var out []int32
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		if v.next == len(edges[v.node]) {
			out = append(out, v.node)
			stack = stack[:len(stack)-1]
			continue
		}
		s := edges[v.node][v.next]
		v.next++
		if !seen[s] {
			seen[s] = true
			stack = append(stack, visit{node: s})
		}
	}
	return out
}
