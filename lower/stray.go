package lower

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/program"
)

// strays notes an access of C++ through what may be an address and is not followed: it may be to any memory whose
// address the kernel has taken.
func (m *machine) strays(n program.Node) {
	if m.file.Language != program.CUDA || m.host || m.watch != nil || m.in.stray != nil {
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
