package check

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/source"
)

// A violation is shown where it happens, which is seldom where the mistake is. What the place has to agree with stands
// elsewhere: the init that says how many arrivals a phase has, the waits that a phase ends, the arrivals that end it,
// the last wait before an access. These are the labels of a finding.

// mostRelated is how many places of one kind a finding names.
const mostRelated = 3

// relate adds the places that a violation has to do with, the finding's own and those it names already left out.
func (k *kernelResult) relate(opt *Options, f *source.File, fd *finding.Finding, p protocol.Property, a *answer) {
	r := relation{opt: opt, file: f, p: a.instance, all: k.Instances, taken: []finding.Location{fd.Location}}
	for _, l := range fd.Labels {
		r.taken = append(r.taken, l.Location)
	}
	switch p {
	case protocol.Race:
		r.race(a.trace.Pair)
	case protocol.Deadlock, protocol.Livelock:
		if s, ok := blocker(a, p); ok {
			waitingFor(a, s).label(&r)
			if s.op.Kind == protocol.Wait {
				r.arrivals(s.op.Object)
			}
		}
	case protocol.Lifetime:
		if c, l, ok := a.outcome.State.Stray(); ok {
			for _, e := range a.instance.Classes[c].Ops[l].Effects {
				r.waits(e.Mbar)
			}
			break
		}
		r.mbarrier(a.object)
		if !early(a) {
			r.ends(a.object)
		}
	default:
		r.mbarrier(a.object)
	}
	fd.Labels, fd.Notes = append(fd.Labels, r.labels...), append(fd.Notes, r.notes...)
}

// relation gathers labels.
type relation struct {
	opt    *Options
	file   *source.File
	p      *protocol.Protocol
	all    []*protocol.Protocol // every instance of the kernel
	taken  []finding.Location
	labels []finding.Label
	notes  []string
}

// note adds the place of an operation, each line once.
func (r *relation) note(site int, text string) bool {
	s := siteAt(r.p, site)
	if s.Line == 0 || slices.ContainsFunc(r.taken, func(l finding.Location) bool { return l.Path == s.Path && l.Line == s.Line }) {
		return false
	}
	l := finding.Label{Location: r.opt.wholeLine(r.file, s), Text: text}
	r.taken, r.labels = append(r.taken, l.Location), append(r.labels, l)
	return true
}

// mbarrier names what an mbarrier is initialised for, and who waits on it.
func (r *relation) mbarrier(object int) {
	if object < 0 || object >= len(r.p.Mbars) {
		return
	}
	r.operations(1, fmt.Sprintf("it is initialised for %d arrivals here", r.p.Mbars[object].Count), func(o *protocol.Op) bool {
		return o.Kind == protocol.Init && o.Object == object
	})
	r.waits(object)
}

// waits names who waits on an mbarrier: where nobody does, as a loop goes round too seldom, who does in other instances.
func (r *relation) waits(object int) {
	b := r.p.Mbars[object]
	waits := func(o *protocol.Op) bool { return o.Kind == protocol.Wait && o.Object == object }
	if r.any(waits) {
		r.operations(mostRelated, fmt.Sprintf("%q is waited for here", b.Name), waits)
		return
	}
	for _, p := range r.all {
		other := relation{opt: r.opt, file: r.file, p: p, taken: r.taken}
		other.operations(1, fmt.Sprintf("in other executions, %q is waited for here", b.Name), func(o *protocol.Op) bool {
			return o.Kind == protocol.Wait && p.Mbars[o.Object].Name == b.Name && p.Mbars[o.Object].CTA == b.CTA
		})
		if len(other.labels) > 0 {
			r.taken, r.labels = other.taken, append(r.labels, other.labels...)
			return
		}
	}
	r.notes = append(r.notes, fmt.Sprintf("no thread waits for %q", b.Name))
	r.unguarded(object)
}

// ends names what the threads of the CTA that an mbarrier lives in last wait for: the CTA has to wait for more.
func (r *relation) ends(object int) {
	if object < 0 || object >= len(r.p.Mbars) {
		return
	}
	cta, most := r.p.Mbars[object].CTA, mostRelated
	text := fmt.Sprintf("threads of CTA %d last wait here before they end", cta)
	for i := range r.p.Classes {
		c := &r.p.Classes[i]
		if c.CTA != cta {
			continue
		}
		for l := len(c.Ops) - 1; l >= 0 && most > 0; l-- {
			o := &c.Ops[l]
			if !blocks(o.Kind) || o.Kind == protocol.NamedSync && r.p.Named[o.Object].ID >= protocol.WarpBarrier {
				continue
			}
			if r.note(o.Site, text) {
				most--
			}
			break
		}
	}
}

