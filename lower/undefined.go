package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/build"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// The rules for what is found undefined while a kernel is lowered.
const (
	ZeroCount       = "FP107"
	OutsideArray    = "FP115"
	InitByMany      = "FP109"
	UnusedPeek      = "FP112"
	NoProxy         = "FP201"
	UnawaitedStore  = "FP202"
	NoGridWait      = "FP306"
	Divergent       = "FP403"
	OutOfTurn       = "FP404"
	MixedCounts     = "FP405"
	Overlapping     = "FP408"
	UnevenRegisters = "FP406"
	Overdrawn       = "FP407"
	OutsideMask     = "FP412"
	NotFreed        = "FP602"
	UnreadStore     = "FP621"
	Lifetime        = "FP620"
)

func (k *Kernel) undefined(u Undefined) {
	if !slices.ContainsFunc(k.Undefined, func(o Undefined) bool { return o.Rule == u.Rule && o.Site == u.Site }) {
		k.Undefined = append(k.Undefined, u)
	}
}

// tells reports whether something was found that a rule tells.
func (k *Kernel) tells(rule string) bool {
	return slices.ContainsFunc(k.Undefined, func(o Undefined) bool { return o.Rule == rule })
}

// apart asks whether generations of one named barrier never overlap; met is where threads with different counts may meet.
func (w *sweep) apart(p *protocol.Protocol) (apart bool, met *Undefined) {
	if w.l.separate == nil {
		return false, nil
	}
	return w.l.separate(p)
}

// noArrivals notes an init for no arrivals (PTX ISA 9.7.13.15.9). A count that is computed from what was assumed,
// such as the shape of a cluster, says nothing: then the launch is one that nobody makes.
func (m *machine) noArrivals(b int, count int64, n program.Node) {
	for key, v := range m.in.taken {
		if given := strings.HasSuffix(key, " is None") && v == 0; !given && !strings.Contains(key, "(") {
			return
		}
	}
	f, at := m.place(n.Where())
	m.in.undefineds = append(m.in.undefineds, Undefined{Rule: ZeroCount, Site: m.bare(n), Last: f.Source.Position(at.End).Line,
		What: fmt.Sprintf("mbarrier %q is initialised for %d arrivals; expected 1 to 1048575", m.in.mbarName(b), count)})
}

// outside notes an mbarrier outside of its array.
func (m *machine) outside(b *value.Block, i int64, n program.Node) {
	of := fmt.Sprintf("of %q is outside of it", b.Name)
	if m.sampling || slices.ContainsFunc(m.in.undefineds, func(u Undefined) bool { return u.Rule == OutsideArray && strings.Contains(u.What, of) }) {
		return
	}
	f, at := m.place(n.Where())
	m.in.undefineds = append(m.in.undefineds, Undefined{Rule: OutsideArray, Site: m.bare(n), Last: f.Source.Position(at.End).Line, Alone: true,
		What: fmt.Sprintf("mbarrier %d %s, which has place for %d: what stands there is written over", i, of, b.Elements)})
}

// mixedOnTheWay notes a barrier at which threads with different counts meet in one generation. The protocol has a
// barrier of its own for each count, which is what hardware does up to the step at which the second count comes to an
// unfinished generation of the first: an execution that gets there is one of the kernel.
func (w *sweep) mixedOnTheWay(p *protocol.Protocol, batches []protocol.Batch) bool {
	m := protocol.NewMachine(p)
	at := m.Start()
	for _, b := range batches {
		op := &p.Classes[b.Class].Ops[b.Op]
		if op.Kind == protocol.NamedSync || op.Kind == protocol.NamedArrive {
			n := p.Named[op.Object]
			for i, o := range p.Named {
				if i != op.Object && o.ID == n.ID && o.CTA == n.CTA && m.Meeting(at, i) > 0 {
					w.k.undefined(Undefined{Rule: MixedCounts, Site: p.Sites[op.Site], With: build.MeetingAt(p, batches, i, forThreads(o)), What: fmt.Sprintf(
						"barrier %d is used %s while %d threads are there that use it %s; expected one thread count a generation",
						n.ID, forThreads(n), m.Meeting(at, i), forThreads(o))})
					return true
				}
			}
		}
		if b.Completion {
			m.Complete(at, b.Class, b.Op, b.N)
		} else {
			m.Step(at, b.Class, b.Op, b.N)
		}
	}
	return false
}

func forThreads(n protocol.Named) string {
	if n.Threads == 0 {
		return "for the whole CTA"
	}
	return fmt.Sprintf("for %d", n.Threads)
}
