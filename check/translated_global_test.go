package check

import (
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestTranslatedGlobal: a kernel whose threads share places of global memory, one of them writing, is not said to hold.
func TestTranslatedGlobal(t *testing.T) {
	for body, holds := range map[string]bool{
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
