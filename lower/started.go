package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/protocol"
)

// started leaves lifetime open where a thread accesses shared memory of another CTA of its cluster and nothing shows that this
// one has begun: a barrier of the cluster, or an arrival of it that the thread has waited for (CUDA C++ Programming Guide,
// distributed shared memory: all thread blocks have to have started executing).
func (w *sweep) started(in *instance, groups []*machine) {
	for _, m := range groups {
		known := map[int]bool{int(m.cta): true}
		for l, block := range m.blocks {
			accesses := block
			if l < len(m.ops) {
				accesses = slices.Concat(block, m.ops[l].Access)
			}
			for _, a := range accesses {
				b := in.buffers[a.Buffer]
				if b.CTA < 0 || known[b.CTA] {
					continue
				}
				at := in.sites[a.Site]
				w.k.leave(finding.Open{Property: string(protocol.Lifetime), Path: at.Path, Line: at.Line, Why: "shared memory of another CTA is accessed here, and nothing shows that it has begun"})
				return
			}
			if l == len(m.ops) {
				break
			}
			switch o := &m.ops[l]; o.Kind {
			case protocol.ClusterWait:
				for _, other := range groups {
					known[int(other.cta)] = true
				}
			case protocol.Wait:
				if o.Parity != 0 { // the first of these passes by itself
					continue
				}
				for _, other := range groups {
					known[int(other.cta)] = known[int(other.cta)] || slices.ContainsFunc(other.ops, func(by protocol.Op) bool {
						return by.Object == o.Object && (by.Kind == protocol.Arrive || by.Kind == protocol.ArriveExpectTx)
					})
				}
			}
		}
	}
}
