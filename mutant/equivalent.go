package mutant

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// A fault that changes the models of a kernel may still be none. These arguments are decided on the models, which say
// for this where the program does anything that they do not follow (lower.Activity).

// harmless says why a faulty kernel that nothing is found in is as right as the right one, "" where that is not shown.
func (o *outcome) harmless(faulty *outcome, name string, fault *Fault) string {
	if o.covers(faulty) {
		return "each of its models is one of the right kernel's, with other values"
	}
	why := ""
	for key, right := range o.instances {
		wrong := faulty.instances[key]
		if len(right) != len(wrong) {
			return ""
		}
		for i := range right {
			d := difference{right: right[i], wrong: wrong[i], path: name, lines: fault.Lines, meeting: map[int]meeting{}}
			w, ok := d.harmless()
			if !ok {
				return ""
			}
			if w != "" {
				why = w
			}
		}
	}
	return why
}

// covers reports whether every model of the faulty version is one of the right one's, leaving values aside.
func (o *outcome) covers(faulty *outcome) bool {
	for key, wrong := range faulty.instances {
		known := map[string]bool{}
		for _, p := range o.instances[key] {
			known[modelText([]*protocol.Protocol{valueless(p)})] = true
		}
		for _, p := range wrong {
			if !known[modelText([]*protocol.Protocol{valueless(p)})] {
				return false
			}
		}
	}
	return len(faulty.instances) == len(o.instances)
}

func valueless(p *protocol.Protocol) *protocol.Protocol {
	out := *p
	out.Values = nil
	return &out
}

// difference is a model and what a fault made of it.
type difference struct {
	right, wrong *protocol.Protocol
	path         string
	lines        []int
	meeting      map[int]meeting // of the barriers that are left out
}

// meeting is why threads may leave a barrier out: the same must hold for all of them.
type meeting struct {
	why    string
	before int // the barrier that they come from
}

// harmless reports whether only operations are missing that make no difference, and why.
func (d *difference) harmless() (why string, ok bool) {
	if len(d.right.Classes) != len(d.wrong.Classes) {
		return "", false
	}
	for c := range d.right.Classes {
		left, ok := d.leftOut(c)
		if !ok {
			return "", false
		}
		for _, l := range left {
			w := d.reason(c, l)
			if w == "" {
				return "", false
			}
			why = w
		}
	}
	return why, true
}

// leftOut lists the operations of a class that are missing, all of them at the lines of the fault; ok is false where
// anything else differs.
func (d *difference) leftOut(c int) (left []int, ok bool) {
	a, b := &d.right.Classes[c], &d.wrong.Classes[c]
	if a.CTA != b.CTA || !slices.Equal(a.Threads, b.Threads) {
		return nil, false
	}
	j := 0
	for i := range a.Ops {
		if j < len(b.Ops) && describe(d.right, &a.Ops[i]) == describe(d.wrong, &b.Ops[j]) {
			j++
			continue
		}
		if s := d.right.Sites[a.Ops[i].Site]; s.Path != d.path || !slices.Contains(d.lines, s.Line) {
			return nil, false
		}
		left = append(left, i)
	}
	return left, j == len(b.Ops)
}

// describe spells an operation with the names of its objects, whose numbers depend on what else there is.
func describe(p *protocol.Protocol, o *protocol.Op) string {
	object := ""
	switch o.Kind {
	case protocol.NamedArrive, protocol.NamedSync:
		object = fmt.Sprint(p.Named[o.Object])
	case protocol.FlagAdd, protocol.FlagStore, protocol.Spin, protocol.FlagSwap:
		object = p.Flags[o.Object].Name
	case protocol.ClusterArrive, protocol.ClusterWait, protocol.Issue, protocol.Drain:
	default:
		object = fmt.Sprint(p.Mbars[o.Object].Name, p.Mbars[o.Object].CTA)
	}
	for _, e := range o.Effects {
		object += fmt.Sprint(" ", p.Mbars[e.Mbar].Name, p.Mbars[e.Mbar].CTA, e.Bytes, e.Arrivals)
	}
	s := p.Sites[o.Site]
	return fmt.Sprint(o.Kind, object, o.Count, o.Bytes, o.Parity, o.Compare, len(o.Access), s.Path, s.Line)
}

