package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

const decoding = `import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int64, Uint32
from cutlass._mlir.dialects import llvm

SHIFTS = (0, 4, 8, 12, 16, 20, 24, 28)
TEXT = "and.b32 $0, $1, $2;"

def part(word, shift):
    out = []
    for mask in SHIFTS:
        for again in SHIFTS:
            out.append((word >> Uint32(shift)) & Uint32(mask + again))
    code = TEXT
    return llvm.inline_asm(None, [Uint32(word), Uint32(15)], code, "=r,r,r")

@cute.kernel
def decode(words: cute.Tensor, out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    bar = cute.arch.alloc_smem(Int64, 1)
    if tid == 0:
        cute.arch.mbarrier_init(bar, 64)
    cute.arch.sync_threads()
    word = words[tid]
    for i in cutlass.range_constexpr(ROUNDS):
        for shift in SHIFTS:
            CALL
    cute.arch.sync_threads()
    out[tid] = word

@cute.jit
def host(words: cute.Tensor, out: cute.Tensor):
    decode(words, out).launch(grid=(1, 1, 1), block=(64, 1, 1))
`

// A function that only computes is evaluated once for arguments of which nothing is known; one that synchronizes by a text that is
// put together each time.
func TestComputedOnce(t *testing.T) {
	text := strings.NewReplacer("ROUNDS", "800", "CALL", "word = part(word, shift)").Replace(decoding)
	k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]
	if len(k.Opaque) > 0 {
		t.Errorf("opaque: %v", k.Opaque)
	}
	meets := strings.NewReplacer("ROUNDS", "1", "CALL", "word = part(word, shift)", `"and.b32 $0, $1, $2;"`, `"bar.sync" + " 1, 64;"`).Replace(decoding)
	k = Kernels(read("k.py", meets), dialect.New(program.CuTe), Options{})[0]
	if len(k.Opaque) > 0 {
		t.Errorf("opaque: %v", k.Opaque)
	}
	for _, n := range count(t, k, protocol.NamedSync) {
		if n != 2+8 {
			t.Errorf("%d barriers, want the kernel's two and one a call", n)
		}
	}
}
