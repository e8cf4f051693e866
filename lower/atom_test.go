package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// loads is a kernel that copies the tiles of a tensor along its second mode; %s makes the copy atom and the source.
const loads = pyHead + `def kernel(atom: cute.CopyAtom, src: cute.Tensor):
    bar = cutlass.utils.SmemAllocator().allocate_array(Int64, 1)
    cute.arch.mbarrier_init(bar, 1)
    for k in cutlass.range(cute.size(cute.local_tile(src, (64, 64), (0, None)), mode=[2])):
        cute.arch.mbarrier_arrive(bar)

@cute.jit
def main(a: cute.Tensor):
    whole = cute.make_layout((64, 64))
    atom, src = %s
    kernel(atom, src).launch(grid=(1, 1, 1), block=(1, 1, 1))
`

// A tensor map has no empty extent; any other tensor may have one.
func TestEmptyExtents(t *testing.T) {
	for makes, want := range map[string]string{
		"cute.nvgpu.cpasync.make_tiled_tma_atom(cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(), a, whole, (64, 64))": "64, 65, 128, 192",
		"cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16), a":                                    "0, 64, 65, 128, 192",
	} {
		k := Kernels(read("k.py", strings.Replace(loads, "%s", makes, 1)), dialect.New(program.CuTe), Options{})[0]
		if got := k.Bounds["a.shape[1]"]; got != want {
			t.Errorf("%s: %s, want %s\n%v %v", makes, got, want, k.Bounds, k.Opaque)
		}
		if strings.Contains(k.Bounds["assumed"], "no empty extent") != (want[0] != '0') {
			t.Errorf("%s: assumed %s", makes, k.Bounds["assumed"])
		}
	}
}

// Nor is a tile that TMA copies empty; any other tile may be.
func TestEmptyTiles(t *testing.T) {
	for makes, want := range map[string]string{
		"cute.nvgpu.cpasync.make_tiled_tma_atom(cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(), a, whole, self.tile)": "1, 2, 3, 5, 6",
		"cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16), a":                                     "0, 1, 2, 3, 5, 6",
	} {
		text := strings.Replace(tiles, "%s", makes, 1)
		if k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]; k.Bounds["width"] != want {
			t.Errorf("%s: %s, want %s\n%v %v", makes, k.Bounds["width"], want, k.Bounds, k.Opaque)
		}
	}
}

const tiles = `import cutlass
import cutlass.cute as cute

class Sums:
    def __init__(self, width: int):
        self.tile = (64, width)
        self.width = width

    @cute.jit
    def __call__(self, a: cute.Tensor):
        whole = cute.make_layout((64, 64))
        atom, src = %s
        self.kernel(atom, src).launch(grid=(1, 1, 1), block=(1, 1, 1))

    @cute.kernel
    def kernel(self, atom: cute.CopyAtom, src: cute.Tensor):
        smem = cutlass.utils.SmemAllocator()
        bar = smem.allocate_array(cutlass.Int64, 1)
        cute.arch.mbarrier_init(bar, 1)
        for i in cutlass.range(self.width):
            cute.arch.mbarrier_arrive(bar)
            cute.arch.mbarrier_wait(bar, i % 2)
`

// Where a kernel goes round once for any number but none, an extent of a tensor map is zero, too. A branch is no such
// sign, nor is a loop that goes round less than a few times.
func TestEmptyExtentsProvidedFor(t *testing.T) {
	for body, want := range map[string]string{
		"if 0 < n: cute.arch.mbarrier_arrive(bar)":                          "64, 65, 128, 192",
		"for k in cutlass.range(min(1, n)): cute.arch.mbarrier_arrive(bar)": "0, 64, 65, 128, 192",
		"for k in cutlass.range(min(2, n)): cute.arch.mbarrier_arrive(bar)": "64, 65, 128, 192",
	} {
		text := strings.Replace(loads, "%s", "cute.nvgpu.cpasync.make_tiled_tma_atom(cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(), a, whole, (64, 64))", 1)
		text = strings.Replace(text, "    for k", "    n = cute.ceil_div(cute.size(src.shape[1]), 64)\n    "+body+"\n    for k", 1)
		k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]
		if got := k.Bounds["a.shape[1]"]; got != want || len(k.Opaque) > 0 {
			t.Errorf("%s: %s, want %s\n%v", body, got, want, k.Opaque)
		}
	}
}

