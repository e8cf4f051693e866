package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
)

// TestTiles lowers ways to walk tiles. want is the first class of the last instance, and the values of every unknown.
func TestTiles(t *testing.T) {
	const arrive = "    cute.arch.mbarrier_arrive(bar)\n"
	const draw = `import cutlass.cute as cute
from cutlass._mlir.dialects import nvvm

@cute.jit
def draw(tile, gx, flag, n):
    if cute.arch.lane_idx() == 0:
        tile = gx + nvvm.atomicrmw(op=nvvm.AtomicOpKind.INC, ptr=flag, a=n)
    return cute.arch.shuffle_sync(tile, 0)
`
	tests := []struct{ name, body, want, bounds string }{
		{"walk over the grid", "bx, _, _ = cute.arch.block_idx()\ngx, _, _ = cute.arch.grid_dim()\ntile = bx\nwhile tile < n:\n" + arrive + "    tile += gx\n", "A0 A0 A0", "tiles=0, 1, 2, 3"},
		{"walk in two steps at once", "bx, _, _ = cute.arch.block_idx()\ngx, _, _ = cute.arch.grid_dim()\ntile = bx + gx\nwhile n > tile:\n" + arrive + "    tile += 2 * gx\n", "A0", "tiles=0, 1, 2, 3"},
		{"two roles, two spellings", "bx, _, _ = cute.arch.block_idx()\ngx, _, _ = cute.arch.grid_dim()\ni = 0\nwhile not (bx + i * gx >= n):\n" + arrive + "    i += 1\ntile = bx\nwhile tile < n:\n" + arrive + "    tile = tile + gx\n", "A0 A0 A0 A0 A0 A0", "tiles=0, 1, 2, 3"},
		{"two walks", "bx, by, _ = cute.arch.block_idx()\ngx, gy, _ = cute.arch.grid_dim()\nwhile bx < n:\n" + arrive + "    bx += gx\nwhile by < n:\n" + arrive + "    by += gy\n", "A0 A0 A0 A0 A0 A0", "tiles=0, 1, 2, 3 tiles#2=0, 1, 2, 3"},
		{"range with the grid's stride", "bx, _, _ = cute.arch.block_idx()\ngx, _, _ = cute.arch.grid_dim()\nfor tile in cutlass.range(bx, n, gx):\n" + arrive + "    if tile + gx < n:\n    " + arrive, "A0 A0 A0 A0 A0", "tiles=0, 1, 2, 3"},
		{"steps of a walk, counted by a division", "bx, _, _ = cute.arch.block_idx()\ngx, _, _ = cute.arch.grid_dim()\nrounds = cute.ceil_div(n - bx, gx)\nfor _ in range(rounds):\n" + arrive + "for tile in cutlass.range(bx, n, gx):\n" + arrive, "A0 A0 A0 A0 A0 A0", "tiles=0, 1, 2, 3"},
		{"walk with a lead", "bx, _, _ = cute.arch.block_idx()\ngx, _, _ = cute.arch.grid_dim()\nlead = cutlass.min(cute.ceil_div(n - bx, gx), 2)\nfor tile in cutlass.range(bx, lead * gx + n, gx):\n    if tile >= lead * gx:\n    " + arrive, "A0 A0 A0", "tiles=0, 1, 2, 3"},
		{"tiles from a counter", "from cutlass._mlir.dialects import nvvm\nbx, _, _ = cute.arch.block_idx()\ngx, _, _ = cute.arch.grid_dim()\ntile = bx\nwhile tile < n:\n" + arrive + "    if cute.arch.lane_idx() == 0:\n        tile = gx + nvvm.atomicrmw(op=nvvm.AtomicOpKind.INC, ptr=flag, a=n)\n    tile = cute.arch.shuffle_sync(tile, 0)\n", "A0 B16 A0 B16 A0 B16", "tiles=0, 1, 2, 3"},
		{"tiles from a counter, by a function", "bx, _, _ = cute.arch.block_idx()\ngx, _, _ = cute.arch.grid_dim()\ntile = bx\nwhile tile < n:\n" + arrive + "    tile = draw(tile, gx, flag, n)\n", "A0 B16 A0 B16 A0 B16", "tiles=0, 1, 2, 3"},
		{"static scheduler", "p = utils.PersistentTileSchedulerParams((n, n, 1), (1, 1, 1))\ns = utils.StaticPersistentTileScheduler.create(p, cute.arch.block_idx(), cute.arch.grid_dim())\nw = s.initial_work_tile_info()\nwhile w.is_valid_tile:\n" + arrive + "    s.advance_to_next_work(advance_count=2)\n    w = s.get_current_work()\n", "A0 A0", "tiles=0, 1, 2, 3"},
		{"tiles counted by the caller", "for kind in (utils.StaticPersistentTileScheduler, utils.ClcDynamicPersistentTileScheduler):\n    s = kind(None, (0, 0, 0), 0, 0, 0)\n    s._num_tiles_executed += 2\n    for i in range(s.num_tiles_executed):\n    " + arrive, "A0 A0 A0 A0", ""},
		{"trip counts of tiles", "p = utils.PersistentTileSchedulerParams((2, n, 1), (1, 1, 1))\ns = utils.StaticPersistentTileScheduler.create(p, cute.arch.block_idx(), cute.arch.grid_dim())\nw = s.initial_work_tile_info()\nif w.is_valid_tile:\n    for k in range(w.tile_idx[0]):\n    " + arrive, "A0 A0 A0 A0 A0 A0 A0 A0 A0", "tiles=0, 1, 2, 3 tiles[0].m=0, 1, 2, 3, 9"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(python(tt.body), "import cutlass\n", "import cutlass\nimport cutlass.utils as utils\n", 1)
			text = strings.Replace(text, "import cutlass.cute as cute\n", draw, 1)
			text = strings.Replace(text, "grid=(1, 1, 1)", "grid=(n, n, n)", 1)
			tree := read("k.py", text)
			ks := Kernels(tree, dialect.New(tree.Language), Options{})
			if got := outline(ks[0]); got != tt.want {
				t.Errorf("got  %s\nwant %s\nopaque %v", got, tt.want, ks[0].Opaque)
			}
			for _, pair := range strings.SplitAfter(tt.bounds, " tiles") {
				name, values, _ := strings.Cut(strings.TrimSuffix(pair, " tiles"), "=")
				if !strings.HasPrefix(name, "tiles") {
					name = "tiles" + name
				}
				if ks[0].Bounds[name] != values {
					t.Errorf("%s takes %q, want %q, of %v", name, ks[0].Bounds[name], values, ks[0].Bounds)
				}
			}
		})
	}
}
