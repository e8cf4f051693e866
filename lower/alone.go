package lower

import (
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
)

// Where a kernel works with the other CTAs of its cluster and the host side makes that one CTA large by a default, what the
// CTAs of a cluster do to each other has not been searched. A launch that spells its cluster out, or has none, means it.

// inLetters reports whether a call gives an argument as a literal.
func inLetters(n program.Node, name string) bool {
	c, ok := n.(*program.Call)
	if !ok {
		return false
	}
	for _, k := range c.Keywords {
		if t, tuple := k.Value.(*program.Tuple); k.Name == name && tuple {
			for _, e := range t.Elems {
				if _, number := e.(*program.Int); !number {
					return false
				}
			}
			return true
		}
	}
	return false
}

// worksAlone notes that a kernel works with its cluster, of which there is only one CTA.
func (m *machine) worksAlone(n program.Node) {
	if m.in.chosen && !m.in.cluster && !m.host && m.in.alone == nil {
		at := m.bare(n)
		m.in.alone = &at
	}
}

// alone is why the property race-grid is open of a kernel of which no configuration has a larger cluster.
func (w *sweep) alone(in *instance) {
	if in.alone != nil && w.k.Alone == nil {
		w.k.Alone = &finding.Open{Property: finding.RaceGrid, Path: in.alone.Path, Line: in.alone.Line,
			Why: "the CTAs of a cluster work together here, and only a cluster of one was evaluated"}
	}
}
