package lower

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A peek asks a barrier ahead of the wait, so that the wait can be left out. It needs the guard of the wait (notes/cutedsl.md
// 3.2, R13): threads that peek at a phase that they never wait for may be suspended until the hardware's time limit, each time.

// peeks notes an attempt of the running group, nil where it may not happen.
func (m *machine) peeks(n program.Node) *value.Peek {
	if m.sampling {
		return nil
	}
	if m.peeked == nil {
		m.peeked = map[protocol.Site]*value.Peek{}
	}
	at := m.bare(n)
	if m.peeked[at] == nil {
		m.peeked[at] = &value.Peek{}
	}
	return m.peeked[at]
}

// asker is a thread that peeks at a place.
type asker struct {
	at     protocol.Site
	cta    int
	thread int
}

func (w *sweep) countPeeks(groups []*machine) {
	if w.peeks == nil {
		w.peeks = map[asker]bool{}
	}
	for _, m := range groups {
		for at, p := range m.peeked {
			for _, t := range m.threads {
				who := asker{at, int(m.cta), int(t)}
				w.peeks[who] = w.peeks[who] || p.Used
			}
		}
	}
}

// unusedPeeks notes the peeks whose answer some threads never use, whatever the values of the kernel's unknowns.
func (w *sweep) unusedPeeks() {
	if len(w.k.Opaque) > 0 || len(w.k.Instances) == 0 || !w.wentFar() {
		return
	}
	var idle []asker
	for who, used := range w.peeks {
		if !used {
			idle = append(idle, who)
		}
	}
	slices.SortFunc(idle, func(a, b asker) int {
		return cmp.Or(cmp.Compare(a.at.Path, b.at.Path), cmp.Compare(a.at.Line, b.at.Line), cmp.Compare(a.cta, b.cta), cmp.Compare(a.thread, b.thread))
	})
	for len(idle) > 0 {
		first := idle[0]
		c := protocol.Class{CTA: first.cta}
		for len(idle) > 0 && idle[0].at == first.at {
			if idle[0].cta == first.cta {
				c.Threads = append(c.Threads, idle[0].thread)
			}
			idle = idle[1:]
		}
		w.k.undefined(Undefined{Rule: UnusedPeek, Site: first.at, Alone: true, What: fmt.Sprintf(
			"the answer to this attempt is never used by %s; expected the guard of the wait that it is for", className(&c, &instance{ctas: w.ctas}))})
	}
}
