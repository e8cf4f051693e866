package lower

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// tcgen05.st is asynchronous: another thread finds what it wrote only if the storing thread has executed
// tcgen05.wait::st before it tells (PTX ISA 9.7.16.6 and 9.7.16.8). A thread that tells others something after a
// store, and then waits, has told of the store: nobody else can make use of it. Where tcgen05.wait::st comes next, before
// another store, the store is awaited after all, and what was told was something else. Barriers among those who all store
// tell nobody.

// storeNote is a store to tensor memory, or the wait for all before it, between two operations of a group.
type storeNote struct {
	at    int // operations before it
	place protocol.Site
	wait  bool
}

func (m *machine) noteStore(n program.Node, wait bool) {
	if m.host {
		return
	}
	note := storeNote{len(m.ops), m.bare(n), wait}
	if k := len(m.stored); k > 0 && m.stored[k-1] == note {
		return
	}
	m.stored = append(m.stored, note)
}

// unawaited notes the stores that groups tell of without having awaited them.
func (in *instance) unawaited(groups []*group) {
	mixed := map[int]bool{} // named barriers that groups meet at which store nothing
	for _, g := range groups {
		for _, o := range g.m.ops {
			if (o.Kind == protocol.NamedSync || o.Kind == protocol.NamedArrive) && len(g.m.stored) == 0 {
				mixed[o.Object] = true
			}
		}
	}
	for _, g := range groups {
		g.m.unawaited(mixed)
	}
}

func (m *machine) unawaited(mixed map[int]bool) {
	type tale struct {
		store  protocol.Site
		told   int // the operation, -1 as long as nobody is told
		waited bool
	}
	var open *tale
	next := 0
	for l := 0; l <= len(m.ops) && next < len(m.stored) || open != nil && l <= len(m.ops); l++ {
		for ; next < len(m.stored) && m.stored[next].at == l; next++ {
			note := m.stored[next]
			if open != nil && open.waited && !note.wait {
				m.in.tooEarly(open.store, m.in.sites[m.ops[open.told].Site])
				open = nil
			}
			if note.wait {
				open = nil
			} else if open == nil {
				open = &tale{note.place, -1, false}
			}
		}
		switch {
		case open == nil:
		case l == len(m.ops):
			if open.told >= 0 {
				m.in.tooEarly(open.store, m.in.sites[m.ops[open.told].Site])
			}
		default:
			if open.told < 0 && m.tells(l, mixed) {
				open.told = l
			}
			open.waited = open.waited || open.told >= 0 && m.awaits(l)
		}
	}
}

// tells reports whether others can wait for what an operation does.
func (m *machine) tells(l int, mixed map[int]bool) bool {
	switch o := m.ops[l]; o.Kind {
	case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ClusterArrive, protocol.FlagAdd, protocol.FlagStore:
		return true
	case protocol.NamedArrive, protocol.NamedSync:
		return mixed[o.Object]
	}
	return false
}

// awaits reports whether an operation waits for other warps.
func (m *machine) awaits(l int) bool {
	switch o := m.ops[l]; o.Kind {
	case protocol.Wait, protocol.ClusterWait, protocol.Spin:
		return true
	case protocol.NamedSync:
		return m.in.nameds[o.Object].ID < protocol.WarpBarrier
	}
	return false
}

func (in *instance) tooEarly(store, tells protocol.Site) {
	in.undefineds = append(in.undefineds, Undefined{Rule: UnawaitedStore, Site: store, What: fmt.Sprintf(
		"store to tensor memory that is not awaited (tcgen05.wait::st) before %s, line %d", tells.Text, tells.Line)})
}