// unguarded names where a wait is missing that nobody does: the first uses of what the copies bring that complete on the
// mbarrier.
func (r *relation) unguarded(object int) {
	var brought []protocol.Access
	for i := range r.p.Classes {
		for j := range r.p.Classes[i].Ops {
			if o := &r.p.Classes[i].Ops[j]; slices.ContainsFunc(o.Effects, func(e protocol.Effect) bool { return e.Mbar == object }) {
				brought = append(brought, o.Access...)
			}
		}
	}
	uses := func(a protocol.Access) bool {
		return !a.Write && slices.ContainsFunc(brought, func(b protocol.Access) bool {
			return b.Write && b.Buffer == a.Buffer && protocol.Overlap(a.Elements, b.Elements)
		})
	}
	text := fmt.Sprintf("this reads what completes on %q; expected a wait for it before", r.p.Mbars[object].Name)
	most := mostRelated
	for i := range r.p.Classes {
		c := &r.p.Classes[i]
		for l := range c.Blocks {
			accesses := c.Blocks[l]
			if l < len(c.Ops) {
				accesses = slices.Concat(accesses, c.Ops[l].Access)
			}
			for _, a := range accesses {
				if most > 0 && uses(a) && r.note(a.Site, text) {
					most--
				}
			}
		}
	}
}

func (r *relation) any(meant func(*protocol.Op) bool) bool {
	for i := range r.p.Classes {
		for j := range r.p.Classes[i].Ops {
			if meant(&r.p.Classes[i].Ops[j]) {
				return true
			}
		}
	}
	return false
}

// arrivals names what ends the phases of an mbarrier.
func (r *relation) arrivals(object int) {
	r.operations(mostRelated, fmt.Sprintf("%q is arrived on here", r.p.Mbars[object].Name), func(o *protocol.Op) bool {
		switch o.Kind {
		case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.CompleteTx:
			return o.Object == object
		}
		return slices.ContainsFunc(o.Effects, func(e protocol.Effect) bool { return e.Mbar == object })
	})
}

// operations names the first lines with an operation that is meant.
func (r *relation) operations(most int, text string, meant func(*protocol.Op) bool) {
	for i := range r.p.Classes {
		for j := range r.p.Classes[i].Ops {
			if o := &r.p.Classes[i].Ops[j]; most > 0 && meant(o) && r.note(o.Site, text) {
				most--
			}
		}
	}
}

// race names the two accesses and, for each, what its threads last waited for before.
func (r *relation) race(pair *engine.Pair) {
	if pair == nil {
		return
	}
	sides := []engine.Accessor{pair.First, pair.Second}
	for _, x := range sides {
		a := accessOf(r.p, x)
		if a.Pending {
			r.note(a.Site, "this copy may be in flight: no wait of its thread covers it before the other access")
			continue
		}
		r.note(a.Site, fmt.Sprintf("this %s may happen at the same time", verb(r.p, a)))
	}
	for _, x := range sides {
		ops := r.p.Classes[x.Class].Ops
		for l := x.Location - 1; l >= 0; l-- {
			if blocks(ops[l].Kind) {
				r.note(ops[l].Site, r.lastWait(x, l))
				break
			}
		}
	}
}

// lastWait says what an operation at which threads may wait is to one of their accesses after it.
func (r *relation) lastWait(x engine.Accessor, l int) string {
	a := accessOf(r.p, x)
	if before := r.p.Classes[x.Class].Blocks[l]; a.Pending && !x.InFlight && slices.ContainsFunc(before, a.Equal) {
		return "with the copy in flight, its threads go on from here"
	}
	return fmt.Sprintf("before the %s, its threads last wait here", verb(r.p, a))
}

// blocks reports whether a thread may have to wait at an operation.
func blocks(kind protocol.Kind) bool {
	switch kind {
	case protocol.Wait, protocol.NamedSync, protocol.ClusterWait, protocol.Spin, protocol.FlagSwap, protocol.Drain:
		return true
	}
	return false
}
