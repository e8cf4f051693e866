package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// store is a write through a pointer.
func (m *machine) store(p pointer, v value, n program.Node) {
	if p.block == nil {
		return
	}
	if !p.block.shared && m.in.flagBlocks[p.block.name] {
		m.flagStore(p, v, unordered, n)
		return
	}
	if !p.block.shared {
		m.changes(p.block.name)
	}
	m.accessing(p, protocol.Access{Write: true, Stored: m.valueStored(v)}, 1, n)
	m.post(p, v, n)
}

// locate gives the place an expression names, for values kept in variables, fields and arrays.
func (m *machine) locate(e program.Expr, s *scope) location {
	switch e := e.(type) {
	case *program.Name:
		if l, ok := s.lookup(e.Ident); ok {
			return l
		}
	case *program.Attr:
		switch x := m.eval(e.X, s).(type) {
		case *object:
			return fieldOf{x, e.Name}
		}
	case *program.Index:
		if len(e.Args) == 0 {
			return nowhere{}
		}
		switch x := m.eval(e.X, s).(type) {
		case *sequence:
			switch i := m.eval(e.Args[0], s).(type) {
			case integer:
				if i < 0 {
					i += integer(len(x.elems))
				}
				if i >= 0 && int(i) < len(x.elems) {
					return elementOf{x, int(i)}
				}
			case lanes:
				m.splitOn(i)
			}
		case *mapping:
			return keyOf{x, canonical(m.eval(e.Args[0], s))}
		}
	}
	return nowhere{}
}

// address gives the memory address an expression denotes, if it denotes memory.
func (m *machine) address(e program.Expr, s *scope) (pointer, bool) {
	switch e := e.(type) {
	case *program.Name:
		if l, ok := s.lookup(e.Ident); ok {
			p, ok := l.get().(pointer)
			return p, ok
		}
	case *program.Index:
		switch x := m.eval(e.X, s).(type) {
		case pointer:
			return m.indexed(x, e, s), true
		case symbol:
			args := make([]value, len(e.Args))
			for i, a := range e.Args {
				args[i] = m.eval(a, s)
			}
			return m.globalElement(x, args)
		case mixed:
			if p, ok := m.pointerOf(x); ok {
				return m.indexed(p, e, s), true
			}
		case *sequence:
			p, ok := m.load(e, s).(pointer)
			return p, ok
		case *mapping:
			p, ok := m.load(e, s).(pointer)
			return p, ok
		}
	case *program.Attr:
		if p, ok := m.eval(e, s).(pointer); ok {
			return p, true
		}
	case *program.Call, *program.Binary, *program.Cond:
		return m.pointerOf(m.eval(e, s))
	}
	return pointer{}, false
}

// pointerOf reads a value as an address: a pointer, or a symbolic parameter that points to global memory.
func (m *machine) pointerOf(v value) (pointer, bool) {
	switch v := v.(type) {
	case pointer:
		return v, true
	case symbol:
		return m.globalElement(v, nil)
	case mixed: // a pointer and an offset of each thread
		if v.op != "+" && v.op != "-" || v.y == nil {
			break
		}
		if p, ok := m.pointerOf(v.x); ok {
			p.offset = binary(v.op, p.offset, v.y)
			return p, true
		}
		if p, ok := m.pointerOf(v.y); ok && v.op == "+" {
			p.offset = binary("+", p.offset, v.x)
			return p, true
		}
	}
	return pointer{}, false
}

// globalElement is the address of an element behind a symbolic global pointer or tensor: a parameter of the kernel, or
// a part of one. Other unknowns, such as tensors that a library call makes, may be registers or aliases.
func (m *machine) globalElement(base symbol, index []value) (pointer, bool) {
	e := base.expr
	var offset value = integer(0)
	for (e.op == "+" || e.op == "-") && e.y != nil {
		offset = binary(e.op, offset, toValue(e.y))
		e = e.x
	}
	if e.op != "" || e.isN || !m.in.params[root(e.atom)] {
		return pointer{}, false
	}
	name, address := strings.CutSuffix(e.atom, ".iterator") // of what the tensor has
	p := pointer{block: m.in.global(name), offset: offset}
	if p.block.flat = p.block.flat || address; p.block.flat && (p.block.deep || len(index) > 1) {
		m.in.untracked(name, "used by its address and by coordinates")
	}
	p.block.deep = p.block.deep || len(index) > 1
	for k, i := range index {
		if seq, ok := i.(*sequence); ok {
			return m.globalElement(base, append(append([]value{}, index[:k]...), append(seq.elems, index[k+1:]...)...))
		}
		if k > 0 {
			// Extents of global tensors are not known; a pitch larger than any index keeps rows apart.
			p.offset = binary("*", p.offset, integer(rowPitch))
		}
		p.offset = binary("+", p.offset, i)
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
