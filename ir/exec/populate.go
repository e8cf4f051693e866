package exec

import (
	"strings"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
)

// populate makes the CTAs and warps of the machine, with their special registers and parameters.
func (m *machine) populate() {
	l := m.launch
	if m.kernel.Data {
		m.unset = m.kernel.Unset()
	}
	threads := volume(l.Block, maxThreads)
	m.program.CTAs = volume(l.Cluster, maxCluster)
	if l.Other != nil {
		m.program.CTAs = 2
	}
	for r := 0; r < m.program.CTAs; r++ {
		c := &cta{rank: r, products: map[product]order.Copy{}, coord: [3]int{r % l.Cluster[0], r / l.Cluster[0] % l.Cluster[1], r / l.Cluster[0] / l.Cluster[1]}}
		if l.Other != nil {
			c.coord = *[]*[3]int{l.CTA, l.Other}[r]
		}
		m.ctas = append(m.ctas, c)
		for first := 0; first < threads; first += ir.Lanes {
			alive := ^uint32(0)
			if rest := threads - first; rest < ir.Lanes {
				alive = 1<<rest - 1
			}
			w := &warp{m: m, cta: c, index: first / ir.Lanes, alive: alive, out: m.program.AddWarp(r, first, alive)}
			w.fragments = []*fragment{{mask: alive}}
			w.registers = make([]value, m.kernel.Registers)
			w.buffers = make([]*spread, m.kernel.Registers)
			w.predicates = make([]predicate, m.kernel.Predicates)
			w.start()
			c.warps = append(c.warps, w)
			m.warps = append(m.warps, w)
		}
	}
}

// start sets what a warp's registers hold at first: nothing is known of most.
func (w *warp) start() {
	for k := range w.registers {
		w.registers[k] = top
	}
	for k := range w.predicates {
		w.predicates[k].open = ^uint32(0)
	}
	for _, r := range w.m.unset { // it is anything, and that of each thread its own
		w.registers[r] = value{sym: w.freshSymbol(r), stride: 1}
	}
	for name, r := range w.m.kernel.Special {
		v := w.special(name, r)
		w.store(r, &v)
	}
	for _, s := range w.m.kernel.Given() {
		w.registers[s.Register] = value{sym: w.m.symbols.input(s.Register)}
		if n, given := w.m.launch.Params[s.Called()]; given && !w.m.isPointer(&s) {
			w.registers[s.Register] = integer(n)
		}
	}
}

// special is a special register's value (PTX ISA 10). What does not follow from the launch is the same for all, or not known: clocks.
func (w *warp) special(name string, r int32) value {
	base, axis, _ := strings.Cut(name, ".")
	k := max(0, strings.Index("xyz", axis))
	l := &w.m.launch
	same := value{sym: w.m.symbols.input(r)}
	if n, given := l.Params[name]; given {
		if base == "%ctaid" {
			n = n/int64(l.Cluster[k])*int64(l.Cluster[k]) + int64(w.cta.coord[k])
		}
		return integer(n)
	}
	at := ir.Position{Block: l.Block, Cluster: l.Cluster, Grid: l.Grid, CTA: w.cta.coord}
	for a := range at.CTA {
		if l.CTA != nil && l.Other == nil {
			at.CTA[a] += l.CTA[a] / l.Cluster[a] * l.Cluster[a]
		}
	}
	switch base {
	case "%warpid":
		w.m.assume("%warpid is the number of the warp in its CTA")
	case "%ctaid":
		if l.CTA == nil && l.Grid != [3]int{1, 1, 1} {
			same.base = int64(w.cta.coord[k]) // behind the first CTA of the cluster
			return same
		}
	case "%clusterid":
		if l.CTA == nil {
			return same
		}
	case "%nsmid", "%gridid", "%total_smem_size", "%aggr_smem_size", "%dynamic_smem_size", "%smid":
		return same
	}
	s := &w.scratch
	for lane := range s.v {
		at.Thread = w.index*ir.Lanes + lane
		n, said := at.Special(name)
		switch {
		case said:
			s.sym[lane], s.v[lane] = known, n
		case base == "%nctaid", base == "%nclusterid":
			return same
		default:
			return top
		}
	}
	return w.settle(s)
}
