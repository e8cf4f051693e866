package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
)

// A producer may leave its last barrier armed at the end. One that announces more than it copies does not.
func TestLeftArmed(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       bool
	}{
		{"announced once more at the end", "announce()\n    copy()\n    announce()", true},
		{"announced before the copy", "announce()\n    copy()", false},
		{"announced after the copy", "copy()\n    announce()", false},
	} {
		text := warpKernel("buf = cutlass.Array(cutlass.Uint8, 64, space=cutlass.AddressSpace.smem)\ndef copy():\n    prims.cp_async_bulk_shared_cluster_global(buf, src, bar, 64)\ndef announce():\n    prims.mbarrier_arrive_expect_tx(bar, 64)\nif tid == 0:\n    " + c.body + "\n")
		file := read("k.py", text)
		k := Kernels(file, dialect.New(file.Language), Options{})[0]
		if len(k.Opaque) > 0 || len(k.Instances) == 0 {
			t.Fatalf("%s: %v", c.name, k.Opaque)
		}
		if got := strings.Contains(k.Instances[0].String(), "left armed"); got != c.want {
			t.Errorf("%s: left armed is %t, want %t", c.name, got, c.want)
		}
	}
}

// A copy atom's number type is that of what it copies, where the launch alone knows the tensor's.
func TestBytesOfAtom(t *testing.T) {
	for bytes, want := range map[string]string{"256": "holds", "128": "deadlock"} {
		body := `smem = cutlass.utils.SmemAllocator()
row = smem.allocate_tensor(src.element_type, cute.make_layout((64, 2)), 128)
atom = cute.make_copy_atom(cute.nvgpu.cpasync.CopyBulkG2SOp(), cutlass.Float32)
if tid == 0:
    prims.mbarrier_arrive_expect_tx(bar, ` + bytes + `)
    cute.copy(atom, src[None, 0], row[None, 0], mbar_ptr=bar)
    while not prims.mbarrier_try_wait_parity(bar, 0):
        pass
`
		if got := verdict(t, warpKernel(body)); got != want {
			t.Errorf("%s bytes: %s, want %s", bytes, got, want)
		}
	}
}

// The width that is taken for an unknown element type gives way to the bytes that its copies are announced with, where
// another width explains them.
func TestBytesOfUnknownWidth(t *testing.T) {
	for bytes, want := range map[string]string{"128": "holds", "256": "holds", "64": "holds", "160": "deadlock"} {
		body := `smem = cutlass.utils.SmemAllocator()
row = smem.allocate_tensor(src.element_type, cute.make_layout((64, 2)), 128)
if tid == 0:
    prims.mbarrier_arrive_expect_tx(bar, ` + bytes + `)
    cute.copy(cute.make_copy_atom(cute.nvgpu.cpasync.CopyBulkG2SOp(), src.element_type), src[None, 0], row[None, 0], mbar_ptr=bar)
    while not prims.mbarrier_try_wait_parity(bar, 0):
        pass
`
		if got := verdict(t, warpKernel(body)); got != want {
			t.Errorf("%s bytes: %s, want %s", bytes, got, want)
		}
	}
}
