package lower

// mixed is an operation on a number of each thread and an unknown, not evaluated yet: tidx < rows. What it is worth is
// asked only where synchronization depends on it.
type mixed struct {
	op   string
	x, y value
	size int
}

// maxMixed bounds the operations of one.
const maxMixed = 24

// postponed makes a mixed value of an operation on numbers of which one is of each thread and another is unknown.
func postponed(op string, x, y value) (value, bool) {
	a, okx := sizeOfMixed(x)
	b, oky := sizeOfMixed(y)
	if !okx || !oky || a+b >= maxMixed {
		return nil, false
	}
	return mixed{op, x, y, a + b + 1}, true
}

func sizeOfMixed(v value) (int, bool) {
	switch v := v.(type) {
	case mixed:
		return v.size, true
	case integer, lanes, symbol:
		return 0, true
	}
	return 0, false
}

// known evaluates a mixed value with the values that its unknowns have; it fails where one has none.
func (m *machine) known(v value) (value, bool) {
	switch v := v.(type) {
	case integer, lanes:
		return v, true
	case symbol:
		n, ok := m.peek(v.expr)
		return integer(n), ok
	case mixed:
		x, ok := m.known(v.x)
		if !ok || v.y == nil {
			return unary(v.op, x), ok
		}
		if v.op == "&&" || v.op == "||" {
			if n, decides := truthValue(x).(integer); decides && (n != 0) == (v.op == "||") {
				return boolean(n != 0), true
			}
		}
		y, ok := m.known(v.y)
		return binary(v.op, truthOf(v.op, x), truthOf(v.op, y)), ok
	}
	return nil, false
}

// separate evaluates a mixed value, asking for what it needs to know. What the threads alone decide is decided first.
func (m *machine) separate(v value, yesNo bool) value {
	switch v := v.(type) {
	case symbol:
		return integer(m.resolve(v.expr, yesNo))
	case mixed:
		logic := v.op == "&&" || v.op == "||"
		x := m.separate(v.x, logic || v.op == "!")
		if v.y == nil {
			return unary(v.op, x)
		}
		if logic {
			if n, decides := truthValue(x).(integer); decides && (n != 0) == (v.op == "||") {
				return boolean(n != 0)
			}
			if each, differ := truthValue(x).(lanes); differ {
				m.splitOn(each)
			}
		}
		y := m.separate(v.y, logic)
		return binary(v.op, truthOf(v.op, x), truthOf(v.op, y))
	}
	return v
}

// truthOf is a value as the operand of an operator: of && and || its truth.
func truthOf(op string, v value) value {
	if op == "&&" || op == "||" {
		return truthValue(v)
	}
	return v
}
