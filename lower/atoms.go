package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// cuteAtom evaluates what makes and uses copy and multiply atoms.
func (m *machine) cuteAtom(name, short string, a *value.Arguments) (value.Value, bool) {
	x := value.FirstOf(a.Get(0, "op"), a.Get(0, "atom"), value.Data{})
	switch {
	case strings.HasPrefix(short, "Mma"), strings.HasPrefix(short, "SM103Mma"), short == "make_tiled_mma", short == "make_mma_atom", short == "make_trivial_tiled_mma", short == "make_blockscaled_trivial_tiled_mma":
		return cute.NewMMA(name, a), true
	case strings.HasSuffix(short, "Op"):
		return cute.CopyOperation(name, a), true
	case strings.HasPrefix(short, "make_tiled_tma_atom"):
		return m.tmaAtom(x, value.FirstOf(a.Get(1, "gmem_tensor"), value.Data{}), value.FirstOf(a.Get(2, "smem_layout"), value.Data{}), value.FirstOf(a.Get(3, "cta_tiler"), a.Get(3, "mma_tiler_mnk"), value.Data{}), a.Node), true
	case strings.HasPrefix(short, "make_smem_layout"):
		return m.smemLayout(short, a), true
	}
	switch short {
	case "make_copy_atom", "CopyAtom":
		x = cute.AtomOf(cute.OperationOf(x))
		if c, ok := x.(*value.Object); ok && cute.AtomKind(c) != "" {
			c.Fields["dtype"], c.Fields["bits"] = a.Or(1, "copy_internal_type", value.Data{}), a.Or(-1, "num_bits_per_copy", value.None{})
		}
		return x, true
	case "get_tmem_load_op":
		c := cute.TmemCopy(nil, nil, a)
		c.Fields["registers"] = value.Text("D")
		return c, true
	case "make_tmem_copy": // tcgen05.ld and st are .sync.aligned (PTX ISA 9.7.16.8)
		return cute.TmemCopy(x, a.Get(1, "tmem_tensor"), a), true
	case "make_s2t_copy":
		return cute.CopyAtom("tcgen05.cp"), true
	case "get_s2t_smem_desc_tensor":
		return value.FirstOf(a.Get(1, "smem_tensor"), value.Data{}), true
	case "make_tiled_copy_tv":
		return m.tiledCopy(x, a.Get(1, "thr_layout"), value.FirstOf(a.Get(2, "val_layout"), value.Int(1))), true
	case "make_tiled_copy":
		return cute.CopyBy(x, a.Get(1, "layout_tv"), a.Get(2, "tiler_mn")), true
	case "make_cotiled_copy", "make_tiled_copy_A", "make_tiled_copy_B", "make_tiled_copy_C", "make_tiled_copy_D",
		"make_tiled_copy_S", "make_tiled_copy_C_atom":
		return cute.CopyAs(value.FirstOf(a.Get(0, "atom"), a.Get(0, "copy_atom"), value.Data{}), a.Get(1, "tiled_mma"), short), true
	case "copy", "copy_atom_call":
		if bar := value.FirstOf(a.Get(-1, "tma_bar_ptr"), a.Get(-1, "mbar_ptr"), a.Get(-1, "mbar"), value.None{}); bar != (value.None{}) && !m.host {
			m.copyWith(bar, x, a)
			return value.None{}, true
		}
		pred := a.Get(-1, "pred")
		m.copy(x, cute.Predicated(pred, a.Get(1, "src")), cute.Predicated(pred, a.Get(2, "dst")), a.Node)
		return value.None{}, true
	case "autovec_copy", "basic_copy":
		m.copy(cute.CopyAtom("thread"), a.Get(0, "src"), a.Get(1, "dst"), a.Node)
		return value.None{}, true
	case "basic_copy_if":
		pred := a.Get(0, "pred")
		m.copy(cute.CopyAtom("thread"), cute.Predicated(pred, a.Get(1, "src")), cute.Predicated(pred, a.Get(2, "dst")), a.Node)
		return value.None{}, true
	case "prefetch":
		return value.None{}, true
	}
	return nil, false
}

// tmaAtom is make_tiled_tma_atom(op, tensor, layout, tiler, …): the atom, and the tensor as TMA sees it. A tile, of which the box of the
// map is part, is not empty either.
func (m *machine) tmaAtom(op, gmem, smem, tiler value.Value, n program.Node) value.Value {
	op, t := cute.AtomOf(cute.OperationOf(op)), gmem
	if m.launch != nil {
		m.launch.fill(cute.ShapeOf(gmem))
		m.launch.fill(tiler)
	}
	if sym, ok := gmem.(value.Symbol); ok {
		t = &cute.Tensor{Name: value.Canonical(sym), Shape: cute.ShapeOf(sym), Dtype: m.member(sym, "element_type", nil), Outer: -1, Root: value.Canonical(sym)}
	}
	mod := m.in.low.embeddedModule("cutlass.tma")
	if info, ok := m.in.low.global(mod, "TmaInfo"); ok {
		if c, ok := info.(*value.Class); ok {
			o := m.instance(c, &value.Arguments{Vals: []value.Value{op, t}, Node: n}, n)
			if o, ok := o.(*value.Object); ok {
				o.Put("smem_layout", smem)
			}
			return o
		}
	}
	return cute.Tuple(op, t)
}

