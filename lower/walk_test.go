package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
)

// TestLongWalk: a ring that goes on once a tile is gone round twice, one that goes on within a tile is gone round anyway.
func TestLongWalk(t *testing.T) {
	const walk = "bx, _, _ = cute.arch.block_idx()\ngx, _, _ = cute.arch.grid_dim()\ntile = bx\nstep = 0\nwhile tile < n:\n"
	tests := []struct{ name, body, want string }{
		{"a stage a tile", walk + "    cute.arch.mbarrier_arrive(bar + step % 4)\n    cute.arch.mbarrier_wait(bar + step % 4, (step // 4) & 1)\n    step += 1\n    tile += gx\n", "tiles = 9, with the second value of the others"},
		{"all stages a tile", walk + "    for s in range(4):\n        cute.arch.mbarrier_arrive(bar + s)\n        cute.arch.mbarrier_wait(bar + s, step & 1)\n    step += 1\n    tile += gx\n", ""},
		{"no tiles", "cute.arch.mbarrier_arrive(bar)\ncute.arch.mbarrier_wait(bar, 0)\n", ""},
	}
	for _, tt := range tests {
		tree := read("k.py", strings.Replace(python(tt.body), "grid=(1, 1, 1)", "grid=(n, 1, 1)", 1))
		k := Kernels(tree, dialect.New(tree.Language), Options{})[0]
		if got := k.Bounds["searched once"]; got != tt.want || len(k.Opaque) > 0 {
			t.Errorf("%s: %q, want %q; %v", tt.name, got, tt.want, k.Opaque)
		}
	}
}
