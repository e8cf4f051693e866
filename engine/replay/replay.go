package replay

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// maxSteps bounds the single steps of one trace. A program without loops has at most one a thread and operation, so
// only a broken trace is longer.
const maxSteps = 20_000_000

// Outcome is what a trace shows.
type Outcome struct {
	Steps   []StepInfo
	Final   []string  // the objects that matter at the end, one a line
	Blocked []Blocked // the threads that are not at their end, by class and location
	Stuck   []string  // the same in words
	Object  int       // the object the violation is on, as in engine.Answer
	State   *State    // at the end
}

// StepInfo is one step of the trace in words.
type StepInfo struct {
	engine.Step
	Indices []int             // of the threads in their CTA, sorted; nil for a completion and where the protocol does not say
	Threads string            // who: "threads 0-126 of CTA 0"; for a completion, who issued it
	Effect  string            // "arrive on gate[0]: 255 of 256 pending"
	Site    protocol.Site     // where it stands in the source
	After   []engine.Standing // what it was about or changed, as it stands then
	// InFlight counts the operations that are in flight then, of those issued at the same place of the CTA; 0 for other steps
	// than an Issue and a completion.
	InFlight int
}

// Blocked is a group of threads that stand at one operation.
type Blocked struct {
	Class, Op int
	Indices   []int  // as in StepInfo
	Threads   string // "threads 0-127 of CTA 0"
	At        string // "wait on gate phase 0 (line 41)"
	// Poll is what they read again and again, "" where the hardware keeps them: "poll of gate: in phase 1, waits for its end". No
	// step is possible, so this is for ever: see protocol.Property.
	Poll string
}

func (b Blocked) String() string { return b.Threads + ": " + b.At }

// Run re-runs the trace and checks that it ends in a violation of the property. The error says at which step the
// trace stops being an execution, or what its end is instead.
func Run(p *protocol.Protocol, t *engine.Trace, prop protocol.Property) (*Outcome, error) {
	out, err := Walk(p, t.Steps)
	if err != nil {
		return nil, err
	}
	if out.Object, err = out.State.violation(prop, t.Pair); err != nil {
		return nil, err
	}
	return out, nil
}

// Walk re-runs steps from the initial state, whatever they lead to.
func Walk(p *protocol.Protocol, steps []engine.Step) (*Outcome, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	s := newState(p)
	out := &Outcome{State: s, Object: -1}
	before := s.counts()
	total := 0
	for i, st := range steps {
		if err := inRange(p, st); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		if total += st.N; total > maxSteps {
			return nil, fmt.Errorf("step %d: the trace has more than %d single steps", i+1, maxSteps)
		}
		s.credits = s.credits[:0]
		var moved []int
		for range st.N {
			t, err := s.step(st.Class, st.Op, st.Completion)
			if err != nil {
				return nil, fmt.Errorf("step %d: %w", i+1, err)
			}
			moved = append(moved, t)
		}
		info := s.describe(st, moved)
		info.After = s.since(before, st)
		out.Steps = append(out.Steps, info)
	}
	out.Final, out.Blocked = s.objects(), s.blockedAt()
	for _, b := range out.Blocked {
		out.Stuck = append(out.Stuck, b.String())
	}
	return out, nil
}

func inRange(p *protocol.Protocol, st engine.Step) error {
	if st.Class < 0 || st.Class >= len(p.Classes) {
		return fmt.Errorf("there is no class %d", st.Class)
	}
	class := &p.Classes[st.Class]
	if st.Op < 0 || st.Op >= len(class.Ops) {
		return fmt.Errorf("%s has no operation %d", class.Name, st.Op)
	}
	if st.N < 1 || st.N > class.Count {
		return fmt.Errorf("%d threads of %s cannot move, it has %d", st.N, class.Name, class.Count)
	}
	if st.Completion && class.Ops[st.Op].Kind != protocol.Issue {
		return fmt.Errorf("%s issues nothing at operation %d", class.Name, st.Op)
	}
	return nil
}
