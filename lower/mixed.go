package lower

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

// known evaluates a mixed value with the values that its unknowns have; it fails where one has none.
func (m *machine) known(v Value) (Value, bool) {
	switch v := v.(type) {
	case Int, Lanes:
		return v, true
	case Symbol:
		n, ok := m.peek(v.Expr)
		return Int(n), ok
	case Mixed:
		x, ok := m.known(v.X)
		if !ok || v.Y == nil {
			return Unary(v.Op, x), ok
		}
		if v.Op == "&&" || v.Op == "||" {
			if n, decides := TruthValue(x).(Int); decides && (n != 0) == (v.Op == "||") {
				return Bool(n != 0), true
			}
		}
		y, ok := m.known(v.Y)
		return Binary(v.Op, TruthOf(v.Op, x), TruthOf(v.Op, y)), ok
	}
	return nil, false
}

// separate evaluates a mixed value, asking for what it needs to know. What the threads alone decide is decided first.
func (m *machine) separate(v Value, yesNo bool) Value {
	switch v := v.(type) {
	case Symbol:
		return Int(m.resolve(v.Expr, yesNo))
	case Mixed:
		logic := v.Op == "&&" || v.Op == "||"
		x := m.separate(v.X, logic || v.Op == "!")
		if v.Y == nil {
			return Unary(v.Op, x)
		}
		if logic {
			if n, decides := TruthValue(x).(Int); decides && (n != 0) == (v.Op == "||") {
				return Bool(n != 0)
			}
			if each, differ := TruthValue(x).(Lanes); differ {
				m.splitOn(each)
			}
		}
		y := m.separate(v.Y, logic)
		return Binary(v.Op, TruthOf(v.Op, x), TruthOf(v.Op, y))
	}
	return v
}

// TruthOf is a value as the operand of an operator: of && and || its truth.
func TruthOf(op string, v Value) Value {
	if op == "&&" || op == "||" {
		return TruthValue(v)
	}
	return v
}
