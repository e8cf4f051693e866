package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// load is x[i] read.
func (m *machine) load(e *program.Index, s *value.Scope) value.Value {
	x := m.eval(e.X, s)
	return m.loadOf(x, e, s)
}

// loadOf is x[i] read, for what x is worth.
func (m *machine) loadOf(x value.Value, e *program.Index, s *value.Scope) value.Value {
	if len(e.Args) == 0 {
		return value.Data{}
	}
	switch x := x.(type) {
	case *value.Sequence:
		if len(e.Args) == 1 {
			if sl, ok := e.Args[0].(*program.SliceExpr); ok {
				return m.slice(x, sl, s)
			}
			switch i := m.settle(m.eval(e.Args[0], s)).(type) {
			case value.Int:
				if i < 0 {
					i += value.Int(len(x.Elems))
				}
				if i >= 0 && int(i) < len(x.Elems) {
					return x.Elems[i]
				}
			case value.Lanes:
				return m.gather(x, i)
			}
			m.swallows(e, x)
		}
		return value.Data{}
	case *value.Mapping:
		return m.item(x, m.index(e, s), e)
	case value.Text:
		if sl, ok := e.Args[0].(*program.SliceExpr); ok {
			return m.slice(x, sl, s)
		}
		if i, ok := m.settle(m.eval(e.Args[0], s)).(value.Int); ok {
			if i < 0 {
				i += value.Int(len(x))
			}
			if i >= 0 && int(i) < len(x) {
				return x[i : i+1]
			}
		}
		return value.Data{}
	case *cute.Tensor:
		return m.element(x, e, s)
	case *cute.Layout:
		if i, ok := m.eval(e.Args[0], s).(value.Int); ok && len(e.Args) == 1 {
			return &cute.Layout{Shape: cute.Part(x.Shape, int(i)), Stride: cute.Part(x.Strides(), int(i))}
		}
		return value.Data{}
	case *value.Object:
		if get := m.dunder(x, "__getitem__"); get != nil {
			return m.callWith(get, &value.Arguments{Vals: []value.Value{m.index(e, s)}}, e)
		}
		if seq, ok := value.AsSequence(x); ok {
			return m.itemOf(seq, m.index(e, s))
		}
		return value.Data{}
	case *value.Class:
		if x.Enum {
			if t, ok := m.eval(e.Args[0], s).(value.Text); ok {
				return m.member(x, string(t), e)
			}
		}
		return x
	case value.RangeValue:
		return value.Binary("+", x.Lo, value.Binary("*", m.index(e, s), x.Step))
	case value.Symbol:
		if sl, ok := e.Args[0].(*program.SliceExpr); ok && len(e.Args) == 1 {
			return m.slice(x, sl, s)
		}
		args := make([]value.Value, len(e.Args))
		for i, a := range e.Args {
			args[i] = m.eval(a, s)
		}
		if c := coordinateOf(args); cute.HasNone(c) { // a view of a tensor
			return m.inputView(x, c)
		}
		name := x.Expr.String()
		if m.hostNumbers(x) && value.UniformSymbol(&value.Sequence{Elems: args}) {
			return value.Atom(name + "[" + strings.Trim(value.Canonical(&value.Sequence{Elems: args}), "()") + "]")
		}
		m.looksAt(name, true)
		if p, ok := m.globalElement(x, args); ok {
			v := m.read(p, e)
			if _, plain := v.(value.Data); plain && x.Expr.Op == "" {
				if in, ok := m.input(name, coordinateOf(args).Elems); ok {
					return in
				}
			}
			return v
		}
		m.strays(e, x, false)
		return value.Data{}
	case value.Pointer:
		p := m.indexed(x, e, s)
		if len(p.Dims) > 0 {
			return p // a row of an array, not yet an element
		}
		m.looksAt("", false)
		return m.read(p, e)
	case value.Path:
		m.strays(e, x, false)
		return m.genericType(x, e, s)
	case value.Register:
		return x.At(e)
	case value.Data, value.Location, value.None:
		m.strays(e, x, false)
	case value.Int, value.Lanes, value.Mixed:
		if p, ok := m.pointerOf(x); ok {
			return m.read(m.indexed(p, e, s), e)
		}
		m.unplaced(e, s)
	}
	return value.Data{}
}

// hostNumbers reports whether indexing a symbol gives a number that the host passed, an extent or a stride, and reads no
// memory. Where a name alone says so the kernel must not write what is called that, and must not wait for it to change.
func (m *machine) hostNumbers(x value.Symbol) bool {
	name := x.Expr.String()
	if !cute.Metadata(name) {
		return false
	}
	if x.Expr.Op != "" || !m.in.params[root(name)] || cute.Described(name) {
		return true
	}
	if m.polling || m.in.written[name] || m.in.low.written[name] || m.in.flagBlocks[name] {
		return false
	}
	m.in.low.inputs[name] = true
	return true
}

// index is what stands between the brackets; several indices are a tuple.
func (m *machine) index(e *program.Index, s *value.Scope) value.Value {
	if len(e.Args) == 1 {
		return m.eval(e.Args[0], s)
	}
	return value.UntypedAll(m.elements(e.Args, s))
}

// itemOf is x[i] of a known sequence.
func (m *machine) itemOf(x *value.Sequence, i value.Value) value.Value {
	k, ok := m.settle(i).(value.Int)
	if k < 0 {
		k += value.Int(len(x.Elems))
	}
	if !ok || k < 0 || int(k) >= len(x.Elems) {
		return value.Data{}
	}
	return x.Elems[k]
}

// item is d[key].
func (m *machine) item(d *value.Mapping, key value.Value, n program.Node) value.Value {
	v, present, known := d.At(key)
	if !present {
		if v, ok := m.someEntry(d, key, n); ok {
			return v
		}
	}
	switch {
	case present:
		return v
	case !known:
		m.swallows(n, d)
		return value.Data{}
	}
	switch key.(type) {
	case value.Int, value.Text, *value.EnumMember, value.None:
		if allKnown(d) && d.Auto == nil {
			m.throw(n, "KeyError", value.Canonical(key))
		}
		if d.Auto != nil {
			v := m.callWith(d.Auto, &value.Arguments{}, n)
			d.Put(key, v)
			return v
		}
	}
	return value.Data{}
}

// allKnown reports whether the keys are values that can be told apart.
func allKnown(d *value.Mapping) bool {
	for _, k := range d.Keys {
		switch k.(type) {
		case value.Int, value.Text, *value.EnumMember, value.None, *value.Sequence:
		default:
			return false
		}
	}
	return true
}

// read is a load through a pointer.
func (m *machine) read(p value.Pointer, n program.Node) value.Value {
	if p.Block == nil {
		return value.Data{}
	}
	if !p.Block.Shared && (m.polling || m.in.flagBlocks[p.Block.Name]) {
		return value.FlagValue{Flag: p.Block, At: p.Offset, Strength: value.Unordered}
	}
	m.access(p, 1, n)
	return m.delivered(p, n)
}

// indexed is &x[i, j, …] for a pointer x.
func (m *machine) indexed(p value.Pointer, e *program.Index, s *value.Scope) value.Pointer {
	for _, a := range e.Args {
		i := m.eval(a, s)
		if seq, ok := i.(*value.Sequence); ok && len(e.Args) == 1 {
			for _, v := range seq.Elems {
				p = p.At(v)
			}
			return p
		}
		p = p.At(i)
	}
	return p
}
