package lower

import (
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cutedsl"
	"github.com/fencepost-dev/fencepost/source"
)

const layoutSetting = `
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass.cute.nvgpu import cpasync, tcgen05
import cutlass.utils.blackwell_helpers as sm100_utils
import cutlass.utils.hopper_helpers as sm90_utils
pair = cute.make_tiled_mma(tcgen05.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (256, 128, 16), tcgen05.CtaGroup.TWO))
vmnk = cute.tiled_divide(cute.make_layout((4, 2, 1)), (pair.thr_id,))
rows = cute.make_tiled_copy_tv(cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16, num_bits_per_copy=128), cute.make_ordered_layout((4, 32), order=(1, 0)), cute.make_layout((1, 8)))
store = tcgen05.make_tmem_copy(cute.make_copy_atom(tcgen05.copy.St32x32bOp(tcgen05.copy.Repetition(16)), cutlass.Float32), cute.make_rmem_tensor((128, 64), cutlass.Float32)).get_slice(0)
def choose(x):
    return sm100_utils.make_trivial_tiled_mma(x.element_type, tcgen05.OperandMajorMode.K, tcgen05.OperandMajorMode.K, cutlass.Float32, tcgen05.CtaGroup.ONE, (128, 128))
def call(a):
    chosen = choose(a)
    return `

