package value

import (
	"reflect"
	"slices"
)

// Heap is the content of everything that a scope reaches, at one moment.
type Heap struct {
	Scopes    map[*Scope]Content[Location]
	Cells     map[*Cell]Value
	Objects   map[*Object]Content[Value]
	sequences map[*Sequence][]Value
	mappings  map[*Mapping]*Mapping
	Left      int
}

const (
	// MaxHeap bounds the values of one copy, maxForks the copies that one group takes.
	MaxHeap = 20_000
)

// EmptyHeap holds nothing yet.
func EmptyHeap() *Heap {
	return &Heap{map[*Scope]Content[Location]{}, map[*Cell]Value{}, map[*Object]Content[Value]{}, map[*Sequence][]Value{}, map[*Mapping]*Mapping{}, MaxHeap}
}

// Scope holds what a scope and those around it reach.
func (h *Heap) Scope(s *Scope) {
	for ; s != nil && h.Left >= 0; s = s.Parent {
		if _, seen := h.Scopes[s]; seen {
			return
		}
		h.Scopes[s] = s.Hold()
		for _, l := range s.Vars {
			h.Left--
			h.Place(l)
		}
	}
}

// Place holds what a place is worth, and what that reaches.
func (h *Heap) Place(l Location) {
	switch l := l.(type) {
	case *Cell:
		if _, seen := h.Cells[l]; !seen {
			h.Cells[l] = l.V
			h.Reach(l.V)
		}
	case ElementOf:
		h.Reach(l.S)
	case FieldOf:
		h.Reach(l.O)
	case KeyOf:
		h.Reach(l.M)
	}
}

// Reach holds what a value reaches.
func (h *Heap) Reach(v Value) {
	if h.Left--; h.Left < 0 {
		return
	}
	switch v := v.(type) {
	case Location: // the address of a variable
		h.Place(v)
	case *Object:
		if _, seen := h.Objects[v]; seen {
			return
		}
		h.Objects[v] = v.Hold()
		for _, f := range v.Fields {
			h.Reach(f)
		}
	case *Sequence:
		if _, seen := h.sequences[v]; seen {
			return
		}
		h.sequences[v] = slices.Clone(v.Elems)
		for _, e := range v.Elems {
			h.Reach(e)
		}
	case View:
		if c := v.Content(); c != nil {
			h.Reach(c)
		}
	case *Mapping:
		if _, seen := h.mappings[v]; seen {
			return
		}
		h.mappings[v] = v.Clone()
		for _, e := range v.Values {
			h.Reach(e)
		}
	case *PartialCall:
		h.Reach(v.Fun)
		for _, x := range v.Given.All() {
			h.Reach(x)
		}
	case *Closure:
		h.Reach(v.Self)
		if v.Env != nil && v.Env.Parent != nil { // the scopes of modules are reached from inside them only
			h.Scope(v.Env)
		}
	}
}

// Now is the present content of what h holds.
func (h *Heap) Now() *Heap {
	n := &Heap{map[*Scope]Content[Location]{}, make(map[*Cell]Value, len(h.Cells)), make(map[*Object]Content[Value], len(h.Objects)),
		make(map[*Sequence][]Value, len(h.sequences)), make(map[*Mapping]*Mapping, len(h.mappings)), 0}
	for s := range h.Scopes {
		n.Scopes[s] = s.Hold()
	}
	for c := range h.Cells {
		n.Cells[c] = c.V
	}
	for o := range h.Objects {
		n.Objects[o] = o.Hold()
	}
	for s := range h.sequences {
		n.sequences[s] = s.Elems
	}
	for x := range h.mappings {
		n.mappings[x] = x.Clone()
	}
	return n
}

// Restore puts everything back.
func (h *Heap) Restore() {
	for s, vars := range h.Scopes {
		s.restore(vars)
	}
	for c, v := range h.Cells {
		c.V = v
	}
	for o, fields := range h.Objects {
		o.restore(fields)
	}
	for s, elems := range h.sequences {
		s.Elems = slices.Clone(elems)
	}
	for x, old := range h.mappings {
		*x = *old.Clone()
	}
}

