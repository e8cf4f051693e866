package lower

// A combination of values is what the unknowns are worth that its evaluation asks for, one after another. Which are asked for
// hangs on the values of those before, and on nothing else: so a row of values of which some are never asked for comes to a
// combination that was lowered before, and is known before it is lowered.

// asking is an unknown that combinations ask for, and what they ask for next, by the value that it is given.
type asking struct {
	of   need
	then map[int64]*asking // nil ends a combination
}

// choosing gives unknowns values, and keeps which.
type choosing struct {
	choose func(need) int64
	made   []choosingOf
	next   int // of those made, which is asked for next
}

type choosingOf struct {
	of need
	v  int64
}

// ahead makes the choices of a combination as far as the tree says what it asks for. It answers whether that is all.
func (c *choosing) ahead(a *asking) bool {
	for a != nil {
		v := c.choose(a.of)
		c.made = append(c.made, choosingOf{a.of, v})
		next, known := a.then[v]
		if known && next == nil {
			return true
		}
		a = next
	}
	return false
}

// give is the choice for evaluation: those that were made ahead first.
func (c *choosing) give(n need) int64 {
	if c.next == len(c.made) || c.made[c.next].of.key != n.key {
		c.made = append(c.made[:c.next], choosingOf{n, c.choose(n)})
	}
	c.next++
	return c.made[c.next-1].v
}

// known adds the combination to the tree.
func (c *choosing) known(a *asking) *asking { return known(a, c.made[:c.next]) }

func known(a *asking, made []choosingOf) *asking {
	if len(made) == 0 {
		return nil
	}
	if a == nil || a.of.key != made[0].of.key {
		a = &asking{of: made[0].of, then: map[int64]*asking{}}
	}
	a.then[made[0].v] = known(a.then[made[0].v], made[1:])
	return a
}
