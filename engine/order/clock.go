package order

// clock says how far happens-before reaches from a point: for every strand the last position all of whose lanes' commands
// come before it, for every object the phases that are over by then, and for every strand the asynchronous operations that
// are done. Where lanes meet in collectives, which order commands in time and not what is seen of memory, a second half
// says the same of what is ordered both ways. Clocks are never changed once somebody holds them, so strands that wait for the same barrier share one.
type clock []int32

// joinClocks is the least clock above both.
func (r *run) joinClocks(a, b clock) clock {
	if len(b) == 0 || len(a) > 0 && &a[0] == &b[0] {
		return a
	}
	if len(a) == 0 {
		return b
	}
	above, below := true, true
	for i, x := range a {
		if y := b[i]; x < y {
			above = false
		} else if x > y {
			below = false
		}
	}
	switch {
	case above:
		return a
	case below:
		return b
	}
	out := r.newClock()
	for i, x := range a {
		out[i] = max(x, b[i])
	}
	return out
}

// newClock is a clock of zeros, counted.
func (r *run) newClock() clock {
	r.memory += 4 * int64(r.dims)
	return make(clock, r.dims)
}

// gathering is the clock of a dynamic barrier that is not complete, as those who contribute to it make it.
type gathering struct {
	at   clock
	seen []clock // the last clocks taken in, which need not be taken in again
}

// add takes in what comes before a command of a strand at a position, the command itself included.
func (g *gathering) add(r *run, s *strand, pos int32) {
	if g.at == nil {
		g.at = r.newClock()
	}
	g.join(s.now)
	g.at[s.id] = max(g.at[s.id], pos)
	g.at[r.behind+s.id] = max(g.at[r.behind+s.id], pos)
	for u, dim := range s.doneDim {
		if dim > 0 {
			g.at[dim] = max(g.at[dim], s.done[u])
			g.at[r.behind+int(dim)] = g.at[dim]
		}
	}
}

func (g *gathering) join(c clock) {
	if len(c) == 0 {
		return
	}
	for _, old := range g.seen {
		if &old[0] == &c[0] {
			return
		}
	}
	if len(g.seen) < 16 {
		g.seen = append(g.seen, c)
	}
	for i, x := range c {
		if x > g.at[i] {
			g.at[i] = x
		}
	}
}

// close hands out what was gathered; the next generation begins with nothing.
func (g *gathering) close(r *run) clock {
	c := g.at
	if c == nil {
		c = r.newClock()
	}
	g.at, g.seen = nil, g.seen[:0]
	return c
}
