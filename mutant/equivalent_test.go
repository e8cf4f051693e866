package mutant

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/source"
)

const handOver = `import cutlass
import cutlass.cute as cute
import cutlass.utils as utils

@cute.kernel
def kernel(out: cute.Tensor):
    tidx, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    smem = utils.SmemAllocator()
    gate = smem.allocate_array(cutlass.Int64, 1)
    if tidx == 0:
        cute.arch.mbarrier_init(gate, 32)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    AGAIN
    if warp == 0:
        cute.arch.mbarrier_arrive(gate)
    if warp == 1:
        cute.arch.mbarrier_wait(gate, 0)
        AFTER

@cute.jit
def main(out: cute.Tensor):
    kernel(out).launch(grid=(1, 1, 1), block=(64, 1, 1))
`

// What is left out makes no difference only where nothing that the model does not follow may depend on it.
func TestEquivalent(t *testing.T) {
	for _, test := range []struct {
		again, after, operator, want string
	}{
		{"pass", "pass", "drop-wait", "it only delays the end of threads, for threads of their own CTA"},
		{"pass", "out[tidx] = 1", "drop-wait", ""},
		{"cute.arch.sync_threads()", "pass", "drop-barrier", "its threads meet at the barrier before it, and do nothing in between"},
		{"out[tidx] = 1; cute.arch.sync_threads()", "pass", "drop-barrier", ""},
	} {
		dir := t.TempDir()
		text := strings.NewReplacer("AGAIN", test.again, "AFTER", test.after).Replace(handOver)
		if err := os.WriteFile(filepath.Join(dir, "k.py"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		tree, err := source.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		files, err := Run(context.Background(), Options{Check: check.Options{Tree: tree, Engine: check.Explore, Shard: 1, Shards: 1}, Operators: []string{test.operator}})
		if err != nil || len(files) != 1 {
			t.Fatal(err, files)
		}
		r := files[0].Results[len(files[0].Results)-1]
		if r.Fate == Killed || (r.Fate == Equivalent) != (test.want != "") || r.Detail != test.want {
			t.Errorf("%s; %s: %s is %s (%s), want %q", test.again, test.after, r.What, r.Fate, r.Detail, test.want)
		}
	}
}
