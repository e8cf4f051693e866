package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// A branch without synchronization whose test has no value is taken both ways: each arm runs from the same state, and
// what they leave different becomes a choice between the two (a symbol or an integer for each thread), or unknown. A
// loop without synchronization of which the number of rounds is not known runs until nothing changes any more.

// heap is the content of everything that a scope reaches, at one moment.
type heap struct {
	scopes    map[*value.Scope]map[string]value.Location
	cells     map[*value.Cell]value.Value
	objects   map[*value.Object]map[string]value.Value
	sequences map[*value.Sequence][]value.Value
	mappings  map[*value.Mapping]*value.Mapping
	left      int
}

const (
	// maxHeap bounds the values of one copy, maxForks the copies that one group takes.
	maxHeap  = 20_000
	maxForks = 4_000
	// maxRounds bounds how often a loop's body runs to find out what it changes.
	maxRounds = 6
)

// emptyHeap holds nothing yet.
func emptyHeap() *heap {
	return &heap{map[*value.Scope]map[string]value.Location{}, map[*value.Cell]value.Value{}, map[*value.Object]map[string]value.Value{}, map[*value.Sequence][]value.Value{}, map[*value.Mapping]*value.Mapping{}, maxHeap}
}

// capture copies what a statement may change of what a scope reaches; nil where that is too much.
func (m *machine) capture(st program.Stmt, s *value.Scope) *heap {
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

// scope holds what a scope and those around it reach.
func (h *heap) scope(s *value.Scope) {
	for ; s != nil && h.left >= 0; s = s.Parent {
		if _, seen := h.scopes[s]; seen {
			return
		}
		vars := make(map[string]value.Location, len(s.Vars))
		h.scopes[s] = vars
		for name, l := range s.Vars {
			vars[name] = l
			h.left--
			h.place(l)
		}
	}
}

// place holds what a place is worth, and what that reaches.
func (h *heap) place(l value.Location) {
	switch l := l.(type) {
	case *value.Cell:
		if _, seen := h.cells[l]; !seen {
			h.cells[l] = l.V
			h.reach(l.V)
		}
	case value.ElementOf:
		h.reach(l.S)
	case value.FieldOf:
		h.reach(l.O)
	case value.KeyOf:
		h.reach(l.M)
	}
}

// reach holds what a value reaches.
func (h *heap) reach(v value.Value) {
	if h.left--; h.left < 0 {
		return
	}
	switch v := v.(type) {
	case value.Location: // the address of a variable
		h.place(v)
	case *value.Object:
		if _, seen := h.objects[v]; seen {
			return
		}
		fields := make(map[string]value.Value, len(v.Fields))
		h.objects[v] = fields
		for name, f := range v.Fields {
			fields[name] = f
			h.reach(f)
		}
	case *value.Sequence:
		if _, seen := h.sequences[v]; seen {
			return
		}
		h.sequences[v] = slices.Clone(v.Elems)
		for _, e := range v.Elems {
			h.reach(e)
		}
	case value.View:
		if c := v.Content(); c != nil {
			h.reach(c)
		}
	case *value.Mapping:
		if _, seen := h.mappings[v]; seen {
			return
		}
		h.mappings[v] = v.Clone()
		for _, e := range v.Values {
			h.reach(e)
		}
	case *value.PartialCall:
		h.reach(v.Fun)
		for _, x := range v.Given.All() {
			h.reach(x)
		}
	case *value.Closure:
		h.reach(v.Self)
		if v.Env != nil && v.Env.Parent != nil { // the scopes of modules are reached from inside them only
			h.scope(v.Env)
		}
	}
}

// now is the present content of what h holds.
func (h *heap) now() *heap {
	n := &heap{map[*value.Scope]map[string]value.Location{}, make(map[*value.Cell]value.Value, len(h.cells)), make(map[*value.Object]map[string]value.Value, len(h.objects)),
		make(map[*value.Sequence][]value.Value, len(h.sequences)), make(map[*value.Mapping]*value.Mapping, len(h.mappings)), 0}
	for s := range h.scopes {
		n.scopes[s] = s.Vars
	}
	for c := range h.cells {
		n.cells[c] = c.V
	}
	for o := range h.objects {
		n.objects[o] = o.Fields
	}
	for s := range h.sequences {
		n.sequences[s] = s.Elems
	}
	for x := range h.mappings {
		n.mappings[x] = x.Clone()
	}
	return n
}

// restore puts everything back.
func (h *heap) restore() {
	for s, vars := range h.scopes {
		s.Vars = value.CloneMap(vars)
	}
	for c, v := range h.cells {
		c.V = v
	}
	for o, fields := range h.objects {
		o.Fields = value.CloneMap(fields)
	}
	for s, elems := range h.sequences {
		s.Elems = slices.Clone(elems)
	}
	for x, old := range h.mappings {
		*x = *old.Clone()
	}
}

// join replaces the present content by the join of what another run left and what there is. It fails where two contents
// have no common shape.
func (h *heap) join(other *heap, join func(a, b value.Value) value.Value) bool {
	for s := range h.scopes {
		for name, l := range other.scopes[s] {
			now, ok := s.Vars[name]
			if !ok { // bound on one side only: nobody may look at it after the other
				s.Vars[name] = l
				continue
			}
			a, oka := l.(*value.Cell)
			b, okb := now.(*value.Cell)
			if oka && okb && a != b {
				s.Vars[name] = &value.Cell{V: join(a.V, b.V)}
			}
		}
	}
	for c := range h.cells {
		c.V = join(other.cells[c], c.V)
	}
	for o := range h.objects {
		for name, f := range other.objects[o] {
			if now, ok := o.Fields[name]; ok {
				o.Fields[name] = join(f, now)
			} else {
				o.Fields[name] = f
			}
		}
	}
	for s := range h.sequences {
		old := other.sequences[s]
		if len(old) != len(s.Elems) {
			return false
		}
		for i := range old {
			s.Elems[i] = join(old[i], s.Elems[i])
		}
	}
	for x := range h.mappings {
		if !x.Join(other.mappings[x], join) {
			return false
		}
	}
	return true
}

// both takes a branch both ways. It answers false, with nothing changed, where that cannot be.
func (m *machine) both(st *program.If, test value.Value, s *value.Scope) (control, value.Value, bool) {
	h := m.capture(st, s)
	if h == nil {
		return next, nil, false
	}
	mark := m.mark()
	takers, others := m.takersOf(test)
	c1, v1, ok := m.speculate(mark, func() (control, value.Value) { return m.armOf(takers, st.Then, s) })
	then := h.now()
	h.restore()
	if !ok {
		m.undo(mark)
		return next, nil, false
	}
	c2, v2, ok := m.speculate(mark, func() (control, value.Value) { return m.armOf(others, st.Else, s) })
	merge := func(a, b value.Value) value.Value { return m.joined(test, a, b, 0) }
	_, unknown := test.(value.Data)
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
func (m *machine) divides(test value.Value, met int) bool {
	_, unknown := test.(value.Data)
	return !unknown && m.met != met && m.inquiry == nil
}

// rounds runs the body of a loop until a round changes nothing that the rounds before left known.
func (m *machine) rounds(st program.Stmt, body []program.Stmt, s *value.Scope) bool {
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
		c, _, ok := m.speculate(mark, func() (control, value.Value) {
			return m.round(st, body, s)
		})
		changed := false
		same := func(a, b value.Value) value.Value {
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
func (m *machine) round(st program.Stmt, body []program.Stmt, s *value.Scope) (control, value.Value) {
	var post []program.Stmt
	switch st := st.(type) {
	case *program.For:
		if post = st.Post; st.Target != nil {
			m.assign(st.Target, value.Data{}, s)
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
