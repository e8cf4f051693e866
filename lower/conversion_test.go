package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// converting reduces a number over a warp by inline PTX and calls %s with it.
const converting = `import cutlass
import cutlass.cute as cute
from cutlass._mlir.dialects import llvm
from cutlass.cutlass_dsl import T

def reduced(value, bar):
    kind = %s
    return kind(llvm.inline_asm(T.f32(), [value], f"redux.sync.max.f32 $0, $1;", "=f,f"))

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

// What is made of a type that is not known synchronizes with nobody; any other variable may hold any function.
func TestUnknownConversion(t *testing.T) {
	for kind, opaque := range map[string]bool{"type(value)": false, "value[0]": true} {
		k := Kernels(read("k.py", strings.Replace(converting, "%s", kind, 1)), dialect.New(program.CuTe), Options{})[0]
		if (len(k.Opaque) > 0) != opaque {
			t.Errorf("%s: %v", kind, k.Opaque)
		}
	}
}
