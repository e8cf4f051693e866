package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// tiledMMA is a matrix-multiply instruction tiled over a CTA or a pair of them.
type tiledMMA struct {
	kind        string      // "tcgen05", "wgmma", "warp"; "" where it is not known
	ctas        value.Value // CTAs that one instruction spans: the size of thr_id of a tcgen05 instruction
	shape       value.Value // M, N, K
	atoms       value.Value // instructions side by side, nil for one
	dtype       value.Value // of the first operand, nil where not known
	permutation value.Value // how their tile is permuted along M, N, K; nil for not at all
	// What it was made with, in order: number types of operands and accumulator, major modes of the operands, and where
	// the first operand is.
	dtypes, majors []value.Value
	source         value.Value
	scaled         bool // by factors of its operands' blocks
}

// blockScaled are the instructions with scale factors, whose accumulators are of 32 bits (PTX ISA 9.7.16.2.1, .kind::mx*), and the
// library's function that chooses one of them.
var blockScaled = value.Words("make_blockscaled_trivial_tiled_mma MmaMXF8Op MmaMXF8F6F4Op MmaMXF4Op MmaMXF4NVF4Op SM103MmaMXF4Op SM103MmaMXF4NVF4Op")

// newMMA reads an instruction from the call that makes it: the operation classes of tcgen05, warpgroup and warp, and
// the library functions that choose one (notes/cutedsl.md 1.5).
func newMMA(name string, a *value.Arguments) *tiledMMA {
	mma := &tiledMMA{ctas: value.Int(1), shape: value.Data{}, scaled: blockScaled[value.LastWord(name)]}
	var tiler, dtype value.Value
	for _, v := range a.All() {
		switch v := v.(type) {
		case *tiledMMA:
			out := *v
			if atoms := a.Get(1, "atom_layout_mnk"); name == "make_tiled_mma" || value.LastWord(name) == "make_tiled_mma" {
				out.atoms, out.permutation = atoms, a.Get(2, "permutation_mnk")
			}
			return &out
		case value.Path:
			if strings.Contains(string(v), "CtaGroup.") {
				mma.kind = "tcgen05"
				if isPair(v) {
					mma.ctas = value.Int(2)
				}
			} else if value.BitsOf(v) > 0 {
				dtype = value.FirstOf(dtype, v)
				mma.dtypes = append(mma.dtypes, v)
			} else if strings.Contains(string(v), "MajorMode.") {
				mma.majors = append(mma.majors, v)
			} else if strings.Contains(string(v), "OperandSource.") {
				mma.source = v
			}
		case *value.EnumMember:
			if v.Class.Decl.Name == "CtaGroup" {
				mma.kind = "tcgen05"
				if isPair(v) {
					mma.ctas = value.Int(2)
				}
			}
		case value.Symbol:
			if strings.Contains(v.Expr.String(), "cta_group") {
				mma.kind, mma.ctas = "tcgen05", value.Atom("size("+v.Expr.String()+")")
			} else if value.BitsOf(v) > 0 || dtype == nil && strings.Contains(v.Expr.String(), "dtype") {
				dtype = value.FirstOf(dtype, v)
				mma.dtypes = append(mma.dtypes, v)
			}
		case *value.Sequence:
			if n := len(v.Elems); n == 3 && value.LastWord(name) == "make_trivial_tiled_mma" && mma.kind != "tcgen05" {
				mma.atoms = v
			} else if n == 2 || n == 3 && (strings.HasSuffix(name, "Op") || tiler == nil) {
				tiler = v
			}
		}
	}
	switch {
	case strings.Contains(name, "tcgen05."):
		mma.kind = "tcgen05"
	case strings.Contains(name, "warpgroup.") || strings.Contains(name, "sm90") || strings.Contains(name, "hopper"):
		mma.kind = "wgmma"
	case strings.Contains(name, "warp."):
		mma.kind = "warp"
	}
	mma.dtype = dtype
	if tiler != nil {
		var k value.Value = value.Data{}
		if ms := modes(tiler); len(ms) == 3 {
			k = ms[2]
		} else if n := value.BitsOf(dtype); n > 0 {
			k = value.Int(256 / n) // 32 bytes of K an instruction (PTX ISA 9.7.16.2.1 and 9.7.15.2)
		}
		mma.shape = tuple(part(tiler, 0), part(tiler, 1), k)
	}
	return mma
}

