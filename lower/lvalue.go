package lower

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// loseOverlaps gives up what pointers reach of which members are reached by themselves, where either is written.
func (in *instance) loseOverlaps() {
	written := func(root string) bool {
		return slices.ContainsFunc(in.territory[root], func(r reachOf) bool { return r.write })
	}
	for _, part := range slices.Sorted(maps.Keys(in.territory)) {
		for i := range part {
			of := part[:i]
			if part[i] != '.' && part[i] != '-' || in.territory[of] == nil || !written(of) && !written(part) {
				continue
			}
			for _, root := range []string{of, part} {
				in.untracked(root, of+" is reached as a whole and by its members")
				in.territory.add(root, reachOf{write: true, why: of + " is reached as a whole and by its members", site: in.territory[root][0].site, aside: true})
			}
		}
	}
}

// unplaced gives up what an expression may denote that is written, or may be, where its place is not known.
func (m *machine) unplaced(e program.Expr, s *value.Scope) {
	if m.host {
		return
	}
	m.loseBase(e, s)
}
