package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
)

// unfencedInit (FP108) reports a kernel that initialises mbarriers for asynchronous copies or for its cluster and has
// no fence that shows them the initialised state (IN-01). A warning, once a kernel: for barriers that only this CTA
// uses the need is contested.
func unfencedInit(p *Pass) {
	if !p.fn.fn.Kernel {
		return
	}
	var first *site
	async := false
	for _, s := range p.sites {
		switch s.op.Kind {
		case dialect.MbarrierInit:
			if first == nil {
				first = s
			}
		case dialect.MbarrierInitFence:
			return
		case dialect.FenceProxy:
			if s.op.Text("kind", "") == "async" {
				return
			}
		case dialect.Fence:
			return
		case unknownCall:
			if mayFence(s.op.Name) {
				return
			}
		case dialect.TmaLoad, dialect.StoreAsync, dialect.MapaShared, dialect.Tcgen05Commit, dialect.MbarrierArriveExpectTx,
			dialect.MbarrierExpectTx, dialect.ClcTryCancel:
			async = true
		case dialect.MbarrierArrive:
			async = async || s.op.Has("peer") || s.op.Text("space", "") == "cluster"
		}
	}
	if first == nil || !async {
		return
	}
	f := p.report(first.span, "mbarrier %q is initialised without a fence; expected fence.mbarrier_init after it", p.name(first))
	f.Notes = append(f.Notes, "asynchronous copies and other CTAs of the cluster use the barriers of this kernel")
	f.Help = "after the last init, execute mbarrier_init_fence (fence_barrier_init), then the CTA or cluster barrier"
}

// mayFence reports whether a call that cannot be looked into may hold a fence or a barrier.
func mayFence(name string) bool {
	name = strings.ToLower(name)
	for _, w := range [...]string{"fence", "sync", "barrier", "init", "pipeline", "setup", "prologue", "wait", "arrive", "commit", "flush"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}
