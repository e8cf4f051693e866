package interval

// key names a value of a thread: with the rounds of the loops that it is set in.
type key struct {
	value int32
	turn  uint64
}

// memo keeps values that were computed: a table with open addressing, since it is asked for each operand of each thread.
type memo struct {
	keys   []key
	values []value
	count  int
}

// maxKnown bounds the values that are kept; more are computed again.
const maxKnown = 1 << 14

func (m *memo) slot(k key) int {
	mask := len(m.keys) - 1
	at := int(scatter(uint64(k.value), k.turn)) & mask
	for m.keys[at].value != 0 && m.keys[at] != k {
		at = (at + 1) & mask
	}
	return at
}

func (m *memo) get(k key) *value {
	if len(m.keys) == 0 {
		return nil
	}
	if at := m.slot(k); m.keys[at].value != 0 {
		return &m.values[at]
	}
	return nil
}

func (m *memo) set(k key, v value) {
	if 2*m.count >= len(m.keys) {
		m.grow()
	}
	at := m.slot(k)
	if m.keys[at].value == 0 {
		m.count++
	}
	m.keys[at], m.values[at] = k, v
}

func (m *memo) grow() {
	if m.count >= maxKnown {
		clear(m.keys)
		m.count = 0
		return
	}
	old := *m
	*m = memo{keys: make([]key, max(64, 2*len(old.keys))), values: make([]value, max(64, 2*len(old.keys)))}
	for n, k := range old.keys {
		if k.value != 0 {
			m.set(k, old.values[n])
		}
	}
}
