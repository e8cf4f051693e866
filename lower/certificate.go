package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/iteration"
)

// That instances grow with unknowns by whole periods of equal rounds is proved from the record of one watched evaluation,
// by induction along the evaluation of the instances for values that are larger by n periods, another n for each unknown.
//
// The claim is that the other evaluation does what this one does, in each execution of a loop that follows an unknown with
// n periods of rounds put in before the round Lead; that what they hold at corresponding moments has one structure; and
// that a number there is the one here and what it is moved by. That is so at the beginning, where only the unknowns differ.
// Evaluation is deterministic, and it looks at numbers that are leaves only by asking what an expression is worth: each such
// question has the same answer in all of them (shifts). At the head Lead of a loop evaluation depends on what a survey
// writes down; if that is the same at the head Lead+period, but for the leaves, and each leaf is there what it is at Lead
// and the same more in each period (grown), then after one period the next can follow, as often as the loop goes round; and
// what comes after the rounds put in begins with what it begins with here. What is not shown in this way has no certificate.
//
// The limits of evaluation (steps, operations, rounds, accesses at one place) are no part of what is proved: the instances
// are those that evaluation without limits would give.
type certifier struct {
	*shifts
	leads map[*turns]int // the loops in which rounds are put in
	blame string         // what was in the way of putting rounds in where they begin alike
}

// certified looks for the rounds before which those of a period can be put in. The reason is empty if that is possible. Of a
// loop that is left before its unknown matters, no rounds are put in: it does the same with any larger value.
func (w *watch) certified(periods map[string]int) (leads map[*turns]int, reason string) {
	c := &certifier{shifts: &shifts{w: w, periods: periods, leaves: map[string]iteration.Delta{}}, leads: map[*turns]int{}}
	if reason = c.through(0, len(w.steps)); reason != "" && c.blame != "" {
		reason = c.blame
	}
	return c.leads, reason
}

// period is that of the unknown which a loop follows, 0 if it does not move.
func (c *certifier) period(t *turns) int { return c.periods[c.w.unknowns[t.unknown]] }

// through goes through steps, putting in rounds as early as that is possible.
func (c *certifier) through(k, to int) (reason string) {
	for ; k < to; k++ {
		st := c.w.steps[k]
		if st.asked != nil {
			if by, ok := c.of(st.asked); !ok || len(by) > 0 {
				return fmt.Sprintf("it matters otherwise at %s: %s", st.at, c.w.spelled(st.asked))
			}
		}
		if st.head == nil {
			continue
		}
		c.settle(st.head)
		if _, done := c.leads[st.head.of]; !done && c.period(st.head.of) > 0 {
			if end, ok := c.insert(k, to); ok {
				c.leads[st.head.of], k = st.head.index, end
			}
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

// maxLead bounds the rounds before those that repeat.
const maxLead = 16

// insert shows that periods of rounds can be put in at a head, and gives the step at which the first ends.
func (c *certifier) insert(k, to int) (int, bool) {
	h, period := c.w.steps[k].head, c.period(c.w.steps[k].head.of)
	if h.index > maxLead || h.index+period >= len(h.of.heads) {
		return 0, false
	}
	end := h.of.heads[h.index+period]
	if !h.seen || !end.seen || h.state != end.state {
		return 0, false
	}
	for i, name := range h.leaves { // what the loop does not change may depend on those that were there before it, too
		if name != end.leaves[i] && (!slices.Contains(h.fresh, name) || !slices.Contains(end.fresh, end.leaves[i])) {
			return 0, false
		}
	}
	last := k + 1
	for c.w.steps[last].head != end {
		if last++; last >= to {
			return 0, false
		}
	}
	leaves, leads := c.leaves, c.leads
	if c.grown(h, end, k+1, last) {
		return last, true
	}
	c.leaves, c.leads = leaves, leads
	return 0, false
}

// grown goes through the rounds from one head to another, which begin alike, as through the j-th period that is put in.
func (c *certifier) grown(h, end *head, from, to int) bool {
	n, j := iteration.PeriodsMore(h.of.unknown), iteration.PeriodIn(h.of.unknown)
	before, leads := maps.Clone(c.leaves), maps.Clone(c.leads)
	c.leaves, c.leads = maps.Clone(before), maps.Clone(leads)
	if c.blame = c.through(from, to); c.blame != "" { // the period j = 0
		return false
	}
	c.settle(end)
	grows, more := map[string]iteration.Delta{}, map[string]iteration.Delta{} // each period; and of that, what depends on other unknowns
	for i, name := range h.leaves {
		was, known := before[name]
		is, still := c.leaves[end.leaves[i]]
		if !known || name == end.leaves[i] {
			continue
		}
		if !still {
			return false
		}
		more[name] = is.Plus(was, -1)
		values := c.w.m.in.values
		grows[name] = more[name].Plus(iteration.Delta{0: values[end.leaves[i]] - values[name]}, 1)
	}
	c.leaves, c.leads = maps.Clone(before), maps.Clone(leads)
	for name, by := range grows {
		by, ok := by.Times(j)
		if !ok {
			return false
		}
		c.leaves[name] = before[name].Plus(by, 1)
	}
	if c.blame = c.through(from, to); c.blame != "" {
		return false
	}
	c.settle(end)
	after := map[string]iteration.Delta{}
	for i, name := range h.leaves {
		by, known := grows[name]
		if !known {
			continue
		}
		if is, ok := c.leaves[end.leaves[i]]; !ok || !is.Equal(c.leaves[name].Plus(more[name], 1)) {
			return false
		}
		by, _ = by.Times(n)
		after[end.leaves[i]] = before[name].Plus(more[name], 1).Plus(by, 1)
	}
	// Of what was computed in the rounds nothing is left after them but the leaves of their end.
	for _, name := range end.leaves {
		if slices.Contains(end.fresh, name) {
			delete(c.leaves, name)
		}
	}
	maps.DeleteFunc(c.leaves, func(_ string, by iteration.Delta) bool { return by.Has(j) })
	maps.Copy(c.leaves, after)
	return true
}
