package build

import (
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Within is an mbarrier that stands among data: in a block of its own, which is some elements of another one.
type Within struct {
	Block, Own *value.Block
	At         protocol.Range
}

// Met is an access to what is an mbarrier. It is sure where the same threads have used that before, else who accesses it when the mbarrier is none is not looked at.
type Met struct {
	Access *protocol.Access
	Sure   bool
}

// Meets looks for accesses of a group to an mbarrier among data: blocks are its accesses between its operations, of tells the block of a buffer and is
// whether an mbarrier of the protocol is the one.
func (w *Within) Meets(ops []protocol.Op, blocks [][]protocol.Access, of func(buffer int) *value.Block, is func(mbar int) bool) (met Met) {
	used := false
	see := func(list []protocol.Access) {
		for i := range list {
			a := &list[i]
			if of(a.Buffer) != w.Block || !protocol.Overlap(a.Elements, []protocol.Range{w.At}) {
				continue
			}
			if sure := used && !a.Maybe && a.Parts != protocol.Somewhere; met.Access == nil || sure && !met.Sure {
				met = Met{a, sure}
			}
		}
	}
	for i := range blocks {
		see(blocks[i])
		if i < len(ops) {
			see(ops[i].Access)
			used = used || (ops[i].Kind <= protocol.Wait || ops[i].Kind == protocol.ArriveDrop) && is(ops[i].Object)
		}
	}
	return met
}
