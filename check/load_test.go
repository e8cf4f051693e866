package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/source"
)

// BenchmarkManyKernels: what a kernel costs does not depend on how many stand beside it, in its file or on its line.
func BenchmarkManyKernels(b *testing.B) {
	for _, kind := range []struct{ name, kernel, end string }{
		{"right", "__global__ void k%d(int *p) { __syncthreads(); p[threadIdx.x] = 1; }", "\n"},
		{"broken", "__global__ void k%d(int *p) { if (threadIdx.x < 3) __syncthreads(); }", "\n"},
		{"right on one line", "__global__ void k%d(int *p) { __syncthreads(); p[threadIdx.x] = 1; }", " "},
		{"broken on one line", "__global__ void k%d(int *p) { if (threadIdx.x < 3) __syncthreads(); }", " "},
	} {
		for _, n := range []int{100, 400, 800} {
			b.Run(fmt.Sprint(kind.name, " ", n), func(b *testing.B) {
				var text strings.Builder
				for i := range n {
					fmt.Fprintf(&text, kind.kernel+kind.end, i)
				}
				dir := b.TempDir()
				if err := os.WriteFile(filepath.Join(dir, "k.cu"), []byte(text.String()), 0o644); err != nil {
					b.Fatal(err)
				}
				tree, err := source.Open(dir)
				if err != nil {
					b.Fatal(err)
				}
				defer tree.Close()
				for b.Loop() {
					if r, err := Run(context.Background(), Options{Tree: tree, Engine: Explore}); err != nil || r.Summary.Kernels != n {
						b.Fatal(r.Summary, err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/kernel")
			})
		}
	}
}
