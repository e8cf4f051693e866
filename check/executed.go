package check

import (
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/finding"
)

// Executed is a kernel of the IR that was executed, and the lines of its file where threads do what.
type Executed struct {
	Name                 string
	Spans                []finding.Location // of the kernel and of what it calls
	Waits, Copies, Reads map[int]bool
}

// executed tells of the kernel, if its execution came to its end.
func (k *compiledKernel) executed() *Executed {
	if k.Report == nil {
		return nil
	}
	e := &Executed{Name: k.fn.Qualified, Spans: k.lines(), Waits: map[int]bool{}, Copies: map[int]bool{}, Reads: map[int]bool{}}
	for _, w := range k.Execution.Program.Warps {
		for n := range w.Commands {
			c := &w.Commands[n]
			at := k.site(&k.Execution.Kernel.Places[c.Place])
			if at.Path != k.file.Source.Name {
				continue
			}
			switch c.Kind {
			case order.NamedSync, order.ClusterWait, order.MbarWait:
				e.Waits[at.Line] = true
			case order.AsyncCopy:
				e.Copies[at.Line] = true
			case order.Read:
				e.Reads[at.Line] = true
			}
		}
	}
	return e
}
