package compiled

import (
	"fmt"
	"path"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// Variable is a variable in shared memory, as the compiled kernel has it.
type Variable struct {
	Name string // the one that the source gives it
	At   int    // offset in the shared memory of a CTA
	Size int    // bytes; Unknown for an array whose extent the launch gives
}

// Model is a kernel as a protocol says it.
type Model struct {
	Protocol *protocol.Protocol
	// Place says where a buffer is: in which variable, from which byte on, and how many bytes an element has. Not ok where
	// that is not known: accesses of the buffer are left out.
	Place func(buffer int) (variable string, at, width int, ok bool)
	CTAs  int // of the protocol that are compared, from 0 on; the others are left out
}

// Groups are the classes of the protocol. Operations on flags are not compared, and neither are waits for groups of copies by
// themselves: what they wait for is in flight before and not after.
func (m *Model) Groups() []Group {
	var out []Group
	for i := range m.Protocol.Classes {
		if c := &m.Protocol.Classes[i]; c.CTA < m.CTAs {
			out = append(out, m.group(c))
		}
	}
	return out
}

func (m *Model) group(c *protocol.Class) Group {
	g := Group{CTA: c.CTA, Threads: c.Threads}
	var at []int // locations of the steps
	for l := range c.Ops {
		if s, ok := m.step(&c.Ops[l]); ok {
			g.Steps, at = append(g.Steps, s), append(at, l)
		}
	}
	g.Touches = func(thread, interval int) []Touch {
		first, last := bounds(at, interval, len(c.Ops))
		var out []Touch
		for l := first; l <= last; l++ {
			out = append(out, m.touches(c.Blocks[l], thread)...)
			if l < last { // a copy that a wait for groups covers
				out = append(out, m.touches(c.Ops[l].Access, thread)...)
			}
		}
		return out
	}
	g.InFlight = func(thread, step int) []Touch {
		l := at[step]
		pending := slices.DeleteFunc(slices.Clone(c.Blocks[l]), func(a protocol.Access) bool { return !a.Pending })
		out := m.touches(pending, thread)
		for k := range l {
			if c.Ops[k].Grouped() && !slices.ContainsFunc(c.Ops[:l], func(o protocol.Op) bool { return slices.Contains(o.Drains, k) }) {
				out = append(out, m.touches(c.Ops[k].Access, thread)...)
			}
		}
		return out
	}
	return g
}

var acts = map[protocol.Kind]Act{protocol.Init: Init, protocol.Arrive: Arrive, protocol.ArriveExpectTx: Arrive, protocol.ExpectTx: Expect,
	protocol.CompleteTx: Complete, protocol.Wait: Wait, protocol.NamedArrive: BarArrive, protocol.NamedSync: BarSync,
	protocol.ClusterArrive: ClusterArrive, protocol.ClusterWait: ClusterWait, protocol.ArriveDrop: Drop, protocol.Issue: Copy}

func (m *Model) step(o *protocol.Op) (Step, bool) {
	act, ok := acts[o.Kind]
	if o.Order == protocol.Barrier { // threads of a CTA meet before one of them arrives for all, and again behind its wait
		act, ok = BarSync, true
	}
	if !ok || o.Grouped() {
		return Step{}, false
	}
	site := m.Protocol.Sites[o.Site]
	s := Step{Act: act, Count: o.Count, Bytes: o.Bytes, Parity: o.Parity, Place: fmt.Sprintf("%s:%d", path.Base(site.Path), site.Line)}
	if o.Order == protocol.Barrier {
		s.Count = 0
		return s, true
	}
	switch act {
	case BarSync, BarArrive:
		b := m.Protocol.Named[o.Object]
		s.Barrier, s.Count = b.ID, b.Threads
		if b.ID >= protocol.WarpBarrier {
			s.Act, s.Barrier = WarpSync, 0
		}
	case Init, Arrive, Drop, Expect, Complete, Wait:
		s.Signals = []Signal{{Mbarrier: o.Object, Name: m.mbarrier(o.Object)}}
	case Copy:
		bytes := 0
		for _, e := range o.Effects {
			s.Signals = append(s.Signals, Signal{Mbarrier: e.Mbar, Name: m.mbarrier(e.Mbar), Bytes: e.Bytes, Arrivals: e.Arrivals})
			bytes += e.Bytes
		}
		if bytes == 0 {
			s.Act = ArriveBehind
		}
		s.Touches = m.touches(o.Access, 0)
	}
	return s, true
}

func (m *Model) mbarrier(i int) string {
	b := m.Protocol.Mbars[i]
	return fmt.Sprintf("%s of CTA %d", b.Name, b.CTA)
}

// touches are accesses by the thread of a class.
func (m *Model) touches(list []protocol.Access, thread int) []Touch {
	var out []Touch
	for _, a := range list {
		b := m.Protocol.Buffers[a.Buffer]
		variable, at, width, ok := m.Place(a.Buffer)
		if !ok || b.CTA < 0 {
			continue
		}
		r := a.Elements[0]
		if len(a.Elements) > 1 {
			r = a.Elements[thread]
		}
		some := a.Parts != protocol.Whole && a.Parts != protocol.OneCopy
		out = append(out, Touch{CTA: b.CTA, Variable: variable, Lo: at + r.Lo*width, Hi: at + r.Hi*width, Write: a.Write, Some: some})
	}
	return out
}
