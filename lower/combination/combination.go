// Package combination has the values that unknowns are given together: what each asks for, which combinations and which pairs of values
// were there before, and which values are worth a try.
package combination

import "github.com/fencepost-dev/fencepost/lower/value"

// Need is an unknown that has no value yet. A host run ends with it; a kernel run asks the sweep for a value.
type Need struct {
	Key     string
	Boolean bool
	Zero    *value.Expr // of a remainder without a value: the divisor
}

// A combination of values is what the unknowns are worth that its evaluation asks for, one after another. Which are asked for
// hangs on the values of those before, and on nothing else: so a row of values of which some are never asked for comes to a
// combination that was lowered before, and is known before it is lowered.

// Asked is an unknown that combinations ask for, and what they ask for next, by the value that it is given.
type Asked struct {
	of   Need
	then map[int64]*Asked // nil ends a combination
}

// Choosing gives unknowns values, and keeps which.
type Choosing struct {
	choose func(Need) int64
	made   []choice
	next   int // of those made, which is asked for next
}

// choice is an unknown and the value that it was given.
type choice struct {
	of Need
	v  int64
}

// Choose begins a combination, of values that choose gives.
func Choose(choose func(Need) int64) *Choosing { return &Choosing{choose: choose} }

// Ahead makes the choices of a combination as far as the tree says what it asks for. It answers whether that is all.
func (c *Choosing) Ahead(a *Asked) bool {
	for a != nil {
		v := c.choose(a.of)
		c.made = append(c.made, choice{a.of, v})
		next, known := a.then[v]
		if known && next == nil {
			return true
		}
		a = next
	}
	return false
}

// Give is the choice for evaluation: those that were made ahead first.
func (c *Choosing) Give(n Need) int64 {
	if c.next == len(c.made) || c.made[c.next].of.Key != n.Key {
		c.made = append(c.made[:c.next], choice{n, c.choose(n)})
	}
	c.next++
	return c.made[c.next-1].v
}

// Known adds the combination to the tree.
func (c *Choosing) Known(a *Asked) *Asked { return known(a, c.made[:c.next]) }

func known(a *Asked, made []choice) *Asked {
	if len(made) == 0 {
		return nil
	}
	if a == nil || a.of.Key != made[0].of.Key {
		a = &Asked{of: made[0].of, then: map[int64]*Asked{}}
	}
	a.then[made[0].v] = known(a.then[made[0].v], made[1:])
	return a
}
