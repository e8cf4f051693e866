package reference

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// stand is where a thread is.
type stand uint8

const (
	ready   stand = iota
	blocked       // at its next event, until that is possible
	gone
)

// run is one execution of the traces in one order of their events.
type run struct {
	threads int
	traces  [][]event
	pc      []int
	where   []stand
	clocks  []knowledge
	turns   []int      // threads, who goes first ahead
	rank    []int      // of a thread in turns
	waiting []uint64   // ranks of those who are ready
	cells   [][]access // of every element of every array
	first   []int      // first cell of every array
	gates   []gate
	named   [16]meeting
	copies  []flight
	groups  []int32 // groups of copies that every thread has committed
	partial bool    // some warp barrier is not for all lanes
	grouped bool    // threads issue copies in groups
	warps   [][]int // live lanes of every warp
	live    int
	size    int // of clocks
	next    int // component of the next copy
	broken  Break
	vague   string
}

// gate is an mbarrier.
type gate struct {
	live                         bool
	phase, pending, expected, tx int
	coming                       gathered // what those who have arrived in this phase, or before, know
	done                         clock    // the same, when the last phase was over
	had, got                     clock    // what the one who waited last knew before and after
	inits                        access
	seen                         map[int]int // the phase that each thread has waited for last
}

// meeting is a named barrier.
type meeting struct {
	n       int // participants, 0 while nobody is there
	arrived []int
	warps   uint32
	threads int
	known   gathered
}

// flight is a bulk copy on its way.
type flight struct {
	component, gate, bytes int
}

// access is one by a thread, at its time.
type access struct {
	thread int
	time   int32
	event  *event
}

// order says who goes next: the ready one with the highest priority. Some events lower that of who does them.
type order struct {
	priority []int
	copies   int          // priority of copies in flight; between two threads' if it is not above or below all
	changes  map[int]bool // by the number of the step: who did it goes last from there on
	warps    bool         // and so do all of its warp
	eager    bool         // who goes ahead of others goes on as soon as it can, not when they have to wait
}

func newRun(traces [][]event, lengths []int, gates int) *run {
	r := &run{threads: len(traces), traces: traces}
	// Copies in groups of its own are one component a thread, that counts groups; a bulk copy is a component of its own.
	r.size, r.live = r.threads, r.threads
	for _, t := range traces {
		for i := range t {
			switch t[i].kind {
			case bulkCopy:
				r.size++
			case copyAsync, commitGroup, waitGroup:
				r.grouped = true
			}
			r.partial = r.partial || t[i].kind == warpSync && uint32(t[i].n) != 1<<32-1
		}
	}
	if r.next = r.threads; r.grouped {
		r.size, r.next = r.size+r.threads, 2*r.threads
	}
	r.pc, r.where = make([]int, r.threads), make([]stand, r.threads)
	r.groups = make([]int32, r.threads)
	nothing := make(clock, r.size)
	for range traces {
		r.clocks = append(r.clocks, knowledge{nothing, 1})
	}
	total := 0
	for _, n := range lengths {
		r.first = append(r.first, total)
		total += n
	}
	r.cells = make([][]access, total)
	r.gates = make([]gate, gates)
	for w := 0; w < r.threads; w += 32 {
		var lanes []int
		for l := w; l < min(w+32, r.threads); l++ {
			lanes = append(lanes, l)
		}
		r.warps = append(r.warps, lanes)
	}
	return r
}

// execute goes on until nobody can go on.
func (r *run) execute(o *order) {
	steps := 0
	r.line(o)
	for i := range r.threads {
		if len(r.traces[i]) == 0 {
			r.exit(i)
		}
	}
	for r.broken.Kind == "" {
		who, best := r.foremost(), -1
		if who >= 0 {
			best = o.priority[who]
		}
		if len(r.copies) > 0 && o.copies > best {
			r.land()
			continue
		}
		if who < 0 {
			break
		}
		for r.where[who] == ready && r.broken.Kind == "" {
			e := &r.traces[who][r.pc[who]]
			r.step(who, e)
			if e.kind > atomic {
				if steps++; o.changes[steps] {
					for i := range o.priority {
						if i == who || o.warps && i/32 == who/32 {
							o.priority[i] = -steps + 1<<20
						}
					}
					r.line(o)
					break
				}
				if o.copies > o.priority[who] && len(r.copies) > 0 || o.eager && r.foremost() != who {
					break
				}
			}
		}
	}
	if r.broken.Kind == "" {
		r.end()
	}
}

