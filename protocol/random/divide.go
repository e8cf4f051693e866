package random

import (
	"math/rand/v2"

	"github.com/fencepost-dev/fencepost/protocol"
)

// divide lets some of the accesses of every third protocol be of parts of their elements. It draws from numbers of its own,
// so that the protocol of a seed is otherwise what it was without.
func divide(seed int, p *protocol.Protocol) {
	r := rand.New(rand.NewPCG(uint64(seed), 6))
	if !chance(r, 3) {
		return
	}
	wider := StyleOf(seed) != Right // what more elements are touched may not be ordered
	for c := range p.Classes {
		class := &p.Classes[c]
		for l := range class.Ops {
			part(r, p, class.Ops[l].Access, class.Count, wider)
		}
		for l := range class.Blocks {
			part(r, p, class.Blocks[l], class.Count, wider)
		}
	}
}

func part(r *rand.Rand, p *protocol.Protocol, list []protocol.Access, threads int, wider bool) {
	divisions := []protocol.Division{protocol.Whole, protocol.Whole, protocol.ByThread, protocol.Somewhere, protocol.Somewhere}
	if threads == 1 { // a class of several is counted: whose copies fill a stage together would change with that
		divisions = append(divisions, protocol.ByCopy, protocol.OneCopy)
	}
	for i := range list {
		a := &list[i]
		a.Parts = divisions[r.IntN(len(divisions))]
		if wider && chance(r, 3) {
			e := r.IntN(len(a.Elements))
			a.Elements[e].Hi = p.Buffers[a.Buffer].Elements
		}
	}
}
