package value

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
	if b == nil || !b.Shared || b.Mbarrier || typ == "Int64" && b.Size != 1 {
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

// Member is an attribute of a pointer of the DSL.
func (p Pointer) Member(name string) (v Value, ok bool) {
	switch name {
	case "iterator", "ptr", "llvm_ptr", "value": // the last as MLIR has it
		return p, true
	case "dtype", "value_type":
		return FirstOf(p.Elem, Data{}), true
	case "memspace":
		switch {
		case p.Block.InColumns():
			return Path("cutlass.AddressSpace.tmem"), true
		case p.Block != nil && p.Block.Shared:
			return Path("cutlass.AddressSpace.smem"), true
		}
		return Data{}, true
	case "alignment", "max_alignment", "type", "mlir_type", "space", "address_space", "shape", "strides":
		return Data{}, true
	}
	return nil, false
}

// InColumns reports whether a block is tensor memory.
func (b *Block) InColumns() bool { return b != nil && b.Name == TensorColumns }

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

// Shaped is the address as an array of a shape, None for none.
func (p Pointer) Shaped(shape Value) Pointer {
	if shape == (None{}) {
		return p
	}
	extents := []Value{shape}
	if seq, ok := shape.(*Sequence); ok {
		extents = seq.Elems
	}
	p.Dims = nil
	for _, v := range extents {
		n, ok := v.(Int)
		if !ok || n < 0 {
			return p.Somewhere()
		}
		p.Dims = append(p.Dims, int64(n))
	}
	return p
}

// Somewhere is a pointer into the same memory, it is not known where.
func (p Pointer) Somewhere() Pointer {
	p.Offset, p.Dims = Data{}, nil
	return p
}

// Element is the address of an element of an array: by its number in memory, or by coordinates. Addresses of tensor memory count
// columns.
func (p Pointer) Element(idx Value) Pointer {
	switch i := idx.(type) {
	case nil:
		return p
	case *Sequence:
		if len(i.Elems) != max(1, len(p.Dims)) {
			return p.Somewhere()
		}
		for _, e := range i.Elems {
			p = p.At(Whole(e))
		}
		return p
	}
	by := p.Counted(Whole(idx))
	if p.Block.InColumns() {
		by = Binary("*", Whole(idx), Int(4))
	}
	p.Offset, p.Dims = Binary("+", p.Offset, by), nil
	return p
}

// Scalar reports whether a value is known to be one number, and no vector.
func Scalar(v Value) bool {
	switch v := Untyped(v).(type) {
	case Int, Float, Lanes, Mixed:
		return true
	case Register:
		return !v.Vector
	}
	return false
}

// Extent is how many elements a block has, in what accesses to it count, as far as that is known.
func (b *Block) Extent() (n int, ok bool) {
	switch {
	case b.Elements <= 0:
		return 0, false
	case b.Unit == "" || b.Elem != nil && b.Unit == CanonicalType(b.Elem):
		return int(b.Elements), true
	case b.Elem == nil || b.Typed == nil || !SameScale(b.Elem, b.Typed):
		return 0, false
	}
	from, to := BitsOf(b.Elem), BitsOf(b.Typed)
	return int((b.Elements*from + to - 1) / to), true
}

// SameScale reports whether places in the elements of one type can be told in those of another: both widths are known,
// or they are the same as far as is assumed.
func SameScale(a, b Value) bool {
	x, y := BitsOf(FirstOf(a, Data{})), BitsOf(FirstOf(b, Data{}))
	_, assumed := a.(Symbol)
	_, too := b.(Symbol)
	return x > 0 && y > 0 && (x == y || !assumed && !too)
}