// Join replaces the present content by the join of what another run left and what there is. It fails where two contents
// have no common shape.
func (h *Heap) Join(other *Heap, join func(a, b Value) Value) bool {
	for s := range h.Scopes {
		then := other.Scopes[s]
		if s.is(then.version) {
			continue
		}
		for name, l := range then.All {
			now, ok := s.Vars[name]
			if !ok { // bound on one side only: nobody may look at it after the other
				s.Bind(name, l)
				continue
			}
			a, oka := l.(*Cell)
			b, okb := now.(*Cell)
			if oka && okb && a != b {
				s.Bind(name, &Cell{V: join(a.V, b.V)})
			}
		}
	}
	for c := range h.Cells {
		c.V = join(other.Cells[c], c.V)
	}
	for o := range h.Objects {
		then := other.Objects[o]
		if o.is(then.version) {
			continue
		}
		for name, f := range then.All {
			if now, ok := o.Fields[name]; ok {
				o.Put(name, join(f, now))
			} else {
				o.Put(name, f)
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

// InMemory reports whether a value is a place in memory rather than its content.
func InMemory(v Value) bool {
	switch v.(type) {
	case Pointer, View:
		return true
	}
	return false
}

// Same reports whether two values are certainly the same.
func Same(a, b Value) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case Int, Float, Text, None, Path:
		return a == b
	case Data:
		y, ok := b.(Data)
		return ok && x.Of.Spelled() == y.Of.Spelled()
	case Lanes:
		y, ok := b.(Lanes)
		return ok && slices.Equal(x, y)
	case Word:
		y, ok := b.(Word)
		return ok && x.T == y.T && Same(x.V, y.V)
	case Symbol:
		y, ok := b.(Symbol)
		return ok && (x.Expr == y.Expr || x.Expr.String() == y.Expr.String())
	case *Object:
		y, ok := b.(*Object)
		return ok && x == y
	case *Sequence:
		y, ok := b.(*Sequence)
		return ok && x == y
	case *Mapping:
		y, ok := b.(*Mapping)
		return ok && x == y
	case *Closure:
		y, ok := b.(*Closure)
		return ok && (x == y || x.Fn == y.Fn && x.Lambda == y.Lambda && x.Env == y.Env && Same(x.Self, y.Self))
	case View:
		return x.Same(b)
	case Pointer:
		y, ok := b.(Pointer)
		return ok && x.Block == y.Block && Same(x.Offset, y.Offset) && Same(x.Cta, y.Cta) && slices.Equal(x.Dims, y.Dims) && x.Each == y.Each
	case TryResult:
		y, ok := b.(TryResult)
		same := ok && Same(x.Bar, y.Bar) && x.Parity == y.Parity && x.Negated == y.Negated
		if same && x.Peek != y.Peek { // one of them stands for both
			x.Peek.Use()
			y.Peek.Use()
		}
		return same
	case RangeValue:
		y, ok := b.(RangeValue)
		return ok && Same(x.Lo, y.Lo) && Same(x.Hi, y.Hi) && Same(x.Step, y.Step)
	}
	return reflect.ValueOf(a).Comparable() && b != nil && reflect.ValueOf(b).Comparable() && a == b
}

// ForgetContent loses what is stored in the parts of a value, at most so deep; places in memory stay known.
func ForgetContent(v Value, depth int) {
	if depth > 8 {
		return
	}
	switch v := v.(type) {
	case Location: // the address of a variable
		ForgetContent(v.Get(), depth+1)
		if !InMemory(v.Get()) {
			v.Set(Data{})
		}
	case *Object:
		for name, f := range v.Fields {
			ForgetContent(f, depth+1)
			if !InMemory(f) {
				v.Put(name, Data{})
			}
		}
	case *Sequence:
		for i, e := range v.Elems {
			ForgetContent(e, depth+1)
			if !InMemory(e) {
				v.Elems[i] = Data{}
			}
		}
	case View:
		if c := v.Content(); c != nil {
			ForgetContent(c, depth+1)
		}
	case *Mapping:
		for _, k := range v.Order {
			ForgetContent(v.Values[k], depth+1)
			if !InMemory(v.Values[k]) {
				v.Values[k] = Data{}
			}
		}
	}
}
