package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// converting reduces a number over a warp by inline PTX and makes it the type that it had; %s is given besides.
const converting = `import cutlass
import cutlass.cute as cute
from cutlass._mlir.dialects import llvm
from cutlass.cutlass_dsl import T

def reduced(value, bar):
    kind = type(value)
    return kind(llvm.inline_asm(T.f32(), [value], f"redux.sync.max.f32 $0, $1;", "=f,f")%s)

@cute.kernel
def kernel(a: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    bar = cutlass.utils.SmemAllocator().allocate_array(cutlass.Int64, 1)
    y = reduced(a[tid], bar)
    cute.arch.sync_threads()

@cute.jit
def main(a: cute.Tensor):
    kernel(a).launch(grid=(1, 1, 1), block=(64, 1, 1))
`

// What a call of something unknown is given is evaluated by itself; only what is handed over to be called may synchronize.
func TestUnknownConversion(t *testing.T) {
	for more, opaque := range map[string]bool{"": false, ", lambda: cute.arch.mbarrier_wait(bar, 0)": true, ", then=lambda: cute.arch.mbarrier_wait(bar, 0)": true} {
		k := Kernels(read("k.py", strings.Replace(converting, "%s", more, 1)), dialect.New(program.CuTe), Options{})[0]
		if (len(k.Opaque) > 0) != opaque {
			t.Errorf("%q: %v", more, k.Opaque)
		}
	}
}
