package lower

import (
	"maps"
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

// The outcomes of a try_wait in a loop are one bound for each place, however many times and threads there are.
func TestAttemptsAreFolded(t *testing.T) {
	a := attempts{}
	for name, values := range map[string]string{
		"the try_wait that k.py:7 asks for, time 1, thread 0 of CTA 0":  "0, 1",
		"the try_wait that k.py:7 asks for, time 2, thread 0 of CTA 0":  "1",
		"the try_wait that k.py:7 asks for, time 3, thread 32 of CTA 0": "1",
		"the try_wait that k.py:9 asks for, time 1, thread 0 of CTA 0":  "0, 1",
	} {
		if !a.add(name, values) {
			t.Errorf("%q is no attempt", name)
		}
	}
	if a.add("tiles, time 2", "0") {
		t.Error("an unknown of another kind is taken for an attempt")
	}
	want := map[string]string{"the try_wait that k.py:7 asks for": "0, 1 (1 of 3); 1 (2 of 3)", "the try_wait that k.py:9 asks for": "0, 1 (1 of 1)"}
	if got := a.bounds(); !maps.Equal(got, want) {
		t.Errorf("bounds %v, want %v", got, want)
	}
}
