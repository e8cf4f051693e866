package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// A token that is only asked whether to wait is the wait, also while a multiplication goes on reading: its outcome is
// no unknown.
func TestTokenBesideMultiplication(t *testing.T) {
	text := python(`nv = cute.nvgpu.warpgroup
buf = smem.allocate_tensor(cutlass.Float16, cute.make_layout((64, 64, 2)), 128)
mma = cute.make_tiled_mma(nv.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (64, 64, 16)))
a = mma.make_fragment_A(mma.partition_A(buf))
ok = cute.arch.mbarrier_try_wait(bar, 0)
cute.gemm(mma, None, a[None, None, None, 0], a[None, None, None, 0], None)
if not ok:
    cute.arch.mbarrier_wait(bar, 0)
`)
	k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]
	if len(k.Opaque) > 0 || len(k.Instances) != 1 {
		t.Fatalf("opaque %v, %d instances", k.Opaque, len(k.Instances))
	}
	for name := range k.Bounds {
		if strings.Contains(name, "try_wait") {
			t.Errorf("an unknown of its own: %s", name)
		}
	}
	if p := k.Instances[0]; len(p.Buffers) == 0 {
		t.Error("the multiplication reads nothing")
	}
}
