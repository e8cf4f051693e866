package check

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A search steps one class after another, so the same line of the source comes up once a class, far apart. A person
// reads a counterexample more easily when those steps stand together.

const (
	mostOrdered  = 1 << 20 // slots of all states of a trace that is put in order
	mostLookback = 128     // steps
)

// inOrder moves steps of a trace up to the steps of the same statement before them. A step moves only when the steps it
// passes and itself then lead to the very state they led to before, so the result is an execution with the same end.
// The last step stays the last: Arrivals and Attribution are about it.
func inOrder(p *protocol.Protocol, steps []engine.Step) []engine.Step {
	o := orderer{statements: newStatements(p), m: protocol.NewMachine(p), steps: slices.Clone(steps)}
	o.states = []protocol.State{o.m.Start()}
	if len(steps)*len(o.states[0]) > mostOrdered {
		return steps
	}
	for _, s := range steps {
		next, ok := o.after(o.states[len(o.states)-1], s)
		if !ok {
			return steps // it ends in an arrival that is too many, and nothing is said of a state after that
		}
		o.states = append(o.states, next)
	}
	for i := 1; i+1 < len(o.steps); i++ {
		o.place(i)
	}
	return o.steps
}

// orderer holds a trace: states[i] is the state before steps[i].
type orderer struct {
	statements
	m      *protocol.Machine
	steps  []engine.Step
	states []protocol.State
}

// place moves step i up to the last steps of its statement: behind those of its CTA, or else behind all of them.
func (o *orderer) place(i int) {
	for j := i - 1; j >= max(0, i-mostLookback); j-- {
		if !o.together(o.steps[j], o.steps[i]) {
			continue
		}
		for k := j; k >= 0 && o.together(o.steps[k], o.steps[i]); k-- {
			if o.cta(o.steps[k]) == o.cta(o.steps[i]) {
				if o.move(i, k+1) {
					return
				}
				break
			}
		}
		o.move(i, j+1)
		return
	}
}

// move takes step i to position k before it, if that changes nothing.
func (o *orderer) move(i, k int) bool {
	if k >= i {
		return true
	}
	moved := append([]engine.Step{o.steps[i]}, o.steps[k:i]...)
	states := make([]protocol.State, 0, len(moved))
	at := o.states[k]
	for _, s := range moved {
		next, ok := o.after(at, s)
		if !ok {
			return false
		}
		at = next
		states = append(states, at)
	}
	if !slices.Equal(at, o.states[i+1]) {
		return false
	}
	copy(o.steps[k:], moved)
	copy(o.states[k+1:], states)
	return true
}

// after executes a step in a copy of a state.
func (o *orderer) after(s protocol.State, step engine.Step) (protocol.State, bool) {
	s = slices.Clone(s)
	if step.Completion {
		return s, o.m.Flying(s, step.Class, step.Op) >= step.N && o.m.Complete(s, step.Class, step.Op, step.N)
	}
	ok := o.m.At(s, step.Class, step.Op) >= step.N && o.m.Enabled(s, step.Class, step.Op)
	return s, ok && o.m.Step(s, step.Class, step.Op, step.N)
}

// statements tells which steps of a protocol execute the same statement as often as each other. A statement is known by
// its line: in an unrolled loop, or for each warp, it has sites of its own.
type statements struct {
	p     *protocol.Protocol
	turns [][]turn // by class and operation
}

// turn is one execution of a statement: nth counts the iterations of the loop it is in.
type turn struct {
	kind protocol.Kind
	path string
	line int
	nth  int
}

func newStatements(p *protocol.Protocol) statements {
	st := statements{p, make([][]turn, len(p.Classes))}
	for c := range p.Classes {
		seen := map[turn]int{}
		for _, op := range p.Classes[c].Ops {
			site := siteAt(p, op.Site)
			t := turn{kind: op.Kind, path: site.Path, line: site.Line}
			nth := seen[t]
			seen[t]++
			t.nth = nth
			st.turns[c] = append(st.turns[c], t)
		}
	}
	return st
}

func (st *statements) cta(s engine.Step) int { return st.p.Classes[s.Class].CTA }

func (st *statements) op(s engine.Step) *protocol.Op { return &st.p.Classes[s.Class].Ops[s.Op] }

func (st *statements) together(a, b engine.Step) bool {
	return a.Completion == b.Completion && st.turns[a.Class][a.Op] == st.turns[b.Class][b.Op]
}
