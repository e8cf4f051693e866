package build

import (
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// Several warps may each initialise an mbarrier, all for one count. PTX leaves undefined what the second init does to a live object
// (PTX ISA 9.7.13.15.9); where nobody uses the object before all of them are over, what each does is write the same words, and the
// protocol has the first alone. What is to be shown is that no use comes ahead of one of the others.

// Reinit is an init that the protocol leaves out: of Mbar, ahead of the operation At of its group.
type Reinit struct {
	Mbar, At int
	Site     protocol.Site
}

// Program is what the threads of a group do, and the inits of theirs that are left out.
type Program struct {
	CTA     int
	Ops     []protocol.Op
	Reinits []Reinit
}

// Early finds an init that was left out of which it is not shown that a barrier of all threads of the CTA, or of the cluster, is
// between it, with the other inits of the object, and each use.
func Early(programs []Program, named []protocol.Named, mbars []protocol.Mbarrier, blockThreads int) (early Reinit, found bool) {
	for _, of := range programs {
		for _, r := range of.Reinits {
			home := mbars[r.Mbar].CTA
			apart := func(fence func(of *Program) (arrives, waits int)) bool {
				return !slices.ContainsFunc(programs, func(of Program) bool {
					arrives, waits := fence(&of)
					for _, r2 := range of.Reinits {
						if r2.Mbar == r.Mbar && r2.At > arrives {
							return true
						}
					}
					for at := range of.Ops {
						switch o := &of.Ops[at]; {
						case o.Kind == protocol.Init && o.Object == r.Mbar && at > arrives, o.Kind != protocol.Init && usesMbar(o, r.Mbar) && at < waits:
							return true
						}
					}
					return false
				})
			}
			first := func(of *Program, is func(*protocol.Op) bool) int {
				if at := slices.IndexFunc(of.Ops, func(o protocol.Op) bool { return is(&o) }); at >= 0 {
					return at
				}
				return len(of.Ops)
			}
			byCTA := func(object int) bool {
				return apart(func(of *Program) (int, int) {
					if of.CTA != home {
						return -1, len(of.Ops)
					}
					at := first(of, func(o *protocol.Op) bool { return o.Kind == protocol.NamedSync && o.Object == object })
					if at == len(of.Ops) {
						return -1, at
					}
					return at, at
				})
			}
			shown := apart(func(of *Program) (int, int) {
				arrives := first(of, func(o *protocol.Op) bool { return o.Kind == protocol.ClusterArrive })
				if arrives == len(of.Ops) {
					arrives = -1
				}
				return arrives, first(of, func(o *protocol.Op) bool { return o.Kind == protocol.ClusterWait })
			})
			for object, n := range named {
				shown = shown || n.CTA == home && n.ID < protocol.WarpBarrier && (n.Threads == 0 || n.Threads == blockThreads) && byCTA(object)
			}
			if !shown {
				return r, true
			}
		}
	}
	return Reinit{}, false
}

// usesMbar reports whether an operation, or what it issues, changes or asks an mbarrier.
func usesMbar(o *protocol.Op, mbar int) bool {
	switch o.Kind {
	case protocol.Init, protocol.Arrive, protocol.ArriveExpectTx, protocol.ExpectTx, protocol.CompleteTx, protocol.Wait, protocol.ArriveDrop:
		return o.Object == mbar
	case protocol.Issue:
		return slices.ContainsFunc(o.Effects, func(e protocol.Effect) bool { return e.Mbar == mbar })
	}
	return false
}
