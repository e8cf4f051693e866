package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// A branch without synchronization whose test has no value is taken both ways: each arm runs from the same state, and
// what they leave different becomes a choice between the two (a symbol or an integer for each thread), or unknown. A
// loop without synchronization of which the number of rounds is not known runs until nothing changes any more.

// heap is the content of everything that a scope reaches, at one moment.
type heap struct {
	scopes    map[*scope]map[string]location
	cells     map[*cell]value
	objects   map[*object]map[string]value
	sequences map[*sequence][]value
	mappings  map[*mapping]*mapping
	left      int
}

const (
	// maxHeap bounds the values of one copy, maxForks the copies that one group takes.
	maxHeap  = 20_000
	maxForks = 4_000
	// maxRounds bounds how often a loop's body runs to find out what it changes.
	maxRounds = 6
)

func emptyHeap() *heap {
	return &heap{map[*scope]map[string]location{}, map[*cell]value{}, map[*object]map[string]value{}, map[*sequence][]value{}, map[*mapping]*mapping{}, maxHeap}
}

// capture copies what a statement may change of what a scope reaches; nil where that is too much.
func (m *machine) capture(st program.Stmt, s *scope) *heap {
	if m.forks++; m.forks > maxForks {
		return nil
	}
	h := emptyHeap()
	if !m.narrow(h, st, s) {
		h.scope(s)
	}
	m.spend((maxHeap - h.left) / 8)
	if h.left < 0 {
		return nil
	}
	return h
}

func (h *heap) scope(s *scope) {
	for ; s != nil && h.left >= 0; s = s.parent {
		if _, seen := h.scopes[s]; seen {
			return
		}
		vars := make(map[string]location, len(s.vars))
		h.scopes[s] = vars
		for name, l := range s.vars {
			vars[name] = l
			h.left--
			h.place(l)
		}
	}
}

func (h *heap) place(l location) {
	switch l := l.(type) {
	case *cell:
		if _, seen := h.cells[l]; !seen {
			h.cells[l] = l.v
			h.reach(l.v)
		}
	case elementOf:
		h.reach(l.s)
	case fieldOf:
		h.reach(l.o)
	case keyOf:
		h.reach(l.m)
	}
}

func (h *heap) reach(v value) {
	if h.left--; h.left < 0 {
		return
	}
	switch v := v.(type) {
	case location: // the address of a variable
		h.place(v)
	case *object:
		if _, seen := h.objects[v]; seen {
			return
		}
		fields := make(map[string]value, len(v.fields))
		h.objects[v] = fields
		for name, f := range v.fields {
			fields[name] = f
			h.reach(f)
		}
	case *sequence:
		if _, seen := h.sequences[v]; seen {
			return
		}
		h.sequences[v] = slices.Clone(v.elems)
		for _, e := range v.elems {
			h.reach(e)
		}
	case *tensor:
		if v.content != nil {
			h.reach(v.content)
		}
	case *mapping:
		if _, seen := h.mappings[v]; seen {
			return
		}
		h.mappings[v] = v.clone()
		for _, e := range v.values {
			h.reach(e)
		}
	case *partial:
		h.reach(v.fun)
		for _, x := range v.given.all() {
			h.reach(x)
		}
	case *closure:
		h.reach(v.self)
		if v.env != nil && v.env.parent != nil { // the scopes of modules are reached from inside them only
			h.scope(v.env)
		}
	}
}

// now is the present content of what h holds.
func (h *heap) now() *heap {
	n := &heap{map[*scope]map[string]location{}, make(map[*cell]value, len(h.cells)), make(map[*object]map[string]value, len(h.objects)),
		make(map[*sequence][]value, len(h.sequences)), make(map[*mapping]*mapping, len(h.mappings)), 0}
	for s := range h.scopes {
		n.scopes[s] = s.vars
	}
	for c := range h.cells {
		n.cells[c] = c.v
	}
	for o := range h.objects {
		n.objects[o] = o.fields
	}
	for s := range h.sequences {
		n.sequences[s] = s.elems
	}
	for x := range h.mappings {
		n.mappings[x] = x.clone()
	}
	return n
}

// restore puts everything back.
func (h *heap) restore() {
	for s, vars := range h.scopes {
		s.vars = cloneMap(vars)
	}
	for c, v := range h.cells {
		c.v = v
	}
	for o, fields := range h.objects {
		o.fields = cloneMap(fields)
	}
	for s, elems := range h.sequences {
		s.elems = slices.Clone(elems)
	}
	for x, old := range h.mappings {
		*x = *old.clone()
	}
}

