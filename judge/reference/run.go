package reference

import "math/rand/v2"

// clock is a vector clock: how far of every thread, and of every copy in flight, is known to be over.
type clock []int32

func (c clock) join(d clock) {
	for i, v := range d {
		if v > c[i] {
			c[i] = v
		}
	}
}

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
	clocks  []clock
	cells   [][]access // of every element of every array
	first   []int      // first cell of every array
	gates   []gate
	named   [16]meeting
	copies  []flight
	groups  []int32 // groups of copies that every thread has committed
	partial bool    // some warp barrier is not for all lanes
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
	coming, done                 clock
	inits                        access
}

// meeting is a named barrier.
type meeting struct {
	n       int // participants, 0 while nobody is there
	arrived []int
	warps   uint32
	threads int
	known   clock
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
	copies   int // priority of copies in flight; between two threads' if it is not above or below all
	changes  map[int]bool
}

func newRun(traces [][]event, lengths []int, gates int) *run {
	r := &run{threads: len(traces), traces: traces}
	// Copies in groups of its own are one component a thread, that counts groups; a bulk copy is a component of its own.
	r.size, r.live, r.next = 2*r.threads, r.threads, 2*r.threads
	for _, t := range traces {
		for i := range t {
			if t[i].kind == bulkCopy {
				r.size++
			}
			r.partial = r.partial || t[i].kind == warpSync && uint32(t[i].n) != 1<<32-1
		}
	}
	r.pc, r.where = make([]int, r.threads), make([]stand, r.threads)
	r.groups = make([]int32, r.threads)
	back := make(clock, r.threads*r.size)
	for i := range traces {
		c := back[i*r.size : (i+1)*r.size]
		c[i] = 1
		r.clocks = append(r.clocks, c)
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
	for i := range r.threads {
		if len(r.traces[i]) == 0 {
			r.exit(i)
		}
	}
	for r.broken.Kind == "" {
		who, best := -1, -1
		for i, w := range r.where {
			if w == ready && o.priority[i] > best {
				who, best = i, o.priority[i]
			}
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
					o.priority[who] = -steps + 1<<20
					break
				}
				if o.copies > o.priority[who] && len(r.copies) > 0 {
					break
				}
			}
		}
	}
	if r.broken.Kind == "" {
		r.end()
	}
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
	r.where[i] = ready
	if r.pc[i] == len(r.traces[i]) {
		r.exit(i)
	}
}

func (r *run) exit(i int) {
	r.where[i] = gone
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

// tick starts a new time of a thread, after what others may know of.
func (r *run) tick(i int) { r.clocks[i][i]++ }

// touch records an access by a thread, or by a copy that it issued, and compares it with what nothing orders before it: now is what the
// thread knows to be over.
func (r *run) touch(by int, at int32, now clock, e *event, element int) {
	cell := &r.cells[r.first[e.object]+element]
	kept := (*cell)[:0]
	for _, a := range *cell {
		before := now[a.thread] >= a.time
		if !before && conflicts(a.event, e) {
			if a.event.at == e.at && a.event.kind == write && e.kind == write && a.event.value == e.value {
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
