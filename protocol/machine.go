package protocol

// State is one counted state of a protocol: how many threads of each class stand at each place, how many asynchronous
// operations are in flight, and the fields of every object. Its layout is the Machine's.
type State []int

// Where says what a counting slot of a State counts.
type Where uint8

// A thread at a location has not executed its operation; a registered thread is blocked inside the NamedSync there; an
// operation in flight was issued there.
const (
	AtLocation Where = iota
	Registered
	InFlight
)

// Slot is one counting slot of a State.
type Slot struct {
	Class, Op int // Op may be len(Ops): the end
	Where     Where
}

// Credit says to which phases of an mbarrier the arrivals or bytes of one step went. First and Last differ when a
// batch of threads completed phases on its way.
type Credit struct{ Mbar, Effect, First, Last int }

// Machine executes a protocol on counted states, exactly as the package documentation says. It expects a protocol
// that validates. A Machine is not safe for concurrent use.
type Machine struct {
	P       *Protocol
	Slots   []Slot   // the first len(Slots) entries of every State count these
	Credits []Credit // of the last Step or Complete
	Touched []int32  // counting slots that the last Step or Complete changed; one may be there more than once
	at      []int    // slot of location 0 of each class
	reg     [][]int  // slot of the threads registered in a NamedSync, -1 for other operations
	fly     [][]int  // slot of the operations in flight from an Issue, -1 for other operations
	mbar    int      // first mbarrier field; five each: phase, pending, tx, initialised, expected
	named   int      // registered threads of each named barrier
	flag    int
	live    int     // threads of each CTA that have not exited
	cluster int     // generation, arrived, live
	arrives [][]int // ClusterArrive operations before each location
	syncs   [][]int // slots registered in each named barrier
	latest  []int   // which of these all threads were in that it released last
	wide    [][]int // CTA-wide named barriers of each CTA
	size    int
}

const (
	fieldPhase = iota
	fieldPending
	fieldTx
	fieldInit
	fieldExpected
	mbarFields
)

// NewMachine prepares p for execution.
func NewMachine(p *Protocol) *Machine {
	m := &Machine{P: p, syncs: make([][]int, len(p.Named)), latest: make([]int, len(p.Named)), wide: make([][]int, p.CTAs)}
	for i := range p.Classes {
		m.layClass(i)
	}
	for i, n := range p.Named {
		if n.Threads == 0 {
			m.wide[n.CTA] = append(m.wide[n.CTA], i)
		}
	}
	m.mbar = len(m.Slots)
	m.named = m.mbar + mbarFields*len(p.Mbars)
	m.flag = m.named + len(p.Named)
	m.live = m.flag + len(p.Flags)
	m.cluster = m.live + p.CTAs
	m.size = m.cluster + 3
	return m
}

func (m *Machine) layClass(i int) {
	c := &m.P.Classes[i]
	m.at = append(m.at, len(m.Slots))
	for l := 0; l <= len(c.Ops); l++ {
		m.Slots = append(m.Slots, Slot{i, l, AtLocation})
	}
	reg, fly, arrives, n := make([]int, len(c.Ops)), make([]int, len(c.Ops)), make([]int, len(c.Ops)+1), 0
	for l := range c.Ops {
		reg[l], fly[l], arrives[l] = -1, -1, n
		switch c.Ops[l].Kind {
		case NamedSync:
			reg[l] = len(m.Slots)
			m.syncs[c.Ops[l].Object] = append(m.syncs[c.Ops[l].Object], reg[l])
			m.Slots = append(m.Slots, Slot{i, l, Registered})
		case Issue:
			fly[l] = len(m.Slots)
			m.Slots = append(m.Slots, Slot{i, l, InFlight})
		case ClusterArrive:
			n++
		}
	}
	arrives[len(c.Ops)] = n
	m.reg, m.fly, m.arrives = append(m.reg, reg), append(m.fly, fly), append(m.arrives, arrives)
}

// Start is the initial state.
func (m *Machine) Start() State {
	s := make(State, m.size)
	initialised := make([]bool, len(m.P.Mbars))
	for i := range initialised {
		initialised[i] = true
	}
	for i := range m.P.Classes {
		c := &m.P.Classes[i]
		s[m.at[i]] = c.Count
		if len(c.Ops) > 0 {
			s[m.live+c.CTA] += c.Count
			s[m.cluster+2] += c.Count
		}
		for l := range c.Ops {
			if c.Ops[l].Kind == Init {
				initialised[c.Ops[l].Object] = false
			}
		}
	}
	for o, b := range m.P.Mbars {
		s[m.mbar+mbarFields*o+fieldPending] = b.Count
		s[m.mbar+mbarFields*o+fieldExpected] = b.Count
		if initialised[o] {
			s[m.mbar+mbarFields*o+fieldInit] = 1
		}
	}
	for i, f := range m.P.Flags {
		s[m.flag+i] = f.Initial
	}
	return s
}

// At is the number of threads of class c at location l that are not registered in a barrier there.
func (m *Machine) At(s State, c, l int) int { return s[m.at[c]+l] }

