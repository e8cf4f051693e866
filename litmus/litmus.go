// Package litmus holds litmus tests that are cut out of kernels: a handful of operations of the threads that publish
// data and of those that take them, with the orders, scopes and places that the source gives them, and what might be
// changed in the source to repair them. Text prints a test in the format that engine/memory reads.
package litmus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
)

// Step is one operation of a thread.
type Step struct {
	Op    string // "ld", "st", "atom", "red", "fence", "bar"
	Sem   string // "weak", "relaxed", "acquire", "release", "acq_rel", "sc"; "" of a barrier
	Scope string // "cta", "cluster", "gpu", "sys"; "" of a weak access and of a barrier
	Cell  string // what an access works on; of a barrier its instance
	Fn    string // of atom and red: "add", "exch"
	Value int
	Reg   int    // of ld and atom
	Text  string // the instruction itself, where the fields above have no words for it

	At    finding.Location // where it stands in the source; no line for what a test adds
	Maybe string           // why it is not known that the step is executed; "" where it is
}

// String is the step as an instruction.
func (s Step) String() string {
	if s.Text != "" {
		return s.Text
	}
	name := strings.Join(slices.DeleteFunc([]string{s.Op, s.Sem, s.Scope, s.Fn}, func(w string) bool { return w == "" }), ".")
	switch s.Op {
	case "ld":
		return fmt.Sprintf("%s r%d, %s", name, s.Reg, s.Cell)
	case "st", "red":
		return fmt.Sprintf("%s %s, %d", name, s.Cell, s.Value)
	case "atom":
		return fmt.Sprintf("%s r%d, %s, %d", name, s.Reg, s.Cell, s.Value)
	case "mbarrier.arrive":
		return name + " " + s.Cell
	case "mbarrier.try_wait.parity":
		return name + " " + s.Cell + ", 0"
	case "bar":
		return "bar.cta.sync " + s.Cell
	}
	return name
}

// Thread is one thread of a test.
type Thread struct {
	Name     string // "the thread that publishes"
	CTA, GPU int
	Cluster  bool // CTAs 0 and 1 are of one cluster
	Steps    []Step
}

func (th *Thread) place(i int) string {
	if th.Cluster {
		return fmt.Sprintf("P%d@cta %d,cluster 0,gpu %d", i, th.CTA, th.GPU)
	}
	return fmt.Sprintf("P%d@cta %d,gpu %d", i, th.CTA, th.GPU)
}

// Outcome says that a register of a thread has a value in the end.
type Outcome struct{ Thread, Reg, Value int }

// Test asks whether some execution ends with all outcomes.
type Test struct {
	Name    string
	Model   string
	Setup   string // declarations of cells
	Threads []Thread
	Outcome []Outcome
}

// Line is the line of Text on which the first step of the threads stands; each step has a row of its own.
func (t *Test) Line() int { return 4 }

// Text is the test in the litmus format (docs/memory.md).
func (t *Test) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "PTX %s\n{ %s }\n", t.Name, t.Setup)
	width, rows := make([]int, len(t.Threads)), 0
	for i, th := range t.Threads {
		width[i] = len(th.place(i))
		for _, s := range th.Steps {
			width[i] = max(width[i], len(s.String()))
		}
		rows = max(rows, len(th.Steps))
	}
	row := func(cell func(i int) string) {
		for i := range t.Threads {
			end := " |"
			if i == len(t.Threads)-1 {
				end = " ;\n"
			}
			fmt.Fprintf(&b, " %-*s%s", width[i], cell(i), end)
		}
	}
	row(func(i int) string { return t.Threads[i].place(i) })
	for k := range rows {
		row(func(i int) string {
			if k < len(t.Threads[i].Steps) {
				return t.Threads[i].Steps[k].String()
			}
			return ""
		})
	}
	var parts []string
	for _, o := range t.Outcome {
		parts = append(parts, fmt.Sprintf("P%d:r%d == %d", o.Thread, o.Reg, o.Value))
	}
	fmt.Fprintf(&b, "exists (%s)\n", strings.Join(parts, ` /\ `))
	return b.String()
}

// Least is the test without the steps that may not be executed, and with the narrower meaning of what is not known: what
// it forbids, the kernel forbids. Most is the test with all of them: what it allows, the kernel allows.
func (t *Test) Least() *Test { return t.resolved(false) }

// Most is explained at Least.
func (t *Test) Most() *Test { return t.resolved(true) }

// resolved decides what is not known. Which CTAs are of one cluster is not, and a scope of cluster lies between cta
// and gpu.
func (t *Test) resolved(most bool) *Test {
	out := *t
	out.Threads = slices.Clone(t.Threads)
	for i := range out.Threads {
		th := &out.Threads[i]
		var steps []Step
		for _, s := range th.Steps {
			if s.Maybe != "" && !most {
				continue
			}
			s.Maybe = ""
			if s.Scope == "cluster" && !th.Cluster {
				s.Scope = "cta"
				if most {
					s.Scope = "gpu"
				}
			}
			steps = append(steps, s)
		}
		th.Steps = steps
	}
	return &out
}

// Flags is the part of the test that works on the flag. Two operations on it that do not reach each other are a race
// whatever fences stand beside them (PTX ISA, "Memory Consistency Model", morally strong operations and data races).
func (t *Test) Flags() *Test {
	out := *t
	out.Threads, out.Outcome = slices.Clone(t.Threads), t.Outcome[:1]
	for i := range out.Threads {
		out.Threads[i].Steps = slices.DeleteFunc(slices.Clone(out.Threads[i].Steps), func(s Step) bool { return s.Cell != flagCell })
	}
	return &out
}

// Doubts lists why steps may not be executed, and scopes that reach as far as a cluster, each once.
func (t *Test) Doubts() []string {
	var out []string
	add := func(why string) {
		if why != "" && !slices.Contains(out, why) {
			out = append(out, why)
		}
	}
	for _, th := range t.Threads {
		for _, s := range th.Steps {
			add(s.Maybe)
			if s.Scope == "cluster" && !th.Cluster {
				add(fmt.Sprintf("line %d has the scope of a cluster, and which CTAs are of one is not known", s.At.Line))
			}
		}
	}
	return out
}
