package explore

import "github.com/fencepost-dev/fencepost/protocol"

// steps is how many steps an execution of p takes that ends well.
func steps(p *protocol.Protocol) (total int) {
	for c := range p.Classes {
		n := len(p.Classes[c].Ops)
		for l := range p.Classes[c].Ops {
			if p.Classes[c].Ops[l].Kind == protocol.Issue {
				n++ // its completion
			}
		}
		total += n * p.Classes[c].Count
	}
	return total
}

const (
	fairTrial = 8192 // states before a search may be given up
	farBeyond = 64   // times the limit that it would need
)

// hopeless reports whether a search that is complete to the last of the levels, each given as the states up to its end,
// would reach the middle of the executions only far beyond the limit; of fewer states than a trial it does not judge. States grow with depth like a power of it, the more
// classes the higher; what the last doubling of the depth has brought, the next ones bring at least.
func (s *search) hopeless(levels []int, trial int) bool {
	depth := len(levels)
	states := levels[depth-1]
	if states < trial || depth < 2 {
		return false
	}
	growth := states / levels[depth/2-1]
	for ; 4*depth <= s.steps; depth *= 2 {
		if states *= growth; states > farBeyond*s.lim.States {
			return true
		}
	}
	return false
}