func (mma *tiledMMA) Spell(left *int) string { return "mma" + value.Spell(mma.shape, left) }
func (mma *tiledMMA) Replaced(part func(value.Value) value.Value) value.Value {
	out := *mma
	out.ctas, out.shape, out.atoms, out.permutation = part(mma.ctas), part(mma.shape), part(mma.atoms), part(mma.permutation)
	return &out
}
func (mma *tiledMMA) Uniform(*int) bool { return true }

// member gives an attribute of a tiled multiplication.
func (mma *tiledMMA) member(name string) value.Value {
	switch name {
	case "thr_id":
		return &layout{shape: mma.ctas}
	case "shape_mnk":
		return mma.shape
	case "size":
		return mma.threads()
	case "op":
		op := *mma
		op.atoms = nil
		return &op
	case "a_dtype", "b_dtype", "acc_dtype", "a_major_mode", "b_major_mode", "a_src":
		return mma.madeWith(name)
	case "thr_layout_vmnk":
		return &layout{shape: tuple(mma.ctas, value.Int(1), value.Int(1), value.Int(1))}
	}
	return value.Data{}
}

// madeWith is an attribute of the instruction's class, as far as its making tells.
func (mma *tiledMMA) madeWith(name string) value.Value {
	n := len(mma.dtypes)
	switch {
	case name == "a_src" && mma.kind != "":
		return value.FirstOf(mma.source, value.Path("cutlass.cute.nvgpu."+mma.kind+".OperandSource.SMEM"))
	case name == "a_dtype" && n > 0:
		return mma.dtypes[0]
	case name == "b_dtype" && n > 1: // both are of one type where only one is named
		return mma.dtypes[n-2]
	case name == "acc_dtype" && mma.scaled:
		return value.Path("cutlass.Float32")
	case name == "acc_dtype" && n > 1:
		return mma.dtypes[n-1]
	case name == "a_major_mode" && len(mma.majors) == 2:
		return mma.majors[0]
	case name == "b_major_mode" && len(mma.majors) == 2:
		return mma.majors[1]
	}
	return value.Data{}
}

// instance is isinstance(op, class) for an operation class of the library: the class follows from the number type of the
// operands (PTX ISA 9.7.16.2.1, .kind). A library function that chooses the class may choose either of two for FP8, as
// one of them came later.
func (mma *tiledMMA) instance(class string) value.Value {
	if !strings.HasPrefix(class, "Mma") {
		return value.Bool(value.Words("TiledMma ThrMma object")[class])
	}
	dtype, ok := mma.madeWith("a_dtype"), false
	if s, unknown := dtype.(value.Symbol); unknown && value.BitsOf(s) == 16 {
		return value.Bool(class == "MmaF16BF16Op" || class == "MmaOp")
	}
	p, ok := dtype.(value.Path)
	if !ok {
		return value.Data{}
	}
	name := value.LastWord(string(p))
	switch k := value.NumberType(name); {
	case class == "MmaOp":
		return value.Int(1)
	case k == nil:
		return value.Data{}
	case name == "TFloat32" || name == "Float32":
		return value.Bool(class == "MmaTF32Op")
	case k.Float && k.Bits == 16:
		return value.Bool(class == "MmaF16BF16Op")
	case k.Integer && k.Bits == 8:
		return value.Bool(class == "MmaI8Op")
	case k.Float && k.Bits == 8 && !value.Words("MmaFP8Op MmaF8Op MmaF8F6F4Op")[class] && !strings.Contains(class, "MX"):
		return value.Int(0)
	}
	return value.Data{}
}

