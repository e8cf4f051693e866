package cute

import (
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// TiledMMA is a matrix-multiply instruction tiled over a CTA or a pair of them.
type TiledMMA struct {
	Kind        string      // "tcgen05", "wgmma", "warp", "thread"; "" where it is not known
	Ctas        value.Value // CTAs that one instruction spans: the size of thr_id of a tcgen05 instruction
	Shape       value.Value // M, N, K
	Atoms       value.Value // instructions side by side, nil for one
	Dtype       value.Value // of the first operand, nil where not known
	Permutation value.Value // how their tile is permuted along M, N, K; nil for not at all
	// What it was made with, in order: number types of operands and accumulator, major modes of the operands, and where
	// the first operand is.
	Dtypes, Majors []value.Value
	Source         value.Value
	Scaled         bool // by factors of its operands' blocks
}

// blockScaled are the instructions with scale factors, whose accumulators are of 32 bits (PTX ISA 9.7.16.2.1, .kind::mx*), and the
// library's function that chooses one of them.
var blockScaled = value.Words("make_blockscaled_trivial_tiled_mma MmaMXF8Op MmaMXF8F6F4Op MmaMXF4Op MmaMXF4NVF4Op SM103MmaMXF4Op SM103MmaMXF4NVF4Op")

// NewMMA reads an instruction from the call that makes it: the operation classes of tcgen05, warpgroup and warp, and
// the library functions that choose one (notes/cutedsl.md 1.5).
func NewMMA(name string, a *value.Arguments) *TiledMMA {
	mma := &TiledMMA{Ctas: value.Int(1), Shape: value.Data{}, Scaled: blockScaled[value.LastWord(name)]}
	var tiler, dtype value.Value
	for _, v := range a.All() {
		switch v := v.(type) {
		case *TiledMMA:
			out := *v
			if atoms := a.Get(1, "atom_layout_mnk"); name == "make_tiled_mma" || value.LastWord(name) == "make_tiled_mma" {
				out.Atoms, out.Permutation = atoms, a.Get(2, "permutation_mnk")
			}
			return &out
		case value.Path:
			if strings.Contains(string(v), "CtaGroup.") {
				mma.Kind = "tcgen05"
				if IsPair(v) {
					mma.Ctas = value.Int(2)
				}
			} else if value.BitsOf(v) > 0 {
				dtype = value.FirstOf(dtype, v)
				mma.Dtypes = append(mma.Dtypes, v)
			} else if strings.Contains(string(v), "MajorMode.") {
				mma.Majors = append(mma.Majors, v)
			} else if strings.Contains(string(v), "OperandSource.") {
				mma.Source = v
			}
		case *value.EnumMember:
			if v.Class.Decl.Name == "CtaGroup" {
				mma.Kind = "tcgen05"
				if IsPair(v) {
					mma.Ctas = value.Int(2)
				}
			}
		case value.Symbol:
			if strings.Contains(v.Expr.String(), "cta_group") {
				mma.Kind, mma.Ctas = "tcgen05", value.Atom("size("+v.Expr.String()+")")
			} else if value.BitsOf(v) > 0 || dtype == nil && strings.Contains(v.Expr.String(), "dtype") {
				dtype = value.FirstOf(dtype, v)
				mma.Dtypes = append(mma.Dtypes, v)
			}
		case *value.Sequence:
			if n := len(v.Elems); n == 3 && value.LastWord(name) == "make_trivial_tiled_mma" && mma.Kind != "tcgen05" {
				mma.Atoms = v
			} else if n == 2 || n == 3 && (strings.HasSuffix(name, "Op") || tiler == nil) {
				tiler = v
			}
		}
	}
	switch {
	case strings.Contains(name, "tcgen05."):
		mma.Kind = "tcgen05"
	case strings.Contains(name, "warpgroup.") || strings.Contains(name, "sm90") || strings.Contains(name, "hopper"):
		mma.Kind = "wgmma"
	case strings.Contains(name, "warp."):
		mma.Kind = "warp"
	case value.LastWord(name) == "MmaUniversalOp": // a product of two numbers in registers
		mma.Kind, tiler = "thread", Tuple(value.Int(1), value.Int(1), value.Int(1))
	}
	mma.Dtype = dtype
	if tiler != nil {
		var k value.Value = value.Data{}
		if ms := Modes(tiler); len(ms) == 3 {
			k = ms[2]
		} else if n := value.BitsOf(dtype); n > 0 {
			k = value.Int(256 / n) // 32 bytes of K an instruction (PTX ISA 9.7.16.2.1 and 9.7.15.2)
		}
		mma.Shape = Tuple(Part(tiler, 0), Part(tiler, 1), k)
	}
	return mma
}

func (mma *TiledMMA) Spell(left *int) string { return "mma" + value.Spell(mma.Shape, left) }
func (mma *TiledMMA) Replaced(part func(value.Value) value.Value) value.Value {
	out := *mma
	out.Ctas, out.Shape, out.Atoms, out.Permutation = part(mma.Ctas), part(mma.Shape), part(mma.Atoms), part(mma.Permutation)
	return &out
}
func (mma *TiledMMA) Uniform(*int) bool { return true }

// Member gives an attribute of a tiled multiplication.
func (mma *TiledMMA) Member(name string) value.Value {
	switch name {
	case "thr_id":
		return &Layout{Shape: mma.Ctas}
	case "shape_mnk":
		return mma.Shape
	case "size":
		return mma.threads()
	case "op":
		op := *mma
		op.Atoms = nil
		return &op
	case "a_dtype", "b_dtype", "acc_dtype", "a_major_mode", "b_major_mode", "a_src":
		return mma.madeWith(name)
	case "thr_layout_vmnk":
		return &Layout{Shape: Tuple(mma.Ctas, value.Int(1), value.Int(1), value.Int(1))}
	}
	return value.Data{}
}

// madeWith is an attribute of the instruction's class, as far as its making tells.
func (mma *TiledMMA) madeWith(name string) value.Value {
	n := len(mma.Dtypes)
	switch {
	case name == "a_src" && mma.Kind != "":
		return value.FirstOf(mma.Source, value.Path("cutlass.cute.nvgpu."+mma.Kind+".OperandSource.SMEM"))
	case name == "a_dtype" && n > 0:
		return mma.Dtypes[0]
	case name == "b_dtype" && n > 1: // both are of one type where only one is named
		return mma.Dtypes[n-2]
	case name == "acc_dtype" && mma.Scaled:
		return value.Path("cutlass.Float32")
	case name == "acc_dtype" && n > 1:
		return mma.Dtypes[n-1]
	case name == "a_major_mode" && len(mma.Majors) == 2:
		return mma.Majors[0]
	case name == "b_major_mode" && len(mma.Majors) == 2:
		return mma.Majors[1]
	}
	return value.Data{}
}

// Instance is isinstance(op, class) for an operation class of the library: the class follows from the number type of the
// operands (PTX ISA 9.7.16.2.1, .kind). A library function that chooses the class may choose either of two for FP8, as
// one of them came later.
func (mma *TiledMMA) Instance(class string) value.Value {
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
func (mma *TiledMMA) threads() value.Value {
	var one value.Int
	switch mma.Kind {
	case "wgmma":
		one = 128
	case "warp":
		one = 32
	case "thread":
		one = 1
	case "tcgen05":
		return mma.Ctas
	default:
		return value.Data{}
	}
	if mma.Atoms == nil {
		return one
	}
	return value.Binary("*", one, Product(ShapeOf(mma.Atoms)))
}

// Fragment is the shape of an operand in a CTA: one instruction's part, then how often along both modes.
func (mma *TiledMMA) Fragment(operand byte, tile value.Value) value.Value {
	m, n, k := Part(mma.Shape, 0), Part(mma.Shape, 1), Part(mma.Shape, 2)
	x, y := m, k
	px, py := CeilDiv(m, mma.Ctas), k
	switch operand {
	case 'B':
		x, px = n, CeilDiv(n, mma.Ctas)
	case 'C':
		y, py = n, n
	}
	first := Tuple(px, py)
	if mma.Kind == "thread" {
		modes := map[byte][2]int{'A': {0, 2}, 'B': {1, 2}, 'C': {0, 1}}[operand]
		first, x, y = Tuple(value.Int(1)), mma.along(modes[0]), mma.along(modes[1])
	} else if own := mma.threadsPart(); own != nil && operand == 'C' {
		first, x, y = own, value.Binary("*", m, mma.along(0)), value.Binary("*", n, mma.along(1))
	} else if mma.Kind == "wgmma" && operand == 'A' { // from registers, laid out like an accumulator of K columns
		first, x, y = mma.threadsPartOf(k), value.Binary("*", m, mma.along(0)), value.Binary("*", k, mma.along(2))
	}
	out := &value.Sequence{Elems: []value.Value{first, CeilDiv(Product(Part(tile, 0)), x), CeilDiv(Product(Part(tile, 1)), y)}}
	if t, ok := tile.(*value.Sequence); ok && len(t.Elems) > 2 {
		out.Elems = append(out.Elems, t.Elems[2:]...)
	}
	return out
}

// InRegisters reports whether the operands are in registers: other instructions read shared memory through descriptors.
func (mma *TiledMMA) InRegisters() bool { return mma.Kind == "warp" || mma.Kind == "thread" }

// Extents fills in what is known of the extents of a partitioned operand: for tcgen05 all, else how often the
// instruction goes into the tile's K.
func (mma *TiledMMA) Extents(t *Tensor, of value.Value, operand byte) {
	s := NewShaped(of, "", 2)
	if len(s.Shape) < 2 {
		return
	}
	own := t.Shape.(*value.Sequence).Elems
	if mma.Kind == "tcgen05" {
		copy(own, mma.Fragment(operand, &value.Sequence{Elems: s.Shape[:2]}).(*value.Sequence).Elems)
	} else if k, ok := Part(mma.Shape, 2).(value.Int); ok && operand != 'C' {
		own[2] = CeilDiv(Product(s.Shape[1]), value.Binary("*", k, mma.along(2)))
	}
}

// threadsPart is the shape of what one thread holds of an instruction's accumulator where that is in registers: pairs in
// two rows, every eight columns (PTX ISA 9.7.14.5 and 9.7.15.5.1); nil where it is in tensor memory or not known.
func (mma *TiledMMA) threadsPart() *value.Sequence { return mma.threadsPartOf(Part(mma.Shape, 1)) }

func (mma *TiledMMA) threadsPartOf(columns value.Value) *value.Sequence {
	switch mma.Kind {
	case "wgmma":
		return Tuple(value.Int(2), value.Int(2), CeilDiv(columns, value.Int(8)))
	case "warp":
		return Tuple(value.Int(2), value.Int(2))
	}
	return nil
}

// along is how many instructions a tiled multiplication sets side by side along M, N or K.
func (mma *TiledMMA) along(mode int) value.Value {
	if mma.Atoms == nil {
		return value.Int(1)
	}
	return Product(Part(ShapeOf(mma.Atoms), mode))
}

// CanonicalArgs spells the arguments of a call inside the name of what it gives.
func CanonicalArgs(args []value.Value) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = value.Canonical(a)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// IsPair reads an enumerator or number that says how many CTAs work together: CtaGroup.TWO, CTAGroup.CTA_2, "cta_2", 2.
func IsPair(v value.Value) bool {
	word := groupWord(v)
	return word == "TWO" || word == "CTA_2" || word == "2"
}

// IsSingle reports whether one says that a CTA works by itself.
func IsSingle(v value.Value) bool {
	word := groupWord(v)
	return word == "ONE" || word == "CTA_1" || word == "1" || v == (value.None{})
}

func groupWord(v value.Value) string {
	word := ""
	switch v := v.(type) {
	case value.Int:
		return strconv.FormatInt(int64(v), 10)
	case value.Text:
		word = string(v)
	case value.Path:
		word = string(v)
	case value.Symbol:
		word = v.Expr.Atom
	case *value.EnumMember:
		word = v.Name
	case *value.Object:
		return groupWord(value.FirstOf(v.Fields["name"], v.Fields["value"]))
	}
	return strings.ToUpper(word[strings.LastIndex(word, ".")+1:])
}

// AccumulatesWords reports whether an accumulator is known to be of numbers of 32 bits: those of block-scaled instructions are,
// and where the last type that the instruction was made with is no other.
func (mma *TiledMMA) AccumulatesWords() bool {
	n := len(mma.Dtypes)
	return mma.Scaled || n > 0 && value.BitsOf(mma.Dtypes[n-1]) != 0 && value.BitsOf(mma.Dtypes[n-1]) != 16
}

// InTensorMemory reports whether a number or an enumerator names the address space of tensor memory, which is 6 in NVVM.
func InTensorMemory(space value.Value) bool {
	p, _ := space.(value.Path)
	return space == value.Int(6) || value.LastWord(string(p)) == "tmem"
}
