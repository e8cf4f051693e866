package lower

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// placed is a kernel whose threads write a view of a table of three stages of 64 elements.
const placed = `import cutlass
import cutlass.cute as cute

class Places:
    @cute.jit
    def __call__(self, a: cute.Tensor):
        @cute.struct
        class Storage:
            table: cute.struct.MemRange[cutlass.Float32, 192]
            free: cute.struct.MemRange[cutlass.Float32, cute.size(a)]
        self.storage = Storage
        self.kernel(a).launch(grid=(1, 1, 1), block=(32, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor):
        storage = cutlass.utils.SmemAllocator().allocate(self.storage)
        at = a[cute.arch.thread_idx_x()]
        held = cute.make_rmem_tensor((16,), cutlass.Float32)
        t = storage.table.get_tensor(cute.make_layout((64, 3)))
        f = storage.free.get_tensor(cute.make_layout((64, 3)))
        copy = cute.make_tiled_copy_tv(cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32), cute.make_layout(32), cute.make_layout(2)).get_slice(at)
        cute.arch.sync_threads()
        %s
`

// An access is told by what is known of its place: whose part of a stage it is, which stage it is in, or only the block.
func TestPlaces(t *testing.T) {
	for write, want := range map[string]string{
		"cute.autovec_copy(held, t[None, 1])":                                                                   "whole [{64 128}]",
		"cute.copy(copy, held, copy.partition_D(t)[None, None, 2])":                                             "by thread [{128 192}]",
		"cute.autovec_copy(held, cute.flat_divide(t, (16,))[None, at, 1])":                                      "somewhere [{64 128}]",
		"cute.autovec_copy(held, cute.local_tile(t, (16,), (at, 1)))":                                           "somewhere [{64 128}]",
		"cute.autovec_copy(held, cute.flat_divide(t, (16,))[None, 0, at])":                                      "somewhere [{0 192}]",
		"cute.autovec_copy(held, t[None, at])":                                                                  "somewhere [{0 192}]",
		"cute.autovec_copy(held, cute.make_tensor(t.iterator + at, cute.make_layout(16)))":                      "somewhere [{0 192}]",
		"cute.autovec_copy(held, cute.make_tensor(t[None, 1].iterator, cute.make_layout(16)))":                  "whole [{64 80}]",
		"cute.autovec_copy(held, cute.flat_divide(f, (16,))[None, at, 1])":                                      "somewhere [{64 128}]",
		"cute.autovec_copy(held, cute.make_tensor(f.iterator + at, cute.make_layout(16)))":                      "somewhere [{0 1099511627776}]",
		"cutlass.experimental.primitives.cp_async_shared_global(storage.table.data_ptr() + at, a.iterator, 16)": "somewhere [{0 192}]",
		"cute.copy(copy, held, cute.flat_divide(t, (16,))[None, at, 1], pred=held)":                             "somewhere [{64 128}]",
		"cute.autovec_copy(held, cute.make_tensor(copy.partition_D(t).iterator, cute.make_layout(2)))":          "somewhere [{0 192}]",
	} {
		text := strings.Replace(placed, "%s", write, 1)
		k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]
		if len(k.Opaque) > 0 || len(k.Instances) == 0 {
			t.Fatalf("%s: %v", write, k.Opaque)
		}
		got := k.Bounds["races not searched on"]
		for _, c := range k.Instances[0].Classes {
			for _, a := range c.Blocks[1] {
				got += fmt.Sprintf("%s %v", map[protocol.Division]string{protocol.ByThread: "by thread", protocol.Somewhere: "somewhere", protocol.Whole: "whole"}[a.Parts], a.Elements)
				if parts := k.Bounds["parts of unknown place"]; (parts != "") != (a.Parts == protocol.Somewhere) {
					t.Errorf("%s: parts of unknown place: %q", write, parts)
				}
			}
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", write, got, want)
		}
	}
}
