package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// leaving is a kernel in which a function that it calls may end the thread.
const leaving = `import cutlass
import cutlass.cute as cute

@cute.jit
def leave(n):
    if n <= 0:
        cute.arch.nvvm.exit()

@cute.kernel
def kernel(counts: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    bar = cutlass.utils.SmemAllocator().allocate_array(cutlass.Int64, 1)
    if tid == 0:
        cute.arch.mbarrier_init(bar, 32)
    cute.arch.sync_threads()
    n = counts[0]
    leave(n)
    if tid < 32:
        cute.arch.mbarrier_wait(bar, 0)
    elif n > 0:
        cute.arch.mbarrier_arrive(bar)

@cute.jit
def main(counts: cute.Tensor):
    kernel(counts).launch(grid=(1, 1, 1), block=(64, 1, 1))
`

// A thread that exits does nothing more, whatever function it is in.
func TestExit(t *testing.T) {
	for text, want := range map[string]bool{leaving: false, strings.Replace(leaving, "exit()", "griddepcontrol_wait()", 1): true} {
		k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]
		if len(k.Opaque) > 0 || len(k.Instances) < 2 {
			t.Fatalf("%v %v", k.Opaque, k.Bounds)
		}
		for _, p := range k.Instances {
			waits := 0
			for _, c := range p.Classes {
				for _, o := range c.Ops {
					if o.Kind == protocol.Wait {
						waits++
					}
				}
			}
			if some := waits > 0; some != (want || p.Values["counts[0]"] != "0") {
				t.Errorf("%v: %d classes wait", p.Values, waits)
			}
		}
	}
}
