package progress

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// set is a set of threads.
type set uint64

func (s set) has(t int) bool { return s>>t&1 != 0 }

// state is one state: its numbers, who has made a step, and who has ended.
type state struct {
	numbers []int64
	started set
	ended   set
}

// edge is a step of a thread.
type edge struct {
	thread, to int32
}

// graph is all reachable states of a system, the first one first.
type graph struct {
	system  System
	threads []Thread
	all     set
	states  []state
	out     [][]edge
	parent  []edge // the step by which a state was first reached: its thread, and the state it comes from
	buf     []byte
	index   map[string]int32

	// By thread: those of its unit, of its unit and lower ones of its grid, of its grid, of its group.
	unit, below, grid, group []set
}

// TooLargeError says that a system has more states than are kept.
type TooLargeError struct{ States int }

func (e *TooLargeError) Error() string { return fmt.Sprintf("more than %d states", e.States) }

// explore builds the graph, breadth first, so that parents make shortest paths.
func explore(system System, numbers int) (*graph, error) {
	g := &graph{system: system, threads: system.Threads(), index: map[string]int32{}}
	if len(g.threads) == 0 || len(g.threads) > maxThreads {
		return nil, fmt.Errorf("%d threads; want 1 to %d", len(g.threads), maxThreads)
	}
	g.all = ^set(0) >> (64 - len(g.threads))
	g.relatives()
	start := system.Start()
	limit := numbers / (len(start) + 2)
	g.add(state{numbers: start, ended: g.endedOf(start)}, edge{-1, -1})
	for i := 0; i < len(g.states); i++ {
		if len(g.states) > limit {
			return nil, &TooLargeError{limit}
		}
		for t := range g.threads {
			if g.states[i].ended.has(t) {
				continue
			}
			next, err := system.Step(g.states[i].numbers, t)
			if err != nil {
				return nil, err
			}
			to := g.add(state{next, g.states[i].started | 1<<t, g.endedOf(next)}, edge{int32(t), int32(i)})
			g.out[i] = append(g.out[i], edge{int32(t), to})
		}
	}
	return g, nil
}

func (g *graph) endedOf(numbers []int64) (out set) {
	for t := range g.threads {
		if g.system.Ended(numbers, t) {
			out |= 1 << t
		}
	}
	return out
}

// relatives finds out for each thread whom it is scheduled with.
func (g *graph) relatives() {
	related := func(is func(a, b Thread) bool) (out []set) {
		for _, a := range g.threads {
			var s set
			for u, b := range g.threads {
				if is(a, b) {
					s |= 1 << u
				}
			}
			out = append(out, s)
		}
		return out
	}
	g.grid = related(func(a, b Thread) bool { return a.Grid == b.Grid })
	g.unit = related(func(a, b Thread) bool { return a.Grid == b.Grid && a.Unit == b.Unit })
	g.below = related(func(a, b Thread) bool { return a.Grid == b.Grid && b.Unit <= a.Unit })
	g.group = related(func(a, b Thread) bool { return a.Grid == b.Grid && a.Group == b.Group })
}

func (g *graph) add(s state, by edge) int32 {
	g.buf = g.buf[:0]
	for _, v := range s.numbers {
		g.buf = binary.AppendVarint(g.buf, v)
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
func (g *graph) done(i int) bool { return g.states[i].ended == g.all }

// guaranteed is the set of threads that execute eventually from state i.
func (g *graph) guaranteed(m Model, i int) set {
	s := &g.states[i]
	alive := g.all &^ s.ended
	switch m {
	case HSA:
		return g.lowest(alive)
	case OBE:
		return union(g.unit, s.started) & alive
	case HSAOBE:
		return g.lowest(alive) | union(g.unit, s.started)&alive
	case LOBE:
		return union(g.below, s.started) & alive
	case Fair:
		return alive
	case CUDA:
		return union(g.group, s.started) & alive
	}
	return 0
}

// lowest is, of each grid, the threads alive in its lowest unit that has some.
func (g *graph) lowest(alive set) (out set) {
	for rest := alive; rest != 0; {
		t := bits.TrailingZeros64(uint64(rest))
		for u := range g.threads {
			if rest.has(u) && g.grid[t].has(u) && g.threads[u].Unit < g.threads[t].Unit {
				t = u
			}
		}
		out |= g.unit[t] & alive
		rest &^= g.grid[t]
	}
	return out
}

// union joins the sets of some threads.
func union(sets []set, of set) (out set) {
	for ; of != 0; of &= of - 1 {
		out |= sets[bits.TrailingZeros64(uint64(of))]
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
