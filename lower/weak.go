package lower

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// In an interleaving every barrier orders what was before it. Under the memory model one does that only with release and
// acquire, which arrivals and waits have unless they say relaxed, and as far as their scope reaches, which of an mbarrier is
// the CTA unless they say cluster, wherever the object is (PTX ISA 9.7.13.15.13). The property order is open where a weaker
// one stands between accesses of threads that it may have to order. What asynchronous operations bring is not asked of:
// their completion releases at cluster scope (8.9.1.1).

// weakness is an operation of a group that orders less than its execution says.
type weakness struct {
	at      int // operations before it
	relaxed bool
	waits   bool
	site    protocol.Site
	what    string
}

// weak notes an arrival on an mbarrier or the cluster barrier, or a wait, that is relaxed or of the CTA's scope.
func (m *machine) weak(op *dialect.Op, n program.Node) {
	if m.host {
		return
	}
	relaxed := op.Has("sem") && !slices.Contains([]string{"acquire", "release", "acq_rel", "sc"}, op.Text("sem", ""))
	narrow := op.Text("scope", "cta") != "cluster"
	w := weakness{at: len(m.ops), relaxed: relaxed, site: m.bare(n)}
	switch op.Kind {
	case dialect.MbarrierWait, dialect.MbarrierTryWait, dialect.MbarrierTestWait:
		w.waits, w.what = true, "wait on an mbarrier"
	case dialect.MbarrierArrive, dialect.MbarrierArriveExpectTx, dialect.MbarrierArriveDrop:
		w.what = "arrival on an mbarrier"
	case dialect.ClusterArrive:
		narrow, w.what = false, "arrival on the cluster barrier"
	default:
		return
	}
	if relaxed || narrow {
		m.weaknesses = append(m.weaknesses, w)
	}
}

// weakly says which operations that order less than they seem to may have accesses of threads to order.
func (w *sweep) weakly(in *instance, groups []*machine) {
	remote, ofData := in.remote(groups), " and threads access data on its side that others access, too"
	for _, m := range groups {
		for i := range m.weaknesses {
			k := &m.weaknesses[i]
			switch {
			case k.relaxed && k.what == "arrival on the cluster barrier" && m.untold(groups, k.at):
				w.weakOrder(k, "is relaxed, and no fence.mbarrier_init stands between it and the init of an mbarrier that others use")
				return
			case k.relaxed && k.what == "arrival on the cluster barrier" && !m.accesses(0, k.at, remote):
				continue // it says that the CTA is there, and nothing about data
			case k.relaxed && (len(in.losses) > 0 || !k.waits && m.accesses(0, k.at, nil) || k.waits && m.accesses(k.at, len(m.ops), nil)):
				w.weakOrder(k, "is relaxed"+ofData)
				return
			case k.relaxed || k.at >= len(m.ops) || len(remote) == 0 || !m.concernsPeers(in, groups, &m.ops[k.at]):
				continue
			case !k.waits && m.accesses(0, k.at, remote) || k.waits && m.accesses(k.at, len(m.ops), remote):
				w.weakOrder(k, "has the scope of the CTA, as it names no other,"+ofData)
				return
			}
		}
	}
}

func (w *sweep) weakOrder(k *weakness, how string) {
	w.k.leave(finding.Open{Property: finding.Order, Path: k.site.Path, Line: k.site.Line, Why: fmt.Sprintf("this %s %s", k.what, how)})
}

// untold reports whether a group initialises an mbarrier that threads of other CTAs use, ahead of an operation that releases nothing, with
// no fence between that does (fence.mbarrier_init, PTX ISA 9.7.13.4).
func (m *machine) untold(groups []*machine, at int) bool {
	for i := range m.ops[:at] {
		o := &m.ops[i]
		if o.Kind == protocol.Init && !slices.ContainsFunc(m.initsTold, func(f int) bool { return i < f && f <= at }) && slices.ContainsFunc(groups, func(g *machine) bool { return g.uses(o.Object, m.cta) }) {
			return true
		}
	}
	return false
}

// uses reports whether a group of another CTA uses an mbarrier.
func (m *machine) uses(mbar int, cta int64) bool {
	return m.cta != cta && slices.ContainsFunc(m.ops, func(o protocol.Op) bool {
		return o.Object == mbar && (o.Kind <= protocol.Wait || o.Kind == protocol.ArriveDrop) || slices.ContainsFunc(o.Effects, func(e protocol.Effect) bool { return e.Mbar == mbar })
	})
}

// remote are the buffers that threads of another CTA access, and global memory that several CTAs of the model do.
func (in *instance) remote(groups []*machine) map[int]bool {
	out, by := map[int]bool{}, map[int]int64{}
	for _, m := range groups {
		for _, block := range m.blocks {
			for _, a := range block {
				b := in.buffers[a.Buffer]
				if b.Freed || in.isColumns(a.Buffer) { // tensor memory, which no thread accesses by itself
					continue
				}
				if b.CTA >= 0 && int64(b.CTA) != m.cta {
					out[a.Buffer] = true
				} else if first, seen := by[a.Buffer]; b.CTA < 0 && seen && first != m.cta {
					out[a.Buffer] = true
				}
				by[a.Buffer] = m.cta
			}
		}
	}
	return out
}

// accesses reports whether the threads of a group access one of some buffers, nil for any, between two operations.
func (m *machine) accesses(from, to int, of map[int]bool) bool {
	for _, block := range m.blocks[from : min(to, len(m.blocks)-1)+1] {
		for _, a := range block {
			if !a.Async && !m.in.buffers[a.Buffer].Freed && !m.in.isColumns(a.Buffer) && (of == nil || of[a.Buffer]) {
				return true
			}
		}
	}
	return false
}

// concernsPeers reports whether an arrival is on the mbarrier of another CTA, or a wait on one on which threads of other CTAs
// arrive.
func (m *machine) concernsPeers(in *instance, groups []*machine, op *protocol.Op) bool {
	switch op.Kind {
	case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop:
		return int64(in.mbars[op.Object].CTA) != m.cta
	case protocol.Wait:
		return slices.ContainsFunc(groups, func(g *machine) bool {
			return g.cta != m.cta && slices.ContainsFunc(g.ops, func(o protocol.Op) bool {
				return (o.Kind == protocol.Arrive || o.Kind == protocol.ArriveExpectTx || o.Kind == protocol.ArriveDrop) && o.Object == op.Object
			})
		})
	}
	return false
}
