package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// load is x[i] read.
func (m *machine) load(e *program.Index, s *scope) value {
	x := m.eval(e.X, s)
	return m.loadOf(x, e, s)
}

// loadOf is x[i] read, for what x is worth.
func (m *machine) loadOf(x value, e *program.Index, s *scope) value {
	if len(e.Args) == 0 {
		return data{}
	}
	switch x := x.(type) {
	case *sequence:
		if len(e.Args) == 1 {
			if sl, ok := e.Args[0].(*program.SliceExpr); ok {
				return m.slice(x, sl, s)
			}
			switch i := m.settle(m.eval(e.Args[0], s)).(type) {
			case integer:
				if i < 0 {
					i += integer(len(x.elems))
				}
				if i >= 0 && int(i) < len(x.elems) {
					return x.elems[i]
				}
			case lanes:
				return m.gather(x, i)
			}
			m.swallows(e, x)
		}
		return data{}
	case *mapping:
		return m.item(x, m.index(e, s), e)
	case text:
		if sl, ok := e.Args[0].(*program.SliceExpr); ok {
			return m.slice(x, sl, s)
		}
		if i, ok := m.settle(m.eval(e.Args[0], s)).(integer); ok {
			if i < 0 {
				i += integer(len(x))
			}
			if i >= 0 && int(i) < len(x) {
				return x[i : i+1]
			}
		}
		return data{}
	case *tensor:
		return m.element(x, e, s)
	case *layout:
		if i, ok := m.eval(e.Args[0], s).(integer); ok && len(e.Args) == 1 {
			return &layout{shape: part(x.shape, int(i)), stride: part(x.strides(), int(i))}
		}
		return data{}
	case *object:
		if get := m.dunder(x, "__getitem__"); get != nil {
			return m.callWith(get, &arguments{vals: []value{m.index(e, s)}}, e)
		}
		if seq, ok := asSequence(x); ok {
			return m.itemOf(seq, m.index(e, s))
		}
		return data{}
	case *class:
		if x.enum {
			if t, ok := m.eval(e.Args[0], s).(text); ok {
				return m.member(x, string(t), e)
			}
		}
		return x
	case rangeValue:
		return binary("+", x.lo, binary("*", m.index(e, s), x.step))
	case symbol:
		if sl, ok := e.Args[0].(*program.SliceExpr); ok && len(e.Args) == 1 {
			return m.slice(x, sl, s)
		}
		args := make([]value, len(e.Args))
		for i, a := range e.Args {
			args[i] = m.eval(a, s)
		}
		if c := coordinateOf(args); hasNone(c) { // a view of a tensor
			return m.inputView(x, c)
		}
		name := x.expr.String()
		if metadata(name) && uniformSymbol(&sequence{elems: args}) {
			return atom(name + "[" + strings.Trim(canonical(&sequence{elems: args}), "()") + "]")
		}
		m.looksAt(name, true)
		if p, ok := m.globalElement(x, args); ok {
			v := m.read(p, e)
			if _, plain := v.(data); plain && x.expr.op == "" {
				if in, ok := m.input(name, coordinateOf(args).elems); ok {
					return in
				}
			}
			return v
		}
		m.strays(e, x, false)
		return data{}
	case pointer:
		p := m.indexed(x, e, s)
		if len(p.dims) > 0 {
			return p // a row of an array, not yet an element
		}
		m.looksAt("", false)
		return m.read(p, e)
	case path:
		m.strays(e, x, false)
		return m.genericType(x, e, s)
	case register:
		return x.at(e)
	case data, location, none:
		m.strays(e, x, false)
	case integer, lanes, mixed:
		if p, ok := m.pointerOf(x); ok {
			return m.read(m.indexed(p, e, s), e)
		}
		m.unplaced(e, s)
	}
	return data{}
}

// index is what stands between the brackets; several indices are a tuple.
func (m *machine) index(e *program.Index, s *scope) value {
	if len(e.Args) == 1 {
		return m.eval(e.Args[0], s)
	}
	return untypedAll(m.elements(e.Args, s))
}

// itemOf is x[i] of a known sequence.
func (m *machine) itemOf(x *sequence, i value) value {
	k, ok := m.settle(i).(integer)
	if k < 0 {
		k += integer(len(x.elems))
	}
	if !ok || k < 0 || int(k) >= len(x.elems) {
		return data{}
	}
	return x.elems[k]
}

// item is d[key].
func (m *machine) item(d *mapping, key value, n program.Node) value {
	v, present, known := d.at(key)
	switch {
	case present:
		return v
	case !known:
		m.swallows(n, d)
		return data{}
	}
	switch key.(type) {
	case integer, text, *enumMember, none:
		if allKnown(d) && d.auto == nil {
			m.throw(n, "KeyError", canonical(key))
		}
		if d.auto != nil {
			v := m.callWith(d.auto, &arguments{}, n)
			d.put(key, v)
			return v
		}
	}
	return data{}
}

// allKnown reports whether the keys are values that can be told apart.
func allKnown(d *mapping) bool {
	for _, k := range d.keys {
		switch k.(type) {
		case integer, text, *enumMember, none, *sequence:
		default:
			return false
		}
	}
	return true
}

// read is a load through a pointer.
func (m *machine) read(p pointer, n program.Node) value {
	if p.block == nil {
		return data{}
	}
	if !p.block.shared && (m.polling || m.in.flagBlocks[p.block.name]) {
		return flagValue{flag: p.block, at: p.offset, strength: unordered}
	}
	m.access(p, 1, n)
	return m.delivered(p, n)
}

// indexed is &x[i, j, …] for a pointer x.
func (m *machine) indexed(p pointer, e *program.Index, s *scope) pointer {
	for _, a := range e.Args {
		i := m.eval(a, s)
		if seq, ok := i.(*sequence); ok && len(e.Args) == 1 {
			for _, v := range seq.elems {
				p = p.at(v)
			}
			return p
		}
		p = p.at(i)
	}
	return p
}

// at is the pointer i elements further on.
func (p pointer) at(i value) pointer {
	var stride int64 = 1
	for _, d := range p.dims[min(1, len(p.dims)):] {
		stride *= d
	}
	p.offset = binary("+", p.offset, p.counted(binary("*", i, integer(stride))))
	if len(p.dims) > 0 {
		p.dims = p.dims[1:]
	}
	return p
}