// line puts the threads in the order in which they go.
func (r *run) line(o *order) {
	r.turns, r.rank, r.waiting = r.turns[:0], make([]int, r.threads), make([]uint64, (r.threads+63)/64)
	for i := range r.threads {
		r.turns = append(r.turns, i)
	}
	slices.SortStableFunc(r.turns, func(a, b int) int { return cmp.Compare(o.priority[b], o.priority[a]) })
	for at, i := range r.turns {
		r.rank[i] = at
		r.put(i, r.where[i])
	}
}

// put says where a thread stands.
func (r *run) put(i int, s stand) {
	r.where[i] = s
	at := r.rank[i]
	if s == ready {
		r.waiting[at/64] |= 1 << (at % 64)
	} else {
		r.waiting[at/64] &^= 1 << (at % 64)
	}
}

// foremost is the thread that goes next, -1 where none can.
func (r *run) foremost() int {
	for n, w := range r.waiting {
		if w != 0 {
			return r.turns[64*n+bits.TrailingZeros64(w)]
		}
	}
	return -1
}

// end looks at what is left when nobody can go on.
func (r *run) end() {
	for i, w := range r.where {
		if w != gone {
			r.fail("deadlock", &r.traces[i][r.pc[i]], nil)
			return
		}
	}
	for i := range r.gates {
		if r.gates[i].tx != 0 {
			r.fail("bytes", nil, nil)
		}
	}
}

func (r *run) fail(kind string, a, b *event) {
	if r.broken.Kind == "" {
		r.broken.Kind = kind
		if a != nil {
			r.broken.At = a.at
		}
		if b != nil {
			r.broken.Other = b.at
		}
	}
}

// pass takes a thread beyond its event.
func (r *run) pass(i int) {
	r.pc[i]++
	r.put(i, ready)
	if r.pc[i] == len(r.traces[i]) {
		r.exit(i)
	}
}

func (r *run) exit(i int) {
	r.put(i, gone)
	r.live--
	w := i / 32
	for at, lane := range r.warps[w] {
		if lane == i {
			r.warps[w] = append(append([]int{}, r.warps[w][:at]...), r.warps[w][at+1:]...)
			break
		}
	}
	if r.live == 0 && len(r.copies) > 0 {
		r.fail("copy in flight at exit", nil, nil)
		return
	}
	r.converge(w)
	for id := range r.named {
		r.complete(id)
	}
}

// touch records an access by a thread, or by a copy that it issued, and compares it with what nothing orders before it, as far as
// thread i knows.
func (r *run) touch(by int, at int32, i int, e *event, element int) {
	cell := &r.cells[r.first[e.object]+element]
	kept := (*cell)[:0]
	for _, a := range *cell {
		before := r.clocks[i].of(i, a.thread) >= a.time
		if !before && conflicts(a.event, e) {
			if a.event.kind == write && e.kind == write && a.event.value == e.value {
				r.vague = "equal values"
			} else {
				r.fail("race", a.event, e)
			}
		}
		if !before || e.kind == read || e.kind == atomic {
			if a.thread != by || a.event.kind != e.kind {
				kept = append(kept, a)
			}
		}
	}
	*cell = append(kept, access{by, at, e})
}

func conflicts(a, b *event) bool {
	return (a.kind != read || b.kind != read) && (a.kind != atomic || b.kind != atomic)
}

// draw is the order of run n: by thread or warp, up or down or drawn, with one late or early thread and, from the sixth on, changes.
func draw(rng *rand.Rand, n, threads int) *order {
	o := &order{priority: make([]int, threads), changes: map[int]bool{}}
	rank := rng.Perm(threads)
	warps := rng.Perm((threads + 31) / 32)
	for i := range o.priority {
		p := 0
		switch n % 5 {
		case 0:
			p = threads - i
		case 1:
			p = i
		case 2:
			p = rank[i]
		default:
			p = 32*warps[i/32] + i%32
		}
		o.priority[i] = 1<<22 + 2*p
	}
	one := rng.IntN(threads)
	switch {
	case n%5 == 3 || n == 2:
		o.priority[one] = 1 // the last to go
	case n%5 == 4:
		o.priority[one] = 1 << 30
	}
	if n >= 5 {
		o.warps = n%4 < 2
		o.eager = n%2 == 0
		for range 1 + rng.IntN(3) {
			o.changes[rng.IntN(40*threads)/(1+rng.IntN(20))] = true
		}
	}
	switch n % 3 {
	case 0:
		o.copies = 1 << 31
	case 2:
		o.copies = 1<<22 + 2*rng.IntN(threads) + 1
	}
	return o
}
