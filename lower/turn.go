package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/protocol"
)

// outOfTurn notes the threads that use the cluster barrier out of turn.
func (w *sweep) outOfTurn(p *protocol.Protocol) (any bool) {
	for i := range p.Classes {
		c := &p.Classes[i]
		l, found := c.OutOfTurn()
		if !found {
			continue
		}
		any = true
		u := Undefined{Rule: OutOfTurn, Site: p.Sites[c.Ops[l].Site]}
		what := c.Name + " waits on the cluster barrier without having arrived"
		if c.Ops[l].Kind == protocol.ClusterArrive {
			what = c.Name + " arrives on the cluster barrier again without having waited"
			u.With = around(p, c.Ops, l)
		}
		if c.Count > 1 {
			what = strings.NewReplacer(" waits ", " wait ", " arrives ", " arrive ").Replace(what)
		}
		u.What = what
		w.k.undefined(u)
	}
	return any
}

// around is where threads arrived on the cluster barrier before an arrival, and where they next wait for it.
func around(p *protocol.Protocol, ops []protocol.Op, at int) (out []protocol.Site) {
	for l := at - 1; l >= 0; l-- {
		if ops[l].Kind == protocol.ClusterArrive {
			s := p.Sites[ops[l].Site]
			s.Text = "it arrived here; expected the wait for that in between"
			out = append(out, s)
			break
		}
	}
	for l := at + 1; l < len(ops); l++ {
		if ops[l].Kind == protocol.ClusterWait {
			s := p.Sites[ops[l].Site]
			s.Text = "its next wait is here"
			return append(out, s)
		}
	}
	return out
}
