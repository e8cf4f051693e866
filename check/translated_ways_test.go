package check

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestTranslatedWays: what data decide goes one way and the other, and a loop as often as they say. SYNC is a barrier in the right kernel and nothing in
// the broken one; which of the two is asked for, what it is to be. No right kernel is violated, whatever data decide.
func TestTranslatedWays(t *testing.T) {
	const head = "__global__ void k(const float* in, float* out, int n) { __shared__ float s[128]; const int t = threadIdx.x; "
	const foot = " }\nvoid run(const float* in, float* out, int n) { k<<<1, 128>>>(in, out, n); }\n"
	for _, c := range []struct {
		name, body    string
		right, broken engine.Verdict
	}{
		{"all go on or all leave", "if (in[n] < 0.f) return; s[t] = in[t]; SYNC; out[t] = s[127 - t];", engine.Holds, engine.Violated},
		{"each thread may leave", "if (in[t] < 0.f) return; s[t] = in[t]; SYNC; out[t] = s[127 - t]; __syncthreads();", engine.Inconclusive, engine.Violated},
		{"rounds of data", "for (int i = 0; in[i] > 0.f; ++i) { s[t] = in[i]; __syncthreads(); out[t] = s[127 - t]; SYNC; }", engine.Inconclusive, engine.Violated},
		{"behind rounds of data", "for (int i = 0; in[i] > 0.f; ++i) { s[t] = in[i]; __syncthreads(); out[t] = s[127 - t]; __syncthreads(); } s[t] = 1.f; SYNC; out[t] = s[127 - t];", engine.Inconclusive, engine.Violated},
		{"places that a bound of data leaves", "const int m = in[n]; for (int i = t; i < m; i += 128) s[i] = in[i]; SYNC; out[t] = s[127 - t];", engine.Inconclusive, engine.Violated},
		{"a write that data guard", "if (in[t] > 0.f) s[t] = in[t]; SYNC; out[t] = s[127 - t];", engine.Holds, engine.Violated},
		{"a read that data guard", "s[t] = in[t]; SYNC; if (in[t] > 0.f) out[t] = s[127 - t];", engine.Holds, engine.Violated},
		{"a search", "int at = -1; for (int i = 0; i < n; ++i) if (in[i] >= in[n + t]) { at = i; break; } s[t] = in[t]; SYNC; out[t] = s[127 - t] + at;", engine.Holds, engine.Violated},
		{"a constant of another file beside data", "if (in[n] == LARGE) s[t] = 1.f; SYNC; out[t] = s[127 - t];", engine.Holds, engine.Violated},
		{"sums in an array of the thread's own", "float sum[1] = {in[t]}; for (int i = 16; i > 0; i >>= 1) sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], i); s[t / 32] = sum[0]; SYNC; out[t] = s[t % 4];", engine.Inconclusive, engine.Violated},
		{"a write that may be anywhere stands between", "s[t] = in[t]; s[(int)in[n + t] % 128 / 128 + t] = in[n]; SYNC; if (t == 0) for (int i = 1; i < 128; ++i) out[i] = s[i];", engine.Inconclusive, engine.Violated},
		{"a barrier that data may leave out", "s[t] = in[t]; if (in[n] > 0.f) __syncthreads(); SYNC; out[t] = s[127 - t];", engine.Holds, engine.Violated},
		// What data may exclude is told of neither.
		{"one thread of data", "if (in[t] == 1.f) s[0] = in[t]; SYNC;", engine.Inconclusive, engine.Inconclusive},
		{"a thread of data by itself", "if (in[t] > 0.f) { s[0] = in[t]; out[t] = s[0]; } SYNC;", engine.Inconclusive, engine.Inconclusive},
		{"ordered where it is written", "if (in[n] > 0.f) { s[t] = in[t]; __syncwarp(); } out[t] = s[t ^ 1]; SYNC;", engine.Inconclusive, engine.Inconclusive},
		{"one way or the other", "const bool a = in[n] > 0.f; if (a) { __syncthreads(); s[t] = in[t]; } SYNC; if (!a) { out[t] = s[127 - t]; __syncthreads(); }", engine.Holds, engine.Holds},
		{"the same asked twice", "if (in[n] > 0.f) { __syncthreads(); s[t] = in[t]; } SYNC; if (!(in[n] > 0.f)) { out[t] = s[127 - t]; __syncthreads(); }", engine.Holds, engine.Inconclusive},
	} {
		for _, right := range []bool{true, false} {
			sync, want := "(void)0", c.broken
			if right {
				sync, want = "__syncthreads()", c.right
			}
			r, err := verdictOfText(t, "k.cu", head+strings.ReplaceAll(c.body, "SYNC", sync)+foot, nil)
			switch {
			case err != nil:
				t.Errorf("%s: %v", c.name, err)
			case r.Verdict != want:
				t.Errorf("%s, right %v: %s, %v, %v; expected %s", c.name, right, r.Verdict, r.Reasons, r.Findings, want)
			}
		}
	}
}

