package lower

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/program"
)

// strays notes an access through what may be an address and is not followed, as an attribute of Python that is not there:
// it may be to any memory whose address the kernel has taken. What is unknown in CuTe DSL is most often in registers; what
// memory became unknown was lost where it did (swallows).
func (m *machine) strays(n program.Node, base value) {
	if _, missing := base.(path); m.file.Language != program.CUDA && !missing || m.host || m.watch != nil || m.in.stray != nil {
		return
	}
	site := m.bare(n)
	m.in.stray = &site
}

// loseStrays gives up the shared memory that such an access may be to.
func (in *instance) loseStrays() {
	if in.stray == nil {
		return
	}
	for _, b := range in.blocks {
		if b.shared && !b.mbarrier && !b.inColumns() {
			in.untracked(b.name, fmt.Sprintf("%s:%d accesses memory through an address that is not followed", in.stray.Path, in.stray.Line))
		}
	}
}

// swallows says that values are no longer followed from here on: where memory was among them, any access to it may come.
func (m *machine) swallows(n program.Node, vs ...value) {
	if m.host || m.file.Language != program.CuTe {
		return
	}
	f, at := m.place(n.Where())
	why := fmt.Sprintf("kept in what is not followed, %s:%d", f.Source.Name, f.Source.Position(at.Start).Line)
	if m.surrender(vs, why, 0) == reachesGuard {
		m.noteOpaque(n.Where(), "an address kept in what is not followed", true)
	}
}
