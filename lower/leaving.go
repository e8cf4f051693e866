package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// sends notes a bulk copy from shared memory: until a wait_group of its thread says so, it may still have to read.
func (m *machine) sends(n program.Node) {
	if !m.sampling && !m.host {
		m.sending = append(m.sending, m.site(n.Where(), "copy from shared memory"))
	}
}

func isShared(v value.Value) bool {
	t, ok := v.(*cute.Tensor)
	return ok && t.Block != nil && t.Block.Shared
}

// unreadStores notes the bulk copies that no thread waits for: their CTA may be gone, and its shared memory another
// CTA's, before they have read it. Only the thread that issued a copy can wait for it (PTX ISA 9.7.9.25.1.1), so that its
// own program decides.
func (w *sweep) unreadStores(in *instance, groups []*machine) {
	for _, m := range groups {
		for _, site := range slices.Concat(append(m.leaving, m.sending)...) {
			w.k.undefined(Undefined{Rule: UnreadStore, Whole: true, Site: in.sites[site],
				What: "this copy may still read shared memory when its CTA has exited; expected a wait for its bulk group"})
		}
	}
}