// TestTranslatedMasks: a mask that leaves out lanes which run the instruction is told where all lanes of a warp go there or none does, whatever else is
// not known; where data may choose the lanes by their numbers it is not.
func TestTranslatedMasks(t *testing.T) {
	const head = "__global__ void k(const int* n, float* out) { const int t = threadIdx.x, lane = t % 32; float x = out[t]; "
	const foot = " out[t] = x; }\nvoid run(const int* n, float* out) { k<<<1, 64>>>(n, out); }\n"
	const all, half = "0xffffffffu", "0x0000ffffu"
	for _, c := range []struct {
		name, body string
		mask       string
		violated   bool
	}{
		{"all come", "x += __shfl_xor_sync(MASK, x, 1);", half, true},
		{"all come as data say", "if (n[blockIdx.x] > 3) x += __shfl_xor_sync(MASK, x, 1);", half, true},
		{"in rounds of data", "for (int i = 0; i < n[blockIdx.x]; i++) x += __shfl_xor_sync(MASK, x, 1);", half, true},
		{"behind a call that is not known", "lib::step(); x += __shfl_xor_sync(MASK, x, 1);", half, true},
		{"half of a warp comes", "if (lane < 16) for (int i = 0; i < n[blockIdx.x]; i++) x += __shfl_xor_sync(MASK, x, 1);", half, false},
		{"each as its own data say", "if (out[t] > 1.f) x += __shfl_xor_sync(MASK, x, 1);", half, true},
		{"lanes that data choose", "if (lane < n[0]) x += __shfl_xor_sync(MASK, x, 1);", half, false},
		{"rounds of each lane", "for (int i = lane; i < n[blockIdx.x]; i += 32) x += __shfl_xor_sync(MASK, x, 1);", half, false},
	} {
		for _, mask := range []string{all, c.mask} {
			r, err := verdictOfText(t, "k.cu", head+strings.ReplaceAll(c.body, "MASK", mask)+foot, nil)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			} else if violated := r.Verdict == engine.Violated; violated != (c.violated && mask == half) {
				t.Errorf("%s, mask %s: %s, %v, %v", c.name, mask, r.Verdict, r.Reasons, r.Findings)
			}
		}
	}
}

// TestTranslatedArrays: a shape is for the arrays that its threads fill, whichever of them one text speaks of.
func TestTranslatedArrays(t *testing.T) {
	const text = "template <int N> __global__ void k(const float* in, float* out, int n) { __shared__ float a[N], b[N]; const int t = threadIdx.x;\n" +
		"  for (int i = t; i < n + t; i += 7) {\n    __syncthreads();\n    a[t] = in[i];\n    b[t] = in[i];\n    SYNC\n    float sum = 0;\n    for (int j = 0; j < N; j++) sum += a[j] * b[j];\n    out[i] = sum;\n  }\n}\n" +
		"void run(float* p, int n, int m) { k<64><<<1, m>>>(p, p, n); }\n"
	for sync, want := range map[string]engine.Verdict{"__syncthreads();": engine.Holds, "": engine.Violated} {
		if r, err := verdictOfText(t, "k.cu", strings.Replace(text, "SYNC", sync, 1), nil); err != nil || r.Verdict != want {
			t.Errorf("%q: %v, %v, %v; expected %s", sync, err, r.Verdict, r.Reasons, want)
		}
	}
}

// TestTranslatedSentinels: numbers that mean something else than how many are tried where the text asks for them.
func TestTranslatedSentinels(t *testing.T) {
	for condition, want := range map[string]engine.Verdict{
		"n != -1": engine.Violated, "n >= 0": engine.Violated, "0 <= n": engine.Violated, "m != 0xffffffffu": engine.Violated, "m != UINT_MAX": engine.Violated, "m < 0x80000000u || m != 3000000000u": engine.Violated,
		"n != -1 || n < 5": engine.Holds, "m >= 0": engine.Holds, "n < INT_MAX || n == INT_MAX": engine.Holds,
	} {
		text := "__global__ void k(const float* in, float* out, int n, unsigned m) { __shared__ float s[128]; const int t = threadIdx.x; s[t] = in[t]; if (" + condition +
			") __syncthreads(); out[t] = s[127 - t]; }\nvoid run(float* p, int n, unsigned m) { k<<<1, 128>>>(p, p, n, m); }\n"
		if r, err := verdictOfText(t, "k.cu", text, nil); err != nil || r.Verdict != want {
			t.Errorf("%s: %v, %v, %v; want %s", condition, err, r.Verdict, r.Reasons, want)
		}
	}
}