// Flying is the number of operations issued at location l of class c that are in flight.
func (m *Machine) Flying(s State, c, l int) int {
	if m.fly[c][l] < 0 {
		return 0
	}
	return s[m.fly[c][l]]
}

// Phase is the current phase Φ of mbarrier o.
func (m *Machine) Phase(s State, o int) int { return s[m.mbar+mbarFields*o+fieldPhase] }

// Pending is the number of arrivals mbarrier o still waits for.
func (m *Machine) Pending(s State, o int) int { return s[m.mbar+mbarFields*o+fieldPending] }

// Expected is the number of arrivals that the phases of mbarrier o to come wait for.
func (m *Machine) Expected(s State, o int) int { return s[m.mbar+mbarFields*o+fieldExpected] }

// Tx is the number of outstanding transaction bytes of mbarrier o.
func (m *Machine) Tx(s State, o int) int { return s[m.mbar+mbarFields*o+fieldTx] }

// Initialised reports whether mbarrier o has been initialised.
func (m *Machine) Initialised(s State, o int) bool { return s[m.mbar+mbarFields*o+fieldInit] != 0 }

// Live is the number of threads of a CTA that have not exited.
func (m *Machine) Live(s State, cta int) int { return s[m.live+cta] }

// Meeting is the number of threads registered in the current generation of named barrier i.
func (m *Machine) Meeting(s State, i int) int { return s[m.named+i] }

// Enabled reports whether a thread of class c at location l could execute its operation now.
func (m *Machine) Enabled(s State, c, l int) bool {
	o := &m.P.Classes[c].Ops[l]
	switch o.Kind {
	case Wait:
		return m.Phase(s, o.Object)&1 != o.Parity
	case ClusterWait:
		return s[m.cluster] >= m.arrives[c][l]
	case Spin, FlagSwap:
		return Holds(s[m.flag+o.Object], o.Compare, o.Count)
	case Drain:
		for _, d := range o.Drains {
			if s[m.fly[c][d]] > 0 {
				return false
			}
		}
	}
	return true
}

// Together is how many of n threads at location l of class c, where one can execute its operation now, can do so one after the
// other: a swap may leave the flag as no other likes it.
func (m *Machine) Together(c, l, n int) int {
	if o := &m.P.Classes[c].Ops[l]; o.Kind == FlagSwap && !Holds(o.Value, o.Compare, o.Count) {
		return min(n, 1)
	}
	return n
}

// Holds evaluates the comparison of a spin.
func Holds(a int, compare string, b int) bool {
	switch compare {
	case "==":
		return a == b
	case "!=":
		return a != b
	case ">=":
		return a >= b
	case ">":
		return a > b
	case "<=":
		return a <= b
	}
	return a < b
}

// Step lets n threads of class c at location l execute their operation, one after the other. The caller has checked
// that n threads are there and that the operation is enabled for all of them (Together). It returns false when a pending count would drop below
// zero; the state then means nothing any more.
func (m *Machine) Step(s State, c, l, n int) bool {
	m.Credits, m.Touched = m.Credits[:0], m.Touched[:0]
	o := &m.P.Classes[c].Ops[l]
	switch o.Kind {
	case NamedArrive, NamedSync:
		m.register(s, c, l, n)
		return true
	case Init:
		s[m.mbar+mbarFields*o.Object+fieldInit] = 1
	case Arrive, ArriveExpectTx:
		bytes := 0
		if o.Kind == ArriveExpectTx {
			bytes = o.Bytes
		}
		if !m.arrive(s, o.Object, 0, bytes, o.Count, n) {
			return false
		}
	case ArriveDrop:
		for range n {
			if !m.drop(s, o) {
				return false
			}
		}
	case ExpectTx:
		if phase := m.Phase(s, o.Object); o.Bytes > 0 {
			s[m.mbar+mbarFields*o.Object+fieldTx] += n * o.Bytes
			m.Credits = append(m.Credits, Credit{o.Object, 0, phase, phase})
		}
	case CompleteTx:
		if o.Bytes > 0 && !m.arrive(s, o.Object, 0, -o.Bytes, 0, n) {
			return false
		}
	case ClusterArrive:
		s[m.cluster+1] += n
		m.completeCluster(s)
	case FlagAdd:
		s[m.flag+o.Object] += n * o.Count
	case FlagStore:
		s[m.flag+o.Object] = o.Count
	case FlagSwap:
		s[m.flag+o.Object] = o.Value
	case Issue:
		s[m.fly[c][l]] += n
		m.Touched = append(m.Touched, int32(m.fly[c][l]))
	}
	m.move(s, m.at[c]+l, c, l, n)
	return true
}

// Complete lets n operations issued at location l of class c complete, one after the other; false as for Step.
func (m *Machine) Complete(s State, c, l, n int) bool {
	m.Credits, m.Touched = m.Credits[:0], append(m.Touched[:0], int32(m.fly[c][l]))
	s[m.fly[c][l]] -= n
	for ; n > 0; n-- {
		for i, e := range m.P.Classes[c].Ops[l].Effects {
			if e.Bytes == 0 && e.Arrivals == 0 {
				continue // changes nothing, so it is credited to no phase
			}
			if !m.arrive(s, e.Mbar, i, -e.Bytes, e.Arrivals, 1) {
				return false
			}
		}
	}
	return true
}

