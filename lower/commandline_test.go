package lower

import (
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
)

const commanded = `import argparse
import cutlass
import cutlass.cute as cute

def pair(text):
    return tuple(int(n) for n in text.split(","))

class Ring:
    def __init__(self, tile, cluster, pad):
        self.tile = tile
        self.cluster = cluster
        self.pad = pad

    @cute.jit
    def __call__(self, a: cute.Tensor):
        self.kernel(a).launch(grid=(4, 4, 1), block=(self.tile[0] // 4, 1, 1), cluster=(*self.cluster, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor):
        cute.arch.sync_threads()

def run(size, tile, cluster, pad):
    if tile[0] not in (128, 256) or tile[1] % 64 != 0 or tile[1] > 128:
        raise ValueError("no such tile")
    if tile[0] == 256 and cluster[0] % 2 != 0:
        raise ValueError("a tile of 256 rows is that of two CTAs")
    ring = Ring(tile, cluster, pad)
    cute.compile(ring, cute.runtime.make_fake_compact_tensor(cutlass.Float16, size))

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=pair, default=(256, 256))
    parser.add_argument("--tile", type=pair, default="128,64")
    parser.add_argument("--cluster", type=pair, default=(1, 1))
    parser.add_argument("--pad", type=pair, default=(8, 8))
    args = parser.parse_args()
    run(args.size, args.tile, args.cluster, args.pad)
`

// Each extent that the command line takes is doubled, alone or, where the host refuses that, with another one; but not one
// that only the data has, and not one that nothing checks and that is not the cluster's.
func TestShapes(t *testing.T) {
	file := read("k.py", commanded)
	var threads []string
	all, refused := "", ""
	for _, k := range Kernels(file, dialect.New(file.Language), Options{}) {
		if k.Config == "" {
			all, refused = k.Bounds["configurations"], k.Bounds["configurations that cannot be launched"]
		}
		threads = append(threads, k.Config+": "+k.Bounds["threads"]+" in "+k.Bounds["ctas"])
	}
	if want := "default; tile[0]=256, cluster[0]=2; cluster[0]=2; cluster[1]=2; tile[1]=128"; !sameParts(all, want) || refused != "" {
		t.Errorf("configurations: %s, and %s refused; want %s", all, refused, want)
	}
	if want := "tile[0]=256, cluster[0]=2: 64 in 2"; !slices.Contains(threads, want) {
		t.Errorf("kernels %q; want one %q", threads, want)
	}
}

func sameParts(a, b string) bool {
	x, y := strings.Split(a, "; "), strings.Split(b, "; ")
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}
