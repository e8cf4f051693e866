package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

const checked = `import cutlass
import cutlass.cute as cute
from typing import Optional

class Scan:
    def __init__(self, with_start: bool, with_end: bool):
        self.with_start = with_start
        self.with_end = with_end

    @cute.jit
    def __call__(self, x: cute.Tensor, start: Optional[cute.Tensor], end: Optional[cute.Tensor]):
        if cutlass.const_expr(start is not None):
            start = cute.make_tensor(start.iterator, cute.make_layout((4, 4)))
        self.kernel(x, start, end).launch(grid=(1, 1, 1), block=(64, 1, 1))

    @cute.kernel
    def kernel(self, x: cute.Tensor, mStart: Optional[cute.Tensor], mEnd: Optional[cute.Tensor]):
        if cutlass.const_expr(self.with_start):
            assert mStart is not None, "a start is needed"
        else:
            assert mStart is None, "no start is taken"
        cute.arch.sync_threads()
`

// A kernel that refuses what the host assumed is launched otherwise.
func TestAcceptedLaunch(t *testing.T) {
	k := Kernels(read("k.py", checked), dialect.New(program.CuTe), Options{})[0]
	if len(k.Opaque) > 0 || len(k.Instances) == 0 || k.Bounds["threads"] != "64" {
		t.Errorf("opaque %v, bounds %v", k.Opaque, k.Bounds)
	}
	never := strings.Replace(checked, "assert mStart is None", "assert False", 1)
	never = strings.Replace(never, "assert mStart is not None", "assert False", 1)
	if k := Kernels(read("k.py", never), dialect.New(program.CuTe), Options{})[0]; len(k.Opaque) == 0 || len(k.Instances) > 0 {
		t.Errorf("a kernel that is always refused: opaque %v, %d instances", k.Opaque, len(k.Instances))
	}
}

// A combination that the kernel refuses does not end the search for one that it takes.
func TestRefusedCombinations(t *testing.T) {
	k := lowerPython(t, "def limit(t):\n    if cutlass.const_expr(t == cutlass.Float8E5M2):\n        return 1\n    if cutlass.const_expr(t == cutlass.Float8E4M3FN):\n        return 2\n    raise ValueError('type')\nlimit(flag.element_type)\ncute.arch.mbarrier_arrive(bar)\n")
	if len(k.Opaque) > 0 || len(k.Instances) == 0 || !strings.Contains(k.Bounds["assumed"], "refuses (ValueError") {
		t.Errorf("opaque %v, %d instances, %s", k.Opaque, len(k.Instances), k.Bounds["assumed"])
	}
}

// A function of the DSL under another name does what it does under its own.
func TestRenamedOperation(t *testing.T) {
	text := strings.Replace(python("mine(bar)\nfirst(bar, 0)\n"), "@cute.kernel", "mine = cute.arch.mbarrier_arrive\nfirst = getattr(cute.arch, 'mbarrier_wait', None) or cute.arch.nothing\n@cute.kernel", 1)
	k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]
	if len(k.Opaque) > 0 || len(k.Instances) != 1 {
		t.Fatalf("opaque %v", k.Opaque)
	}
	var found []string
	for _, s := range k.Instances[0].Sites {
		found = append(found, s.Text)
	}
	if all := strings.Join(found, "; "); !strings.Contains(all, "arrive on") || !strings.Contains(all, "wait on") {
		t.Errorf("operations: %s", all)
	}
}

// A read by a multiplication lasts until the commit that releases its buffer, whichever commits come before.
func TestReadsUntilTheirRelease(t *testing.T) {
	k := lowerPython(t, `nv = cute.nvgpu.tcgen05
full = smem.alloc_array(Int64, 2)
other = smem.alloc_array(Int64, 2)
buf = smem.allocate_tensor(cutlass.Float16, cute.make_layout((64, 64, 2)), 128)
mma = cute.make_tiled_mma(nv.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (64, 64, 16), nv.CtaGroup.ONE))
if tid == 0:
    cute.arch.mbarrier_init(full, 1)
    cute.arch.mbarrier_init(full + 1, 1)
    cute.arch.mbarrier_init(other, 1)
    cute.arch.mbarrier_arrive_and_expect_tx(full, 8192)
    cute.copy(cute.make_copy_atom(cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(), cutlass.Float16), flag, buf[None, None, 0], tma_bar_ptr=full)
    cute.arch.mbarrier_wait(full, 0)
    a = mma.make_fragment_A(mma.partition_A(buf))
    cute.gemm(mma, None, a[None, None, None, 0], a[None, None, None, 0], None)
    nv.commit(other)
    nv.commit(full + 1)
`)
	if len(k.Opaque) > 0 || len(k.Instances) == 0 {
		t.Fatalf("opaque %v", k.Opaque)
	}
	reads := map[string]int{}
	p := k.Instances[0]
	for _, c := range p.Classes {
		for _, o := range c.Ops {
			for _, a := range o.Access {
				if a.Async && !a.Write {
					reads[p.Sites[o.Site].Text]++
				}
			}
		}
	}
	if len(reads) != 1 || reads["commit arriving on full[1]"] == 0 {
		t.Errorf("reads in flight: %v", reads)
	}
}