// drop lowers the expected count of an mbarrier and arrives.
func (m *Machine) drop(s State, o *Op) bool {
	e := &s[m.mbar+mbarFields*o.Object+fieldExpected]
	if *e < o.Count {
		phase := m.Phase(s, o.Object)
		m.Credits = append(m.Credits, Credit{o.Object, 0, phase, phase})
		return false
	}
	*e -= o.Count
	return m.arrive(s, o.Object, 0, o.Bytes, o.Count, 1)
}

// arrive does n times: tx += bytes, pending -= count, completion test (PTX 9.7.13.15.6).
func (m *Machine) arrive(s State, o, effect, bytes, count, n int) bool {
	b := s[m.mbar+mbarFields*o : m.mbar+mbarFields*o+mbarFields]
	credit := Credit{o, effect, b[fieldPhase], b[fieldPhase]}
	for n > 0 {
		credit.Last = b[fieldPhase]
		k := 1
		if bytes == 0 && count > 0 && b[fieldTx] == 0 {
			// Everyone up to the completion of this phase at once.
			k = max(1, min(n, (b[fieldPending]+count-1)/count))
			if k > 1 && k*count > b[fieldPending] {
				k--
			}
		}
		if k*count > b[fieldPending] {
			m.Credits = append(m.Credits, credit)
			return false
		}
		b[fieldTx] += k * bytes
		b[fieldPending] -= k * count
		n -= k
		if b[fieldPending] == 0 && b[fieldTx] == 0 {
			b[fieldPhase]++
			b[fieldPending] = b[fieldExpected]
		}
	}
	m.Credits = append(m.Credits, credit)
	return true
}

// register lets n threads at a NamedArrive or NamedSync register, completing the barrier as often as they do.
func (m *Machine) register(s State, c, l, n int) {
	class := &m.P.Classes[c]
	o := &class.Ops[l]
	for n > 0 {
		need := m.P.Named[o.Object].Threads
		if need == 0 {
			need = s[m.live+class.CTA]
		}
		k := max(1, min(n, need-s[m.named+o.Object]))
		if o.Kind == NamedArrive && l == len(class.Ops)-1 {
			k = 1 // each arrival is followed by an exit, which changes the count of a CTA-wide barrier
		}
		s[m.named+o.Object] += k
		n -= k
		if o.Kind == NamedSync {
			s[m.at[c]+l] -= k
			s[m.reg[c][l]] += k
			m.Touched = append(m.Touched, int32(m.at[c]+l), int32(m.reg[c][l]))
			m.completeNamed(s, o.Object)
			continue
		}
		m.completeNamed(s, o.Object)
		m.move(s, m.at[c]+l, c, l, k)
	}
}

// completeNamed releases the threads blocked in a named barrier when enough are registered.
func (m *Machine) completeNamed(s State, i int) {
	need := m.P.Named[i].Threads
	if need == 0 {
		need = s[m.live+m.P.Named[i].CTA]
	}
	if s[m.named+i] == 0 || s[m.named+i] < need {
		return
	}
	registered := s[m.named+i]
	s[m.named+i] = 0
	for k, slots := m.latest[i], m.syncs[i]; k < min(m.latest[i]+2, len(slots)); k++ {
		if slot := slots[k]; s[slot] == registered { // as where one role waits there: no other has anybody
			m.latest[i] = k
			m.move(s, slot, m.Slots[slot].Class, m.Slots[slot].Op, registered)
			return
		}
	}
	for k, slot := range m.syncs[i] {
		if n := s[slot]; n > 0 {
			m.latest[i] = k
			m.move(s, slot, m.Slots[slot].Class, m.Slots[slot].Op, n)
		}
	}
}

// completeCluster starts the next generation of a cluster barrier when every live thread has arrived. A thread that
// has arrived in the current generation has executed one more ClusterArrive than there are generations: the
// operations alternate (Validate), so it waited for all the generations before.
func (m *Machine) completeCluster(s State) {
	g := s[m.cluster : m.cluster+3]
	if g[1] > 0 && g[1] >= g[2] {
		g[0]++
		g[1] = 0
	}
}

// move takes n threads of class c from a slot at location l to location l+1, and lets them exit at the end.
func (m *Machine) move(s State, slot, c, l, n int) {
	class := &m.P.Classes[c]
	s[slot] -= n
	s[m.at[c]+l+1] += n
	m.Touched = append(m.Touched, int32(slot), int32(m.at[c]+l+1))
	if l+1 < len(class.Ops) {
		return
	}
	g := s[m.cluster : m.cluster+3]
	s[m.live+class.CTA] -= n
	g[2] -= n
	if m.arrives[c][l+1] > g[0] {
		g[1] -= n
	}
	m.completeCluster(s)
	for _, i := range m.wide[class.CTA] {
		m.completeNamed(s, i)
	}
}