// reason says why an operation of the right model may be left out.
func (d *difference) reason(c, l int) string {
	o := &d.right.Classes[c].Ops[l]
	switch o.Kind {
	case protocol.Wait:
		if d.last(c, l) && d.arrivedByThreadsOf(d.right.Classes[c].CTA, o.Object) {
			return "it only delays the end of threads, for threads of their own CTA"
		}
	case protocol.ExpectTx, protocol.ArriveExpectTx:
		if d.right.Mbars[o.Object].Armed && d.last(c, l) {
			return "it announces a phase that is not to come"
		}
	case protocol.NamedSync:
		m := meeting{"its threads do nothing after it", -1}
		if !d.last(c, l) {
			m = d.doubled(c, l)
		}
		if old, again := d.meeting[o.Object]; again && old != m {
			return ""
		}
		d.meeting[o.Object] = m
		return m.why
	case protocol.Arrive:
		if d.unawaited(o.Object) {
			return "no thread waits for the arrival"
		}
	}
	return ""
}

// last reports whether a class does nothing after an operation but to wait, for its own copies or where the fault is.
func (d *difference) last(c, l int) bool {
	class := &d.right.Classes[c]
	for i := l + 1; i < len(class.Ops); i++ {
		s := d.right.Sites[class.Ops[i].Site]
		if class.Ops[i].Kind != protocol.Drain && (s.Path != d.path || !slices.Contains(d.lines, s.Line)) {
			return false
		}
	}
	return d.idle(class.Blocks[l+1:])
}

// idle reports whether nothing happens between operations but computing.
func (d *difference) idle(blocks [][]protocol.Access) bool {
	return !slices.ContainsFunc(blocks, func(b []protocol.Access) bool { return len(b) > 0 })
}

// arrivedByThreadsOf reports whether all that arrives on an mbarrier is threads of one CTA: nothing is in flight then that
// the end of the threads could overtake.
func (d *difference) arrivedByThreadsOf(cta, object int) bool {
	for i := range d.right.Classes {
		for _, o := range d.right.Classes[i].Ops {
			if slices.ContainsFunc(o.Effects, func(e protocol.Effect) bool { return e.Mbar == object }) {
				return false
			}
			arrives := o.Kind == protocol.Arrive || o.Kind == protocol.ArriveExpectTx || o.Kind == protocol.ArriveDrop
			if arrives && o.Object == object && d.right.Classes[i].CTA != cta {
				return false
			}
		}
	}
	return true
}

// doubled finds the barrier before an operation, of the same threads at least and with nothing in between.
func (d *difference) doubled(c, l int) meeting {
	class := &d.right.Classes[c]
	if l == 0 || class.Ops[l-1].Kind != protocol.NamedSync || !d.idle(class.Blocks[l:l+1]) {
		return meeting{}
	}
	before, here := d.members(class.Ops[l-1].Object), d.members(class.Ops[l].Object)
	if slices.ContainsFunc(here, func(i int) bool { return !slices.Contains(before, i) }) {
		return meeting{}
	}
	return meeting{"its threads meet at the barrier before it, and do nothing in between", class.Ops[l-1].Object}
}

// members are the classes that come to a named barrier.
func (d *difference) members(object int) (out []int) {
	for i := range d.right.Classes {
		if slices.ContainsFunc(d.right.Classes[i].Ops, func(o protocol.Op) bool {
			return (o.Kind == protocol.NamedSync || o.Kind == protocol.NamedArrive) && o.Object == object
		}) {
			out = append(out, i)
		}
	}
	return out
}

// unawaited reports whether no wait on an mbarrier needs an arrival: one phase is completed at most, and who waits goes
// on where none is.
func (d *difference) unawaited(object int) bool {
	arrivals := 0
	for i := range d.right.Classes {
		class := &d.right.Classes[i]
		for _, o := range class.Ops {
			for _, e := range o.Effects {
				if e.Mbar == object {
					arrivals += e.Arrivals * class.Count
				}
			}
			if o.Object != object {
				continue
			}
			switch o.Kind {
			case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop:
				arrivals += o.Count * class.Count
			case protocol.Wait:
				if o.Parity != 1 {
					return false
				}
			}
		}
	}
	return arrivals <= d.right.Mbars[object].Count
}
