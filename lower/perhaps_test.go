package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
)

// What a statement under a condition that the running kernel decides does to the search for races: an access is one, a
// mention is none.
func TestUsedPerhaps(t *testing.T) {
	const either = `even, odd = (buf[None, None, 0], buf[None, None, 1]) if src[warp] > 0 else (buf[None, None, 0], buf[None, None, 1])
cute.autovec_copy(even, cute.make_rmem_tensor((64, 64), cutlass.Float16))`
	for _, c := range []struct{ name, body, searched, lost string }{
		{"a number", "if src[warp] > 0:\n    rows = n + 1", "src", ""},
		{"an extent", "for i in range(src[0]):\n    rows = cute.size(buf.shape[0]) + n", "src", ""},
		{"an element", "if src[warp] > 0:\n    dst[n] = src[n]", "src", "dst"},
		{"an element that is only read", "if src[warp] > 0:\n    x = src[n]", "src", ""},
		{"an element of what a copy writes", "if src[warp] > 0:\n    x = src[n]\ncute.autovec_copy(buf[None, None, 0], src[None, None])", "buf", "src"},
		{"a copy", "if src[warp] > 0:\n    cute.autovec_copy(buf[None, None, 0], cute.make_rmem_tensor((64, 64), cutlass.Float16))", "buf, src", ""},
		{"one of two views", "view = buf[None, None, 0] if src[warp] > 0 else buf[None, None, 1]\ncute.autovec_copy(view, cute.make_rmem_tensor((64, 64), cutlass.Float16))", "buf, src", ""},
		{"the same either way", either, "buf, src", ""},
		{"false beside the unknown", strings.Replace(either, "src[warp] > 0 else (buf[None, None, 0], buf[None, None, 1])", "(src[warp] > 0 and src.memspace == cute.AddressSpace.smem and False) else (buf[None, None, 0], None)", 1), "buf, src", ""},
		{"the class of a copy", "op = cute.nvgpu.cpasync.CopyBulkTensorTileS2GOp()\nview, other = (buf[None, None, 0], dst) if isinstance(op, cute.nvgpu.cpasync.CopyBulkTensorTileS2GOp) else (dst, buf)\ncute.autovec_copy(view, cute.make_rmem_tensor((64, 64), cutlass.Float16))", "buf", ""},
	} {
		file := read("k.py", pipelineKernel("NamedBarrier(1, 128)", "buf = smem.allocate_tensor(cutlass.Float16, cute.make_layout((64, 64, 2)), 128)\n"+c.body))
		k := Kernels(file, dialect.New(file.Language), Options{})[0]
		if len(k.Opaque) > 0 || len(k.Instances) == 0 {
			t.Fatalf("%s: %v", c.name, k.Opaque)
		}
		var lost []string
		for _, l := range strings.Split(k.Bounds["races not searched on"], "; ") {
			if name, _, ok := strings.Cut(l, " ("); ok {
				lost = append(lost, name)
			}
		}
		if got := strings.Join(lost, ", "); got != c.lost {
			t.Errorf("%s: not searched on %q, want %q", c.name, got, c.lost)
		}
		if got := strings.ReplaceAll(k.Bounds["races searched on"], "no buffer", ""); got != c.searched {
			t.Errorf("%s: searched on %q, want %q", c.name, got, c.searched)
		}
	}
}
