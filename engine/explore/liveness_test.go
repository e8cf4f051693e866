package explore

import (
	"context"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// polling is the graph of all states of a protocol with the polls as edges: a thread at a spin or a wait that it does not
// pass reads again, and the state stays as it is.
type polling struct {
	m      *protocol.Machine
	states []protocol.State
	at     map[string]int
	steps  [][]int // by state: where steps lead to
	polls  []bool  // by state: someone polls there
	done   []bool
}

// explored builds the graph, nil where it has too many states or one after which nothing means anything.
func explored(p *protocol.Protocol, most int) *polling {
	g := &polling{m: protocol.NewMachine(p), at: map[string]int{}}
	g.add(g.m.Start())
	for i := 0; i < len(g.states); i++ {
		s := g.states[i]
		g.steps, g.polls, g.done = append(g.steps, nil), append(g.polls, false), append(g.done, true)
		for slot, at := range g.m.Slots {
			ops := p.Classes[at.Class].Ops
			if s[slot] == 0 || at.Where != protocol.InFlight && at.Op == len(ops) {
				continue
			}
			g.done[i] = false
			next, ok := slices.Clone(s), false
			switch {
			case at.Where == protocol.InFlight:
				ok = g.m.Complete(next, at.Class, at.Op, 1)
			case at.Where == protocol.Registered:
				continue
			case !g.m.Enabled(s, at.Class, at.Op):
				g.polls[i] = g.polls[i] || ops[at.Op].Kind == protocol.Spin || ops[at.Op].Kind == protocol.Wait
				continue
			default:
				ok = g.m.Step(next, at.Class, at.Op, 1)
			}
			if !ok {
				return nil
			}
			g.steps[i] = append(g.steps[i], g.add(next))
		}
		if len(g.states) > most {
			return nil
		}
	}
	return g
}

func (g *polling) add(s protocol.State) int {
	key := make([]byte, 0, 2*len(s))
	for _, v := range s {
		key = append(key, byte(v), byte(v>>8))
	}
	i, ok := g.at[string(key)]
	if !ok {
		i = len(g.states)
		g.at[string(key)], g.states = i, append(g.states, s)
	}
	return i
}

// lassos are the states in which a weakly fair execution may go round for ever: those of the strongly connected components
// with an edge inside that leave no step out that is possible in all of their states. Steps never lead back, which is
// checked, so a component is one state and its polls.
func (g *polling) lassos(t *testing.T) (out []int) {
	order, left := []int(nil), make([]int, len(g.states))
	for _, to := range g.steps {
		for _, j := range to {
			left[j]++
		}
	}
	for i := range g.states {
		if left[i] == 0 {
			order = append(order, i)
		}
	}
	for k := 0; k < len(order); k++ {
		for _, j := range g.steps[order[k]] {
			if left[j]--; left[j] == 0 {
				order = append(order, j)
			}
		}
	}
	if len(order) != len(g.states) {
		t.Fatal("steps lead round in a cycle")
	}
	for i := range g.states {
		if g.polls[i] && len(g.steps[i]) == 0 {
			out = append(out, i)
		}
	}
	return out
}

// TestLassos: with polls in the graph of states, a thread may be kept going for ever by a fair scheduler exactly where a
// hang is found in which someone polls.
func TestLassos(t *testing.T) {
	first, cases := seeds(0, 1500)
	hangs, ends := 0, 0
	EachRandom(first, cases, func(seed int, p *protocol.Protocol) {
		g := explored(p, 3000)
		if g == nil {
			return
		}
		lasso, asleep := len(g.lassos(t)) > 0, false // asleep: hangs in which nobody polls
		for i := range g.states {
			asleep = asleep || len(g.steps[i]) == 0 && !g.done[i] && !g.polls[i]
		}
		r := Check(context.Background(), p, engine.Limits{})
		hang := r.Properties[protocol.Deadlock].Verdict == engine.Violated || r.Properties[protocol.Livelock].Verdict == engine.Violated
		if hang != (lasso || asleep) {
			t.Errorf("seed %d: hang %t, a lasso %t, a hang without polls %t", seed, hang, lasso, asleep)
		}
		if lasso {
			hangs++
		} else {
			ends++
		}
	})
	if t.Logf("%d with a lasso, %d without", hangs, ends); hangs < 50 || ends < 50 {
		t.Error("too few of a kind")
	}
}
