package lower

import "github.com/fencepost-dev/fencepost/lower/value"

// copier copies the mutable parts of values; parts that are shared stay shared. With symbols, it puts something else in
// the place of symbols, those in shapes and layouts too.
type copier struct {
	copied  map[any]value.Value
	symbols func(value.Symbol) value.Value
}

// newCopier makes a copier.
func newCopier(symbols func(value.Symbol) value.Value) *copier {
	return &copier{copied: map[any]value.Value{}, symbols: symbols}
}

// copy is a copy of a value.
func (c *copier) copy(v value.Value) value.Value {
	switch x := v.(type) {
	case *value.Object, *value.Sequence, *value.Mapping, *value.Closure, *value.PartialCall:
		if out, ok := c.copied[x]; ok {
			return out
		}
	}
	switch x := v.(type) {
	case *value.Object:
		out := *x
		c.copied[x] = &out
		out.Fields = make(map[string]value.Value, len(x.Fields))
		for k, f := range x.Fields {
			out.Fields[k] = c.copy(f)
		}
		return &out
	case *value.Sequence:
		out := &value.Sequence{Elems: make([]value.Value, len(x.Elems)), List: x.List, Lost: x.Lost}
		c.copied[x] = out
		for i, e := range x.Elems {
			out.Elems[i] = c.copy(e)
		}
		return out
	case *value.Mapping:
		out := x.Copy()
		c.copied[x] = out
		for k, e := range x.Values {
			out.Values[k] = c.copy(e)
		}
		return out
	case *value.Closure:
		out := *x
		c.copied[x] = &out
		out.Self = c.copy(x.Self)
		return &out
	case *value.PartialCall:
		out := &value.PartialCall{Given: &value.Arguments{Names: x.Given.Names, Open: x.Given.Open}}
		c.copied[x] = out
		out.Fun = c.copy(x.Fun)
		for _, v := range x.Given.Vals {
			out.Given.Vals = append(out.Given.Vals, c.copy(v))
		}
		for _, v := range x.Given.Named {
			out.Given.Named = append(out.Given.Named, c.copy(v))
		}
		return out
	case value.BoundMethod:
		return value.BoundMethod{Self: c.copy(x.Self), Name: x.Name}
	}
	if c.symbols != nil {
		return c.replaced(v)
	}
	return v
}

// replaced is a value that cannot change, with something else in the place of its symbols.
func (c *copier) replaced(v value.Value) value.Value {
	switch x := v.(type) {
	case value.Symbol:
		return c.symbols(x)
	case value.Composite:
		return x.Replaced(c.copy)
	}
	return v
}

// fix puts the values that the host side has for its unknowns in the place of these: the kernel is compiled for them.
func (m *machine) fix(la *launch) {
	m.sameExtents(la)
	c := newCopier(func(s value.Symbol) value.Value { return m.settle(s) })
	la.self = c.copy(la.self)
	for i, a := range la.args {
		la.args[i] = c.copy(a)
	}
	for name, a := range la.keywords {
		la.keywords[name] = c.copy(a)
	}
}
