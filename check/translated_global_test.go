package check

import (
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestTranslatedGlobal: a kernel whose threads share places of global memory, one of them writing, is not said to hold.
func TestTranslatedGlobal(t *testing.T) {
	for body, holds := range map[string]bool{
		"for (int i = t; i < n; i += 64) { if (a[i] > 0) b[i] = 1; }": true, // and race is open
		"a[t] = a[int(b[t])];":                      false,
		"b[t] = a[t];":                              true,
		"b[t] += a[t];":                             true,
		"b[t] = a[t + 1];":                          true,
		"a[t] = a[t + 1];":                          false,
		"a[t] = a[t + n];":                          false,
		"b[0] = a[t];":                              false,
		"b[0] = 1;":                                 true,
		"b[t / 2] = a[t];":                          false,
		"b[int(a[t])] = 1;":                         false,
		"atomicAdd(&b[0], a[t]);":                   true,
		"if (t == 0) b[0] = 1; a[t] = b[0];":        false,
		"memcpy(&b[t], &a[t], 4);":                  true,
		"memcpy(&b[t], &a[t], 8);":                  false,
		"memcpy(&b[t], &a[t], n);":                  false,
		"b[blockIdx.x * 64 + t] = a[t];":            true,
		"for (int i = t; i < 256; i += 64) b[i]++;": true,
	} {
		opt := Options{Tree: treeOf(t, map[string]string{"k.cu": "__global__ void k(float* a, float* b, int n) { int t = threadIdx.x; " + body + " }\nvoid run(float* a, float* b, int n) { k<<<2, 64>>>(a, b, n); }\n"})}
		opt.sources = NewSources(opt.Tree, nil)
		f, err := opt.sources.File("k.cu")
		if err != nil {
			t.Fatal(err)
		}
		table, err := Table(f.Language, nil)
		if err != nil {
			t.Fatal(err)
		}
		k, why := opt.decideTranslated(f, table, f.Functions[0])
		if k == nil || (k.Verdict == engine.Holds && why == "") != holds {
			t.Errorf("%s: %v, %q; expected that it holds: %v", body, k, why, holds)
		}
	}
}

// TestTranslatedFarRound: the round in which a barrier is left out is found by solving for it, and the next one stands in for it; its twin has none.
func TestTranslatedFarRound(t *testing.T) {
	for first, want := range map[string]engine.Verdict{"__syncthreads();": engine.Holds, "": engine.Violated} {
		text := "__global__ void rows(const int* a, int* b, int n) {\n  __shared__ int s[64];\n  const int t = threadIdx.x;\n  for (int i = 0; i < n; ++i) {\n    " + first +
			" s[t] = a[t] + i;\n    __syncthreads();\n    b[t] = s[63 - t];\n    if (i * i * i != n + 6) __syncthreads();\n  }\n}\nvoid run(const int* a, int* b, int n) { rows<<<1, 64>>>(a, b, n); }\n"
		r, err := verdictOfText(t, "rows.cu", text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != want {
			t.Errorf("%q: %s, %v; expected %s", first, r.Verdict, r.Reasons, want)
		}
	}
}
