package build

import "github.com/fencepost-dev/fencepost/protocol"

// VerdictOf says what an execution that cannot go on violates, "" where nothing or a thread is where its operations are
// not known any more.
func VerdictOf(p *protocol.Protocol, run *protocol.Execution, unknown map[int]bool) protocol.Property {
	if run.Broken {
		return protocol.Arrivals
	}
	m := protocol.NewMachine(p)
	done := true
	for i := range p.Classes {
		c := &p.Classes[i]
		done = done && m.At(run.Final, i, len(c.Ops)) == c.Count
		for l := range c.Ops {
			switch op := &c.Ops[l]; {
			case m.At(run.Final, i, l) == 0:
			case op.Kind == protocol.Spin, op.Kind == protocol.Wait && unknown[op.Object]:
				return ""
			}
		}
	}
	if done {
		return ""
	}
	return protocol.Deadlock
}
