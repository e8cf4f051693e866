package lower

import "testing"

// Two warps use two stages of a tensor at once, or one. Where it does not show which mode counts the stages, nothing is
// said about them.
func TestUnclearStages(t *testing.T) {
	for _, c := range []struct{ layout, write, read, want string }{
		{"cute.make_layout((64, 64, 2))", "None, None, 0", "None, None, 1", "holds"},
		{"cute.make_layout((64, 64, 2))", "None, None, 0", "None, None, 0", "race"},
		{"cute.make_layout((64, 2), stride=(1, n))", "None, 0", "None, 1", "holds"},
		{"cute.make_layout(tile)", "None, 0", "None, 1", "holds"},
		{"cute.make_layout((64, 64, 2))", "None, None, None, 0", "None, None, None, 1", "holds"},
	} {
		text := pipelineKernel("NamedBarrier(1, 128)", `buf = smem.allocate_tensor(cutlass.Float16, `+c.layout+`, 128)
if warp == 0:
    cute.autovec_copy(src, buf[`+c.write+`])
if warp == 1:
    cute.copy(cute.nvgpu.cpasync.CopyBulkTensorTileS2GOp(), buf[`+c.read+`], dst)`)
		text = "tile = (64, 2, print)\n" + text
		if got := verdict(t, text); got != c.want {
			t.Errorf("%s, [%s] and [%s]: %s, want %s", c.layout, c.write, c.read, got, c.want)
		}
	}
}
