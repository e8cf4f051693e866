package lower

// copier copies the mutable parts of values; parts that are shared stay shared. With symbols, it puts something else in
// the place of symbols, those in shapes and layouts too.
type copier struct {
	copied  map[any]value
	symbols func(symbol) value
}

func newCopier(symbols func(symbol) value) *copier {
	return &copier{copied: map[any]value{}, symbols: symbols}
}

func (c *copier) copy(v value) value {
	switch x := v.(type) {
	case *object, *sequence, *mapping, *closure, *partial:
		if out, ok := c.copied[x]; ok {
			return out
		}
	}
	switch x := v.(type) {
	case *object:
		out := *x
		c.copied[x] = &out
		out.fields = make(map[string]value, len(x.fields))
		for k, f := range x.fields {
			out.fields[k] = c.copy(f)
		}
		return &out
	case *sequence:
		out := &sequence{elems: make([]value, len(x.elems)), list: x.list, lost: x.lost}
		c.copied[x] = out
		for i, e := range x.elems {
			out.elems[i] = c.copy(e)
		}
		return out
	case *mapping:
		out := x.copy()
		c.copied[x] = out
		for k, e := range x.values {
			out.values[k] = c.copy(e)
		}
		return out
	case *closure:
		out := *x
		c.copied[x] = &out
		out.self = c.copy(x.self)
		return &out
	case *partial:
		out := &partial{given: &arguments{names: x.given.names, open: x.given.open}}
		c.copied[x] = out
		out.fun = c.copy(x.fun)
		for _, v := range x.given.vals {
			out.given.vals = append(out.given.vals, c.copy(v))
		}
		for _, v := range x.given.named {
			out.given.named = append(out.given.named, c.copy(v))
		}
		return out
	case boundMethod:
		return boundMethod{c.copy(x.self), x.name}
	}
	if c.symbols != nil {
		return c.replaced(v)
	}
	return v
}

// replaced is a value that cannot change, with something else in the place of its symbols.
func (c *copier) replaced(v value) value {
	switch x := v.(type) {
	case symbol:
		return c.symbols(x)
	case *layout:
		return &layout{shape: c.copy(x.shape), stride: c.copy(x.stride)}
	case *tiledMMA:
		out := *x
		out.ctas, out.shape, out.atoms, out.permutation = c.copy(x.ctas), c.copy(x.shape), c.copy(x.atoms), c.copy(x.permutation)
		return &out
	case *tensor:
		out := *x
		out.shape = c.copy(x.shape)
		return &out
	}
	return v
}

// fix puts the values that the host side has for its unknowns in the place of these: the kernel is compiled for them.
func (m *machine) fix(la *launch) {
	m.sameExtents(la)
	c := newCopier(func(s symbol) value { return m.settle(s) })
	la.self = c.copy(la.self)
	for i, a := range la.args {
		la.args[i] = c.copy(a)
	}
	for name, a := range la.keywords {
		la.keywords[name] = c.copy(a)
	}
}
