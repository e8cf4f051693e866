package protocol

// NoPhase stands for the phase of an operation that has none, or that the canonical execution never reaches.
const NoPhase = -2

// Span is the phases the arrivals or bytes of one operation of a class went to: Last differs from First when its
// threads completed a phase among themselves. Both are NoPhase when the operation was not executed.
type Span struct{ First, Last int }

// Batch is one step of the canonical execution: N threads of Class execute the operation at Op, one after the other;
// or, with Completion set, N operations issued there complete.
type Batch struct {
	Class, Op, N int
	Completion   bool
}

// Execution is the canonical execution of a protocol. It fixes what the author is taken to mean: which phase a wait
// is for, and which phase an arrival belongs to.
type Execution struct {
	Batches []Batch
	// Wait holds for every operation of every class the phase k it waits for: k = Φ-1 when its first batch passed,
	// -1 for a wait that a fresh mbarrier lets pass. A wait nothing passes has the phase it is, or at the end would
	// be, blocked on. NoPhase for all other operations.
	Wait [][]int
	// Credit holds for every operation of every class, and every effect of it if it is an Issue (else only one), the
	// phases it went to.
	Credit [][][]Span
	Final  State
	Broken bool // the last batch drives a pending count below zero

	ops [][]Op
}

// WaitPhase is the phase the wait at location l of class c waits for; NoPhase when it is no wait.
func (e *Execution) WaitPhase(c, l int) int { return e.Wait[c][l] }

// CreditPhase is the phase that the operation at location l of class c contributes to on an mbarrier; known is false
// when the canonical execution does not say: the operation was not reached, or its threads went to several phases.
func (e *Execution) CreditPhase(c, l, mbar int) (phase int, known bool) {
	phase = NoPhase
	for x, s := range e.Credit[c][l] {
		if e.mbarOf(c, l, x) != mbar || s.First == NoPhase {
			continue
		}
		if s.First != s.Last || phase != NoPhase && phase != s.First {
			return NoPhase, false
		}
		phase = s.First
	}
	return phase, phase != NoPhase
}

func (e *Execution) mbarOf(c, l, effect int) int {
	o := &e.ops[c][l]
	if o.Kind == Issue {
		if effect < len(o.Effects) {
			return o.Effects[effect].Mbar
		}
		return -1
	}
	return o.Object
}

// Canonical runs p once, deterministically: the classes in order, the threads of each as far as they go together,
// again and again until nothing moves; asynchronous operations complete as soon as they are issued.
func Canonical(p *Protocol) *Execution { return NewMachine(p).Canonical() }

// Canonical runs the machine's protocol; see the function of the same name.
func (m *Machine) Canonical() *Execution {
	e := &Execution{Final: m.Start()}
	for i := range m.P.Classes {
		ops := m.P.Classes[i].Ops
		wait, credit := make([]int, len(ops)), make([][]Span, len(ops))
		for l := range ops {
			wait[l] = NoPhase
			credit[l] = make([]Span, max(1, len(ops[l].Effects)))
			for x := range credit[l] {
				credit[l][x] = Span{NoPhase, NoPhase}
			}
		}
		e.ops = append(e.ops, ops)
		e.Wait, e.Credit = append(e.Wait, wait), append(e.Credit, credit)
	}
	low := make([]int, len(m.P.Classes)) // no thread of the class is before this location
	for moved := true; moved && !e.Broken; {
		moved = false
		for c := range m.P.Classes {
			if !e.Broken && m.advance(e, c, low) {
				moved = true
			}
		}
	}
	for c := range m.P.Classes {
		for l, o := range m.P.Classes[c].Ops {
			if o.Kind == Wait && e.Wait[c][l] == NoPhase {
				phase := m.Phase(e.Final, o.Object)
				e.Wait[c][l] = phase
				if phase&1 != o.Parity {
					e.Wait[c][l] = phase - 1
				}
			}
		}
	}
	return e
}

// advance moves the threads of class c as far as they go in one pass over its program.
func (m *Machine) advance(e *Execution, c int, low []int) (moved bool) {
	ops := m.P.Classes[c].Ops
	left := m.P.Classes[c].Count
	first := -1
	for l := low[c]; l < len(ops) && left > 0; l++ {
		n := m.At(e.Final, c, l)
		if n > 0 && m.Enabled(e.Final, c, l) {
			moved = true
			together := m.Together(c, l, n)
			if !m.execute(e, c, l, together) {
				return true
			}
			n -= together
		}
		if m.reg[c][l] >= 0 {
			n += e.Final[m.reg[c][l]]
		}
		left -= n
		if n > 0 && first < 0 {
			first = l
		}
	}
	if first < 0 {
		first = len(ops)
		if left > 0 {
			first = low[c] // threads were released backwards of this pass; look again from the same place
		}
	}
	low[c] = min(first, len(ops))
	return moved
}

// execute takes one batch of the canonical execution and notes its phases.
func (m *Machine) execute(e *Execution, c, l, n int) bool {
	o := &m.P.Classes[c].Ops[l]
	if o.Kind == Wait && e.Wait[c][l] == NoPhase {
		e.Wait[c][l] = m.Phase(e.Final, o.Object) - 1
	}
	ok := m.batch(e, Batch{c, l, n, false})
	if ok && o.Kind == Issue {
		m.note(e, c, l)
		ok = m.batch(e, Batch{c, l, n, true})
	}
	m.note(e, c, l)
	e.Broken = !ok
	return ok
}

// batch takes a step of as many threads. Nothing follows an arrival beyond the pending count: it is the last of its batch.
func (m *Machine) batch(e *Execution, b Batch) bool {
	ok := m.take(e.Final, b)
	for n := 1; !ok && n < b.N; n++ {
		s := m.Start()
		for _, earlier := range e.Batches {
			m.take(s, earlier)
		}
		if !m.take(s, Batch{b.Class, b.Op, n, b.Completion}) {
			b.N = n
		}
	}
	e.Batches = append(e.Batches, b)
	return ok
}

func (m *Machine) take(s State, b Batch) bool {
	if b.Completion {
		return m.Complete(s, b.Class, b.Op, b.N)
	}
	return m.Step(s, b.Class, b.Op, b.N)
}

func (m *Machine) note(e *Execution, c, l int) {
	for _, credit := range m.Credits {
		s := &e.Credit[c][l][credit.Effect]
		if s.First == NoPhase {
			*s = Span{credit.First, credit.Last}
		}
		s.First, s.Last = min(s.First, credit.First), max(s.Last, credit.Last)
	}
}