// An mbarrier may stand among data of smaller elements: the data around it is still a tensor.
func TestMbarrierAmongData(t *testing.T) {
	k := Kernels(read("k.py", python(`slots = smem.allocate_tensor(Int32, cute.make_layout((12, 2)), 16)
own = slots[None, 0].iterator + 8
with cute.arch.elect_one():
    cute.arch.mbarrier_init(own, 1)
cute.arch.sync_threads()
slots[1, 1] = 7
with cute.arch.elect_one():
    cute.arch.mbarrier_arrive(slots[None, 0].iterator + 8)
cute.arch.mbarrier_wait(own, 0)
`)), dialect.New(program.CuTe), Options{})[0]
	if len(k.Opaque) > 0 || len(k.Instances) != 1 {
		t.Fatalf("%d instances, %v", len(k.Instances), k.Opaque)
	}
	p := k.Instances[0]
	if last := p.Mbars[len(p.Mbars)-1]; last.Name != "slots+8" || last.Count != 1 || len(p.Buffers) != 1 || p.Buffers[0].Name != "slots" {
		t.Errorf("%+v, buffers %+v", p.Mbars, p.Buffers)
	}
}

// An operand of warp-wide multiplications is a fragment of registers, of warpgroup-wide ones a view of shared memory.
func TestFragments(t *testing.T) {
	for op, want := range map[string]int{
		"cute.nvgpu.warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))":       0,
		"cute.nvgpu.warpgroup.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (64, 64, 16))": 1,
	} {
		text := python("buf = smem.allocate_tensor(cutlass.Float16, cute.make_layout((64, 64, 2)), 128)\nmma = cute.make_tiled_mma(" + op + ")\na = mma.make_fragment_A(mma.partition_A(buf))\ncute.gemm(mma, None, a[None, None, None, 0], a[None, None, None, 0], None)\ncute.arch.sync_threads()\n")
		k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]
		if len(k.Opaque) > 0 || len(k.Instances) == 0 || len(k.Instances[0].Buffers) != want {
			t.Errorf("%s: opaque %v, %d instances, bounds %v", op, k.Opaque, len(k.Instances), k.Bounds)
		}
	}
}

// A thread holds its part of an accumulator: 64 by 64 elements of 128 threads are 32 each.
func TestAccumulators(t *testing.T) {
	text := python("mma = cute.make_tiled_mma(cute.nvgpu.warpgroup.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (64, 64, 16)))\nfor i in range(cute.size(mma.make_fragment_C(mma.partition_shape_C((64, 64))))):\n    cute.arch.mbarrier_arrive(bar)\n")
	k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]
	if len(k.Instances) != 1 {
		t.Fatalf("opaque %v, bounds %v", k.Opaque, k.Bounds)
	}
	arrives := 0
	for _, o := range k.Instances[0].Classes[1].Ops {
		if o.Kind == protocol.Arrive {
			arrives++
		}
	}
	if arrives != 32 {
		t.Errorf("%d elements, want 32", arrives)
	}
}

// An extent of a tensor map that is worked out from others is not empty either: such combinations are no launch.
func TestEmptyQuotient(t *testing.T) {
	text := strings.Replace(loads, "%s", "cute.nvgpu.cpasync.make_tiled_tma_atom(cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(), cute.make_tensor(a.iterator, cute.make_layout((64, a.shape[0] // b.shape[0]))), whole, (64, 64))", 1)
	text = strings.Replace(text, "def main(a: cute.Tensor)", "def main(a: cute.Tensor, b: cute.Tensor)", 1)
	text = strings.Replace(text, "cute.local_tile(src, (64, 64), (0, None)), mode=[2]", "src.shape[1]", 1)
	k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]
	if len(k.Opaque) > 0 || len(k.Instances) == 0 || !strings.Contains(k.Bounds["assumed"], "no empty extent") {
		t.Fatalf("%v %v", k.Opaque, k.Bounds)
	}
	for _, p := range k.Instances {
		if v := p.Numbers(); v["a.shape[0]"] < v["b.shape[0]"] {
			t.Errorf("%v of one are no head of the other", p.Values)
		}
	}
}
