package lower

// A pointer may be cast to one to elements of another width: what it counts then are several elements of its block, or a part
// of one. Pointers to words that may be mbarriers are left as they are: these are told apart by their number.

// odd is each of a pointer whose elements are no whole number of its block's.
const odd = -1

// counted is a distance in elements of the block.
func (p pointer) counted(n value) value {
	switch {
	case p.each > 1:
		return binary("*", n, integer(p.each))
	case p.each == odd && n != integer(0):
		return data{}
	}
	return n
}

// spans is how many elements of the block as many of the pointer's are, one more where that does not come out even.
func (p pointer) spans(width int64) int64 {
	if p.each == odd {
		return width + 1
	}
	return width * max(1, p.each)
}

// to is the pointer cast to one to a type.
func (p pointer) to(typ string, bytes int64) pointer {
	b := p.block
	if b == nil || !b.shared || b.mbarrier || typ == "Int64" {
		return p
	}
	p.dims = nil
	switch {
	case bytes > 0 && b.size > 0 && bytes%b.size == 0:
		if p.each = bytes / b.size; p.each == 1 {
			p.each = 0
		}
	default:
		p.each = odd
	}
	return p
}

// ofType is a pointer of the DSL to elements of a type.
func (p pointer) ofType(d value) pointer {
	if p.elem != nil && canonicalType(p.elem) != canonicalType(d) {
		p = p.to(lastWord(canonical(d)), bitsOf(d)/8)
	}
	p.elem = d
	return p
}
