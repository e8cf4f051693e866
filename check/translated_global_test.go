package check

import (
	"fmt"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestTranslatedGlobal: threads of a CTA, or of two, share places of global memory, and one of them writes.
func TestTranslatedGlobal(t *testing.T) {
	for body, want := range map[string]engine.Verdict{
		"for (int i = t; i < n; i += 64) { if (a[i] > 0) b[i] = 1; }": engine.Holds, // and race is open
		"a[t] = a[int(b[t])];": engine.Inconclusive,
		"b[t] = a[t];":         engine.Holds,
		"b[t] += a[t];":        engine.Holds,
		"b[t] = a[t + 1];":     engine.Holds,
		"a[t] = a[t + 1];":     engine.Violated,
		"float v = a[t + 1]; __syncthreads(); a[t] = v;":                 engine.Holds,
		"if (t < 64) { float v = a[t + 1]; __syncthreads(); a[t] = v; }": engine.Holds,
		"float v = a[t + 1]; __syncwarp(); a[t] = v;":                    engine.Violated,
		"a[t] = a[t + n];":        engine.Inconclusive,
		"b[t * n] = a[t];":        engine.Holds, // race is open
		"b[0] = a[t];":            engine.Violated,
		"b[0] = a[0];":            engine.Holds,
		"b[0] += a[0];":           engine.Violated, // some find what others wrote
		"b[0] = 1;":               engine.Holds,
		"b[t / 2] = a[t];":        engine.Violated,
		"b[int(a[t])] = 1;":       engine.Inconclusive,
		"atomicAdd(&b[0], a[t]);": engine.Holds,
		"atomicAdd(&b[0], a[t]); if (t == 5) b[0] = 0;":                                          engine.Violated,
		"atomicAdd(&b[0], a[t]); if (t == 5) *(volatile float*)b = 0;":                           engine.Violated, // to C++ a volatile write is not atomic
		"if (t == 5) *(volatile float*)b = 0; __syncthreads(); atomicAdd(&b[0], a[t]);":          engine.Holds,
		"if (t < 32) atomicExch((int*)&b[0], 1); else if (t == 32) *(volatile float*)b = 2;":     engine.Violated,
		"if (t < 32) atomicExch((int*)&b[0], 1); else if (t == 32) ((volatile float*)b)[1] = 2;": engine.Holds,
		"if (t == 0) *(volatile float*)b = 1; a[t] = b[0];":                                      engine.Violated, // a plain read
		"if (t == 0) b[0] = 1; a[t] = b[0];":                                                     engine.Violated,
		"if (t == 0) b[0] = 1; __syncthreads(); a[t] = b[0];":                                    engine.Holds,
		"memcpy(&b[t], &a[t], 4);":                                                               engine.Holds,
		"memcpy(&b[t], &a[t], 8);":                                                               engine.Violated,
		"memcpy(&b[t], &a[t], n);":                                                               engine.Inconclusive,
		"b[blockIdx.x * 64 + t] = a[t];":                                                         engine.Holds,
		"for (int i = t; i < 256; i += 64) b[i]++;":                                              engine.Holds,
		"for (int i = t; i < 256; i += 63) b[i]++;":                                              engine.Violated,
		"__shared__ float s[64]; s[t] = a[t]; __syncthreads(); b[0] = s[5];":                     engine.Holds,
		"__shared__ float s[64]; s[t] = a[t]; __syncthreads(); b[0] = s[t];":                     engine.Violated,
	} {
		global(t, body, 1, want)
	}
	for body, want := range map[string]engine.Verdict{
		"b[t] = a[t];":                                  engine.Holds,
		"b[t] += a[t];":                                 engine.Violated,
		"b[blockIdx.x * 64 + t] += a[t];":               engine.Holds,
		"b[blockIdx.x * 63 + t] += a[t];":               engine.Violated,
		"int i = blockIdx.x * 64 + t; b[i] = b[i + 1];": engine.Violated,
		"int i = blockIdx.x * 64 + t; float v = b[i + 1]; __syncthreads(); b[i] = v;":                  engine.Violated,
		"int i = blockIdx.x * 64 + t; float v = a[i + 1]; __syncthreads(); b[i] = v;":                  engine.Holds,
		"if (blockIdx.x == 0) b[t] += a[t];":                                                           engine.Holds,
		"for (int i = blockIdx.x * 64 + t; i < 512; i += 64 * gridDim.x) b[i]++;":                      engine.Holds,
		"for (int i = blockIdx.x * 64 + t; i < 512; i += 64) b[i]++;":                                  engine.Violated,
		"atomicAdd_block(&b[t], a[t]);":                                                                engine.Violated, // of a scope that the other CTA is not in
		"atomicAdd(&b[t], a[t]);":                                                                      engine.Holds,
		"if (blockIdx.x == 0) atomicExch((int*)&b[0], 1); else ((volatile float*)b)[0] = t + 2;":       engine.Violated,
		"if (blockIdx.x == 0) atomicExch((int*)&b[0], 1); else ((volatile float*)b)[t + 1] = 2;":       engine.Holds,
		"((volatile float*)b)[t] = a[t + blockIdx.x];":                                                 engine.Holds,    // strong by PTX, all of them
		"b[blockIdx.x * 63 + t] += a[t]; __threadfence();":                                             engine.Violated, // a fence alone orders nothing
		"b[blockIdx.x * 64 + t] += a[t]; __threadfence();":                                             engine.Holds,
		"b[blockIdx.x * 63 + t] += a[t]; __threadfence(); if (((volatile float*)a)[99] > 0) b[t] = 1;": engine.Holds, // what is read there may order them: race-grid is open
		"if (atomicAdd((int*)&b[99], 1) == gridDim.x - 1) b[t] += a[t];":                               engine.Holds, // a ticket orders them: race is open
	} {
		global(t, body, 2, want)
	}
}

// global decides a kernel of a body that is launched with so many CTAs of 64 threads.
func global(t *testing.T, body string, ctas int, want engine.Verdict) {
	t.Helper()
	opt := Options{Tree: treeOf(t, map[string]string{"k.cu": fmt.Sprintf("__global__ void k(float* a, float* b, int n) { int t = threadIdx.x; %s }\nvoid run(float* a, float* b, int n) { k<<<%d, 64>>>(a, b, n); }\n", body, ctas)})}
	opt.sources = NewSources(opt.Tree, nil)
	f, err := opt.sources.File("k.cu")
	if err != nil {
		t.Fatal(err)
	}
	table, err := Table(f.Language, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := opt.decideText(f, table, f.Functions[0])
	why := k.doubt
	switch {
	case k.Report == nil:
		t.Errorf("%d CTAs: %s: not translated", ctas, body)
	case want == engine.Inconclusive && (k.Verdict == engine.Inconclusive || k.Verdict == engine.Holds && why.Code != 0):
	case k.Verdict != want || want != engine.Inconclusive && why.Code != 0:
		t.Errorf("%d CTAs: %s: %s, %q, %v; expected %s", ctas, body, k.Verdict, why, k.Reasons, want)
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

// TestTranslatedGlobalGuessed: where nothing says what shape a CTA has, how much of memory is its own is not known, and what all its threads write is.
func TestTranslatedGlobalGuessed(t *testing.T) {
	for body, want := range map[string]engine.Verdict{
		"b[blockIdx.x * 16 + threadIdx.x] += a[threadIdx.x];": engine.Holds, // race-grid is open
		"if (threadIdx.x == 0) b[0] += a[blockIdx.x];":        engine.Violated,
		"b[blockIdx.x * blockDim.x + threadIdx.x] += 1;":      engine.Holds,
	} {
		r, err := verdictOfText(t, "k.cu", "__global__ void k(const float* a, float* b, int n) { "+body+" }\n", nil)
		if err != nil || r.Verdict != want {
			t.Errorf("%s: %v, %v, %v, %v; want %s", body, err, r.Verdict, r.Reasons, r.Findings, want)
		}
	}
}

// TestTranslatedGridOfGuessed: the host's text says how many CTAs there are, and not how many threads each has.
func TestTranslatedGridOfGuessed(t *testing.T) {
	const body = "__global__ void k(float* a) { float v = a[7]; __syncthreads(); if (threadIdx.x == 0 && blockIdx.x == 0) a[7] = v + 1.f; }\n"
	for run, want := range map[string]engine.Verdict{
		"void run(float* a, int n) { k<<<1, n>>>(a); }\n":                                                engine.Holds,
		"void run(float* a, int n) { k<<<2, n>>>(a); }\n":                                                engine.Violated,
		"void run(float* a, int n) { k<<<1, n>>>(a); k<<<2, n>>>(a); }\n":                                engine.Violated,
		"void run(float* a, int n) { dim3 g(1, 1, 1); k<<<g, n>>>(a); k<<<dim3(1), 2 * n>>>(a + 1); }\n": engine.Holds,
		"void run(float* a, int n) { k<<<1, n>>>(a); k<<<n, n>>>(a); }\n":                                engine.Violated,
	} {
		r, err := verdictOfText(t, "k.cu", body+run, nil)
		if err != nil || r.Verdict != want {
			t.Errorf("%s: %v, %v, %v, %v; want %s", run, err, r.Verdict, r.Reasons, r.Findings, want)
		}
	}
}
