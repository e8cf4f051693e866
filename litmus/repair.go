package litmus

import (
	"slices"

	"github.com/fencepost-dev/fencepost/finding"
)

// Side is what the threads of one CTA do in a handoff: those that publish, or those that take.
type Side struct {
	Threads  []Thread
	Flag     int // index into Threads of the thread that works on the flag
	Data     int // and of the one that works on the data
	Repairs  []Repair
	Location finding.Location // the operation on the flag
	Async    bool             // engines take part: the model has to know them
	Setup    string           // declarations of cells
	Outcome  []Outcome        // of a side that is a test by itself; see Alone
	Ticket   bool             // who is last finds out by it; nobody waits
	Order    string           // of that operation, as a person would say it: "plain", "relaxed"
}

// Kind says what a repair gives to a handoff, and so what was missing.
type Kind uint8

// The kinds of repair. A fence where there was none gives order, not scope.
const (
	Order   Kind = iota // release or acquire order
	Scope               // a wider scope
	Meeting             // a barrier of the CTA
	Proxy               // a proxy fence
)

// Change puts a step in front of step At of a thread, or in its place.
type Change struct {
	Thread, At int
	Replace    bool
	Step       Step
}

// Repair is a change of the source with what it does to the steps of a side.
type Repair struct {
	Kind    Kind
	Words   string // "put __threadfence() before the write of the flag"
	Changes []Change
	Edits   []finding.Edit
	At      finding.Location // of a wider scope: where it is missing
	Scope   [2]string        // and what it is, and should be
}

// Apply gives a side with repairs made. Changes are given in terms of the steps as they are.
func (s *Side) Apply(repairs ...Repair) *Side {
	out := slices.Clone(s.Threads)
	for i := range out {
		var steps []Step
		for at := 0; at <= len(out[i].Steps); at++ {
			replaced := false
			for _, r := range repairs {
				for _, c := range r.Changes {
					if c.Thread != i || c.At != at {
						continue
					}
					steps = append(steps, c.Step)
					replaced = replaced || c.Replace
				}
			}
			if at < len(out[i].Steps) && !replaced {
				steps = append(steps, out[i].Steps[at])
			}
		}
		out[i].Steps = steps
	}
	fixed := *s
	fixed.Threads = out
	return &fixed
}

// Places say where the two sides of a handoff run.
type Places struct {
	SameCTA  bool // one CTA hands to itself: only its own threads use the flag
	OtherGPU bool // the flag is in the memory of another GPU
}

// Cells of a handoff: data are stale where they are still 0 although the flag is 1.
const (
	dataCell = "data"
	flagCell = "flag"
)

// Registers of the consumer.
const (
	flagReg = 0
	dataReg = 1
)

// Join makes the test of a handoff: can the consumer find the flag set and the data as they were before?
func Join(name string, publisher, consumer *Side, at Places) *Test {
	p, c := publisher.Threads, consumer.Threads
	t := &Test{Name: name, Model: modelOf(publisher.Async || consumer.Async), Setup: publisher.Setup + consumer.Setup, Threads: slices.Clone(p)}
	for _, th := range c {
		if !at.SameCTA {
			th.CTA = 1
		}
		if at.OtherGPU {
			th.GPU = 1
		}
		t.Threads = append(t.Threads, th)
	}
	t.Outcome = []Outcome{{len(p) + consumer.Flag, flagReg, 1}, {len(p) + consumer.Data, dataReg, 0}}
	return t
}

// Alone makes the test of threads of one CTA that hand data on without a flag.
func Alone(name string, s *Side) *Test {
	return &Test{Name: name, Model: modelOf(s.Async), Setup: s.Setup, Threads: slices.Clone(s.Threads), Outcome: s.Outcome}
}

func modelOf(async bool) string {
	if async {
		return "ptx-async"
	}
	return "ptx-v7.5"
}

// IdealPublisher publishes as well as can be: what is stale all the same is so by the consumer's fault.
func IdealPublisher() *Side {
	return &Side{Threads: []Thread{{Name: "a thread that publishes with release order", Steps: []Step{
		{Op: "st", Sem: "weak", Cell: dataCell, Value: 1},
		{Op: "atom", Sem: "release", Scope: "sys", Fn: "add", Reg: 9, Cell: flagCell, Value: 1},
	}}}}
}

// IdealConsumer takes as well as can be: what is stale all the same is so by the publisher's fault.
func IdealConsumer() *Side {
	return &Side{Threads: []Thread{{Name: "a thread that waits with acquire order", Steps: []Step{
		{Op: "ld", Sem: "acquire", Scope: "sys", Reg: flagReg, Cell: flagCell},
		{Op: "ld", Sem: "weak", Reg: dataReg, Cell: dataCell},
	}}}}
}
