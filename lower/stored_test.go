package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// storing is a kernel of two warps, the second of which waits for bar; the first does what %s says.
const storing = `import cutlass.cute as cute
from cutlass.cute.nvgpu import tcgen05

@cute.kernel
def kernel(smem, registers: cute.Tensor, columns: cute.Tensor):
    tid = cute.arch.thread_idx_x()
    bar = smem.alloc_array(Int64, 4)
    if tid == 0:
        for s in range(4):
            cute.arch.mbarrier_init(bar + s, 32)
    cute.arch.sync_threads()
    atom = cute.make_copy_atom(tcgen05.copy.St32x32bOp(tcgen05.copy.Repetition(4)), cutlass.Float32)
    copy = tcgen05.make_tmem_copy(atom, columns).get_slice(tid)
    def store(): cute.copy(copy, registers, columns)
    def load(): cute.copy(tcgen05.make_tmem_copy(cute.make_copy_atom(tcgen05.copy.Ld32x32bOp(tcgen05.copy.Repetition(4)), cutlass.Float32), columns), columns, registers)
    def done(): cute.arch.fence_view_async_tmem_store()
    def tell(i): cute.arch.mbarrier_arrive(bar + i)
    def wait(i): cute.arch.mbarrier_wait(bar + i, 0)
    def alone(): cute.arch.barrier(barrier_id=1, number_of_threads=32)
    def meet(): cute.arch.barrier(barrier_id=2, number_of_threads=64)
    if tid < 32:
        %s
    else:
        %s

@cute.jit
def main(smem, registers: cute.Tensor, columns: cute.Tensor):
    kernel(smem, registers, columns).launch(grid=(1, 1, 1), block=(64, 1, 1))
`

// A store to tensor memory is awaited before anybody is told of it.
func TestUnawaitedStores(t *testing.T) {
	for _, c := range []struct {
		name, first, second string
		want                string // what the store is not awaited before
	}{
		{"awaited", "store(); done(); tell(0); wait(1)", "wait(0); tell(1)", ""},
		{"told and waits", "store(); tell(0); wait(1); store(); done(); tell(2)", "wait(0); tell(1); wait(2)", "arrive on bar[0]"},
		{"told at the end", "store(); tell(0)", "wait(0)", "arrive on bar[0]"},
		{"awaited too early", "done(); store(); tell(0)", "wait(0)", "arrive on bar[0]"},
		{"the last of two", "store(); done(); tell(0); store(); tell(1); wait(2)", "wait(0); wait(1); tell(2)", "arrive on bar[1]"},
		{"told something else", "store(); tell(0); wait(1); done(); tell(2)", "wait(0); tell(1); wait(2)", ""},
		{"told between two stores", "store(); tell(0); store(); done(); tell(1)", "wait(0); wait(1)", ""},
		{"those who store meet", "store(); alone(); store(); done(); tell(0)", "wait(0)", ""},
		{"at a barrier", "store(); meet()", "meet()", "wait at barrier 2"},
		{"nobody is told", "store()", "pass", ""},
		{"a load", "load(); tell(0)", "wait(0)", ""},
	} {
		text := strings.Replace(strings.Replace(storing, "%s", strings.ReplaceAll(c.first, "; ", "\n        "), 1),
			"%s", strings.ReplaceAll(c.second, "; ", "\n        "), 1)
		k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]
		if len(k.Opaque) > 0 || len(k.Instances) == 0 {
			t.Fatalf("%s: %v", c.name, k.Opaque)
		}
		got := ""
		for _, u := range k.Undefined {
			got += u.Rule + " " + u.What
		}
		if want := UnawaitedStore + " store to tensor memory that is not awaited (tcgen05.wait::st) before " + c.want; c.want == "" && got != "" || c.want != "" && !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The instructions are known in inline PTX, too.
func TestUnawaitedStoresInPTX(t *testing.T) {
	const store = "from cutlass._mlir.dialects import llvm\nllvm.inline_asm(None, [n, tid], 'tcgen05.st.sync.aligned.32x32b.x1.b32 [$0], {$1};', 'r,r')\n"
	const done = "llvm.inline_asm(None, [], 'tcgen05.wait::st.sync.aligned;', '')\n"
	const told = "cute.arch.mbarrier_arrive(bar)\ncute.arch.mbarrier_wait(bar, 0)\n"
	for body, want := range map[string]int{store + told: 1, store + done + told: 0} {
		k := Kernels(read("k.py", python(body)), dialect.New(program.CuTe), Options{})[0]
		if len(k.Opaque) > 0 || len(k.Undefined) != want {
			t.Errorf("%d findings, want %d, in %s: %v", len(k.Undefined), want, body, k.Opaque)
		}
	}
}
