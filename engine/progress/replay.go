package progress

import (
	"fmt"
	"slices"
)

// Replay runs a lasso step by step, by the system alone: it must come back to the state in which its cycle begins, and a
// thread that is guaranteed to execute must do so on the cycle of a weak form. It has none of the search's code.
func Replay(s System, g Guarantee, l *Lasso) error {
	threads := s.Threads()
	state := s.Start()
	started := make([]bool, len(threads))
	run := func(steps []Step) (moved []bool, err error) {
		moved = make([]bool, len(threads))
		for i, step := range steps {
			if step.Thread < 0 || step.Thread >= len(threads) || s.Ended(state, step.Thread) {
				return nil, fmt.Errorf("step %d of %s: no such thread, or it has ended", i+1, g)
			}
			if _, _, text := s.Describe(state, step.Thread); text != step.Text {
				return nil, fmt.Errorf("step %d of %s is %q and should be %q", i+1, g, text, step.Text)
			}
			if state, err = s.Step(state, step.Thread); err != nil {
				return nil, err
			}
			started[step.Thread], moved[step.Thread] = true, true
		}
		return moved, nil
	}
	if _, err := run(l.Stem); err != nil {
		return err
	}
	before := slices.Clone(state)
	moved, err := run(l.Cycle)
	switch {
	case err != nil:
		return err
	case len(l.Cycle) == 0 || !slices.Equal(before, state):
		return fmt.Errorf("the cycle of %s does not close", g)
	}
	for t := range threads {
		if !g.Strong && !moved[t] && !s.Ended(state, t) && must(g.Model, threads, started, t, func(u int) bool { return s.Ended(state, u) }) {
			return fmt.Errorf("%s must execute under %s and does not", threads[t].Name, g)
		}
	}
	return nil
}

// must reports whether a model guarantees that a thread which has not ended executes.
func must(m Model, threads []Thread, started []bool, t int, ended func(int) bool) bool {
	lowest, self, above, mates := true, false, false, false
	for u, other := range threads {
		if other.Grid != threads[t].Grid {
			continue
		}
		lowest = lowest && (other.Unit >= threads[t].Unit || ended(u))
		self = self || started[u] && other.Unit == threads[t].Unit
		above = above || started[u] && other.Unit >= threads[t].Unit
		mates = mates || started[u] && other.Group == threads[t].Group
	}
	return map[Model]bool{HSA: lowest, OBE: self, HSAOBE: lowest || self, LOBE: above, Fair: true, CUDA: mates}[m]
}
