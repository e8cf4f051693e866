package lower

import "github.com/fencepost-dev/fencepost/lower/value"

// known evaluates a mixed value with the values that its unknowns have; it fails where one has none.
func (m *machine) known(v value.Value) (value.Value, bool) {
	switch v := v.(type) {
	case value.Int, value.Lanes:
		return v, true
	case value.Symbol:
		n, ok := m.peek(v.Expr)
		return value.Int(n), ok
	case value.Mixed:
		x, ok := m.known(v.X)
		if !ok || v.Y == nil {
			return value.Unary(v.Op, x), ok
		}
		if v.Op == "&&" || v.Op == "||" {
			if n, decides := value.TruthValue(x).(value.Int); decides && (n != 0) == (v.Op == "||") {
				return value.Bool(n != 0), true
			}
		}
		y, ok := m.known(v.Y)
		return value.Binary(v.Op, value.TruthOf(v.Op, x), value.TruthOf(v.Op, y)), ok
	}
	return nil, false
}

// separate evaluates a mixed value, asking for what it needs to know. What the threads alone decide is decided first.
func (m *machine) separate(v value.Value, yesNo bool) value.Value {
	switch v := v.(type) {
	case value.Symbol:
		return value.Int(m.resolve(v.Expr, yesNo))
	case value.Mixed:
		logic := v.Op == "&&" || v.Op == "||"
		x := m.separate(v.X, logic || v.Op == "!")
		if v.Y == nil {
			return value.Unary(v.Op, x)
		}
		if logic {
			if n, decides := value.TruthValue(x).(value.Int); decides && (n != 0) == (v.Op == "||") {
				return value.Bool(n != 0)
			}
			if each, differ := value.TruthValue(x).(value.Lanes); differ {
				m.splitOn(each)
			}
		}
		y := m.separate(v.Y, logic)
		return value.Binary(v.Op, value.TruthOf(v.Op, x), value.TruthOf(v.Op, y))
	}
	return v
}
