package ir

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Flow is the control flow of a kernel: blocks of instructions, functions one after the other.
type Flow struct {
	starts []int32 // of blocks; functions start blocks of their own
	next   [][]int32
	before [][]int32
	after  []int32   // block → the block that all ways from it come to first: its immediate postdominator; -1: none
	joins  []int32   // block → where the ways from it come together on which the thread does not end; -1: nowhere
	above  []int32   // block → the block that all ways to it leave last: its immediate dominator; -1: none
	ends   []int32   // block → the last block of its function, which returns
	block  []int32   // instruction → its block
	turn   []int32   // block → when a walk of the tree of dominators enters it, from 1 on; 0: control does not come there
	done   []int32   // block → the last turn of those that it dominates
	below  [][]int32 // block → those that it dominates immediately, in an order in which control may come to them
	insts  int32

	depends  sync.Once
	deciders [][]int32 // see Deciders
}

var controlFlow = &pass[*Flow]{name: "flow", number: 1, run: (*Kernel).build, print: (*Kernel).printFlow,
	doc: "the blocks with where control may go on, their immediate dominators and postdominators"}

// Flow is the kernel's control flow.
func (c *Kernel) Flow() *Flow { return controlFlow.of(c) }

// successors lists where control goes after an instruction, in its own function. end is the function's last return.
func (c *Kernel) successors(k, end int32) []int32 {
	in := &c.Insts[k]
	var out []int32
	switch in.Op {
	case Branch:
		out = append(out, in.Target)
	case BranchIndexed:
		if in.Extra != nil {
			out = append(out, in.Extra.Targets...)
		}
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

// leaders lists where blocks start: functions, their last instructions, by which all leave, and what jumps go to and stand before.
func (c *Kernel) leaders() []int32 {
	starts := map[int32]bool{}
	for _, r := range c.Functions {
		starts[r[0]], starts[r[1]-1] = true, true
		for k := r[0]; k < r[1]; k++ {
			if in := &c.Insts[k]; in.Op.Branches() && in.Op != Call {
				starts[k+1] = true
				for _, t := range c.successors(k, r[1]-1) {
					starts[t] = true
				}
			}
		}
	}
	delete(starts, int32(len(c.Insts)))
	return slices.Sorted(maps.Keys(starts))
}

// build cuts the code into blocks and finds what all ways come to.
func (c *Kernel) build() *Flow {
	fl := &Flow{starts: c.leaders(), insts: int32(len(c.Insts)), block: make([]int32, len(c.Insts))}
	n := len(fl.starts)
	for b := range int32(n) {
		for k := fl.starts[b]; k <= fl.Last(b); k++ {
			fl.block[k] = b
		}
	}
	fl.next, fl.before = make([][]int32, n), make([][]int32, n)
	fl.after, fl.above, fl.ends = make([]int32, n), make([]int32, n), make([]int32, n)
	for _, r := range c.Functions {
		first, end := fl.BlockOf(r[0]), fl.BlockOf(r[1]-1)
		for b := first; b <= end; b++ {
			fl.ends[b] = end
			if b == end {
				continue
			}
			for _, k := range c.successors(fl.Last(b), r[1]-1) {
				if s := fl.BlockOf(k); s >= first && s <= end {
					fl.next[b], fl.before[s] = append(fl.next[b], s), append(fl.before[s], b)
				}
			}
		}
		dominators(fl.before[first:end+1], fl.next[first:end+1], first, end-first, fl.after[first:end+1])
		dominators(fl.next[first:end+1], fl.before[first:end+1], first, 0, fl.above[first:end+1])
	}
	fl.joins = c.joins(fl)
	fl.order(c)
	return fl
}

// joins are the immediate postdominators of blocks on the ways on which the thread does not end before the kernel's last return: lanes that end are not waited for, and those that are left come
// together as if the others had not been. What no such way leads from has its own.
func (c *Kernel) joins(fl *Flow) []int32 {
	end := fl.BlockOf(c.EndOf(0))
	next, before, some := make([][]int32, end+1), make([][]int32, end+1), false
	for b := range end {
		op := c.Insts[fl.Last(b)].Op
		for _, s := range fl.next[b] {
			if s == end && (op == Return || op == Exit) {
				some = true
				continue
			}
			next[b], before[s] = append(next[b], s), append(before[s], b)
		}
	}
	if !some {
		return fl.after
	}
	out := slices.Clone(fl.after)
	dominators(before, next, 0, end, out[:end+1])
	for b := range end + 1 {
		if out[b] < 0 {
			out[b] = fl.after[b]
		}
	}
	return out
}

// Blocks is how many there are.
func (fl *Flow) Blocks() int { return len(fl.starts) }

// Start is the first instruction of a block.
func (fl *Flow) Start(block int32) int32 { return fl.starts[block] }

// Last is the last instruction of a block.
func (fl *Flow) Last(block int32) int32 {
	if int(block)+1 < len(fl.starts) {
		return fl.starts[block+1] - 1
	}
	return fl.insts - 1
}

// Next lists the blocks that control may go to from a block.
func (fl *Flow) Next(block int32) []int32 { return fl.next[block] }

// Before lists the blocks that control may come from to a block.
func (fl *Flow) Before(block int32) []int32 { return fl.before[block] }

// Above is the block that all ways to a block leave last: its immediate dominator; -1: none.
func (fl *Flow) Above(block int32) int32 { return fl.above[block] }

// After is the block that all ways from a block come to first, its immediate postdominator; -1: there is none.
func (fl *Flow) After(block int32) int32 { return fl.after[block] }

// BlockOf is the block of an instruction.
func (fl *Flow) BlockOf(k int32) int32 { return fl.block[k] }

// Reached reports whether control may come to a block.
func (fl *Flow) Reached(block int32) bool { return fl.turn[block] > 0 }

// follows reports whether all ways from block b come by block a: it postdominates b.
func (fl *Flow) follows(a, b int32) bool {
	for ; b >= 0 && b != a; b = fl.after[b] {
		if b == fl.after[b] {
			return false
		}
	}
	return b == a
}

// Deciders are the blocks whose branches decide whether control comes to a block: it is control dependent on them (Ferrante, Ottenstein, Warren, "The Program
// Dependence Graph and Its Use in Optimization", 1987).
func (fl *Flow) Deciders(block int32) []int32 {
	fl.depends.Do(func() {
		fl.deciders = make([][]int32, len(fl.next))
		for from, ways := range fl.next {
			for _, b := range ways {
				for b >= 0 && b != fl.after[from] && b != fl.after[b] {
					if list := fl.deciders[b]; len(list) == 0 || list[len(list)-1] != int32(from) {
						fl.deciders[b] = append(list, int32(from))
					}
					b = fl.after[b]
				}
			}
		}
	})
	return fl.deciders[block]
}

// Dominates reports whether all ways to block b come by block a.
func (fl *Flow) Dominates(a, b int32) bool {
	return a == b || fl.turn[a] > 0 && fl.turn[a] <= fl.turn[b] && fl.turn[b] <= fl.done[a]
}

// order walks the trees of dominators.
func (fl *Flow) order(c *Kernel) {
	n := len(fl.starts)
	fl.turn, fl.done, fl.below = make([]int32, n), make([]int32, n), make([][]int32, n)
	turn := int32(0)
	for _, r := range c.Functions {
		first := fl.BlockOf(r[0])
		for _, b := range slices.Backward(postorder(fl.next[first:fl.BlockOf(r[1]-1)+1], first, 0)) {
			if a := fl.above[first+b]; a >= 0 {
				fl.below[a] = append(fl.below[a], first+b)
			}
		}
		for todo := []int32{fl.BlockOf(r[0])}; len(todo) > 0; {
			b := todo[len(todo)-1]
			if fl.turn[b] > 0 {
				todo, fl.done[b] = todo[:len(todo)-1], turn
				continue
			}
			turn++
			fl.turn[b] = turn
			todo = append(todo, fl.below[b]...)
		}
	}
}

func (c *Kernel) printFlow(fl *Flow) string {
	var out strings.Builder
	name := func(b int32) string {
		if b < 0 {
			return "none"
		}
		return fmt.Sprintf("b%d", b)
	}
	for b := range int32(fl.Blocks()) {
		var next []string
		for _, s := range fl.next[b] {
			next = append(next, name(s))
		}
		if next == nil {
			next = []string{"none"}
		}
		fmt.Fprintf(&out, "b%d: next %s; dominator %s; postdominator %s\n", b, strings.Join(next, " "), name(fl.above[b]), name(fl.after[b]))
	}
	return out.String()
}

// dominators finds the immediate dominators of the blocks of a function, after Cooper, Harvey and Kennedy, "A Simple, Fast
// Dominance Algorithm"; with the edges turned round, the postdominators. The blocks are numbered from first on.
func dominators(forth, back [][]int32, first, root int32, out []int32) {
	n := len(forth)
	order := postorder(forth, first, root)
	number, dom := make([]int32, n), make([]int32, n)
	for k := range dom {
		dom[k], number[k] = -1, -1
	}
	for k, b := range order {
		number[b] = int32(k)
	}
	dom[root] = root
	for again := true; again; {
		again = false
		for k := len(order) - 2; k >= 0; k-- {
			b, best := order[k], int32(-1)
			for _, s := range back[b] {
				if s -= first; dom[s] < 0 {
					continue
				} else if best < 0 {
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
	for b := range out {
		if out[b] = -1; dom[b] >= 0 && int32(b) != root {
			out[b] = first + dom[b]
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

// postorder walks a graph from its root; its blocks are numbered from first on.
func postorder(edges [][]int32, first, root int32) []int32 {
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
		s := edges[v.node][v.next] - first
		v.next++
		if !seen[s] {
			seen[s] = true
			stack = append(stack, visit{node: s})
		}
	}
	return out
}
