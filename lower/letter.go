package lower

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/memory"
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

// post is what an instance knows of values in shared memory.
type post struct {
	carriers map[string]bool         // blocks whose values are followed
	valued   map[string]bool         // blocks by whose elements values are stored and read
	vague    map[string]bool         // blocks that were written in other ways
	senders  []*machine              // groups that have been evaluated
	pending  int                     // groups that are still to be evaluated, the running one aside
	last     bool                    // nobody has more to say
	unstored map[string]memory.Place // unknowns that stand for what is read where nothing was stored before
}

func newPost() post {
	return post{valued: map[string]bool{}, vague: map[string]bool{}, unstored: map[string]memory.Place{}}
}

// placeOf is the element that a pointer points to, where it is known and the same for the group.
func (m *machine) placeOf(p value.Pointer, n program.Node) (memory.Place, bool) {
	if m.host || m.sampling || p.Block == nil || !p.Block.Shared || p.Block.Mbarrier || len(p.Dims) > 0 {
		return memory.Place{}, false
	}
	at, ok := m.settle(p.Offset).(value.Int)
	if !ok {
		return memory.Place{}, false
	}
	return memory.Place{B: p.Block, Cta: int(m.ctaOf(p, n)), At: int64(at)}, true
}

// post notes what the group stores to shared memory.
func (m *machine) post(p value.Pointer, v value.Value, n program.Node) {
	if to, ok := m.placeOf(p, n); ok {
		m.tellsMore(to.Spot())
		m.send(to, v)
	}
}

func (m *machine) send(to memory.Place, v value.Value) {
	switch v = value.Untyped(v); v.(type) {
	case value.Int, value.Symbol:
		m.in.valued[to.B.Name] = true
	default:
		v = value.Data{}
	}
	if !m.in.carriers[to.B.Name] {
		return
	}
	if m.letters == nil {
		m.letters = map[memory.Place][]memory.Letter{}
	}
	at := len(m.ops)
	if old := m.letters[to]; len(old) > 0 && old[len(old)-1].At == at {
		old[len(old)-1].V = v
		return
	}
	m.letters[to] = append(m.letters[to], memory.Letter{At: at, V: v})
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
	if !m.carries(from.B) {
		return m.addressIn(from, n)
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
			panic(memory.Later{})
		}
		if m.in.vague[from.B.Name] {
			return value.Data{}
		}
		return m.accept(from, nil, 0)
	}
	all := by.letters[from]
	version := m.sent(by, all)
	if version == 0 && m.in.pending > 0 && !m.in.last {
		panic(memory.Later{})
	}
	return m.accept(from, all, version)
}

// accept takes a version of a place for what is read.
func (m *machine) accept(from memory.Place, all []memory.Letter, version int) value.Value {
	if version == 0 {
		v := value.Atom(fmt.Sprintf("what was in %s[%d] before anything was stored, read %d by thread %d", from.B.Name, from.At, len(m.ops), m.threads[0]))
		m.in.unstored[v.Expr.Atom] = from
		return v
	}
	v := all[version-1].V
	if _, unknown := v.(value.Data); !unknown {
		m.deliveries = append(m.deliveries, memory.Delivery{At: len(m.ops), Place: from, Version: version})
	}
	return v
}

// undecidable ends the group where it asks for a value that nothing is stored for.
func (m *machine) undecidable(key string) {
	if from, ok := m.in.unstored[key]; ok {
		m.deliveries = append(m.deliveries, memory.Delivery{At: len(m.ops), Place: from, Version: 0})
		panic(memory.Undelivered{})
	}
}

// sent is the number of letters that by has stored for certain when the group is where it is now, if every wait of the
// group met an arrival of by of the same number.
func (m *machine) sent(by *machine, all []memory.Letter) int {
	h := m.hearings[by]
	if h == nil {
		h = &memory.Hearing{Last: -1, Nth: map[memory.Signal]int{}, Phases: map[int]int{}}
		if m.hearings == nil {
			m.hearings = map[*machine]*memory.Hearing{}
		}
		m.hearings[by] = h
	}
	arrivals := by.releases()
	for ; h.Ops < len(m.ops); h.Ops++ {
		h.Hear(&m.ops[h.Ops], arrivals)
	}
	if h.Waits && m.idle(h.On, h.Phase, by) {
		return 0 // nobody gets past that wait
	}
	n, _ := slices.BinarySearchFunc(all, h.Last+1, func(l memory.Letter, at int) int { return l.At - at })
	return n
}

// idle reports whether a sender arrives on a barrier, or on another of its ring, but nobody does for a phase k of it.
func (m *machine) idle(s memory.Signal, k int, by *machine) bool {
	for _, o := range m.in.senders {
		if k < len(o.releases()[s]) {
			return false
		}
	}
	for t := range by.releases() {
		if t.Kind == protocol.Wait && m.in.ringOf[t.Object] == m.in.ringOf[s.Object] {
			return true
		}
	}
	return false
}

// releases lists for every barrier the operations by which the group arrives on it.
func (m *machine) releases() map[memory.Signal][]int {
	if m.released != nil {
		return m.released
	}
	m.released = map[memory.Signal][]int{}
	add := func(k protocol.Kind, object, at int) {
		s := memory.Signal{Kind: k, Object: object}
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
