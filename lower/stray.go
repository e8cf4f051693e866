package lower

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
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
func (m *machine) strays(n program.Node, base value.Value, write bool) {
	if _, missing := base.(value.Path); !missing || m.host || m.watch != nil {
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
		if b.Shared && !b.Mbarrier && !b.InColumns() {
			in.untracked(b.Name, in.stray.why())
		}
	}
}

func (s *stray) why() string {
	return fmt.Sprintf("%s:%d accesses memory through an address that is not followed", s.site.Path, s.site.Line)
}

// swallows says that values are no longer followed from here on: where memory was among them, any access to it may come.
func (m *machine) swallows(n program.Node, vs ...value.Value) {
	if m.host {
		return
	}
	f, at := m.place(n.Where())
	why := fmt.Sprintf("kept in what is not followed, %s:%d", f.Source.Name, f.Source.Position(at.Start).Line)
	if m.surrender(vs, why, 0) == reachesGuard {
		m.noteOpaque(n.Where(), limit.Access.Says("an address kept in what is not followed"), true)
	}
}
