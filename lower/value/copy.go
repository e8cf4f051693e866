package value

// copier copies the mutable parts of values; parts that are shared stay shared. With symbols, it puts something else in
// the place of symbols, those in shapes and layouts too.
type copier struct {
	copied  map[any]Value
	symbols func(Symbol) Value
}

// NewCopier makes a copier.
func NewCopier(symbols func(Symbol) Value) *copier {
	return &copier{copied: map[any]Value{}, symbols: symbols}
}

// Copy is a copy of a value.
func (c *copier) Copy(v Value) Value {
	switch x := v.(type) {
	case *Object, *Sequence, *Mapping, *Closure, *PartialCall:
		if out, ok := c.copied[x]; ok {
			return out
		}
	}
	switch x := v.(type) {
	case *Object:
		out := *x
		c.copied[x] = &out
		out.Fields = make(map[string]Value, len(x.Fields))
		for k, f := range x.Fields {
			out.Fields[k] = c.Copy(f)
		}
		return &out
	case *Sequence:
		out := &Sequence{Elems: make([]Value, len(x.Elems)), List: x.List, Lost: x.Lost}
		c.copied[x] = out
		for i, e := range x.Elems {
			out.Elems[i] = c.Copy(e)
		}
		return out
	case *Mapping:
		out := x.Copy()
		c.copied[x] = out
		for k, e := range x.Values {
			out.Values[k] = c.Copy(e)
		}
		return out
	case *Closure:
		out := *x
		c.copied[x] = &out
		out.Self = c.Copy(x.Self)
		return &out
	case *PartialCall:
		out := &PartialCall{Given: &Arguments{Names: x.Given.Names, Open: x.Given.Open}, Rest: x.Rest}
		c.copied[x] = out
		out.Fun = c.Copy(x.Fun)
		for _, v := range x.Given.Vals {
			out.Given.Vals = append(out.Given.Vals, c.Copy(v))
		}
		for _, v := range x.Given.Named {
			out.Given.Named = append(out.Given.Named, c.Copy(v))
		}
		return out
	case BoundMethod:
		return BoundMethod{Self: c.Copy(x.Self), Name: x.Name}
	}
	if c.symbols != nil {
		return c.replaced(v)
	}
	return v
}

// replaced is a value that cannot change, with something else in the place of its symbols.
func (c *copier) replaced(v Value) Value {
	switch x := v.(type) {
	case Symbol:
		return c.symbols(x)
	case Composite:
		return x.Replaced(c.Copy)
	}
	return v
}
