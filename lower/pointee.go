package lower

// A pointer may be cast to one to elements of another width: what it counts then are several elements of its block, or a part
// of one. Pointers to words that may be mbarriers are left as they are: these are told apart by their number.

// Odd is each of a pointer whose elements are no whole number of its block's.
const Odd = -1

// Counted is a distance in elements of the block.
func (p Pointer) Counted(n Value) Value {
	switch {
	case p.Each > 1:
		return Binary("*", n, Int(p.Each))
	case p.Each == Odd && n != Int(0):
		return Data{}
	}
	return n
}

// Spans is how many elements of the block as many of the pointer's are, one more where that does not come out even.
func (p Pointer) Spans(width int64) int64 {
	if p.Each == Odd {
		return width + 1
	}
	return width * max(1, p.Each)
}

// to is the pointer cast to one to a type.
func (p Pointer) to(typ string, bytes int64) Pointer {
	b := p.Block
	if b == nil || !b.Shared || b.Mbarrier || typ == "Int64" {
		return p
	}
	p.Dims = nil
	switch {
	case bytes > 0 && b.Size > 0 && bytes%b.Size == 0:
		if p.Each = bytes / b.Size; p.Each == 1 {
			p.Each = 0
		}
	default:
		p.Each = Odd
	}
	return p
}

// OfType is a pointer of the DSL to elements of a type.
func (p Pointer) OfType(d Value) Pointer {
	if p.Elem != nil && CanonicalType(p.Elem) != CanonicalType(d) {
		p = p.to(LastWord(Canonical(d)), BitsOf(d)/8)
	}
	p.Elem = d
	return p
}
