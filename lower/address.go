package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// store is a write through a pointer.
func (m *machine) store(p value.Pointer, v value.Value, n program.Node) {
	if p.Block == nil {
		return
	}
	if !p.Block.Shared && m.in.flagBlocks[p.Block.Name] {
		m.flagStore(p, v, value.Unordered, n)
		return
	}
	if !p.Block.Shared {
		m.changes(p.Block.Name)
	}
	m.accessing(p, protocol.Access{Write: true, Stored: m.valueStored(v)}, 1, n)
	m.post(p, v, n)
}

// accessBy is pointer.load(count=…) or pointer.store(value); of an array these have an index, and of how many elements a vector that
// is stored is of is not known.
func (m *machine) accessBy(p value.Pointer, write bool, a *value.Arguments, n program.Node) value.Value {
	width, known := m.settle(a.Or(-1, "count", value.Int(1))).(value.Int)
	own := 0 // arguments that are none of an array's index
	if write {
		v := a.Get(0, "value")
		r, register := v.(value.Register)
		own, known = 1, known && v != nil && !value.IsData(v) && (!register || !r.Vector)
	}
	if len(a.Vals) > own || a.Get(-1, "idx") != nil || a.Get(-1, "vector_size") != nil || !known || width < 1 {
		p.Offset, width = value.Data{}, 1
	}
	switch atomic := a.Get(-1, "ordering") != nil || a.Get(-1, "is_volatile") != nil; {
	case p.Block == nil:
	case atomic:
		m.accessing(p, protocol.Access{Write: write, Stored: m.in.storedAs(atomically)}, int64(width), n)
	case write:
		m.store(p, value.FirstOf(a.Get(0, "value"), value.Data{}), n)
	case width == 1:
		if v := m.read(p, n); v != (value.Data{}) {
			return v
		}
	default:
		m.access(p, int64(width), n)
	}
	if write {
		return value.None{}
	}
	return value.NewRegister(p.Elem, a.Get(-1, "count") != nil)
}

// locate gives the place an expression names, for values kept in variables, fields and arrays.
func (m *machine) locate(e program.Expr, s *value.Scope) value.Location {
	switch e := e.(type) {
	case *program.Name:
		if l, ok := s.Lookup(e.Ident); ok {
			return l
		}
	case *program.Attr:
		switch x := m.eval(e.X, s).(type) {
		case *value.Object:
			return value.FieldOf{O: x, Name: e.Name}
		}
	case *program.Index:
		if len(e.Args) == 0 {
			return value.Nowhere{}
		}
		switch x := m.eval(e.X, s).(type) {
		case *value.Sequence:
			switch i := m.eval(e.Args[0], s).(type) {
			case value.Int:
				if i < 0 {
					i += value.Int(len(x.Elems))
				}
				if i >= 0 && int(i) < len(x.Elems) {
					return value.ElementOf{S: x, I: int(i)}
				}
			case value.Lanes:
				m.splitOn(i)
			}
		case *value.Mapping:
			return value.KeyOf{M: x, K: value.Canonical(m.eval(e.Args[0], s))}
		}
	}
	return value.Nowhere{}
}

// address gives the memory address an expression denotes, if it denotes memory.
func (m *machine) address(e program.Expr, s *value.Scope) (value.Pointer, bool) {
	switch e := e.(type) {
	case *program.Name:
		if l, ok := s.Lookup(e.Ident); ok {
			p, ok := l.Get().(value.Pointer)
			return p, ok
		}
	case *program.Index:
		switch x := m.eval(e.X, s).(type) {
		case value.Pointer:
			return m.indexed(x, e, s), true
		case value.Symbol:
			args := make([]value.Value, len(e.Args))
			for i, a := range e.Args {
				args[i] = m.eval(a, s)
			}
			return m.globalElement(x, args)
		case value.Mixed:
			if p, ok := m.pointerOf(x); ok {
				return m.indexed(p, e, s), true
			}
		case *value.Sequence:
			p, ok := m.load(e, s).(value.Pointer)
			return p, ok
		case *value.Mapping:
			p, ok := m.load(e, s).(value.Pointer)
			return p, ok
		}
	case *program.Attr:
		if p, ok := m.eval(e, s).(value.Pointer); ok {
			return p, true
		}
	case *program.Call, *program.Binary, *program.Cond:
		return m.pointerOf(m.eval(e, s))
	}
	return value.Pointer{}, false
}

