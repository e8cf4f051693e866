package check

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestTranslatedOpaque: what of a kernel is not understood proves nothing and hides nothing: a race stands where both threads have come to the same
// calls before, and is not told where a call may have ordered it.
func TestTranslatedOpaque(t *testing.T) {
	const head = "template <class T, int N> struct Row { T x[N]; static constexpr int size = N; __device__ T& operator[](int i) { return x[i]; } };\n" +
		"template <int> struct Mode { static constexpr int is = 1; };\ntemplate <> struct Mode<2> { static constexpr int is = 2; };\n" +
		"__global__ void k(float* a, float* b, int n) {\n  __shared__ float s[128];\n  const int t = threadIdx.x;\n"
	const foot = "}\nvoid run(float* a, float* b, int n) { k<<<1, 128>>>(a, b, n); }\n"
	for _, c := range []struct {
		name, body string
		want       engine.Verdict
	}{
		{"a race before a call", "s[t] = a[t]; b[t] = s[127 - t]; lib::finish(b);", engine.Violated},
		{"a call that may order it", "s[t] = a[t]; lib::meet(); b[t] = s[127 - t];", engine.Inconclusive},
		{"a race behind a call", "lib::begin(a); s[t] = a[t]; b[t] = s[127 - t];", engine.Violated},
		{"right, with a call", "s[t] = a[t]; __syncthreads(); lib::middle(b); b[t] = s[127 - t];", engine.Inconclusive},
		{"a call that other threads come to", "s[t] = a[t]; if (t < 32) lib::one(); b[t] = s[127 - t];", engine.Violated},
		{"a value that a call gives may be one", "s[0] = lib::sum(a[t]); __syncthreads(); b[t] = s[0];", engine.Inconclusive},
		{"a barrier where data decide, behind a race", "s[t] = a[t]; b[t] = s[127 - t]; if (a[n] > 0) __syncthreads();", engine.Violated},
		{"a barrier where data decide, between", "s[t] = a[t]; if (a[n] > 0) __syncthreads(); b[t] = s[127 - t];", engine.Violated},
		{"a type that is not known", "lib::vec v; v.load(a); s[t] = v.x; b[t] = s[127 - t];", engine.Violated},
		{"an element of a type that is not known", "lib::half16* h = reinterpret_cast<lib::half16*>(s); h[t] = a[t]; b[t] = s[64 + t / 2];", engine.Inconclusive},
		{"a class template", "Row<float, 2> r; r[0] = a[t]; s[t] = r[0]; __syncthreads(); b[t] = s[Row<float, 64>::size * 2 - 1 - t];", engine.Holds},
		{"a class template, no barrier", "Row<float, 2> r; r[0] = a[t]; s[t] = r[0]; b[t] = s[Row<float, 64>::size * 2 - 1 - t];", engine.Violated},
		{"a constant of a specialisation", "constexpr int two = Mode<2>::is; s[t] = a[t]; if (two == 2) __syncthreads(); b[t] = s[127 - t];", engine.Holds},
		{"a lambda", "auto put = [&](int i) { s[i] = a[i]; }; put(t); __syncthreads(); b[t] = s[127 - t];", engine.Holds},
		{"a lambda, no barrier", "auto put = [&](int i) { s[i] = a[i]; }; put(t); b[t] = s[127 - t];", engine.Violated},
		{"an assertion", "#define CHECK(c) do { if (!(c)) { printf(\"%s\", #c); __trap(); } } while (0)\nCHECK(n > 0); s[t] = a[t]; __syncthreads(); b[t] = s[127 - t];", engine.Holds},
		{"a reduction of a tile", "namespace cg = cooperative_groups; auto warp = cg::tiled_partition<32>(cg::this_thread_block()); s[t / 32] = cg::reduce(warp, a[t], cg::plus<float>()); __syncthreads(); b[t] = s[t / 32];", engine.Holds},
		{"a reduction of a tile, no barrier", "namespace cg = cooperative_groups; auto warp = cg::tiled_partition<32>(cg::this_thread_block()); s[t / 32] = cg::reduce(warp, a[t], cg::plus<float>()); b[t] = s[3 - t / 32];", engine.Violated},
	} {
		got, err := verdictOfText(t, "k.cu", head+strings.ReplaceAll(c.body, "#define", "\n#define")+"\n"+foot, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got.Verdict != c.want {
			t.Errorf("%s: %s, %v; expected %s", c.name, got.Verdict, got.Reasons, c.want)
		}
	}
}
