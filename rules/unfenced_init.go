package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
)

// unfencedInit (FP108) reports mbarriers that are initialised for asynchronous copies or for other CTAs of the cluster
// with no fence that shows them the initialised state (IN-01). A warning: for barriers that only this CTA uses the
// need is contested.
func unfencedInit(p *Pass) {
	if p.fn.fn.Kernel {
		if !p.unfencedUse() {
			p.unfencedKernel()
		}
		return
	}
	p.unfencedSetUp()
}

// showsInit reports whether a site makes initialised barriers visible, or may do so.
func showsInit(s *site) bool {
	switch s.op.Kind {
	case dialect.MbarrierInitFence, dialect.Fence:
		return true
	case dialect.FenceProxy:
		return s.op.Text("kind", "") == "async"
	case unknownCall:
		return mayFence(s.op.Name) && !initsArray(s)
	}
	return false
}

// initsArray reports whether a call is one of CUTLASS's set-up loops (cutlass/arch/barrier.h); they do not fence.
func initsArray(s *site) bool {
	return s.op.Kind == unknownCall && strings.HasPrefix(lastWord(s.op.Name), "initialize_barrier_array")
}

// asynchronous reports whether a site lets the async proxy or another CTA work on the barrier.
func asynchronous(s *site) bool {
	switch s.op.Kind {
	case dialect.TmaLoad, dialect.StoreAsync, dialect.MapaShared, dialect.Tcgen05Commit, dialect.MbarrierArriveExpectTx,
		dialect.MbarrierExpectTx, dialect.ClcTryCancel:
		return true
	case dialect.MbarrierArrive:
		return s.op.Has("peer") || s.op.Text("space", "") == "cluster"
	}
	return false
}

var expects = map[dialect.Kind]bool{dialect.MbarrierArriveExpectTx: true, dialect.MbarrierExpectTx: true}

// unfencedUse reports each barrier that reaches its first asynchronous use without a fence on the way, whatever fences
// stand elsewhere in the kernel.
func (p *Pass) unfencedUse() bool {
	found := false
	for i, s := range p.sites {
		if s.op.Kind != dialect.MbarrierInit {
			continue
		}
		base := s.barrier().base
		if base == "" {
			continue
		}
		announced := false // bytes are expected by the initialising thread itself, which sees its own writes
		for _, o := range p.sites[i+1:] {
			if showsInit(o) {
				break
			}
			mine := o.barrier().base == base && !exclusive(s, o)
			announced = announced || mine && expects[o.op.Kind]
			if mine && asynchronous(o) && !expects[o.op.Kind] || announced && joins[o.op.Kind] {
				f := p.unfenced(s, "asynchronous copies and other CTAs of the cluster use the barriers of this kernel")
				p.relyOnFence(f, p.sites[i+1:])
				found = true
				break
			}
		}
	}
	return found
}

// unfencedKernel reports, once, a kernel that has no fence at all.
func (p *Pass) unfencedKernel() {
	first, async := -1, false
	for i, s := range p.sites {
		if showsInit(s) {
			return
		}
		if first < 0 && (s.op.Kind == dialect.MbarrierInit || initsArray(s)) {
			first = i
		}
		async = async || asynchronous(s)
	}
	if first >= 0 && async {
		f := p.unfenced(p.sites[first], "asynchronous copies and other CTAs of the cluster use the barriers of this kernel")
		p.relyOnFence(f, p.sites[first+1:])
	}
}

// relyOnFence names the barrier by which the other threads learn of the init, and the first asynchronous use: the fence
// belongs before them.
func (p *Pass) relyOnFence(f *finding.Finding, after []*site) {
	for _, s := range after {
		if joins[s.op.Kind] {
			p.label(f, s.span, "expected the fence before the threads meet here")
			break
		}
	}
	for _, s := range after {
		if asynchronous(s) {
			p.label(f, s.span, "asynchronous copies or other CTAs use barriers here")
			break
		}
	}
}

// unfencedSetUp reports a constructor or set-up function that itself chooses the initialising threads and neither
// fences nor is called by a function of this file that does. Its callers cannot know that a fence is still missing.
func (p *Pass) unfencedSetUp() {
	var first *site
	for _, s := range p.sites {
		if showsInit(s) {
			return
		}
		if first != nil || len(s.via) > 0 || !p.ownBarriers(s) {
			continue
		}
		if set := s.threads(); set.lanes == oneOf || set.warps == oneOf {
			first = s
		}
	}
	if first == nil || p.File.Language != program.CUDA || p.calledWithFence() {
		return
	}
	p.unfenced(first, "this function sets barriers up for its callers")
}

// ownBarriers reports whether a site initialises barriers that the function does not get as plain arguments: a helper
// that initialises what it is handed leaves the fence to its caller.
func (p *Pass) ownBarriers(s *site) bool {
	if initsArray(s) {
		return true
	}
	if s.op.Kind != dialect.MbarrierInit {
		return false
	}
	base := s.barrier().base
	return base != "" && !p.fn.bound[base]
}

// calledWithFence reports whether a function of the file that calls this one fences.
func (p *Pass) calledWithFence() bool {
	for i, sites := range p.fn.file.bodies {
		calls, fences := false, false
		for _, s := range sites {
			calls = calls || s.op.Kind == unknownCall && lastWord(s.op.Name) == p.fn.fn.Name && p.sameClass(i)
			for _, f := range s.via {
				calls = calls || f == p.fn.fn
			}
			fences = fences || showsInit(s) && lastWord(s.op.Name) != p.fn.fn.Name
		}
		if calls && fences {
			return true
		}
	}
	return false
}

func (p *Pass) sameClass(i int) bool {
	return p.fn.file.file.Functions[i].Class == p.fn.fn.Class
}

func (p *Pass) unfenced(s *site, note string) *finding.Finding {
	name := p.name(s)
	if initsArray(s) && len(s.op.Call.Args) > 0 {
		name = p.text(s.op.Call.Args[0])
	}
	f := p.report(s.span, "mbarrier %q is initialised without a fence; expected fence.mbarrier_init after it", name)
	f.Notes = append(f.Notes, note)
	f.Help = "after the last init, execute mbarrier_init_fence (fence_barrier_init), then the CTA or cluster barrier"
	return f
}
