package ir

import "strings"

// Position is where a thread is in a launch.
type Position struct {
	Block, Cluster, Grid [3]int // extents; those of the grid are 0 where they are not known
	CTA                  [3]int // in the grid
	Thread               int    // of the CTA
}

// Special is what a special register holds there (PTX ISA 10), where that follows from the launch.
func (p *Position) Special(name string) (n int64, known bool) {
	base, axis, _ := strings.Cut(name, ".")
	k := max(0, strings.Index("xyz", axis))
	lane := p.Thread % Lanes
	bit := uint32(1) << lane
	within := [3]int{p.CTA[0] % p.Cluster[0], p.CTA[1] % p.Cluster[1], p.CTA[2] % p.Cluster[2]}
	switch base {
	case "%tid":
		return int64([3]int{p.Thread % p.Block[0], p.Thread / p.Block[0] % p.Block[1], p.Thread / p.Block[0] / p.Block[1]}[k]), true
	case "%ntid":
		return int64(p.Block[k]), true
	case "%laneid":
		return int64(lane), true
	case "%warpid": // PTX promises less: it may change
		return int64(p.Thread / Lanes), true
	case "%nwarpid":
		return int64((p.Block[0]*p.Block[1]*p.Block[2] + Lanes - 1) / Lanes), true
	case "%ctaid":
		return int64(p.CTA[k]), true
	case "%nctaid":
		return int64(p.Grid[k]), p.Grid[k] > 0
	case "%clusterid":
		return int64(p.CTA[k] / p.Cluster[k]), true
	case "%nclusterid":
		return int64(p.Grid[k] / p.Cluster[k]), p.Grid[k] > 0
	case "%cluster_ctaid":
		return int64(within[k]), true
	case "%cluster_nctaid":
		return int64(p.Cluster[k]), true
	case "%cluster_ctarank":
		return int64(within[0] + p.Cluster[0]*(within[1]+p.Cluster[1]*within[2])), true
	case "%cluster_nctarank":
		return int64(p.Cluster[0] * p.Cluster[1] * p.Cluster[2]), true
	case "%lanemask_eq":
		return int64(int32(bit)), true
	case "%lanemask_lt":
		return int64(int32(bit - 1)), true
	case "%lanemask_le":
		return int64(int32(bit | bit - 1)), true
	case "%lanemask_gt":
		return int64(int32(^(bit | bit - 1))), true
	case "%lanemask_ge":
		return int64(int32(^(bit - 1))), true
	}
	return 0, false
}
