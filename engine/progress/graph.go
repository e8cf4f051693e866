package progress

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// set is a set of threads.
type set uint64

func (s set) has(t int) bool { return s>>t&1 != 0 }

// state is one state: where the threads are, what the cells hold, and who has made a step.
type state struct {
	at      []int32
	cells   []int32
	started set
	ended   set
}

// edge is a step of a thread.
type edge struct {
	thread, to int32
}

// graph is all reachable states of a program, the first one first.
type graph struct {
	p      *Program
	states []state
	out    [][]edge
	mates  []set
	parent []edge // the step by which a state was first reached: its thread, and the state it comes from
	buf    []byte
	index  map[string]int32
}

// explore builds the graph, breadth first, so that parents make shortest paths.
func explore(p *Program, limit int) (*graph, error) {
	g := &graph{p: p, mates: mates(p), index: map[string]int32{}}
	first := state{at: make([]int32, len(p.Threads)), cells: make([]int32, p.cells())}
	for t, list := range p.Threads {
		if len(list) == 0 {
			first.ended |= 1 << t
		}
	}
	g.add(first, edge{-1, -1})
	for i := 0; i < len(g.states); i++ {
		if len(g.states) > limit {
			return nil, fmt.Errorf("more than %d states", limit)
		}
		for t := range p.Threads {
			if !g.states[i].ended.has(t) {
				to := g.add(g.step(i, t), edge{int32(t), int32(i)})
				g.out[i] = append(g.out[i], edge{int32(t), to})
			}
		}
	}
	return g, nil
}

// step is the state after a step of thread t from state i.
func (g *graph) step(i, t int) state {
	from := &g.states[i]
	s := state{at: append([]int32(nil), from.at...), cells: append([]int32(nil), from.cells...), started: from.started | 1<<t, ended: from.ended}
	list := g.p.Threads[t]
	in := list[s.at[t]]
	old := s.cells[in.Loc]
	if in.Exch {
		s.cells[in.Loc] = int32(in.Value)
	}
	s.at[t]++
	if int(old) == in.Check {
		s.at[t] = int32(in.Jump)
	}
	if int(s.at[t]) == len(list) {
		s.ended |= 1 << t
	}
	return s
}

func (g *graph) add(s state, by edge) int32 {
	g.buf = g.buf[:0]
	for _, v := range s.at {
		g.buf = binary.AppendVarint(g.buf, int64(v))
	}
	for _, v := range s.cells {
		g.buf = binary.AppendVarint(g.buf, int64(v))
	}
	g.buf = binary.AppendUvarint(g.buf, uint64(s.started))
	if i, ok := g.index[string(g.buf)]; ok {
		return i
	}
	i := int32(len(g.states))
	g.index[string(g.buf)] = i
	g.states, g.out, g.parent = append(g.states, s), append(g.out, nil), append(g.parent, by)
	return i
}

// done reports whether every thread has ended in state i.
func (g *graph) done(i int) bool {
	return bits.OnesCount64(uint64(g.states[i].ended)) == len(g.p.Threads)
}

// guaranteed is the set of threads that execute eventually from state i.
func (g *graph) guaranteed(m Model, i int) set {
	s := &g.states[i]
	all := set(1)<<len(g.p.Threads) - 1
	if len(g.p.Threads) == 64 {
		all = ^set(0)
	}
	alive := all &^ s.ended
	lowest := alive & -alive
	switch m {
	case HSA:
		return lowest
	case OBE:
		return s.started & alive
	case HSAOBE:
		return (s.started | lowest) & alive
	case LOBE:
		if s.started == 0 {
			return 0
		}
		top := set(1) << (bits.Len64(uint64(s.started)) - 1)
		return (top | (top - 1)) & alive
	case Fair:
		return alive
	case CUDA:
		return g.group(s.started) & alive
	}
	return 0
}

// group is the threads in the groups of some threads.
func (g *graph) group(of set) (out set) {
	if of != 0 && g.p.Cooperative {
		return ^set(0)
	}
	for ; of != 0; of &= of - 1 {
		out |= g.mates[bits.TrailingZeros64(uint64(of))]
	}
	return out
}

// mates are, by thread, the threads of its group.
func mates(p *Program) []set {
	out := make([]set, len(p.Threads))
	for t := range out {
		out[t] = 1 << t
		for u := range p.Groups {
			if p.Groups[u] == p.Groups[t] {
				out[t] |= 1 << u
			}
		}
	}
	return out
}

// components numbers the strongly connected components (Tarjan's algorithm, without recursion).
func (g *graph) components() (of []int32, count int) {
	n := len(g.states)
	of = make([]int32, n)
	low, num, next := make([]int32, n), make([]int32, n), make([]int32, n)
	for i := range of {
		of[i] = -1
	}
	var stack, call []int32
	clock := int32(0)
	for root := range n {
		if num[root] != 0 {
			continue
		}
		call = append(call, int32(root))
		for len(call) > 0 {
			v := call[len(call)-1]
			if num[v] == 0 {
				clock++
				num[v], low[v] = clock, clock
				stack = append(stack, v)
			}
			if int(next[v]) < len(g.out[v]) {
				w := g.out[v][next[v]].to
				next[v]++
				if num[w] == 0 {
					call = append(call, w)
				} else if of[w] < 0 {
					low[v] = min(low[v], num[w])
				}
				continue
			}
			call = call[:len(call)-1]
			if len(call) > 0 {
				u := call[len(call)-1]
				low[u] = min(low[u], low[v])
			}
			if low[v] == num[v] {
				for {
					w := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					of[w] = int32(count)
					if w == v {
						break
					}
				}
				count++
			}
		}
	}
	return of, count
}
