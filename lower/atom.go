package lower

import (
	"maps"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// cuteAtom evaluates what makes and uses copy and multiply atoms.
func (m *machine) cuteAtom(name, short string, a *arguments) (value, bool) {
	x := firstOf(a.get(0, "op"), a.get(0, "atom"), data{})
	switch {
	case strings.HasPrefix(short, "Mma"), strings.HasPrefix(short, "SM103Mma"), short == "make_tiled_mma", short == "make_mma_atom", short == "make_trivial_tiled_mma", short == "make_blockscaled_trivial_tiled_mma":
		return newMMA(name, a), true
	case strings.HasSuffix(short, "Op"):
		return copyOperation(name, a), true
	case strings.HasPrefix(short, "make_tiled_tma_atom"):
		return m.tmaAtom(x, firstOf(a.get(1, "gmem_tensor"), data{}), firstOf(a.get(2, "smem_layout"), data{}), firstOf(a.get(3, "cta_tiler"), a.get(3, "mma_tiler_mnk"), data{}), a.node), true
	case strings.HasPrefix(short, "make_smem_layout"):
		return m.smemLayout(short, a), true
	}
	switch short {
	case "make_copy_atom", "CopyAtom":
		x = atomOf(operationOf(x))
		if c, ok := x.(*object); ok && atomKind(c) != "" {
			c.fields["dtype"], c.fields["bits"] = a.or(1, "copy_internal_type", data{}), a.or(-1, "num_bits_per_copy", none{})
		}
		return x, true
	case "get_tmem_load_op":
		c := tmemCopy(nil, nil, a)
		c.fields["registers"] = text("D")
		return c, true
	case "make_tmem_copy": // tcgen05.ld and st are .sync.aligned (PTX ISA 9.7.16.8)
		return tmemCopy(x, a.get(1, "tmem_tensor"), a), true
	case "make_s2t_copy":
		return copyAtom("tcgen05.cp"), true
	case "get_s2t_smem_desc_tensor":
		return firstOf(a.get(1, "smem_tensor"), data{}), true
	case "make_tiled_copy_tv":
		return m.tiledCopy(x, a.get(1, "thr_layout"), firstOf(a.get(2, "val_layout"), integer(1))), true
	case "make_tiled_copy", "make_cotiled_copy", "make_tiled_copy_A", "make_tiled_copy_B", "make_tiled_copy_C", "make_tiled_copy_D",
		"make_tiled_copy_S", "make_tiled_copy_C_atom":
		return copyAs(firstOf(a.get(0, "atom"), a.get(0, "copy_atom"), data{}), a.get(1, "tiled_mma"), short), true
	case "copy", "copy_atom_call":
		if bar := firstOf(a.get(-1, "tma_bar_ptr"), a.get(-1, "mbar_ptr"), a.get(-1, "mbar"), none{}); bar != (none{}) && !m.host {
			m.copyWith(bar, x, a)
			return none{}, true
		}
		pred := a.get(-1, "pred")
		m.copy(x, predicated(pred, a.get(1, "src")), predicated(pred, a.get(2, "dst")), a.node)
		return none{}, true
	case "autovec_copy", "basic_copy":
		m.copy(copyAtom("thread"), a.get(0, "src"), a.get(1, "dst"), a.node)
		return none{}, true
	case "basic_copy_if":
		pred := a.get(0, "pred")
		m.copy(copyAtom("thread"), predicated(pred, a.get(1, "src")), predicated(pred, a.get(2, "dst")), a.node)
		return none{}, true
	case "prefetch":
		return none{}, true
	}
	return nil, false
}

// tmaAtom is make_tiled_tma_atom(op, tensor, layout, tiler, …): the atom, and the tensor as TMA sees it. A tile, of which the box of the
// map is part, is not empty either.
func (m *machine) tmaAtom(op, gmem, smem, tiler value, n program.Node) value {
	op, t := atomOf(operationOf(op)), gmem
	if m.launch != nil {
		m.launch.fill(shapeOf(gmem))
		m.launch.fill(tiler)
	}
	if sym, ok := gmem.(symbol); ok {
		t = &tensor{name: canonical(sym), shape: shapeOf(sym), dtype: m.member(sym, "element_type", nil), outer: -1, root: canonical(sym)}
	}
	mod := m.in.low.embeddedModule("cutlass.tma")
	if info, ok := m.in.low.global(mod, "TmaInfo"); ok {
		if c, ok := info.(*class); ok {
			o := m.instance(c, &arguments{vals: []value{op, t}, node: n}, n)
			if o, ok := o.(*object); ok {
				o.fields["smem_layout"] = smem
			}
			return o
		}
	}
	return tuple(op, t)
}

// copyAtom is a copy instruction as a value. Its kind says which engine performs it: "load" and "store" (TMA),
// "cp.async", "tcgen05.cp", "warp" (all lanes at once, .sync.aligned), "thread".
func copyAtom(kind string) *object {
	return &object{fields: map[string]value{"kind": text(kind)}}
}

// atomOf is the copy atom that performs an operation; anything else stays what it is.
func atomOf(op value) value {
	o, ok := op.(*object)
	if !ok || atomKind(o) == "" {
		return op
	}
	c := *o
	c.fields = maps.Clone(o.fields)
	c.fields["op"] = o
	return &c
}

// operationInstance is isinstance(op, class) for a copy operation of the library. Its base classes are those of copies,
// of tensor copies by TMA, and abstract ones; no operation is derived from another.
func operationInstance(o *object, class string) value {
	own, ok := o.fields["class"].(text)
	switch short := lastWord(class); {
	case !ok || o.fields["op"] != nil || strings.Contains(short, "Base"):
		return data{}
	case short == "CopyOp" || short == "object":
		return integer(1)
	case short == "TmaCopyOp":
		return boolean(strings.Contains(string(own), "BulkTensor"))
	default:
		return boolean(short == string(own))
	}
}

// atomKind is the kind of a copy atom, "" for anything else.
func atomKind(v value) string {
	if o, ok := v.(*object); ok && o.class == nil {
		if k, ok := o.fields["kind"].(text); ok {
			return string(k)
		}
	}
	return ""
}

// copyOperation is an instance of one of the library's copy operation classes.
func copyOperation(name string, a *arguments) value {
	c := copyAtom(copyKind(lastWord(name)))
	c.fields["class"] = text(lastWord(name))
	c.fields["multicast"] = boolean(strings.Contains(lastWord(name), "Multicast"))
	c.fields["cta_group"] = firstOf(a.get(0, "cta_group"), none{})
	if storesTensorMemory(lastWord(name)) {
		c.fields["stores"] = integer(1)
	}
	if tensorOperation(lastWord(name)) {
		c.fields["tmem"], c.fields["registers"] = integer(1), text("D")
		if c.fields["stores"] != nil {
			c.fields["registers"] = text("S")
		}
	}
	if columns := tmemColumns(lastWord(name), a); columns > 0 {
		c.fields["columns"] = integer(columns)
	}
	return c
}

// operationOf is the library's copy operation that an object of a class derived from one stands for.
func operationOf(v value) value {
	o, ok := v.(*object)
	if !ok || o.class == nil {
		return v
	}
	for _, base := range o.class.outside() {
		if short := lastWord(base); strings.HasPrefix(short, "Copy") && strings.HasSuffix(short, "Op") {
			return copyOperation(base, &arguments{names: []string{"cta_group"}, named: []value{firstOf(o.fields["cta_group"], none{})}})
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
func (m *machine) copy(atom, src, dst value, n program.Node) {
	if m.host {
		return
	}
	kind := atomKind(atom)
	s, _ := src.(*tensor)
	d, _ := dst.(*tensor)
	if kind == "warp" {
		m.converge(n)
		if atom.(*object).fields["stores"] != nil {
			m.noteStore(n, false)
		}
	}
	if isTensorCopy(atom) || kind != "tcgen05.cp" && (s != nil && s.block.inColumns() || d != nil && d.block.inColumns()) {
		m.transfer(atom, s, d, dst, n)
		loseRegisters([]value{dst})
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
	if sym, ok := src.(symbol); ok {
		m.reachesAnything(sym.expr.String(), false, sym.expr.String()+" is read as a whole", n)
	}
	if d != nil && !to {
		m.changes(d.name)
	} else if sym, ok := dst.(symbol); ok {
		m.reachesAnything(sym.expr.String(), true, "what is copied to is not known", n)
		m.changes(sym.expr.String())
	}
	if (kind == "thread" || threads(atom)) && m.carry(s, d, n) {
		return
	}
	loseRegisters([]value{dst})
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
		m.loseTensors([]value{src, dst}, "copied by an instruction that is not known")
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
func threads(atom value) bool {
	_, isData := atom.(data)
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
