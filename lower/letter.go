package lower

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Values that travel through shared memory. A scheduler warp stores a tile's coordinates and whether there is one, signals
// a barrier, and the other roles read them after their wait and branch on them. Such a read gets the value that the one
// role that writes the element has stored last before the reader's last wait, as far as barriers that both take part in
// tell (sent). That is a guess. What makes it sound is premise.go: a protocol in which a read races with every moment at
// which the element holds anything else, and whose freedom from races is proved before the model is believed.
//
// Only where the evaluation of a kernel fails otherwise are values followed: most of what is in shared memory is data.

// place is one element of the shared memory of a CTA.
type place struct {
	b   *value.Block
	cta int
	at  int64
}

// letter is one store to a place, in the block of accesses at.
type letter struct {
	at int
	v  value.Value
}

// delivery is a read that gave the value of a version of a place: the number of stores before it. Version 0 is a
// decision by what was read where nothing was stored before; the group ends there.
type delivery struct {
	at      int
	place   place
	version int
}

// post is what an instance knows of values in shared memory.
type post struct {
	carriers map[string]bool  // blocks whose values are followed
	valued   map[string]bool  // blocks by whose elements values are stored and read
	vague    map[string]bool  // blocks that were written in other ways
	senders  []*machine       // groups that have been evaluated
	pending  int              // groups that are still to be evaluated, the running one aside
	last     bool             // nobody has more to say
	unstored map[string]place // unknowns that stand for what is read where nothing was stored before
}

func newPost() post {
	return post{valued: map[string]bool{}, vague: map[string]bool{}, unstored: map[string]place{}}
}

type (
	// later asks to evaluate the group when others have been.
	later struct{}
	// undelivered ends the group where it decides by what was read where nothing was stored before.
	undelivered struct{}
)

// placeOf is the element that a pointer points to, where it is known and the same for the group.
func (m *machine) placeOf(p value.Pointer, n program.Node) (place, bool) {
	if m.host || m.sampling || p.Block == nil || !p.Block.Shared || p.Block.Mbarrier || len(p.Dims) > 0 {
		return place{}, false
	}
	at, ok := m.settle(p.Offset).(value.Int)
	if !ok {
		return place{}, false
	}
	return place{p.Block, int(m.ctaOf(p, n)), int64(at)}, true
}

// post notes what the group stores to shared memory.
func (m *machine) post(p value.Pointer, v value.Value, n program.Node) {
	to, ok := m.placeOf(p, n)
	if !ok {
		return
	}
	switch v = value.Untyped(v); v.(type) {
	case value.Int, value.Symbol:
		m.in.valued[to.b.Name] = true
	default:
		v = value.Data{}
	}
	if !m.in.carriers[to.b.Name] {
		return
	}
	if m.letters == nil {
		m.letters = map[place][]letter{}
	}
	at := len(m.ops)
	if old := m.letters[to]; len(old) > 0 && old[len(old)-1].at == at {
		old[len(old)-1].v = v
		return
	}
	m.letters[to] = append(m.letters[to], letter{at, v})
}

// carries reports whether the values that are read from a block are followed.
func (m *machine) carries(b *value.Block) bool {
	m.in.valued[b.Name] = true
	return m.in.carriers[b.Name]
}

// delivered is what the group reads from shared memory.
func (m *machine) delivered(p value.Pointer, n program.Node) value.Value {
	from, ok := m.placeOf(p, n)
	if !ok {
		return value.Data{}
	}
	if !m.carries(from.b) {
		return value.Data{}
	}
	if own := m.letters[from]; len(own) > 0 {
		return m.accept(from, own, len(own))
	}
	var by *machine
	for _, s := range m.in.senders {
		if len(s.letters[from]) == 0 {
			continue
		}
		if by != nil {
			return value.Data{} // several roles write it
		}
		by = s
	}
	if by == nil {
		if m.in.pending > 0 && !m.in.last {
			panic(later{})
		}
		if m.in.vague[from.b.Name] {
			return value.Data{}
		}
		return m.accept(from, nil, 0)
	}
	all := by.letters[from]
	version := m.sent(by, all)
	if version == 0 && m.in.pending > 0 && !m.in.last {
		panic(later{})
	}
	return m.accept(from, all, version)
}

// accept takes a version of a place for what is read.
func (m *machine) accept(from place, all []letter, version int) value.Value {
	if version == 0 {
		v := value.Atom(fmt.Sprintf("what was in %s[%d] before anything was stored, read %d by thread %d", from.b.Name, from.at, len(m.ops), m.threads[0]))
		m.in.unstored[v.Expr.Atom] = from
		return v
	}
	v := all[version-1].v
	if _, unknown := v.(value.Data); !unknown {
		m.deliveries = append(m.deliveries, delivery{len(m.ops), from, version})
	}
	return v
}

