package memory

import "github.com/fencepost-dev/fencepost/lower/value"

// Swizzled is the offset of an address that a swizzle has moved: bits of the row that it is in are added, without carry, to those of the
// chunk within the row (PTX ISA 5.5.7). Rows are counted from where shared memory begins, so where in its row a chunk comes to lie hangs on
// where the array begins. But two chunks never come to lie in one place: what is accessed through one swizzle is told apart by where it was
// before. What is accessed in another way may be anywhere of that.
type Swizzled struct {
	At    value.Value // where it was before
	By    string
	Chunk int64 // bytes that stay together
}

// Swizzle is an address moved by a swizzle, of one not known an address somewhere in the same memory.
func Swizzle(p value.Pointer, by value.Value) value.Pointer {
	o, ok := by.(*value.Object)
	if !ok {
		return p.Somewhere()
	}
	part := func(name string) (int64, bool) {
		n, ok := value.Untyped(value.FirstOf(o.Fields[name], value.Data{})).(value.Int)
		return int64(n), ok
	}
	bits, ok1 := part("bits")
	base, ok2 := part("base")
	shift, ok3 := part("shift")
	_, again := p.Offset.(Swizzled)
	switch {
	case !ok1 || !ok2 || !ok3:
		return p.Somewhere()
	case bits == 0:
		return p
	case again || p.Block == nil || !p.Block.Shared || p.Each == value.Odd || base < 0 || base > 10 || bits < 0 || shift < bits || len(p.Dims) > 1:
		return p.Somewhere()
	}
	p.Offset, p.Dims = Swizzled{p.Offset, value.Canonical(&value.Sequence{Elems: []value.Value{value.Int(bits), value.Int(base), value.Int(shift)}}), 1 << base}, nil
	return p
}

// Within reports whether as many elements of a size, from each of some places that are known, are within one chunk each.
func (s Swizzled) Within(at value.Value, width, size int64) bool {
	fits := func(n int64) bool { return n >= 0 && n*size%s.Chunk+width*size <= s.Chunk }
	switch at := at.(type) {
	case value.Int:
		return size > 0 && fits(int64(at))
	case value.Lanes:
		for _, n := range at {
			if size <= 0 || !fits(n) {
				return false
			}
		}
		return true
	}
	return false
}