// pointerOf reads a value as an address: a pointer, or a symbolic parameter that points to global memory.
func (m *machine) pointerOf(v value.Value) (value.Pointer, bool) {
	switch v := v.(type) {
	case value.Pointer:
		return v, true
	case value.Symbol:
		return m.globalElement(v, nil)
	case value.Mixed: // a pointer and an offset of each thread
		if v.Op != "+" && v.Op != "-" || v.Y == nil {
			break
		}
		if p, ok := m.pointerOf(v.X); ok {
			p.Offset = value.Binary(v.Op, p.Offset, v.Y)
			return p, true
		}
		if p, ok := m.pointerOf(v.Y); ok && v.Op == "+" {
			p.Offset = value.Binary("+", p.Offset, v.X)
			return p, true
		}
	}
	return value.Pointer{}, false
}

// globalElement is the address of an element behind a symbolic global pointer or tensor: a parameter of the kernel, or
// a part of one. Other unknowns, such as tensors that a library call makes, may be registers or aliases.
func (m *machine) globalElement(base value.Symbol, index []value.Value) (value.Pointer, bool) {
	e := base.Expr
	var offset value.Value = value.Int(0)
	for (e.Op == "+" || e.Op == "-") && e.Y != nil {
		offset = value.Binary(e.Op, offset, value.ToValue(e.Y))
		e = e.X
	}
	if e.Op != "" || e.IsConst || !m.in.params[root(e.Atom)] {
		return value.Pointer{}, false
	}
	name, address := strings.CutSuffix(e.Atom, ".iterator") // of what the tensor has
	p := value.Pointer{Block: m.in.global(name), Offset: offset}
	if p.Block.Flat = p.Block.Flat || address; p.Block.Flat && (p.Block.Deep || len(index) > 1) {
		m.in.untracked(name, "used by its address and by coordinates")
	}
	p.Block.Deep = p.Block.Deep || len(index) > 1
	for k, i := range index {
		if seq, ok := i.(*value.Sequence); ok {
			return m.globalElement(base, append(append([]value.Value{}, index[:k]...), append(seq.Elems, index[k+1:]...)...))
		}
		if k > 0 {
			// Extents of global tensors are not known; a pitch larger than any index keeps rows apart.
			p.Offset = value.Binary("*", p.Offset, value.Int(cute.RowPitch))
		}
		p.Offset = value.Binary("+", p.Offset, i)
	}
	return p, true
}

// root is the variable a canonical path starts from.
func root(atom string) string {
	if i := strings.IndexAny(atom, ".[("); i >= 0 {
		return atom[:i]
	}
	return atom
}

// loseOverlaps gives up what pointers reach of which members are reached by themselves, where either is written.
func (in *instance) loseOverlaps() {
	written := func(root string) bool {
		return slices.ContainsFunc(in.territory[root], func(r memory.ReachOf) bool { return r.Write })
	}
	for _, part := range slices.Sorted(maps.Keys(in.territory)) {
		for i := range part {
			of := part[:i]
			if part[i] != '.' && part[i] != '-' || in.territory[of] == nil || !written(of) && !written(part) {
				continue
			}
			for _, root := range []string{of, part} {
				in.untracked(root, of+" is reached as a whole and by its members")
				in.territory.Add(root, memory.ReachOf{Write: true, Why: of + " is reached as a whole and by its members", Site: in.territory[root][0].Site, Aside: true})
			}
		}
	}
}

// unplaced gives up what an expression may denote that is written, or may be, where its place is not known.
func (m *machine) unplaced(e program.Expr, s *value.Scope) {
	if m.host {
		return
	}
	m.loseBase(e, s)
}
