package lower

import (
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Every memory operation on shared memory that is evaluated is an access of the protocol, or its buffer is lost, with the
// reason. Where operations are evaluated they are noted, where accesses are recorded is another place, and at the end the
// two are compared: a search of a protocol that lacks an access would show nothing.

// touched is a memory operation: on which block, and where.
type touched struct {
	block *value.Block
	at    protocol.Site
}

// operates notes that a memory operation on a block of shared memory is evaluated, for this group and from here on.
func (m *machine) operates(b *value.Block, n program.Node) {
	if m.host || b == nil || !b.Shared || b.Mbarrier {
		return
	}
	t := touched{b, m.bare(n)}
	for i := len(m.touched) - 1; i >= 0 && i >= len(m.touched)-8; i-- {
		if m.touched[i] == t {
			return
		}
	}
	m.touched = append(m.touched, t)
}

// unaccounted names a memory operation that is neither an access nor lost, "" where there is none.
func (in *instance) unaccounted(groups []*machine) (Opaque, bool) {
	blocks := in.blocksOf()
	for _, m := range groups {
		known := map[touched]bool{}
		note := func(list []protocol.Access) {
			for _, a := range list {
				at := in.sites[a.Site]
				at.Text = ""
				known[touched{blocks[a.Buffer], at}] = true
			}
		}
		for _, b := range m.blocks {
			note(b)
		}
		for i := range m.ops {
			note(m.ops[i].Access)
		}
		for _, t := range m.touched {
			if !t.block.Mbarrier && in.lost[t.block.Name] == "" && !known[t] {
				return Opaque{t.at.Path, t.at.Line, limit.Access.Sayf("what it does to %s is missing in the model", t.block.Name)}, true
			}
		}
	}
	return Opaque{}, false
}

// blocksOf lists the blocks that the buffers are.
func (in *instance) blocksOf() []*value.Block {
	out := make([]*value.Block, len(in.buffers))
	for k, i := range in.bufKey {
		out[i] = k.b
	}
	return out
}
