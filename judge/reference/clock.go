package reference

// clock is a vector clock: how far of every thread, and of every copy in flight, is known to be over.
type clock []int32

func (c clock) join(d clock) {
	for i, v := range d {
		if v > c[i] {
			c[i] = v
		}
	}
}

// alike reports whether two clocks are one: those that threads have are shared, and never changed.
func alike(c, d clock) bool { return len(c) > 0 && len(d) > 0 && &c[0] == &d[0] }

// knowledge is the clock of a thread: what it knows of others, shared with those who learned it together, and its own time.
type knowledge struct {
	others clock
	own    int32
}

// of is what thread i knows of a component.
func (k knowledge) of(i, component int) int32 {
	if component == i {
		return k.own
	}
	return k.others[component]
}

// gathered is what some threads know together.
type gathered struct {
	known clock
	last  clock // what was joined last: those who met before mostly know the same
}

func (g *gathered) add(i int, k knowledge) {
	if !alike(g.last, k.others) {
		g.known.join(k.others)
		g.last = k.others
	}
	g.known[i] = max(g.known[i], k.own)
}
