package memory

import "github.com/fencepost-dev/fencepost/lower/value"

// Matrices is how many matrices ldmatrix loads or stmatrix stores: as many as it is told, or as registers that it is given.
func Matrices(v value.Value, write bool) (n int64, known bool) {
	switch v := v.(type) {
	case *value.Sequence:
		n = int64(len(v.Elems))
	case value.Int:
		if n = int64(v); write {
			n = 1
		}
	case value.Register:
		if write && !v.Vector {
			n = 1
		}
	}
	return n, n == 1 || n == 2 || n == 4
}

// Fragment is what ldmatrix gives a thread: a register of each matrix.
func Fragment(count int64, write bool) value.Value {
	if write || count < 1 || count > 4 {
		return value.Data{}
	}
	word := value.NewRegister(value.Path("cutlass.Int32"), false)
	if count == 1 {
		return word
	}
	out := &value.Sequence{}
	for range count {
		out.Elems = append(out.Elems, word)
	}
	return out
}
