// Package progress says what waiting threads need of the scheduler: under which models of forward progress they end.
//
// A System is a set of threads that take atomic steps, one at a time, at a state of numbers; a wait is a step that leaves
// the state as it is. A Program is one of straight lists of check-exchange-branch steps (AXB): compare a cell with a
// number, branch if it is equal, and set the cell in the same step if asked to. package memory makes one of a litmus test.
//
// # Models
//
// What is scheduled is a unit: a CTA with all its threads, or a thread where a system knows nothing of CTAs. The ids of
// units matter, in each grid: they say who is scheduled first under some models. A model says which threads that have not
// ended are guaranteed to execute eventually, given what has happened (Sorensen et al., "Specifying and testing GPU
// workgroup progress models", OOPSLA 2021; notes/semantics.md 5.2):
//
//	unfair    none
//	hsa       those of the unit with the lowest id of a grid
//	obe       those of units that have made a step (occupancy-bound execution)
//	hsa_obe   both of these
//	lobe      those of units with an id no higher than that of one of the grid that has made a step, ended or not
//	fair      all
//	cuda      those in the cluster of a thread that has made a step, or in its grid when that was launched cooperatively
//	          (CUDA C++ execution model, "parallel forward progress")
//
// Under the weak form a guaranteed thread executes eventually. Under the strong form, besides, whatever the guaranteed
// threads can do again and again happens eventually.
//
// # Decision
//
// The states are the locations of all threads, the cells, and who has made a step; there are finitely many. The guaranteed
// threads are the same all around a cycle, as threads only leave them by ending. Weak: the program may run for ever if and
// only if some reachable strongly connected component with a step inside has a step of each thread guaranteed in it
// (Lemma 9.1 of the paper). Strong: it always ends if and only if from each reachable state steps of guaranteed threads
// lead to the end, or to a state where none is guaranteed and someone is chosen (Lemma 9.2); where none is guaranteed on a
// cycle either, as in the unfair model, that cycle may go on.
package progress

import "fmt"

// System is a set of threads that take atomic steps, one at a time.
type System interface {
	// Threads says who the threads are, 64 at most.
	Threads() []Thread
	// Start is the numbers of the first state. States are not to be changed.
	Start() []int64
	// Ended reports whether a thread has no step left.
	Ended(state []int64, thread int) bool
	// Step is the state after a step of a thread that has not ended: the same numbers where it waits.
	Step(state []int64, thread int) ([]int64, error)
	// Describe says in words what that step is, and on which line of a text, 0 if on none; from is the line of the call that leads
	// there, 0 where there is none.
	Describe(state []int64, thread int) (line, from int, text string)
}

// Thread is a thread, and how it is scheduled.
type Thread struct {
	Name  string
	Unit  int // the CTA it is of, by its id in the grid
	Grid  int
	Group int // the part of the grid that CUDA lets execute together: the cluster, or all of it
}

// Instruction is one step: cell Loc is compared with Check, set to Value if Exch, and the thread goes on at Jump if the
// old value was equal, else at the next instruction. The location behind the last instruction is the thread's end.
type Instruction struct {
	Loc   int  `json:"loc"`
	Check int  `json:"check"`
	Jump  int  `json:"jump"`
	Exch  bool `json:"exch"`
	Value int  `json:"value"`
}

// Program is a set of threads over cells that begin at zero.
type Program struct {
	ID      string          `json:"id"`
	Threads [][]Instruction `json:"threads"`
	// Groups are the clusters of the threads, for the cuda model: each thread is its own where there are none. Cooperative
	// says that all of them are of one grid, launched cooperatively.
	Groups      []int `json:"groups,omitempty"`
	Cooperative bool  `json:"cooperative,omitempty"`
}

// Model is a model of forward progress.
type Model uint8

// The models, from the one that guarantees least.
const (
	Unfair Model = iota
	HSA
	OBE
	HSAOBE
	LOBE
	Fair
	CUDA
)

// Models lists the models in the order in which tables show them.
var Models = []Model{Unfair, HSA, OBE, HSAOBE, LOBE, Fair, CUDA}

func (m Model) String() string {
	return [...]string{"unfair", "hsa", "obe", "hsa_obe", "lobe", "fair", "cuda"}[m]
}

// Guarantee is a model in its weak or strong form.
type Guarantee struct {
	Model  Model
	Strong bool
}

func (g Guarantee) String() string {
	if g.Strong {
		return "strong_" + g.Model.String()
	}
	return "weak_" + g.Model.String()
}

// Guarantees lists all models in both forms.
func Guarantees() []Guarantee {
	var out []Guarantee
	for _, strong := range []bool{false, true} {
		for _, m := range Models {
			out = append(out, Guarantee{m, strong})
		}
	}
	return out
}

// Below reports whether g guarantees no more than h, whatever the program: what ends under g ends under h.
func (g Guarantee) Below(h Guarantee) bool {
	if g.Strong && !h.Strong {
		return false
	}
	a, b := g.Model, h.Model
	switch {
	case a == b || a == Unfair || b == Fair:
		return true
	case a == CUDA || b == CUDA || a == Fair || b == Unfair:
		return a == OBE && b == CUDA // a thread's cluster has the thread in it
	case a == HSA:
		return b != OBE
	}
	return a < b
}

// Caps on a program, which may come from a stranger.
const (
	maxThreads = 64
	maxLength  = 4096
	maxCells   = 256
	maxValue   = 1 << 30
)

// Validate reports the first thing that makes p meaningless.
func (p *Program) Validate() error {
	if len(p.Threads) == 0 || len(p.Threads) > maxThreads {
		return fmt.Errorf("program %q has %d threads; want 1 to %d", p.ID, len(p.Threads), maxThreads)
	}
	if len(p.Groups) != 0 && len(p.Groups) != len(p.Threads) {
		return fmt.Errorf("program %q gives the groups of %d of %d threads", p.ID, len(p.Groups), len(p.Threads))
	}
	for t, list := range p.Threads {
		if len(list) > maxLength {
			return fmt.Errorf("program %q: thread %d has %d instructions; at most %d are handled", p.ID, t, len(list), maxLength)
		}
		for pc, i := range list {
			switch {
			case i.Loc < 0 || i.Loc >= maxCells:
				return fmt.Errorf("program %q: thread %d, instruction %d: location %d is not in 0 to %d", p.ID, t, pc, i.Loc, maxCells-1)
			case i.Jump < 0 || i.Jump > len(list):
				return fmt.Errorf("program %q: thread %d, instruction %d: jump to %d of %d", p.ID, t, pc, i.Jump, len(list))
			case i.Check < -maxValue || i.Check > maxValue || i.Value < -maxValue || i.Value > maxValue:
				return fmt.Errorf("program %q: thread %d, instruction %d: a value is out of range", p.ID, t, pc)
			}
		}
	}
	return nil
}
