package protocol

// Loop is the rounds that the threads of a class make in one execution of a loop of which an unknown says the number.
// The locations of a loop in a round of another lie between two neighbours of the other's Heads.
type Loop struct {
	Unknown string // a key of Values
	Class   int
	Heads   []int // the location at which each round begins and, last, the one at which the loop is left
	Lead    int   // the first round of those that repeat
}

// Repeat says how a protocol grows with an unknown, whatever its value: for every v ≥ Least, the instance with v+Period
// for Unknown and the other Values as here differs from the one with v in that every Loop of Unknown has Period rounds
// more, Lead to Lead+Period-1, and the rounds after these, if there are as many, do the same as these. So both can be
// made of each other by leaving these rounds out or putting copies of them in.
type Repeat struct {
	Unknown string
	Period  int // rounds
	Least   int
}

// Alike reports whether two states, in which the threads of each class stand together and nothing is in flight, leave the
// same to happen to threads with the same operations before them: objects differ in the number of phases and generations
// that are over, by an even number of an mbarrier's, and in nothing else.
func (m *Machine) Alike(a, b State) bool {
	for o := range m.P.Mbars {
		x, y := a[m.mbar+mbarFields*o:], b[m.mbar+mbarFields*o:]
		if (x[fieldPhase]-y[fieldPhase])&1 != 0 {
			return false
		}
		for field := range mbarFields {
			if field != fieldPhase && x[field] != y[field] {
				return false
			}
		}
	}
	for i := m.named; i < m.size; i++ {
		if i != m.cluster && a[i] != b[i] {
			return false
		}
	}
	for c := range m.P.Classes {
		n := len(m.P.Classes[c].Ops)
		x, y := m.stand(a, c), m.stand(b, c)
		if x < 0 || y < 0 || (x == n) != (y == n) {
			return false
		}
		if x < n && m.arrives[c][y]-m.arrives[c][x] != b[m.cluster]-a[m.cluster] {
			return false
		}
	}
	return true
}

// stand is the location at which all threads of a class are, -1 if they are not at one.
func (m *Machine) stand(s State, c int) int {
	for l := range len(m.P.Classes[c].Ops) + 1 {
		if n := s[m.at[c]+l]; n > 0 {
			if n < m.P.Classes[c].Count {
				return -1
			}
			return l
		}
	}
	return -1
}