// undecidable ends the group where it asks for a value that nothing is stored for.
func (m *machine) undecidable(key string) {
	if from, ok := m.in.unstored[key]; ok {
		m.deliveries = append(m.deliveries, delivery{len(m.ops), from, 0})
		panic(undelivered{})
	}
}

// signal is a barrier, as something that one thread's arrival and another's wait have in common.
type signal struct {
	kind   protocol.Kind
	object int
}

// hearing is what a group has heard of a sender in its first operations.
type hearing struct {
	ops    int            // how many these are
	last   int            // the last arrival of the sender that a wait met, -1 where none did
	waits  bool           // the last of them that waits is a wait on an mbarrier,
	on     signal         // this one,
	phase  int            // for this phase
	nth    map[signal]int // how often the group came to a barrier
	phases map[int]int    // the last that it waited for, by mbarrier
}

// sent is the number of letters that by has stored for certain when the group is where it is now, if every wait of the
// group met an arrival of by of the same number.
func (m *machine) sent(by *machine, all []letter) int {
	h := m.hearings[by]
	if h == nil {
		h = &hearing{last: -1, nth: map[signal]int{}, phases: map[int]int{}}
		if m.hearings == nil {
			m.hearings = map[*machine]*hearing{}
		}
		m.hearings[by] = h
	}
	arrivals := by.releases()
	for ; h.ops < len(m.ops); h.ops++ {
		h.hear(&m.ops[h.ops], arrivals)
	}
	if h.waits && m.idle(h.on, h.phase, by) {
		return 0 // nobody gets past that wait
	}
	n, _ := slices.BinarySearchFunc(all, h.last+1, func(l letter, at int) int { return l.at - at })
	return n
}

// hear takes the next operation of the group.
func (h *hearing) hear(o *protocol.Op, arrivals map[signal][]int) {
	var s signal
	k := 0
	switch o.Kind {
	case protocol.Wait:
		s = signal{protocol.Wait, o.Object}
		k = waitedFor(h.phases, o)
	case protocol.NamedSync, protocol.NamedArrive:
		s = signal{protocol.NamedSync, o.Object}
		if h.nth[s]++; o.Kind == protocol.NamedArrive {
			return
		}
		k = h.nth[s] - 1
	case protocol.ClusterWait:
		s = signal{protocol.ClusterWait, 0}
		h.nth[s]++
		k = h.nth[s] - 1
	default:
		return
	}
	if list := arrivals[s]; k >= 0 && k < len(list) {
		h.last = max(h.last, list[k])
	}
	h.waits, h.on, h.phase = o.Kind == protocol.Wait, s, k
}

// idle reports whether a sender arrives on a barrier, or on another of its ring, but nobody does for a phase k of it.
func (m *machine) idle(s signal, k int, by *machine) bool {
	for _, o := range m.in.senders {
		if k < len(o.releases()[s]) {
			return false
		}
	}
	for t := range by.releases() {
		if t.kind == protocol.Wait && m.in.ringOf[t.object] == m.in.ringOf[s.object] {
			return true
		}
	}
	return false
}

// waitedFor is the phase that a wait of a thread is for: the first that is not before the one it waited for last and has the
// parity; -1 is the one before a fresh mbarrier's first.
func waitedFor(phase map[int]int, o *protocol.Op) int {
	last, waited := phase[o.Object]
	if !waited {
		last = -o.Parity
	} else if last&1 != o.Parity {
		last++
	}
	phase[o.Object] = last
	return last
}

// releases lists for every barrier the operations by which the group arrives on it.
func (m *machine) releases() map[signal][]int {
	if m.released != nil {
		return m.released
	}
	m.released = map[signal][]int{}
	add := func(k protocol.Kind, object, at int) {
		s := signal{k, object}
		m.released[s] = append(m.released[s], at)
	}
	for i := range m.ops {
		switch o := &m.ops[i]; o.Kind {
		case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop:
			add(protocol.Wait, o.Object, i)
		case protocol.Issue:
			for _, e := range o.Effects {
				if e.Arrivals > 0 {
					add(protocol.Wait, e.Mbar, i)
				}
			}
		case protocol.NamedSync, protocol.NamedArrive:
			add(protocol.NamedSync, o.Object, i)
		case protocol.ClusterArrive:
			add(protocol.ClusterWait, 0, i)
		}
	}
	return m.released
}