// threads is how many threads execute the multiplication together: a warp group or a warp an instruction; of tcgen05, one
// in each CTA.
func (mma *tiledMMA) threads() value.Value {
	var one value.Int
	switch mma.kind {
	case "wgmma":
		one = 128
	case "warp":
		one = 32
	case "tcgen05":
		return mma.ctas
	default:
		return value.Data{}
	}
	if mma.atoms == nil {
		return one
	}
	return value.Binary("*", one, product(shapeOf(mma.atoms)))
}

// fragment is the shape of an operand in a CTA: one instruction's part, then how often along both modes.
func (mma *tiledMMA) fragment(operand byte, tile value.Value) value.Value {
	m, n, k := part(mma.shape, 0), part(mma.shape, 1), part(mma.shape, 2)
	x, y := m, k
	px, py := ceilDiv(m, mma.ctas), k
	switch operand {
	case 'B':
		x, px = n, ceilDiv(n, mma.ctas)
	case 'C':
		y, py = n, n
	}
	first := tuple(px, py)
	if own := mma.threadsPart(); own != nil && operand == 'C' {
		first, x, y = own, value.Binary("*", m, mma.along(0)), value.Binary("*", n, mma.along(1))
	} else if mma.kind == "wgmma" && operand == 'A' { // from registers, laid out like an accumulator of K columns
		first, x, y = mma.threadsPartOf(k), value.Binary("*", m, mma.along(0)), value.Binary("*", k, mma.along(2))
	}
	out := &value.Sequence{Elems: []value.Value{first, ceilDiv(product(part(tile, 0)), x), ceilDiv(product(part(tile, 1)), y)}}
	if t, ok := tile.(*value.Sequence); ok && len(t.Elems) > 2 {
		out.Elems = append(out.Elems, t.Elems[2:]...)
	}
	return out
}

// mmaMethod evaluates tiled_mma.name(…).
func (m *machine) mmaMethod(mma *tiledMMA, name string, a *value.Arguments) (value.Value, bool) {
	x := a.Get(0, "input")
	switch name {
	case "get_slice":
		return mma, true
	case "set":
		m.scalesBy(a.Get(0, "field"), value.FirstOf(a.Get(1, "value"), value.Data{}))
		return value.None{}, true
	case "get":
		return value.None{}, true
	case "partition_shape_A", "partition_shape_B", "partition_shape_C":
		return mma.fragment(name[len(name)-1], a.Get(0, "shape")), true
	case "partition_A", "partition_B", "partition_C":
		v := m.partition(x, nil, name)
		if t, ok := v.(*tensor); ok {
			mma.extents(t, x, name[len(name)-1])
			// Warp groups read the rows of A that are theirs, and all of B.
			t.wide = mma.acrossWarps(name[len(name)-1])
			t.split = mma.kind == "warp" || name != "partition_B" && mma.kind != "tcgen05"
		}
		return v, true
	case "make_fragment_A", "make_fragment_B", "make_fragment_C":
		if name == "make_fragment_C" && mma.kind == "tcgen05" {
			return m.accumulator(mma, x, name+canonicalArgs(a.All())), true
		}
		if t, ok := x.(*tensor); ok && name == "make_fragment_A" && t.block.InColumns() {
			if out, ok := m.columnOperand(mma, t); ok {
				return out, true
			}
		}
		if t, ok := x.(*tensor); ok {
			ms := append([]value.Value{value.Int(1)}, modes(t.shape)[min(1, len(modes(t.shape))):]...)
			out := t.with(name, &value.Sequence{Elems: ms}, t.outer)
			out.mma, out.local = mma, true
			if mma.kind == "warp" { // registers; the other instructions read shared memory through descriptors
				out.block = nil
			}
			return out, true
		}
		t := &tensor{name: name + canonicalArgs(a.All()), shape: shapeOf(x), outer: -1, local: true}
		if name == "make_fragment_A" {
			t.dtype = mma.dtype
		}
		return t, true
	}
	return nil, false
}

