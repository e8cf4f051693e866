package lower

import (
	"maps"
	"slices"
)

// That an instance grows with an unknown by whole periods of equal rounds is proved from the records of one watched
// evaluation, for a value v of the unknown, by induction along the evaluation of the instance for v+n·period, n ≥ 0.
//
// The claim is that the other evaluation does what this one does, in each execution of a loop that follows the unknown
// with n·period rounds put in before the round Lead; that what they hold at corresponding moments has one structure; and
// that a number is, here x, x + n·each there, and in the j-th period put in x + n·each + j·round (moved). That is so at
// the beginning, where only the unknown differs. Evaluation is deterministic, and it looks at numbers that are leaves only
// by asking what an expression is worth: each such question has the same answer in all of them (shifts). At the head Lead
// of a loop evaluation depends on what a survey writes down; if that is the same at the head Lead+period, but for the
// leaves, and each leaf has there what it has at Lead, moved by one round more, then after one period the next can follow,
// as often as the loop goes round; and the rounds after those put in begin with what they begin with here. What is not
// shown in this way has no certificate.
type certifier struct {
	*shifts
	leads    map[*turns]int // of the loops in which rounds were put in
	least    map[int]int    // the least Lead of the n-th loop of the record
	progress int
}

// certified looks for the rounds at which those of a period can be put in. The reason is empty if that is possible.
func (w *watch) certified(period int, least map[int]int) (leads map[*turns]int, reason string) {
	c := &certifier{&shifts{w: w, period: int64(period), leaves: map[string]moved{}}, map[*turns]int{}, least, 0}
	reason = c.run(period)
	if reason != "" && !w.finished {
		// The group was told apart at a place that all executions come to in the same round.
		plain := &certifier{&shifts{w: w, period: int64(period), leaves: map[string]moved{}}, map[*turns]int{}, nil, 0}
		if plain.run(0) == "" {
			return nil, ""
		}
	}
	return c.leads, reason
}

func (c *certifier) run(period int) string {
	steps := c.w.steps
	for k := 0; k < len(steps); k++ {
		if h := steps[k].head; h != nil && period > 0 {
			if _, done := c.leads[h.of]; !done {
				if next, ok := c.insert(k, period); ok {
					c.leads[h.of], k = h.index, next
					continue
				}
			}
		}
		if why := c.step(steps[k]); why != "" {
			return why
		}
	}
	if !c.w.finished || period == 0 {
		return ""
	}
	for _, st := range steps {
		if st.left != nil {
			if _, ok := c.leads[st.left]; !ok {
				return "its rounds do not repeat"
			}
		}
	}
	return ""
}

// step goes one step on.
func (c *certifier) step(st step) string {
	switch {
	case st.head != nil:
		c.settle(st.head)
	case st.asked != nil:
		if by, ok := c.of(st.asked); !ok || by != (moved{}) {
			return "it matters otherwise at " + st.place
		}
	}
	return ""
}

// settle works out how the leaves of a head move.
func (c *certifier) settle(h *head) {
	for _, name := range h.leaves {
		if _, known := c.leaves[name]; known {
			continue
		}
		if by, ok := c.of(c.w.means[name]); ok {
			c.leaves[name] = by
		}
	}
}

// insert shows that a period of rounds can be put in at a head, and gives the step at which they end.
func (c *certifier) insert(k, period int) (int, bool) {
	h := c.w.steps[k].head
	if h.index < c.least[c.w.ordinal(h.of)] || h.index+period >= len(h.of.heads) {
		return 0, false
	}
	end := h.of.heads[h.index+period]
	if h.state != end.state || len(h.leaves) != len(end.leaves) {
		return 0, false
	}
	before := maps.Clone(c.leaves)
	next, ok := c.period(k, h, end)
	if !ok {
		c.leaves = before
	}
	return next, ok
}

func (c *certifier) period(k int, h, end *head) (int, bool) {
	c.settle(h)
	began := map[string]moved{}
	for i, name := range h.leaves {
		by, known := c.leaves[name]
		if name == end.leaves[i] { // what it was before the loop began
			continue
		}
		if !slices.Contains(h.fresh, name) {
			return 0, false // something that the loop does not change may depend on it, too
		}
		if !known {
			continue
		}
		by.round = c.w.m.in.values[end.leaves[i]] - c.w.m.in.values[name]
		c.leaves[name], began[name] = by, by
	}
	for k++; c.w.steps[k].head != end; k++ {
		if st := c.w.steps[k]; st.head != nil && st.head.of != h.of || c.step(st) != "" {
			return 0, false
		}
	}
	c.settle(end)
	ends := map[string]moved{}
	for i, name := range h.leaves {
		by, known := began[name]
		if !known {
			continue
		}
		if after, ok := c.leaves[end.leaves[i]]; !ok || after != by {
			return 0, false
		}
		ends[end.leaves[i]] = moved{each: by.each + by.round}
	}
	for name, by := range c.leaves {
		if by.round != 0 { // what was computed in the period is not there after it, but for the leaves of its end
			delete(c.leaves, name)
		}
	}
	for _, name := range end.leaves {
		if _, known := ends[name]; !known && slices.Contains(end.fresh, name) {
			delete(c.leaves, name)
		}
	}
	maps.Copy(c.leaves, ends)
	return k, true
}

// ordinal is the number of a loop's execution in the record.
func (w *watch) ordinal(t *turns) int {
	n := 0
	for _, st := range w.steps {
		if st.head != nil && st.head.index == 0 {
			if st.head.of == t {
				return n
			}
			n++
		}
	}
	return -1
}
