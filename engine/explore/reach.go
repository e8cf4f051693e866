package explore

import (
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
)

// reach is how far everyone gets while one thread stays at an access, or one operation performing it stays in flight.
type reach struct {
	bulk []int32 // by class
	self int32   // the thread that issued the operation
}

// noteReach keeps how far everyone got, for races with the accesses there.
func (pr *proof) noteReach(w *world, c, l int, flying bool) {
	list := pr.p.Classes[c].Blocks[l]
	if flying {
		list = pr.p.Classes[c].Ops[l].Access
	}
	if len(list) == 0 {
		return
	}
	if pr.crowded() {
		return
	}
	r := reach{bulk: make([]int32, len(pr.p.Classes)), self: int32(w.groups[len(w.groups)-1].pos)}
	for d := range r.bulk {
		r.bulk[d] = int32(w.bulk(d))
	}
	pr.reach[engine.Accessor{Class: c, Location: l, InFlight: flying}] = r
}

// crowded reports whether the table of who gets where has no room for one more, and notes it.
func (pr *proof) crowded() bool {
	if pr.hold(reachBytes + 4*len(pr.p.Classes)) {
		return false
	}
	pr.unsure[protocol.Race] = limit.Size.Sayf("stopped by %s after %s accesses", pr.full(), number(len(pr.reach)))
	return true
}