// extents fills in what is known of the extents of a partitioned operand: for tcgen05 all, else how often the
// instruction goes into the tile's K.
func (mma *tiledMMA) extents(t *tensor, of value.Value, operand byte) {
	s := newShaped(of, "", 2)
	if len(s.shape) < 2 {
		return
	}
	own := t.shape.(*value.Sequence).Elems
	if mma.kind == "tcgen05" {
		copy(own, mma.fragment(operand, &value.Sequence{Elems: s.shape[:2]}).(*value.Sequence).Elems)
	} else if k, ok := part(mma.shape, 2).(value.Int); ok && operand != 'C' {
		own[2] = ceilDiv(product(s.shape[1]), value.Binary("*", k, mma.along(2)))
	}
}

// threadsPart is the shape of what one thread holds of an instruction's accumulator where that is in registers: pairs in
// two rows, every eight columns (PTX ISA 9.7.14.5 and 9.7.15.5.1); nil where it is in tensor memory or not known.
func (mma *tiledMMA) threadsPart() *value.Sequence { return mma.threadsPartOf(part(mma.shape, 1)) }

func (mma *tiledMMA) threadsPartOf(columns value.Value) *value.Sequence {
	switch mma.kind {
	case "wgmma":
		return tuple(value.Int(2), value.Int(2), ceilDiv(columns, value.Int(8)))
	case "warp":
		return tuple(value.Int(2), value.Int(2))
	}
	return nil
}

// along is how many instructions a tiled multiplication sets side by side along M, N or K.
func (mma *tiledMMA) along(mode int) value.Value {
	if mma.atoms == nil {
		return value.Int(1)
	}
	return product(part(shapeOf(mma.atoms), mode))
}

// smemLayout is the shared-memory layout that a library function chooses for an operand or an epilogue tile: the tile's
// modes, then the stages. How it is swizzled does not matter here.
func (m *machine) smemLayout(name string, a *value.Arguments) value.Value {
	stages := a.Get(3, "num_stages")
	var shape *value.Sequence
	if mma, ok := a.Get(0, "tiled_mma").(*tiledMMA); ok {
		tile := a.Get(1, "mma_tiler_mnk")
		rows, columns, depth := part(tile, 0), part(tile, 1), part(tile, 2)
		switch name {
		case "make_smem_layout_a":
			shape = mma.fragment('A', tuple(rows, depth)).(*value.Sequence)
		case "make_smem_layout_b":
			shape = mma.fragment('B', tuple(columns, depth)).(*value.Sequence)
		default: // scale factors: 128-row atoms whose content is not needed
			shape = tuple(m.unknownModes(name+canonicalArgs(a.All()), 3)...)
		}
	} else {
		tile := a.Get(1, "tile")
		if name == "make_smem_layout_epi" {
			tile = a.Get(2, "epi_tile")
		}
		x, y := part(shapeOf(tile), 0), part(shapeOf(tile), 1)
		if len(modes(tile)) == 3 && name != "make_smem_layout_epi" {
			y = part(tile, 2)
			if name == "make_smem_layout_b" {
				x = part(tile, 1)
			}
		}
		shape = tuple(shapeOf(x), shapeOf(y))
		if strings.HasSuffix(name, "sfa") || strings.HasSuffix(name, "sfb") {
			shape = tuple(m.unknownModes(name+canonicalArgs(a.All()), 3)...)
		}
	}
	if stages != nil {
		shape = &value.Sequence{Elems: append(append([]value.Value{}, shape.Elems...), stages)}
	}
	return &layout{shape: shape, stride: value.Data{}}
}
