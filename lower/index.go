package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// load is x[i] read.
func (m *machine) load(e *program.Index, s *Scope) Value {
	x := m.eval(e.X, s)
	return m.loadOf(x, e, s)
}

// loadOf is x[i] read, for what x is worth.
func (m *machine) loadOf(x Value, e *program.Index, s *Scope) Value {
	if len(e.Args) == 0 {
		return Data{}
	}
	switch x := x.(type) {
	case *Sequence:
		if len(e.Args) == 1 {
			if sl, ok := e.Args[0].(*program.SliceExpr); ok {
				return m.slice(x, sl, s)
			}
			switch i := m.settle(m.eval(e.Args[0], s)).(type) {
			case Int:
				if i < 0 {
					i += Int(len(x.Elems))
				}
				if i >= 0 && int(i) < len(x.Elems) {
					return x.Elems[i]
				}
			case Lanes:
				return m.gather(x, i)
			}
			m.swallows(e, x)
		}
		return Data{}
	case *Mapping:
		return m.item(x, m.index(e, s), e)
	case Text:
		if sl, ok := e.Args[0].(*program.SliceExpr); ok {
			return m.slice(x, sl, s)
		}
		if i, ok := m.settle(m.eval(e.Args[0], s)).(Int); ok {
			if i < 0 {
				i += Int(len(x))
			}
			if i >= 0 && int(i) < len(x) {
				return x[i : i+1]
			}
		}
		return Data{}
	case *tensor:
		return m.element(x, e, s)
	case *layout:
		if i, ok := m.eval(e.Args[0], s).(Int); ok && len(e.Args) == 1 {
			return &layout{shape: part(x.shape, int(i)), stride: part(x.strides(), int(i))}
		}
		return Data{}
	case *Object:
		if get := m.dunder(x, "__getitem__"); get != nil {
			return m.callWith(get, &Arguments{Vals: []Value{m.index(e, s)}}, e)
		}
		if seq, ok := AsSequence(x); ok {
			return m.itemOf(seq, m.index(e, s))
		}
		return Data{}
	case *Class:
		if x.Enum {
			if t, ok := m.eval(e.Args[0], s).(Text); ok {
				return m.member(x, string(t), e)
			}
		}
		return x
	case RangeValue:
		return Binary("+", x.Lo, Binary("*", m.index(e, s), x.Step))
	case Symbol:
		if sl, ok := e.Args[0].(*program.SliceExpr); ok && len(e.Args) == 1 {
			return m.slice(x, sl, s)
		}
		args := make([]Value, len(e.Args))
		for i, a := range e.Args {
			args[i] = m.eval(a, s)
		}
		if c := coordinateOf(args); hasNone(c) { // a view of a tensor
			return m.inputView(x, c)
		}
		name := x.Expr.String()
		if metadata(name) && UniformSymbol(&Sequence{Elems: args}) {
			return Atom(name + "[" + strings.Trim(Canonical(&Sequence{Elems: args}), "()") + "]")
		}
		m.looksAt(name, true)
		if p, ok := m.globalElement(x, args); ok {
			v := m.read(p, e)
			if _, plain := v.(Data); plain && x.Expr.Op == "" {
				if in, ok := m.input(name, coordinateOf(args).Elems); ok {
					return in
				}
			}
			return v
		}
		m.strays(e, x, false)
		return Data{}
	case Pointer:
		p := m.indexed(x, e, s)
		if len(p.Dims) > 0 {
			return p // a row of an array, not yet an element
		}
		m.looksAt("", false)
		return m.read(p, e)
	case Path:
		m.strays(e, x, false)
		return m.genericType(x, e, s)
	case Register:
		return x.At(e)
	case Data, Location, None:
		m.strays(e, x, false)
	case Int, Lanes, Mixed:
		if p, ok := m.pointerOf(x); ok {
			return m.read(m.indexed(p, e, s), e)
		}
		m.unplaced(e, s)
	}
	return Data{}
}

// index is what stands between the brackets; several indices are a tuple.
func (m *machine) index(e *program.Index, s *Scope) Value {
	if len(e.Args) == 1 {
		return m.eval(e.Args[0], s)
	}
	return UntypedAll(m.elements(e.Args, s))
}

// itemOf is x[i] of a known sequence.
func (m *machine) itemOf(x *Sequence, i Value) Value {
	k, ok := m.settle(i).(Int)
	if k < 0 {
		k += Int(len(x.Elems))
	}
	if !ok || k < 0 || int(k) >= len(x.Elems) {
		return Data{}
	}
	return x.Elems[k]
}

// item is d[key].
func (m *machine) item(d *Mapping, key Value, n program.Node) Value {
	v, present, known := d.At(key)
	switch {
	case present:
		return v
	case !known:
		m.swallows(n, d)
		return Data{}
	}
	switch key.(type) {
	case Int, Text, *EnumMember, None:
		if allKnown(d) && d.Auto == nil {
			m.throw(n, "KeyError", Canonical(key))
		}
		if d.Auto != nil {
			v := m.callWith(d.Auto, &Arguments{}, n)
			d.Put(key, v)
			return v
		}
	}
	return Data{}
}

// allKnown reports whether the keys are values that can be told apart.
func allKnown(d *Mapping) bool {
	for _, k := range d.Keys {
		switch k.(type) {
		case Int, Text, *EnumMember, None, *Sequence:
		default:
			return false
		}
	}
	return true
}

// read is a load through a pointer.
func (m *machine) read(p Pointer, n program.Node) Value {
	if p.Block == nil {
		return Data{}
	}
	if !p.Block.Shared && (m.polling || m.in.flagBlocks[p.Block.Name]) {
		return FlagValue{Flag: p.Block, At: p.Offset, Strength: Unordered}
	}
	m.access(p, 1, n)
	return m.delivered(p, n)
}

// indexed is &x[i, j, …] for a pointer x.
func (m *machine) indexed(p Pointer, e *program.Index, s *Scope) Pointer {
	for _, a := range e.Args {
		i := m.eval(a, s)
		if seq, ok := i.(*Sequence); ok && len(e.Args) == 1 {
			for _, v := range seq.Elems {
				p = p.At(v)
			}
			return p
		}
		p = p.At(i)
	}
	return p
}

// At is the pointer i elements further on.
func (p Pointer) At(i Value) Pointer {
	var stride int64 = 1
	for _, d := range p.Dims[min(1, len(p.Dims)):] {
		stride *= d
	}
	p.Offset = Binary("+", p.Offset, p.Counted(Binary("*", i, Int(stride))))
	if len(p.Dims) > 0 {
		p.Dims = p.Dims[1:]
	}
	return p
}
