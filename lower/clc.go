package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// Cluster launch control (PTX ISA 9.7.13.17): a request to take over the work of a CTA that has not started is answered
// by hardware, which writes 16 bytes to shared memory and completes them on an mbarrier. The first answers bring a tile,
// the later ones do not; how many do is one unknown. Which answer a thread reads is the number of waits on the mbarriers
// of the answers that it has completed, so all roles agree exactly if the protocol makes them (notes/cutedsl.md R11).

// responseSlot is the name under which a place for responses is known; "" where the address is not.
func responseSlot(p value.Pointer) string {
	if p.Block == nil {
		return ""
	}
	return p.Block.Name
}

// answersOn notes on which mbarriers the responses in a slot are completed: one a stage. Threads that read responses may have been
// evaluated before: then the run starts again.
func (m *machine) answersOn(resp value.Pointer, b int) {
	known, slot := m.in.low.responses, responseSlot(resp)
	name := m.in.mbars[b].Name
	if !slices.Contains(known[slot], name) && len(known[slot]) < maxWalks && (known[slot] != nil || len(known) < maxWalks) {
		known[slot] = append(known[slot], name)
		panic(restart{})
	}
}

// response reads an answer: the coordinates of the tile, and whether there is one.
func (m *machine) response(o operands) value.Value {
	resp, ok := o.pointer("ptr")
	if ok && resp.Block != nil && resp.Block.Shared {
		m.access(resp, max(1, clcBytes/max(1, resp.Block.Size)), o.node)
	}
	bars, ok := m.in.low.responses[responseSlot(resp)]
	if !ok {
		// No request is known yet. Should there be one further on, this run is repeated.
		return &value.Sequence{Elems: []value.Value{value.Data{}, value.Data{}, value.Data{}, value.Int(0)}}
	}
	var seen value.Value = value.Int(0)
	for _, name := range bars {
		seen = value.Binary("+", seen, m.waited(name))
	}
	seen = value.Binary("max", value.Int(1), seen)
	name := "tile[" + value.Canonical(seen) + "]"
	with := value.Atom("responses with a tile")
	m.in.low.domains[with.Expr.String()] = value.TileCounts
	return &value.Sequence{Elems: []value.Value{value.Atom(name + ".x"), value.Atom(name + ".y"), value.Atom(name + ".z"), value.Binary("<", value.Binary("-", seen, value.Int(1)), with)}}
}

// waited is how often the group has completed a wait on an mbarrier.
func (m *machine) waited(name string) value.Value {
	if m.watch != nil {
		if n, ok := m.watch.waits[name]; ok {
			return n
		}
	}
	return value.Int(m.waits[name])
}
