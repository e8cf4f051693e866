package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/protocol"
)

// premise is the protocol whose freedom from races makes the model right about values in shared memory. It has the
// operations of the model and one buffer for each place that a value was read from, with an element for each version
// of it and one more. While the group that writes the place is between its k-th store and the next, each of its threads
// writes all elements but the k-th; around a store, all of them. A read of version k reads element k; one of version 0,
// the element that is always written. So a race is exactly a state in which a read would give anything else than it was
// taken to give: whoever reads is there while a writer has not finished the k-th store or may have begun the next.
//
// Up to the first such state, every execution of the model is one of the kernel. So if there is none, the values are
// right in all of them; and an execution of the model that does not go through one is one of the kernel's.
func (w *sweep) premise(in *instance, groups []*machine) *premise {
	var order []memory.Place
	reads := map[memory.Place][]reader{}
	for _, m := range groups {
		for _, d := range m.deliveries {
			if reads[d.Place] == nil {
				order = append(order, d.Place)
			}
			reads[d.Place] = append(reads[d.Place], reader{m, d})
		}
	}
	if len(order) == 0 {
		return nil
	}
	pr := &premise{in: in, blocks: map[*machine][][]protocol.Access{}}
	for _, m := range groups {
		pr.blocks[m] = make([][]protocol.Access, len(m.blocks))
	}
	for _, at := range order {
		if why := pr.of(at, reads[at], groups); why != "" {
			w.k.opaque(Opaque{w.k.Path, w.k.Line, limit.DataBranch.Sayf("branches on values in %s, %s", at.B.Name, why)})
			return nil
		}
	}
	return pr
}

// bare takes the accesses off the operations of a class.
func bare(c *protocol.Class) {
	c.Ops = slices.Clone(c.Ops)
	for i := range c.Ops {
		c.Ops[i].Access = nil
	}
}

type reader struct {
	m *machine
	d memory.Delivery
}

type premise struct {
	in      *instance
	buffers []protocol.Buffer
	blocks  map[*machine][][]protocol.Access
}

// of adds the buffer of one place, or says why the values of it are not known.
func (pr *premise) of(at memory.Place, reads []reader, groups []*machine) (why string) {
	if lost, ok := pr.in.lost[at.B.Name]; ok {
		return "which is " + lost
	}
	var by *machine
	for _, m := range groups {
		if len(m.letters[at]) > 0 {
			if by != nil {
				return "which several roles write"
			}
			by = m
		}
	}
	during := map[int]bool{}
	for _, m := range groups {
		if !pr.writes(m, at, m == by, during) {
			return "which is also written in a way whose value is not known"
		}
	}
	pr.buffers = append(pr.buffers, protocol.Buffer{Name: at.B.Name, CTA: at.Cta, Elements: 1})
	switch {
	case by != nil:
		pr.buffers[len(pr.buffers)-1].Elements += len(by.letters[at])
		pr.hold(at, by, during)
	case len(groups) == 1:
		return "which nobody writes"
	default:
		for _, m := range groups { // whoever gets to read it is not alone
			pr.hold(at, m, during)
		}
	}
	for _, r := range reads {
		pr.add(r.m, r.d.At, protocol.Access{Elements: []protocol.Range{{Lo: r.d.Version, Hi: r.d.Version + 1}}})
	}
	return ""
}

// writes notes in which blocks of accesses a group writes a place. It answers false where one of the writes is no letter
// of the group's.
func (pr *premise) writes(m *machine, at memory.Place, sender bool, during map[int]bool) bool {
	buf, ok := pr.in.bufKey[objectKey{at.B, 0, at.Cta}]
	if !ok {
		return false
	}
	touches := func(a protocol.Access) bool {
		return a.Write && a.Buffer == buf && slices.ContainsFunc(a.Elements, func(r protocol.Range) bool { return int64(r.Lo) <= at.At && at.At < int64(r.Hi) })
	}
	sent := -1 // the last letter, and the warp barriers after it: they do not order what a lane did before (converge)
	for l := range m.blocks {
		if sender && slices.ContainsFunc(m.letters[at], func(x memory.Letter) bool { return x.At == l }) {
			during[l], sent = true, l
		}
		if slices.ContainsFunc(m.blocks[l], touches) {
			if !sender || sent < 0 {
				return false
			}
			during[l] = true
		}
		if l < len(m.ops) {
			if slices.ContainsFunc(m.ops[l].Access, touches) {
				return false
			}
			if o := &m.ops[l]; o.Kind != protocol.NamedSync || pr.in.nameds[o.Object].ID < protocol.WarpBarrier {
				sent = -1
			}
		}
	}
	return true
}

// hold lets the group that writes a place write every version that the place does not have.
func (pr *premise) hold(at memory.Place, by *machine, during map[int]bool) {
	all := by.letters[at]
	for l, k := 0, 0; l < len(by.blocks); l++ {
		for k < len(all) && all[k].At < l {
			k++
		}
		write := func(lo, hi int) {
			if lo < hi {
				pr.add(by, l, protocol.Access{Write: true, Elements: []protocol.Range{{Lo: lo, Hi: hi}}})
			}
		}
		if during[l] || k == 0 {
			write(0, len(all)+1)
			continue
		}
		write(0, k)
		write(k+1, len(all)+1)
	}
}

func (pr *premise) add(m *machine, l int, a protocol.Access) {
	a.Buffer = len(pr.buffers) - 1
	pr.blocks[m][l] = append(pr.blocks[m][l], a)
}
