package value

// Mixed is an operation on a number of each thread and an unknown, not evaluated yet: tidx < rows. What it is worth is
// asked only where synchronization depends on it.
type Mixed struct {
	Op   string
	X, Y Value
	size int
}

// maxMixed bounds the operations of one.
const maxMixed = 24

// postponed makes a mixed value of an operation on numbers of which one is of each thread and another is unknown.
func postponed(op string, x, y Value) (Value, bool) {
	a, okx := sizeOfMixed(x)
	b, oky := sizeOfMixed(y)
	if !okx || !oky || a+b >= maxMixed {
		return nil, false
	}
	return Mixed{op, x, y, a + b + 1}, true
}

func sizeOfMixed(v Value) (int, bool) {
	switch v := v.(type) {
	case Mixed:
		return v.size, true
	case Int, Lanes, Symbol:
		return 0, true
	}
	return 0, false
}

// TruthOf is a value as the operand of an operator: of && and || its truth.
func TruthOf(op string, v Value) Value {
	if op == "&&" || op == "||" {
		return TruthValue(v)
	}
	return v
}
