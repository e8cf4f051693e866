package exec

import (
	"strings"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
)

// populate makes the CTAs and warps of the machine, with their special registers and parameters.
func (m *machine) populate() {
	l := m.launch
	threads := volume(l.Block, maxThreads)
	m.program.CTAs = volume(l.Cluster, maxCluster)
	for r := 0; r < m.program.CTAs; r++ {
		c := &cta{rank: r, products: map[product]order.Copy{}, coord: [3]int{r % l.Cluster[0], r / l.Cluster[0] % l.Cluster[1], r / l.Cluster[0] / l.Cluster[1]}}
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
	for name, r := range w.m.kernel.Special {
		v := w.special(name, r)
		w.store(r, &v)
	}
	for _, s := range w.m.kernel.Slots {
		w.registers[s.Register] = value{sym: w.m.symbols.input(s.Register)}
		if n, given := w.m.launch.Params[s.Called()]; given && !w.m.isPointer(&s) {
			w.registers[s.Register] = integer(n)
		}
	}
}

// special is a special register's value (PTX ISA 10).
func (w *warp) special(name string, r int32) value {
	base, axis, _ := strings.Cut(name, ".")
	k := strings.Index("xyz", axis)
	if axis == "" || k < 0 {
		k = 0
	}
	l := &w.m.launch
	same := value{sym: w.m.symbols.input(r)} // not known, and the same for all
	if n, given := l.Params[name]; given {
		if base == "%ctaid" {
			n = n/int64(l.Cluster[k])*int64(l.Cluster[k]) + int64(w.cta.coord[k])
		}
		return integer(n)
	}
	extent := func(e [3]int) value { return integer(int64(e[k])) }
	switch base {
	case "%tid":
		return w.thread(k)
	case "%ntid":
		return extent(l.Block)
	case "%laneid":
		return value{stride: 1}
	case "%warpid":
		w.m.assume("%warpid is the number of the warp in its CTA")
		return integer(int64(w.index))
	case "%nwarpid":
		return integer(int64(len(w.m.warps) / len(w.m.ctas)))
	case "%ctaid":
		if l.CTA == nil && l.Grid != [3]int{1, 1, 1} {
			same.base = int64(w.cta.coord[k]) // behind the first CTA of the cluster
			return same
		}
		n := w.cta.coord[k]
		if l.CTA != nil {
			n += l.CTA[k] / l.Cluster[k] * l.Cluster[k]
		}
		return integer(int64(n))
	case "%nctaid":
		if l.Grid[0] == 0 {
			return same
		}
		return extent(l.Grid)
	case "%cluster_ctaid":
		return extent(w.cta.coord)
	case "%cluster_nctaid":
		return extent(l.Cluster)
	case "%cluster_ctarank":
		return integer(int64(w.cta.rank))
	case "%cluster_nctarank":
		return integer(int64(len(w.m.ctas)))
	case "%clusterid":
		if l.CTA != nil {
			return integer(int64(l.CTA[k] / l.Cluster[k]))
		}
		return same
	case "%nclusterid":
		if l.Grid[0] != 0 {
			return integer(int64(l.Grid[k] / l.Cluster[k]))
		}
		return same
	case "%nsmid", "%gridid", "%total_smem_size", "%aggr_smem_size", "%dynamic_smem_size", "%smid":
		return same
	}
	return w.masks(base)
}

// masks are %lanemask_eq and its kin; of the rest, clocks and timers, nothing is known.
func (w *warp) masks(name string) value {
	s := &w.scratch
	for l := range s.v {
		bit := uint32(1) << l
		n := map[string]uint32{"%lanemask_eq": bit, "%lanemask_lt": bit - 1, "%lanemask_le": bit | bit - 1, "%lanemask_gt": ^(bit | bit - 1),
			"%lanemask_ge": ^(bit - 1)}
		v, ok := n[name]
		if !ok {
			return top
		}
		s.sym[l], s.v[l] = known, int64(int32(v))
	}
	return w.settle(s)
}

// thread is %tid in one axis.
func (w *warp) thread(axis int) value {
	b := w.m.launch.Block
	s := &w.scratch
	for l := range s.v {
		t := w.index*ir.Lanes + l
		s.sym[l] = known
		s.v[l] = int64([3]int{t % b[0], t / b[0] % b[1], t / b[0] / b[1]}[axis])
	}
	return w.settle(s)
}
