package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
)

// viewed is a kernel whose threads write a stage of shared memory as one type and read it, or the other stage, as another.
const viewed = `import cutlass
import cutlass.cute as cute

class Two:
    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor):
        rows = cute.struct.MemRange[a.element_type, 2 * 512]
        whole = cute.struct.Align[rows, 128]
        @cute.struct
        class Storage:
            tile: whole
        self.storage = Storage
        self.kernel(a, b).launch(grid=(1, 1, 1), block=(64, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor, b: cute.Tensor):
        tile = cutlass.utils.SmemAllocator().allocate(self.storage).tile
        shape = cute.make_layout((32, 16, 2))
        cute.arch.sync_threads()
        tid, _, _ = cute.arch.thread_idx()
        s = tile.get_tensor(shape)
        w = cute.make_tensor(cute.recast_ptr(tile.data_ptr(), dtype=%s), cute.make_layout(%s))
        if tid < 32:
            cute.autovec_copy(cute.make_rmem_tensor((32, 16), a.element_type), s[None, None, 0])
        else:
            cute.autovec_copy(w[None, None, %s], cute.make_rmem_tensor((32, 16), a.element_type))
`

// A field of a struct may have its range by a variable's name, and places that are told in elements of one type are found
// in those of another where both widths are known, or taken for the same.
func TestViewsOfOtherTypes(t *testing.T) {
	for _, c := range []struct {
		dtype, shape, stage string
		tracked, supposed   string
	}{
		{"a.element_type", "(32, 16, 2)", "0", "yes", ""},
		{"b.element_type", "(32, 16, 2)", "0", "yes", "a.element_type is 16 bits wide"},
		{"cutlass.BFloat16", "(32, 16, 2)", "1", "yes", "a.element_type is 16 bits wide"},
		{"cutlass.Float32", "(32, 8, 2)", "0", "part of unknown place", ""}, // a's elements may be wider than is assumed
	} {
		text := strings.Replace(strings.Replace(strings.Replace(viewed, "%s", c.dtype, 1), "%s", c.shape, 1), "%s", c.stage, 1)
		k := Kernels(read("k.py", text), dialect.New(read("k.py", text).Language), Options{})[0]
		if len(k.Opaque) > 0 || len(k.Instances) == 0 {
			t.Fatalf("%s: %v", c.dtype, k.Opaque)
		}
		got := k.Bounds["races not searched on"]
		if got == "" && strings.Contains(k.Bounds["races searched on"], "tile") {
			got = "yes"
		}
		if strings.Contains(k.Bounds["parts of unknown place"], "tile") {
			got = "part of unknown place"
		}
		if !strings.Contains(got, c.tracked) {
			t.Errorf("%s: %q, want %s (%v)", c.dtype, got, c.tracked, k.Bounds)
		}
		for name, what := range k.Supposed {
			if what != c.supposed || !strings.HasSuffix(name, "tile") {
				t.Errorf("%s: %s supposed of %s, want %q of the tile", c.dtype, what, name, c.supposed)
			}
		}
		if (len(k.Supposed) > 0) != (c.supposed != "") {
			t.Errorf("%s: supposed %v, want %q", c.dtype, k.Supposed, c.supposed)
		}
	}
}