// Sizes, coordinates and masks as CuTe's documentation defines them, worked out by hand.
func TestLayouts(t *testing.T) {
	for _, c := range []struct{ name, expr, want string }{
		{"size of modes", "(cute.size((4, (2, 3))), cute.size((4, (2, 3)), mode=[1]), cute.size((4, (2, 3)), mode=[1, 0]))", "(24, 6, 2)"},
		{"extents of an unknown", "(cute.size(a, mode=[1]), cute.ceil_div(a.shape[1], 64))", "(a.shape[1], (((a.shape[1] + 64) - 1) // 64))"},
		{"an unknown divided by itself", "(cute.ceil_div(a, a), cute.flat_divide(cute.make_tensor(0, (a * 4, 64)), (a, 32)).shape)", "(1, (a, 32, 4, 2))"},
		{"cosize with padding", "cute.cosize(cute.make_layout((4, 3), stride=(1, 8)))", "20"},
		{"bytes", "cute.size_in_bytes(cutlass.BFloat16, cute.make_layout((128, 64)))", "16384"},
		{"bytes of half a byte each", "cute.size_in_bytes(cutlass.Float4E2M1FN, cute.make_layout((128, 64)))", "4096"},
		{"select and slice", "(cute.select((8, 16, 32), mode=[2, 0]), cute.slice_((8, 16, 32), (None, 0, None)))", "((32, 8), (8, 32))"},
		{"nested coordinates leave modes of their own", "cute.slice_(((128, 256), 1, 1, 2), ((None, None), 0, 0, None))", "(128, 256, 2)"},
		{"group", "cute.group_modes((2, 3, 4, 5), 1, 3)", "(2, (3, 4), 5)"},
		{"tiled", "cute.tiled_divide(cute.make_layout((8, 6)), (4,)).shape", "((4), 2, 6)"},
		{"modes that a division leaves alone", "cute.logical_divide(cute.make_layout(((2, 4), 6, 4)), (None, None, 2)).shape", "((2, 4), 6, (2, 2))"},
		{"zipped", "cute.zipped_divide(cute.make_layout((10, 6)), (4, 3)).shape", "((4, 3), (3, 2))"},
		{"flat", "cute.flat_divide(cute.make_layout((128, 256, 2)), (128, 32)).shape", "(128, 32, 1, 8, 2)"},
		{"tiles of an unknown", "cute.local_tile(a, (128, 64, 32), (0, None, None), proj=(1, None, 1)).shape", "(128, 32, (((a.shape[1] + 32) - 1) // 32))"},
		{"coordinates", "(cute.make_layout((4, 3)).get_flat_coord(6), cute.make_layout((4, 3), stride=(3, 1))((2, 1)))", "((2, 1), 7)"},
		{"pair", "(cute.size(vmnk, mode=[0]), cute.size(vmnk, mode=[1]), cute.size(vmnk, mode=[2]))", "(2, 2, 2)"},
		{"multicast along N", "cpasync.create_tma_multicast_mask(vmnk, (1, 1, 0, 0), mcast_mode=2)", "136"},
		{"multicast along M", "cpasync.create_tma_multicast_mask(vmnk, (1, 0, 1, 0), mcast_mode=1)", "160"},
		{"image", "cute.make_layout_image_mask(cute.make_layout((2, 2, 1)), (1, 0, 0), mode=1)", "10"},
		{"half of A in each CTA", "sm100_utils.make_smem_layout_a(pair, (256, 128, 64), cutlass.Float16, 3).shape", "((128, 16), 1, 4, 3)"},
		{"half of B in each CTA", "sm100_utils.make_smem_layout_b(pair, (256, 128, 64), cutlass.Float16, 3).shape", "((64, 16), 1, 4, 3)"},
		{"Hopper operands", "(sm90_utils.make_smem_layout_a(0, (128, 256, 64), cutlass.Float16, 4).shape, sm90_utils.make_smem_layout_b(0, (128, 256, 64), cutlass.Float16, 4).shape)", "((128, 64, 4), (256, 64, 4))"},
		{"threads and values of a tiled copy", "(rows.size, cute.size(rows), rows.tiler_mn, rows.layout_tv_tiled.shape)", "(128, 128, (4, 256), ((32, 4), 8))"},
		{"one row of threads", "cute.make_tiled_copy_tv(0, cute.make_ordered_layout((1, 64), order=(1, 0)), cute.make_layout((1, 4))).layout_tv_tiled.shape", "(64, 4)"},
		{"contiguous threads are one mode", "cute.make_tiled_copy_tv(0, cute.make_layout((32, 4)), cute.make_layout((1, 1))).layout_tv_tiled.shape", "(128, 1)"},
		{"a thread's part of a tile", "rows.get_slice(0).partition_S(cute.make_rmem_tensor((8, 512, 3), cutlass.Float16)).shape", "((8, 1), 2, 2, 3)"},
		{"modes beyond the tile of a tiled copy", "cute.make_tiled_copy_tv(0, cute.make_layout(64), cute.make_layout(8)).partition_D(cute.make_rmem_tensor((512, 4, 3), cutlass.Float16)).shape", "((8, 1), 1, 4, 3)"},
		{"what a warp's threads store to tensor memory", "store.partition_D(cute.make_rmem_tensor((128, 64), cutlass.Float32)).shape", "((16, 1), 1, 4)"},
		{"a tensor memory copy whose columns are spread", "cute.size(tcgen05.make_tmem_copy(cute.make_copy_atom(tcgen05.copy.Ld16x64bOp(tcgen05.copy.Repetition(16)), cutlass.Float32), cute.make_rmem_tensor((128, 64), cutlass.Float32)).partition_D(a).shape[1]) == 1", "(partition_D(a).shape[1] == 1)"},
		{"the class of an instruction that a library function chooses", "(isinstance(chosen.op, tcgen05.mma.MmaTF32Op), isinstance(chosen.op, tcgen05.mma.MmaF16BF16Op), isinstance(chosen, cute.TiledMma), chosen.op.a_dtype, chosen.op.acc_dtype, isinstance(pair.op, tcgen05.mma.MmaI8Op))", "(0, 1, 1, cutlass.Float16, cutlass.Float32, 0)"},
		{"the class of a copy", "(isinstance(cpasync.CopyBulkTensorTileS2GOp(), cpasync.CopyBulkTensorTileS2GOp), isinstance(cute.make_copy_atom(cpasync.CopyG2SOp(), cutlass.Float16).op, cpasync.CopyBulkTensorTileG2SOp), isinstance(cpasync.CopyBulkTensorTileS2GOp(), cpasync.TmaCopyOp), isinstance(cpasync.CopyG2SOp(), cpasync.TmaCopyOp), isinstance(cpasync.CopyBulkTensorTileG2SOp(), cpasync.CopyBulkTensorTileG2SMulticastOp))", "(1, 0, 1, 0, 0)"},
		{"threads of a multiplication", "(sm90_utils.make_trivial_tiled_mma(cutlass.Float16, cutlass.Float16, 0, 0, cutlass.Float32, (2, 1, 1), tiler_mn=(64, 128)).size, cute.size(pair))", "(256, 2)"},
		{"the first extents of an unknown", "(a.shape[:2], a.shape[1:3])", "((a.shape[0], a.shape[1]), (a.shape[1], a.shape[2]))"},
		{"columns of tensor memory", "(cute.arch.get_max_tmem_alloc_cols('sm_100'), cute.arch.get_min_tmem_alloc_cols('sm_100'))", "(512, 32)"},
		{"a multiplication of what pointers point to", "tcgen05.MmaF16BF16Op(a.value_type, a.value_type, (128, 64)).shape_mnk", "(128, 64, 16)"},
		{"an instruction of its own architecture", "tcgen05.SM103MmaMXF4Op((128, 64, 96), tcgen05.CtaGroup.TWO).shape_mnk", "(128, 64, 96)"},
		{"an instruction that the library chooses by its shape", "utils.sm107.make_trivial_tiled_mma(cutlass.Float16, cutlass.Float16, 0, 0, cutlass.Float32, tcgen05.CtaGroup.ONE, (128, 64, 32)).shape_mnk", "(128, 64, 32)"},
		{"epilogue tile", "sm100_utils.compute_epilogue_tile_shape((128, 256), False, 0, cutlass.Float16)", "(128, 32)"},
	} {
		f := cutedsl.Read(source.Decode("layout.py", []byte(layoutSetting+c.expr+"\n")))
		l := newLowering(f, dialect.New(program.CuTe), Options{})
		got := ""
		l.guard(func(m *machine) {
			s := value.NewScope(m.globals, true)
			s.Declare("a", value.Atom("a"))
			got = value.Canonical(m.eval(&program.Call{Fun: &program.Name{Ident: "call"}, Args: []program.Expr{&program.Name{Ident: "a"}}}, s))
		})
		if got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.name, c.expr, got, c.want)
		}
	}
}

// An extent of the tiles that a kernel is compiled for is a number: with another tile its size is another, too.
func TestTileExtent(t *testing.T) {
	for name, want := range map[string]string{"mma_tiler_mn[1]": "mma_tiler_mn[1]", "mA": "size(mA.shape)"} {
		if got := value.Canonical(cute.SizeOf(value.Atom(name), nil)); got != want {
			t.Errorf("the size of %s is %s, want %s", name, got, want)
		}
	}
}

// Of the modes of a tensor with more than maxPitched of them no steps are known.
func TestSelectOfManyModes(t *testing.T) {
	text := "import cutlass\nimport cutlass.cute as cute\n\n@cute.kernel\ndef k(a: cute.Tensor):\n    cute.arch.sync_threads()\n\n@cute.jit\ndef main(a: cute.Tensor):\n" +
		"    k(cute.make_tensor(a.iterator, cute.select(a.layout, mode=[1, 3, 2, 0]))).launch(grid=(1, 1, 1), block=(32, 1, 1))\n"
	if k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]; len(k.Opaque) > 0 || len(k.Instances) == 0 {
		t.Errorf("%d instances, %v", len(k.Instances), k.Opaque)
	}
}
