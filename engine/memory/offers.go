package memory

import "slices"

// demand is a branch of a path that compares what it read with a number.
type demand struct {
	test
	cell  int
	with  int64
	right bool // the number stands on the right
	last  bool // the read is one of a round that goes on for ever: it yields the last value of its cell
}

// offer is what a path, or one of some, writes to a cell.
type offer struct {
	values []int64
	any    bool // and what is not known before something is read
}

func (d *demand) met(v int64) bool {
	if d.right {
		return compare(d.fn, v, d.with) == d.want
	}
	return compare(d.fn, d.with, v) == d.want
}

// market is what the paths of the threads demand of each other: it tells early that paths do not go together, as one waits
// for a value that no other writes.
type market struct {
	initial []int64
	demands map[*path][]demand
	offers  map[*path]map[int]*offer
	threads []map[int]*offer // what any path of a thread offers
}

func newMarket(p *Program, walkers []*walker) *market {
	m := &market{initial: p.cells, demands: map[*path][]demand{}, offers: map[*path]map[int]*offer{}}
	for _, w := range walkers {
		all := map[int]*offer{}
		for _, x := range w.out {
			m.demands[x] = demandsOf(p, x)
			m.offers[x] = map[int]*offer{}
			for i := range x.events {
				if e := &x.events[i]; e.kind == eventWrite {
					cell, v := p.names[e.in.name].cell, x.nodes[e.value]
					give(m.offers[x], cell, v)
					give(all, cell, v)
				}
			}
		}
		m.threads = append(m.threads, all)
	}
	return m
}

func give(offers map[int]*offer, cell int, v node) {
	o := offers[cell]
	if o == nil {
		o = &offer{}
		offers[cell] = o
	}
	if v.op != nodeNumber {
		o.any = true
	} else if !slices.Contains(o.values, v.imm) {
		o.values = append(o.values, v.imm)
	}
}

func demandsOf(p *Program, x *path) []demand {
	var out []demand
	for _, t := range x.tests {
		d := demand{test: t, right: true}
		read, number := x.nodes[t.a], x.nodes[t.b]
		if read.op != nodeRead {
			read, number, d.right = number, read, false
		}
		if read.op != nodeRead || number.op != nodeNumber {
			continue
		}
		d.cell, d.with = p.names[x.events[read.a].in.name].cell, number.imm
		d.last = x.end == spins && slices.Contains(x.spins, read.a)
		out = append(out, d)
	}
	return out
}

// agrees reports whether what the chosen paths demand is offered, or may be by threads that are not chosen yet; and what
// that cost, in demands looked at.
func (m *market) agrees(paths []*path) (agrees bool, cost int) {
	for _, p := range paths {
		if p == nil {
			continue
		}
		for i := range m.demands[p] {
			cost++
			if !m.offered(paths, &m.demands[p][i]) {
				return false, cost
			}
		}
	}
	return true, cost
}

func (m *market) offered(paths []*path, d *demand) bool {
	written := false
	for t, p := range paths {
		o := m.threads[t][d.cell]
		if p != nil {
			o = m.offers[p][d.cell]
			written = written || o != nil
		}
		if o != nil && (o.any || slices.ContainsFunc(o.values, d.met)) {
			return true
		}
	}
	return d.met(m.initial[d.cell]) && !(d.last && written)
}

// counted reports whether the waits for barrier objects may end as their paths do. Of an mbarrier that gets as many bytes as
// are expected, and of which nobody drops, the arrivals tell how many phases are over in the end: the rest completes none.
func (s *search) counted(paths []*path) bool {
	for i := range s.program.objects {
		o := &s.program.objects[i]
		if o.kind != mbarrier || o.count == 0 {
			continue
		}
		arrivals, tx, plain := int64(0), int64(0), true
		var waited []*event
		var stuck []*event
		for _, p := range paths {
			for k := range p.events {
				e := &p.events[k]
				switch {
				case e.signal == nil || e.signal.object != i:
				case e.kind == eventArrive:
					arrivals, tx = arrivals+e.signal.count, tx+e.signal.tx
					plain = plain && !e.signal.drop
				case p.end == waits && k == len(p.events)-1:
					stuck = append(stuck, e)
				default:
					waited = append(waited, e)
				}
			}
		}
		if !plain || tx != 0 {
			continue
		}
		phases := arrivals / o.count
		for _, e := range stuck {
			if e.signal.token < 0 && phases&1 != e.signal.parity {
				return false
			}
		}
		for _, e := range waited {
			if !e.signal.asks && e.signal.token < 0 && phases == 0 && e.signal.parity == 0 {
				return false
			}
		}
	}
	return true
}
