package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestInstancesDiffer: of a template that is launched with more arguments than are looked at those are looked at first that differ in most of them. As many as are looked at have two
// slots here, and the text launches these first; with one slot the next row has to wait for all to have read.
func TestInstancesDiffer(t *testing.T) {
	text := func(meet string) string {
		var launches strings.Builder
		for step := 1; step <= 14; step++ {
			fmt.Fprintf(&launches, "  if (step == %d) reversed<%d, 2><<<1, 128>>>(in, out, rows);\n", step, step)
		}
		return `template <int STEP, int SLOTS> __global__ void reversed(const float* in, float* out, int rows) {
  __shared__ float kept[SLOTS][128];
  const int tid = threadIdx.x;
  for (int row = 0; row < rows; row += STEP) {
    const int slot = row / STEP % SLOTS;
    kept[slot][tid] = in[row * 128 + tid];
    __syncthreads();
    out[row * 128 + tid] = kept[slot][127 - tid];
    ` + meet + `
  }
}
void run(const float* in, float* out, int rows, int step) {
` + launches.String() + "  if (step == 40) reversed<40, 1><<<1, 128>>>(in, out, rows);\n}\n"
	}
	for meet, want := range map[string]engine.Verdict{"": engine.Violated, "if constexpr (SLOTS == 1) __syncthreads();": engine.Inconclusive} {
		r, err := run(t, map[string]string{"k.cu": text(meet)}, nil)
		if err != nil || len(r.Kernels) != 1 {
			t.Fatalf("%d kernels: %v", len(r.Kernels), err)
		}
		if got := r.Kernels[0].Verdict; got != want.String() || (len(r.Findings) > 0) != (want == engine.Violated) {
			t.Errorf("with %q: %s, %v; want %s", meet, got, r.Findings, want)
		}
	}
}