// cloneMap copies a map.
func cloneMap[V any](in map[string]V) map[string]V {
	out := make(map[string]V, len(in))
	for k, v := range in {
		out[k] = v
	}
	return out
}

// join replaces the present content by the join of what another run left and what there is. It fails where two contents
// have no common shape.
func (h *heap) join(other *heap, join func(a, b value) value) bool {
	for s := range h.scopes {
		for name, l := range other.scopes[s] {
			now, ok := s.vars[name]
			if !ok { // bound on one side only: nobody may look at it after the other
				s.vars[name] = l
				continue
			}
			a, oka := l.(*cell)
			b, okb := now.(*cell)
			if oka && okb && a != b {
				s.vars[name] = &cell{v: join(a.v, b.v)}
			}
		}
	}
	for c := range h.cells {
		c.v = join(other.cells[c], c.v)
	}
	for o := range h.objects {
		for name, f := range other.objects[o] {
			if now, ok := o.fields[name]; ok {
				o.fields[name] = join(f, now)
			} else {
				o.fields[name] = f
			}
		}
	}
	for s := range h.sequences {
		old := other.sequences[s]
		if len(old) != len(s.elems) {
			return false
		}
		for i := range old {
			s.elems[i] = join(old[i], s.elems[i])
		}
	}
	for x := range h.mappings {
		if !x.join(other.mappings[x], join) {
			return false
		}
	}
	return true
}

// both takes a branch both ways. It answers false, with nothing changed, where that cannot be.
func (m *machine) both(st *program.If, test value, s *scope) (control, value, bool) {
	h := m.capture(st, s)
	if h == nil {
		return next, nil, false
	}
	mark := m.mark()
	takers, others := m.takersOf(test)
	c1, v1, ok := m.speculate(mark, func() (control, value) { return m.armOf(takers, st.Then, s) })
	then := h.now()
	h.restore()
	if !ok {
		m.undo(mark)
		return next, nil, false
	}
	c2, v2, ok := m.speculate(mark, func() (control, value) { return m.armOf(others, st.Else, s) })
	merge := func(a, b value) value { return m.joined(test, a, b, 0) }
	_, unknown := test.(data)
	unknown = unknown || m.inquiry != nil
	exact := unknown || len(m.maybes) == mark.maybes // values that can be told are told where memory is touched
	exact = exact && !m.divides(test, mark.met) && (unknown || len(m.in.losses) == mark.losses)
	if !ok || c1 != c2 || !exact || !h.join(then, merge) {
		h.restore()
		m.undo(mark)
		return next, nil, false
	}
	m.settleMaybes(mark.maybes)
	if c1 == returns {
		return returns, merge(v1, v2), true
	}
	return c1, nil, true
}

// divides reports whether a test that can be told decides about an operation of a whole warp or an access to a tensor,
// met since. Such a branch is taken as it is, not left out: lanes that come to it would wait for those that left it out,
// because it was told for them only, or before they came; and who accesses what would not be told.
func (m *machine) divides(test value, met int) bool {
	_, unknown := test.(data)
	return !unknown && m.met != met && m.inquiry == nil
}

// rounds runs the body of a loop until a round changes nothing that the rounds before left known.
func (m *machine) rounds(st program.Stmt, body []program.Stmt, s *scope) bool {
	first := m.capture(st, s)
	if first == nil {
		return false
	}
	mark := m.mark()
	for round := range maxRounds {
		h := first
		if round > 0 {
			h = m.capture(st, s)
		}
		if h == nil {
			break
		}
		c, _, ok := m.speculate(mark, func() (control, value) {
			return m.round(st, body, s)
		})
		changed := false
		same := func(a, b value) value {
			if sameValue(a, b) {
				return a
			}
			changed = true
			return m.forgotten(a, b)
		}
		if !ok || c == returns || !h.join(h, same) {
			break
		}
		if !changed {
			m.settleMaybes(mark.maybes)
			return true
		}
	}
	first.restore()
	m.undo(mark)
	return false
}

// round runs a loop's test and body once, whatever the test says.
func (m *machine) round(st program.Stmt, body []program.Stmt, s *scope) (control, value) {
	var post []program.Stmt
	switch st := st.(type) {
	case *program.For:
		if post = st.Post; st.Target != nil {
			m.assign(st.Target, data{}, s)
		}
	case *program.While:
		if st.Cond != nil {
			m.eval(st.Cond, s)
		}
	}
	if c, v := m.arm(body, s); c == returns {
		return c, v
	}
	return m.run(post, s)
}