// copy is cute.copy without an mbarrier. An atom that is not known stands for the threads themselves.
func (m *machine) copy(atom, src, dst value.Value, n program.Node) {
	if m.host {
		return
	}
	kind := cute.AtomKind(atom)
	s, _ := src.(*cute.Tensor)
	d, _ := dst.(*cute.Tensor)
	if kind == "warp" {
		m.converge(n)
		if atom.(*value.Object).Fields["stores"] != nil {
			m.noteStore(n, false)
		}
	}
	if cute.IsTensorCopy(atom) || kind != "tcgen05.cp" && (s != nil && s.Block.InColumns() || d != nil && d.Block.InColumns()) {
		m.transfer(atom, s, d, dst, n)
		cute.LoseRegisters([]value.Value{dst})
		return
	}
	m.readsRegisters(src, n)
	from, to := s != nil && s.Block != nil, d != nil && d.Block != nil
	if kind == "thread" || cute.Threads(atom) {
		m.touchesGlobal(s, false, nil, n)
		m.touchesGlobal(d, true, nil, n)
	} else {
		m.reachesTensor(s, false, n)
		m.reachesTensor(d, true, n)
	}
	if sym, ok := src.(value.Symbol); ok {
		m.reachesAnything(sym.Expr.String(), false, sym.Expr.String()+" is read as a whole", n)
	}
	if d != nil && !to {
		m.changesTensor(d)
	} else if sym, ok := dst.(value.Symbol); ok {
		m.reachesAnything(sym.Expr.String(), true, "what is copied to is not known", n)
		m.changes(sym.Expr.String())
	}
	if (kind == "thread" || cute.Threads(atom)) && m.carry(s, d, n) {
		return
	}
	cute.LoseRegisters([]value.Value{dst})
	switch {
	case !from && !to:
		return
	case kind == "store" && from:
		if !m.passes(n) {
			m.sends(n)
			m.bulk = m.fly(m.engineAccess(s, false, n), m.bulk, n, true)
		}
	case kind == "cp.async" && to:
		m.cpAsync = m.fly(m.ownAccess(d, true, n, "copy writes"), m.cpAsync, n, false)
	case kind == "tcgen05.cp" && from:
		m.copyToColumns(atom, s, d, n)
	case kind == "load" || kind == "" && !cute.Threads(atom):
		m.loseTensors([]value.Value{src, dst}, "copied by an instruction that is not known")
	default:
		if from {
			m.threadAccess(s, false, nil, n)
		}
		if to {
			m.threadAccess(d, true, nil, n)
		}
	}
}

// tiledCopy is make_tiled_copy_tv(atom, thr_layout, val_layout): an atom, how many threads perform it, and which part of
// a tile is whose. Each mode of the tile is val's extent times thr's, values side by side.
func (m *machine) tiledCopy(atom value.Value, thr, val value.Value) value.Value {
	c := cute.CopyAtom("thread")
	if o, ok := atom.(*value.Object); ok && cute.AtomKind(o) != "" {
		for name, f := range o.Fields {
			c.Fields[name] = f
		}
	}
	if m.launch != nil {
		thr, val = m.concreteLayout(thr), m.concreteLayout(val)
	}
	ts, vs := cute.ShapeOf(thr), cute.ShapeOf(val)
	c.Fields["size"] = cute.Product(ts)
	c.Fields["values"] = cute.Product(vs)
	c.Fields["thr"], c.Fields["val"] = thr, val
	tile := &value.Sequence{}
	var steps []value.Value // of the tile's modes, column by column
	var step value.Value = value.Int(1)
	for i := range max(len(cute.Modes(ts)), len(cute.Modes(vs))) {
		e := value.Binary("*", cute.Product(cute.Part(ts, i)), cute.Product(cute.Part(vs, i)))
		tile.Elems, steps = append(tile.Elems, e), append(steps, step)
		step = value.Binary("*", step, e)
	}
	tv := &cute.Layout{Shape: cute.Tuple(cute.Inverse(thr, vs, steps), cute.Inverse(val, value.Int(1), steps)), Stride: value.Data{}}
	c.Fields["tiler_mn"], c.Fields["layout_tv"], c.Fields["layout_tv_tiled"] = tile, tv, tv
	return c
}

func (m *machine) concreteLayout(v value.Value) value.Value {
	if l, ok := v.(*cute.Layout); ok {
		return &cute.Layout{Shape: m.concrete(l.Shape), Stride: m.concrete(l.Strides())}
	}
	return m.concrete(v)
}
