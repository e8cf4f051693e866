package explore

import (
	"math"

	"github.com/fencepost-dev/fencepost/protocol"
)

// monotone is the system M of the package documentation: every wait is "counter ≥ threshold", every operation only
// raises counters. It is compiled from the protocol and its canonical execution.
type monotone struct {
	*judge
	progs     []program
	start     []int // initial value of each counter
	need      []int // for the counter of a gate's phase, the contributions that complete it
	sum       []int // by mbarrier: the counter of its arrivals, or -1
	flagAt    []int // by flag: the counter of its value
	gates     []gate
	named     []gate
	cluster   gate
	arrivals  []gate // by mbarrier: as gates, arrivals only
	waits     [][]place
	registers map[[2]int]int // by class and location: generation of a counted named barrier
}

// gate is an object whose phases are completed by a fixed set of contributions each: counters first … first+phases-1.
type gate struct{ first, phases int }

// place is a wait of a class for phase k.
type place struct{ class, loc, k int }

// program is a class's operations in M.
type program struct {
	micros []micro
	first  []int // by location: its first micro; past the end for locations the canonical execution does not reach
	end    bool  // the class reaches its end
}

// micro is one step of M: wait for a counter, then raise counters, at once or on completion.
type micro struct {
	op       int
	silent   bool // not a step of a trace: a registered thread is released
	counter  int  // waited for, -1 for none
	least    int
	issue    bool
	drains   []int
	now      []bump
	complete []bump
}

// bump raises a counter by an amount a thread, or to a value.
type bump struct {
	counter, by int
	store       bool
}

const never = math.MaxInt

// compile builds M, or says why the argument does not apply to p.
func compile(j *judge) (*monotone, error) {
	m := &monotone{judge: j}
	if j.canon.Broken {
		if err := j.refuse(unbroken, "the canonical execution exceeds a pending count"); err != nil {
			return nil, err
		}
	}
	finals, err := m.finals()
	if err != nil {
		return nil, err
	}
	if err := m.objects(finals); err != nil {
		return nil, err
	}
	flags, err := m.flags(finals)
	if err != nil {
		return nil, err
	}
	m.waits = make([][]place, len(j.p.Mbars))
	for c := range j.p.Classes {
		m.progs = append(m.progs, m.program(c, finals[c], flags))
	}
	return m, nil
}

// final is where the canonical execution leaves a class.
type final struct {
	loc        int
	registered bool
}

// finals says where the threads of each class end, and requires that no object is initialised twice. They end together:
// the canonical execution lets threads that stand together move together, and they part only where one operation registers
// in several generations of a counted named barrier, which generations refuses.
func (m *monotone) finals() ([]final, error) {
	out := make([]final, len(m.p.Classes))
	for i, slot := range m.judge.m.Slots {
		n := m.canon.Final[i]
		if n == 0 || slot.Where == protocol.InFlight {
			continue
		}
		out[slot.Class] = final{slot.Op, slot.Where == protocol.Registered}
	}
	inits := make([]int, len(m.p.Mbars))
	for c := range m.p.Classes {
		for _, o := range m.p.Classes[c].Ops {
			if o.Kind != protocol.Init {
				continue
			}
			if inits[o.Object] += m.p.Classes[c].Count; inits[o.Object] > 1 {
				if err := m.refuse(initOnce, "%s is initialised more than once", m.p.Mbars[o.Object].Name); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

// counter adds n counters with the need given.
func (m *monotone) counter(n, need int) gate {
	g := gate{len(m.start), n}
	for range n {
		m.start, m.need = append(m.start, 0), append(m.need, need)
	}
	return g
}

// objects gives every barrier its counters.
func (m *monotone) objects(finals []final) error {
	if err := m.mbarriers(finals); err != nil {
		return err
	}
	live, threads := make([]int, m.p.CTAs), 0
	gens, arrives := make([]int, len(m.p.Named)), 0
	for c := range m.p.Classes {
		class := &m.p.Classes[c]
		if len(class.Ops) > 0 {
			live[class.CTA] += class.Count
			threads += class.Count
		}
		syncs, cluster := map[int]int{}, 0
		for _, o := range class.Ops {
			switch {
			case o.Kind == protocol.ClusterArrive:
				cluster++
				arrives = max(arrives, cluster)
			case o.Kind != protocol.NamedSync && o.Kind != protocol.NamedArrive || m.p.Named[o.Object].Threads > 0:
			case o.Kind == protocol.NamedArrive:
				if err := m.refuse(noBareArrive, "threads arrive on a CTA-wide barrier without waiting"); err != nil {
					return err
				}
				fallthrough
			default:
				syncs[o.Object]++
				gens[o.Object] = max(gens[o.Object], syncs[o.Object])
			}
		}
	}
	m.cluster = m.counter(arrives, threads)
	for i, n := range m.p.Named {
		if n.Threads > 0 {
			m.named = append(m.named, gate{})
			continue
		}
		m.named = append(m.named, m.counter(gens[i], live[n.CTA]))
	}
	return m.generations()
}

// generations finds, for counted named barriers, the generation each registration is part of in the canonical
// execution: each takes exactly Threads registrations.
func (m *monotone) generations() error {
	total := make([]int, len(m.p.Named))
	m.registers = map[[2]int]int{}
	for _, b := range m.canon.Batches {
		o := &m.p.Classes[b.Class].Ops[b.Op]
		if b.Completion || o.Kind != protocol.NamedArrive && o.Kind != protocol.NamedSync || m.p.Named[o.Object].Threads == 0 {
			continue
		}
		need := m.p.Named[o.Object].Threads
		g := total[o.Object] / need
		total[o.Object] += b.N
		if last := (total[o.Object] - 1) / need; last != g {
			if err := m.refuse(oneGeneration, "one operation registers in several generations of named barrier %d", m.p.Named[o.Object].ID); err != nil {
				return err
			}
		}
		m.registers[[2]int{b.Class, b.Op}] = g
	}
	for i, n := range m.p.Named {
		if n.Threads > 0 {
			m.named[i] = m.counter(total[i]/n.Threads+1, n.Threads)
			m.need[m.named[i].first+m.named[i].phases-1] = never
		}
	}
	return nil
}
