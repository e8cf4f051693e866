package lower

import (
	"maps"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// cuteAtom evaluates what makes and uses copy and multiply atoms.
func (m *machine) cuteAtom(name, short string, a *value.Arguments) (value.Value, bool) {
	x := value.FirstOf(a.Get(0, "op"), a.Get(0, "atom"), value.Data{})
	switch {
	case strings.HasPrefix(short, "Mma"), strings.HasPrefix(short, "SM103Mma"), short == "make_tiled_mma", short == "make_mma_atom", short == "make_trivial_tiled_mma", short == "make_blockscaled_trivial_tiled_mma":
		return NewMMA(name, a), true
	case strings.HasSuffix(short, "Op"):
		return CopyOperation(name, a), true
	case strings.HasPrefix(short, "make_tiled_tma_atom"):
		return m.tmaAtom(x, value.FirstOf(a.Get(1, "gmem_tensor"), value.Data{}), value.FirstOf(a.Get(2, "smem_layout"), value.Data{}), value.FirstOf(a.Get(3, "cta_tiler"), a.Get(3, "mma_tiler_mnk"), value.Data{}), a.Node), true
	case strings.HasPrefix(short, "make_smem_layout"):
		return m.smemLayout(short, a), true
	}
	switch short {
	case "make_copy_atom", "CopyAtom":
		x = AtomOf(OperationOf(x))
		if c, ok := x.(*value.Object); ok && AtomKind(c) != "" {
			c.Fields["dtype"], c.Fields["bits"] = a.Or(1, "copy_internal_type", value.Data{}), a.Or(-1, "num_bits_per_copy", value.None{})
		}
		return x, true
	case "get_tmem_load_op":
		c := TmemCopy(nil, nil, a)
		c.Fields["registers"] = value.Text("D")
		return c, true
	case "make_tmem_copy": // tcgen05.ld and st are .sync.aligned (PTX ISA 9.7.16.8)
		return TmemCopy(x, a.Get(1, "tmem_tensor"), a), true
	case "make_s2t_copy":
		return CopyAtom("tcgen05.cp"), true
	case "get_s2t_smem_desc_tensor":
		return value.FirstOf(a.Get(1, "smem_tensor"), value.Data{}), true
	case "make_tiled_copy_tv":
		return m.tiledCopy(x, a.Get(1, "thr_layout"), value.FirstOf(a.Get(2, "val_layout"), value.Int(1))), true
	case "make_tiled_copy", "make_cotiled_copy", "make_tiled_copy_A", "make_tiled_copy_B", "make_tiled_copy_C", "make_tiled_copy_D",
		"make_tiled_copy_S", "make_tiled_copy_C_atom":
		return CopyAs(value.FirstOf(a.Get(0, "atom"), a.Get(0, "copy_atom"), value.Data{}), a.Get(1, "tiled_mma"), short), true
	case "copy", "copy_atom_call":
		if bar := value.FirstOf(a.Get(-1, "tma_bar_ptr"), a.Get(-1, "mbar_ptr"), a.Get(-1, "mbar"), value.None{}); bar != (value.None{}) && !m.host {
			m.copyWith(bar, x, a)
			return value.None{}, true
		}
		pred := a.Get(-1, "pred")
		m.copy(x, Predicated(pred, a.Get(1, "src")), Predicated(pred, a.Get(2, "dst")), a.Node)
		return value.None{}, true
	case "autovec_copy", "basic_copy":
		m.copy(CopyAtom("thread"), a.Get(0, "src"), a.Get(1, "dst"), a.Node)
		return value.None{}, true
	case "basic_copy_if":
		pred := a.Get(0, "pred")
		m.copy(CopyAtom("thread"), Predicated(pred, a.Get(1, "src")), Predicated(pred, a.Get(2, "dst")), a.Node)
		return value.None{}, true
	case "prefetch":
		return value.None{}, true
	}
	return nil, false
}

// tmaAtom is make_tiled_tma_atom(op, tensor, layout, tiler, …): the atom, and the tensor as TMA sees it. A tile, of which the box of the
// map is part, is not empty either.
func (m *machine) tmaAtom(op, gmem, smem, tiler value.Value, n program.Node) value.Value {
	op, t := AtomOf(OperationOf(op)), gmem
	if m.launch != nil {
		m.launch.fill(ShapeOf(gmem))
		m.launch.fill(tiler)
	}
	if sym, ok := gmem.(value.Symbol); ok {
		t = &Tensor{Name: value.Canonical(sym), Shape: ShapeOf(sym), Dtype: m.member(sym, "element_type", nil), Outer: -1, Root: value.Canonical(sym)}
	}
	mod := m.in.low.embeddedModule("cutlass.tma")
	if info, ok := m.in.low.global(mod, "TmaInfo"); ok {
		if c, ok := info.(*value.Class); ok {
			o := m.instance(c, &value.Arguments{Vals: []value.Value{op, t}, Node: n}, n)
			if o, ok := o.(*value.Object); ok {
				o.Fields["smem_layout"] = smem
			}
			return o
		}
	}
	return Tuple(op, t)
}

// CopyAtom is a copy instruction as a value. Its kind says which engine performs it: "load" and "store" (TMA),
// "cp.async", "tcgen05.cp", "warp" (all lanes at once, .sync.aligned), "thread".
func CopyAtom(kind string) *value.Object {
	return &value.Object{Fields: map[string]value.Value{"kind": value.Text(kind)}}
}

// AtomOf is the copy atom that performs an operation; anything else stays what it is.
func AtomOf(op value.Value) value.Value {
	o, ok := op.(*value.Object)
	if !ok || AtomKind(o) == "" {
		return op
	}
	c := *o
	c.Fields = maps.Clone(o.Fields)
	c.Fields["op"] = o
	return &c
}

// OperationInstance is isinstance(op, class) for a copy operation of the library. Its base classes are those of copies,
// of tensor copies by TMA, and abstract ones; no operation is derived from another.
func OperationInstance(o *value.Object, class string) value.Value {
	own, ok := o.Fields["class"].(value.Text)
	switch short := value.LastWord(class); {
	case !ok || o.Fields["op"] != nil || strings.Contains(short, "Base"):
		return value.Data{}
	case short == "CopyOp" || short == "object":
		return value.Int(1)
	case short == "TmaCopyOp":
		return value.Bool(strings.Contains(string(own), "BulkTensor"))
	default:
		return value.Bool(short == string(own))
	}
}

// AtomKind is the kind of a copy atom, "" for anything else.
func AtomKind(v value.Value) string {
	if o, ok := v.(*value.Object); ok && o.Class == nil {
		if k, ok := o.Fields["kind"].(value.Text); ok {
			return string(k)
		}
	}
	return ""
}

// CopyOperation is an instance of one of the library's copy operation classes.
func CopyOperation(name string, a *value.Arguments) value.Value {
	c := CopyAtom(copyKind(value.LastWord(name)))
	c.Fields["class"] = value.Text(value.LastWord(name))
	c.Fields["multicast"] = value.Bool(strings.Contains(value.LastWord(name), "Multicast"))
	c.Fields["cta_group"] = value.FirstOf(a.Get(0, "cta_group"), value.None{})
	if storesTensorMemory(value.LastWord(name)) {
		c.Fields["stores"] = value.Int(1)
	}
	if tensorOperation(value.LastWord(name)) {
		c.Fields["tmem"], c.Fields["registers"] = value.Int(1), value.Text("D")
		if c.Fields["stores"] != nil {
			c.Fields["registers"] = value.Text("S")
		}
	}
	if columns := tmemColumns(value.LastWord(name), a); columns > 0 {
		c.Fields["columns"] = value.Int(columns)
	}
	return c
}

// OperationOf is the library's copy operation that an object of a class derived from one stands for.
func OperationOf(v value.Value) value.Value {
	o, ok := v.(*value.Object)
	if !ok || o.Class == nil {
		return v
	}
	for _, base := range o.Class.Outside() {
		if short := value.LastWord(base); strings.HasPrefix(short, "Copy") && strings.HasSuffix(short, "Op") {
			return CopyOperation(base, &value.Arguments{Names: []string{"cta_group"}, Named: []value.Value{value.FirstOf(o.Fields["cta_group"], value.None{})}})
		}
	}
	return v
}

// copyKind tells from the name of a copy operation's class which engine performs it.
func copyKind(short string) string {
	switch {
	case strings.Contains(short, "Bulk") && strings.Contains(short, "G2S"):
		return "load"
	case strings.Contains(short, "Bulk") && (strings.Contains(short, "S2G") || strings.Contains(short, "Reduce")):
		return "store"
	case WarpWide(short):
		return "warp"
	case strings.HasPrefix(short, "CopyG2S"):
		return "cp.async"
	case strings.HasPrefix(short, "Cp"):
		if strings.HasPrefix(short, "Copy") {
			return "thread"
		}
		return "tcgen05.cp"
	}
	return "thread"
}

// copy is cute.copy without an mbarrier. An atom that is not known stands for the threads themselves.
func (m *machine) copy(atom, src, dst value.Value, n program.Node) {
	if m.host {
		return
	}
	kind := AtomKind(atom)
	s, _ := src.(*Tensor)
	d, _ := dst.(*Tensor)
	if kind == "warp" {
		m.converge(n)
		if atom.(*value.Object).Fields["stores"] != nil {
			m.noteStore(n, false)
		}
	}
	if IsTensorCopy(atom) || kind != "tcgen05.cp" && (s != nil && s.Block.InColumns() || d != nil && d.Block.InColumns()) {
		m.transfer(atom, s, d, dst, n)
		LoseRegisters([]value.Value{dst})
		return
	}
	m.readsRegisters(src, n)
	from, to := s != nil && s.Block != nil, d != nil && d.Block != nil
	if kind == "thread" || Threads(atom) {
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
		m.changes(d.Name)
	} else if sym, ok := dst.(value.Symbol); ok {
		m.reachesAnything(sym.Expr.String(), true, "what is copied to is not known", n)
		m.changes(sym.Expr.String())
	}
	if (kind == "thread" || Threads(atom)) && m.carry(s, d, n) {
		return
	}
	LoseRegisters([]value.Value{dst})
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
	case kind == "load" || kind == "" && !Threads(atom):
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

// Threads reports whether a copy atom that is not known is surely not TMA's: one made in the kernel by a library function.
func Threads(atom value.Value) bool {
	_, isData := atom.(value.Data)
	return isData
}

// WarpWide reports whether a copy operation is one instruction of a whole warp: ldmatrix, stmatrix (PTX ISA 9.7.14.5.15
// and 16), tcgen05.ld and tcgen05.st.
func WarpWide(short string) bool {
	return strings.HasPrefix(short, "LdMatrix") || strings.HasPrefix(short, "StMatrix") || tensorOperation(short)
}

// tensorOperation reports whether a copy operation is tcgen05.ld or tcgen05.st.
func tensorOperation(short string) bool {
	for _, w := range []string{"Ld16x", "Ld32x", "LdRed", "St16x", "St32x"} {
		if strings.HasPrefix(short, w) {
			return true
		}
	}
	return false
}
