package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// stray is an access through what may be an address and is not followed.
type stray struct {
	site  protocol.Site
	write bool
}

// strays notes such an access, to an attribute of Python that is not there, too: it may be to any memory. What is unknown in
// CuTe DSL is most often in registers; what memory became unknown was lost where it did (swallows).
func (m *machine) strays(n program.Node, base value, write bool) {
	if _, missing := base.(path); !missing || m.host || m.watch != nil {
		return
	}
	if m.in.stray == nil || write && !m.in.stray.write {
		m.in.stray = &stray{m.bare(n), write}
	}
}

// loseStrays gives up the shared memory that such an access may be to.
func (in *instance) loseStrays() {
	if in.stray == nil {
		return
	}
	for _, b := range in.blocks {
		if b.shared && !b.mbarrier && !b.inColumns() {
			in.untracked(b.name, in.stray.why())
		}
	}
}

func (s *stray) why() string {
	return fmt.Sprintf("%s:%d accesses memory through an address that is not followed", s.site.Path, s.site.Line)
}

// strayed finds an access of a kernel of C++ that may be to global memory and is not followed: one of the two that meet there writes.
func (w *sweep) strayed() (finding.Open, bool) {
	writes := func(c *claimed) bool {
		for _, uses := range c.reached {
			if slices.ContainsFunc(uses, func(r reachOf) bool { return r.write }) {
				return true
			}
		}
		return false
	}
	for _, key := range slices.Sorted(maps.Keys(w.claims)) {
		if c := w.claims[key]; c.stray != nil && (c.stray.write || writes(c)) {
			return finding.Open{Path: c.stray.site.Path, Line: c.stray.site.Line, Why: "global memory is accessed through an address that is not followed"}, true
		}
	}
	return finding.Open{}, false
}

// swallows says that values are no longer followed from here on: where memory was among them, any access to it may come.
func (m *machine) swallows(n program.Node, vs ...value) {
	if m.host {
		return
	}
	f, at := m.place(n.Where())
	why := fmt.Sprintf("kept in what is not followed, %s:%d", f.Source.Name, f.Source.Position(at.Start).Line)
	if m.surrender(vs, why, 0) == reachesGuard {
		m.noteOpaque(n.Where(), "an address kept in what is not followed", true)
	}
}
