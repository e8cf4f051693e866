package lower

import (
	"maps"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// cuteAtom evaluates what makes and uses copy and multiply atoms.
func (m *machine) cuteAtom(name, short string, a *Arguments) (Value, bool) {
	x := FirstOf(a.Get(0, "op"), a.Get(0, "atom"), Data{})
	switch {
	case strings.HasPrefix(short, "Mma"), strings.HasPrefix(short, "SM103Mma"), short == "make_tiled_mma", short == "make_mma_atom", short == "make_trivial_tiled_mma", short == "make_blockscaled_trivial_tiled_mma":
		return newMMA(name, a), true
	case strings.HasSuffix(short, "Op"):
		return copyOperation(name, a), true
	case strings.HasPrefix(short, "make_tiled_tma_atom"):
		return m.tmaAtom(x, FirstOf(a.Get(1, "gmem_tensor"), Data{}), FirstOf(a.Get(2, "smem_layout"), Data{}), FirstOf(a.Get(3, "cta_tiler"), a.Get(3, "mma_tiler_mnk"), Data{}), a.Node), true
	case strings.HasPrefix(short, "make_smem_layout"):
		return m.smemLayout(short, a), true
	}
	switch short {
	case "make_copy_atom", "CopyAtom":
		x = atomOf(operationOf(x))
		if c, ok := x.(*Object); ok && atomKind(c) != "" {
			c.Fields["dtype"], c.Fields["bits"] = a.Or(1, "copy_internal_type", Data{}), a.Or(-1, "num_bits_per_copy", None{})
		}
		return x, true
	case "get_tmem_load_op":
		c := tmemCopy(nil, nil, a)
		c.Fields["registers"] = Text("D")
		return c, true
	case "make_tmem_copy": // tcgen05.ld and st are .sync.aligned (PTX ISA 9.7.16.8)
		return tmemCopy(x, a.Get(1, "tmem_tensor"), a), true
	case "make_s2t_copy":
		return copyAtom("tcgen05.cp"), true
	case "get_s2t_smem_desc_tensor":
		return FirstOf(a.Get(1, "smem_tensor"), Data{}), true
	case "make_tiled_copy_tv":
		return m.tiledCopy(x, a.Get(1, "thr_layout"), FirstOf(a.Get(2, "val_layout"), Int(1))), true
	case "make_tiled_copy", "make_cotiled_copy", "make_tiled_copy_A", "make_tiled_copy_B", "make_tiled_copy_C", "make_tiled_copy_D",
		"make_tiled_copy_S", "make_tiled_copy_C_atom":
		return copyAs(FirstOf(a.Get(0, "atom"), a.Get(0, "copy_atom"), Data{}), a.Get(1, "tiled_mma"), short), true
	case "copy", "copy_atom_call":
		if bar := FirstOf(a.Get(-1, "tma_bar_ptr"), a.Get(-1, "mbar_ptr"), a.Get(-1, "mbar"), None{}); bar != (None{}) && !m.host {
			m.copyWith(bar, x, a)
			return None{}, true
		}
		pred := a.Get(-1, "pred")
		m.copy(x, predicated(pred, a.Get(1, "src")), predicated(pred, a.Get(2, "dst")), a.Node)
		return None{}, true
	case "autovec_copy", "basic_copy":
		m.copy(copyAtom("thread"), a.Get(0, "src"), a.Get(1, "dst"), a.Node)
		return None{}, true
	case "basic_copy_if":
		pred := a.Get(0, "pred")
		m.copy(copyAtom("thread"), predicated(pred, a.Get(1, "src")), predicated(pred, a.Get(2, "dst")), a.Node)
		return None{}, true
	case "prefetch":
		return None{}, true
	}
	return nil, false
}

// tmaAtom is make_tiled_tma_atom(op, tensor, layout, tiler, …): the atom, and the tensor as TMA sees it. A tile, of which the box of the
// map is part, is not empty either.
func (m *machine) tmaAtom(op, gmem, smem, tiler Value, n program.Node) Value {
	op, t := atomOf(operationOf(op)), gmem
	if m.launch != nil {
		m.launch.fill(shapeOf(gmem))
		m.launch.fill(tiler)
	}
	if sym, ok := gmem.(Symbol); ok {
		t = &tensor{name: Canonical(sym), shape: shapeOf(sym), dtype: m.member(sym, "element_type", nil), outer: -1, root: Canonical(sym)}
	}
	mod := m.in.low.embeddedModule("cutlass.tma")
	if info, ok := m.in.low.global(mod, "TmaInfo"); ok {
		if c, ok := info.(*Class); ok {
			o := m.instance(c, &Arguments{Vals: []Value{op, t}, Node: n}, n)
			if o, ok := o.(*Object); ok {
				o.Fields["smem_layout"] = smem
			}
			return o
		}
	}
	return tuple(op, t)
}

// copyAtom is a copy instruction as a value. Its kind says which engine performs it: "load" and "store" (TMA),
// "cp.async", "tcgen05.cp", "warp" (all lanes at once, .sync.aligned), "thread".
func copyAtom(kind string) *Object {
	return &Object{Fields: map[string]Value{"kind": Text(kind)}}
}

// atomOf is the copy atom that performs an operation; anything else stays what it is.
func atomOf(op Value) Value {
	o, ok := op.(*Object)
	if !ok || atomKind(o) == "" {
		return op
	}
	c := *o
	c.Fields = maps.Clone(o.Fields)
	c.Fields["op"] = o
	return &c
}

// operationInstance is isinstance(op, class) for a copy operation of the library. Its base classes are those of copies,
// of tensor copies by TMA, and abstract ones; no operation is derived from another.
func operationInstance(o *Object, class string) Value {
	own, ok := o.Fields["class"].(Text)
	switch short := LastWord(class); {
	case !ok || o.Fields["op"] != nil || strings.Contains(short, "Base"):
		return Data{}
	case short == "CopyOp" || short == "object":
		return Int(1)
	case short == "TmaCopyOp":
		return Bool(strings.Contains(string(own), "BulkTensor"))
	default:
		return Bool(short == string(own))
	}
}

// atomKind is the kind of a copy atom, "" for anything else.
func atomKind(v Value) string {
	if o, ok := v.(*Object); ok && o.Class == nil {
		if k, ok := o.Fields["kind"].(Text); ok {
			return string(k)
		}
	}
	return ""
}

// copyOperation is an instance of one of the library's copy operation classes.
func copyOperation(name string, a *Arguments) Value {
	c := copyAtom(copyKind(LastWord(name)))
	c.Fields["class"] = Text(LastWord(name))
	c.Fields["multicast"] = Bool(strings.Contains(LastWord(name), "Multicast"))
	c.Fields["cta_group"] = FirstOf(a.Get(0, "cta_group"), None{})
	if storesTensorMemory(LastWord(name)) {
		c.Fields["stores"] = Int(1)
	}
	if tensorOperation(LastWord(name)) {
		c.Fields["tmem"], c.Fields["registers"] = Int(1), Text("D")
		if c.Fields["stores"] != nil {
			c.Fields["registers"] = Text("S")
		}
	}
	if columns := tmemColumns(LastWord(name), a); columns > 0 {
		c.Fields["columns"] = Int(columns)
	}
	return c
}

// operationOf is the library's copy operation that an object of a class derived from one stands for.
func operationOf(v Value) Value {
	o, ok := v.(*Object)
	if !ok || o.Class == nil {
		return v
	}
	for _, base := range o.Class.Outside() {
		if short := LastWord(base); strings.HasPrefix(short, "Copy") && strings.HasSuffix(short, "Op") {
			return copyOperation(base, &Arguments{Names: []string{"cta_group"}, Named: []Value{FirstOf(o.Fields["cta_group"], None{})}})
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
	case warpWide(short):
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
func (m *machine) copy(atom, src, dst Value, n program.Node) {
	if m.host {
		return
	}
	kind := atomKind(atom)
	s, _ := src.(*tensor)
	d, _ := dst.(*tensor)
	if kind == "warp" {
		m.converge(n)
		if atom.(*Object).Fields["stores"] != nil {
			m.noteStore(n, false)
		}
	}
	if isTensorCopy(atom) || kind != "tcgen05.cp" && (s != nil && s.block.InColumns() || d != nil && d.block.InColumns()) {
		m.transfer(atom, s, d, dst, n)
		loseRegisters([]Value{dst})
		return
	}
	m.readsRegisters(src, n)
	from, to := s != nil && s.block != nil, d != nil && d.block != nil
	if kind == "thread" || threads(atom) {
		m.touchesGlobal(s, false, nil, n)
		m.touchesGlobal(d, true, nil, n)
	} else {
		m.reachesTensor(s, false, n)
		m.reachesTensor(d, true, n)
	}
	if sym, ok := src.(Symbol); ok {
		m.reachesAnything(sym.Expr.String(), false, sym.Expr.String()+" is read as a whole", n)
	}
	if d != nil && !to {
		m.changes(d.name)
	} else if sym, ok := dst.(Symbol); ok {
		m.reachesAnything(sym.Expr.String(), true, "what is copied to is not known", n)
		m.changes(sym.Expr.String())
	}
	if (kind == "thread" || threads(atom)) && m.carry(s, d, n) {
		return
	}
	loseRegisters([]Value{dst})
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
	case kind == "load" || kind == "" && !threads(atom):
		m.loseTensors([]Value{src, dst}, "copied by an instruction that is not known")
	default:
		if from {
			m.threadAccess(s, false, nil, n)
		}
		if to {
			m.threadAccess(d, true, nil, n)
		}
	}
}

// threads reports whether a copy atom that is not known is surely not TMA's: one made in the kernel by a library function.
func threads(atom Value) bool {
	_, isData := atom.(Data)
	return isData
}

// warpWide reports whether a copy operation is one instruction of a whole warp: ldmatrix, stmatrix (PTX ISA 9.7.14.5.15
// and 16), tcgen05.ld and tcgen05.st.
func warpWide(short string) bool {
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
