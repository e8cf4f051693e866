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
		what := c.Name + " waits on the cluster barrier without having arrived"
		if c.Ops[l].Kind == protocol.ClusterArrive {
			what = c.Name + " arrives on the cluster barrier again without having waited"
		}
		if c.Count > 1 {
			what = strings.NewReplacer(" waits ", " wait ", " arrives ", " arrive ").Replace(what)
		}
		w.k.undefined(Undefined{Rule: OutOfTurn, Site: p.Sites[c.Ops[l].Site], What: what})
	}
	return any
}
