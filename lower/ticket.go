package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A dynamic scheduler takes its next tile from a counter in global memory: one lane adds to it, the warp learns what it
// got by a shuffle, and the tile is valid while that is below the number of tiles. What the counter gives is not known,
// but one thread's numbers grow, so that which of them are valid is one unknown: how many (stride.go).

// ticket is what an atomic addition to global memory gives the one thread that executes it.
func (m *machine) ticket(n program.Node) value.Value {
	if m.host || m.sampling || len(m.threads) != 1 {
		return value.Data{}
	}
	if m.tickets == nil {
		m.tickets = map[string]int64{}
	}
	f, at := m.place(n.Where())
	of := fmt.Sprintf("taken at %s:%d by thread %d of CTA %d", f.Source.Name, f.Source.Position(at.Start).Line, m.threads[0], m.cta)
	k := m.tickets[of]
	m.tickets[of]++
	t := value.Atom(fmt.Sprintf("%s, number %d", of, k+1))
	m.in.drawn[t.Expr.Atom] = k
	m.in.assumed["numbers that a thread takes from a counter in global memory grow"] = inWords
	return t
}

// counts is an atomic addition to what the first pointer of some arguments points to.
func (m *machine) counts(args []value.Value, n program.Node) value.Value {
	var p value.Pointer
	if !slices.ContainsFunc(args, func(v value.Value) (is bool) { p, is = m.pointerOf(v); return is }) {
		return m.ticket(n)
	}
	if m.in.flagBlocks[p.Block.Name] {
		m.stop(n, limit.Operation, "a compiler's own atomic on a flag: not modelled yet")
	}
	if !p.Block.Shared {
		m.changes(p.Block.Name)
		m.reachesAt(p, true, true, 1, n)
	}
	m.inCTA(p, protocol.Access{Write: true, Stored: m.in.storedAs(atomically)}, 1, n)
	if p.Block.Shared { // which threads may set anew
		return value.Data{}
	}
	return m.ticket(n)
}

// adds reports whether a call of the compiler's own atomic operation counts up.
func adds(name, short string, args []value.Value) bool {
	return short == "atomicrmw" && strings.Contains(name, ".") && slices.ContainsFunc(args, func(v value.Value) bool {
		word := value.LastWord(value.Canonical(v))
		return word == "INC" || word == "ADD"
	})
}

// takeTicket puts the CTA's place in the grid where a thread's n-th number from a counter and the size of the grid are,
// and gives n+1: the tile of a CTA's own place is the first, those that it takes from the counter come after all CTAs'
// own. 0 where there is no number from a counter, or something else about it.
func (in *instance) takeTicket(d *value.Linear) int64 {
	ticket, grid := "", ""
	for t, k := range d.Terms {
		_, drawn := in.drawn[t]
		switch {
		case !drawn && !strings.HasPrefix(t, "grid_dim."):
			continue
		case k != 1, drawn && ticket != "", !drawn && grid != "":
			return 0
		case drawn:
			ticket = t
		default:
			grid = t
		}
	}
	if ticket == "" || grid == "" {
		return 0
	}
	delete(d.Terms, ticket)
	delete(d.Terms, grid)
	d.Terms[strings.Replace(grid, "grid_dim.", "block_idx.", 1)]++
	return in.drawn[ticket] + 1
}

// spoken is what the source lane of a shuffle had to say: by place, how often the warp was there, warp.
type spoken map[string]value.Value

// hear is what a lane of the warp says to all in a shuffle.
func (m *machine) hear(v, from value.Value, n program.Node) value.Value {
	lane, ok := m.settle(from).(value.Int)
	warp := m.threads[0] / 32
	if !ok || m.host || m.sampling || lane < 0 || lane > 31 || m.threads[len(m.threads)-1]/32 != warp {
		return value.Data{}
	}
	f, at := m.place(n.Where())
	site := fmt.Sprintf("%s:%d", f.Source.Name, at.Start)
	if m.heard == nil {
		m.heard, m.said = map[string]int{}, spoken{}
	}
	m.heard[site]++
	key := fmt.Sprintf("%s, %d", site, m.heard[site])
	source := 32*warp + int64(lane)
	if i := slices.Index(m.threads, source); i >= 0 {
		switch v := v.(type) {
		case value.Int, value.Symbol:
			m.said[key] = v
			return v
		case value.Lanes:
			m.said[key] = value.Int(v[i])
			return value.Int(v[i])
		}
		return value.Data{}
	}
	for _, other := range m.in.senders {
		if other.cta == m.cta && slices.Contains(other.threads, source) {
			if v, ok := other.said[key]; ok {
				return v
			}
		}
	}
	return value.Data{}
}
