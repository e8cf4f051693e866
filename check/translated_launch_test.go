package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/finding"
	frontend "github.com/fencepost-dev/fencepost/frontend/cuda"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/source"
)

// treeOf writes files and opens them as a tree.
func treeOf(t *testing.T, files map[string]string) *source.Tree {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

// verdictIn is what is said of the kernel of a file of a tree.
func verdictIn(t *testing.T, tree *source.Tree, name string, l exec.Launch) *barriers.Report {
	t.Helper()
	files := NewSources(tree, nil)
	f, err := files.File(name)
	if err != nil {
		t.Fatal(err)
	}
	table, err := Table(f.Language, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, fn := range f.Functions {
		if !fn.Kernel {
			continue
		}
		k, _, err := frontend.Translate(f, table, fn, files, 32)
		if err != nil {
			t.Fatal(err)
		}
		r, err := barriers.Verify(k, l, order.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Fatalf("%s has no kernel", name)
	return nil
}

// TestTranslatedLaunches: a kernel that is right with 128 threads in a block, and broken with 256, is what its launches make it, wherever they stand.
func TestTranslatedLaunches(t *testing.T) {
	const kernel = "#pragma once\n__global__ void k(const float* in, float* out, int n) { __shared__ float s[128]; int t = threadIdx.x; s[t % 128] = in[t]; __syncthreads(); out[t] = s[127 - t % 128]; }\n"
	launch := func(threads string) string {
		return "#include \"lib/k.cuh\"\nvoid run(float* p, int n) { k<<<n, " + threads + ">>>(p, p, n); }\n"
	}
	for name, c := range map[string]struct {
		files map[string]string
		block [3]int // stated
		want  engine.Verdict
		told  string
	}{
		"in the file":            {map[string]string{"include/lib/k.cuh": kernel + "void run(float* p, int n) { k<<<n, 128>>>(p, p, n); }\n"}, [3]int{}, engine.Holds, "launched at include/lib/k.cuh:3"},
		"in another file":        {map[string]string{"include/lib/k.cuh": kernel, "src/run.cu": launch("128")}, [3]int{}, engine.Holds, "launched at src/run.cu:2"},
		"in another, broken":     {map[string]string{"include/lib/k.cuh": kernel, "src/run.cu": launch("256")}, [3]int{}, engine.Violated, "launched at src/run.cu:2"},
		"through another header": {map[string]string{"include/lib/k.cuh": kernel, "include/lib/all.cuh": "#include \"k.cuh\"\n", "src/run.cu": strings.Replace(launch("256"), "lib/k.cuh", "lib/all.cuh", 1)}, [3]int{}, engine.Violated, "launched at src/run.cu:2"},
		"of two, one broken":     {map[string]string{"include/lib/k.cuh": kernel, "src/a.cu": launch("128"), "src/b.cu": launch("256")}, [3]int{}, engine.Violated, "of several launches the first that is the worst: blocks of 128 at src/a.cu:2, blocks of 256 at src/b.cu:2"},
		"of two, one not known":  {map[string]string{"include/lib/k.cuh": kernel, "src/a.cu": launch("128"), "src/b.cu": launch("n")}, [3]int{}, engine.Holds, "it is launched at src/b.cu:2 with a block of n, which is not known here"},
		"said otherwise":         {map[string]string{"include/lib/k.cuh": kernel, "src/a.cu": launch("256")}, [3]int{128, 1, 1}, engine.Holds, "any CTA of 128x1x1 threads"},
		"said, and broken":       {map[string]string{"include/lib/k.cuh": kernel, "src/a.cu": launch("128")}, [3]int{256, 1, 1}, engine.Violated, "any CTA of 256x1x1 threads"},
		"of its own name": {map[string]string{"include/lib/k.cuh": kernel, "src/a.cu": "namespace other { __global__ void k(float*, float*, int) {}\nvoid run(float* p) { k<<<1, 256>>>(p, p, 1); } }\n#include \"lib/k.cuh\"\nvoid run(float* p, int n) { ::k<<<n, 128>>>(p, p, n); }\n"},
			[3]int{}, engine.Holds, "launched at src/a.cu:4"},
		"not included": {map[string]string{"include/lib/k.cuh": kernel, "src/a.cu": strings.Replace(launch("128"), "#include", "// #include", 1)}, [3]int{}, engine.Inconclusive, "no launch of it is found in include/lib/k.cuh"},
	} {
		r := verdictIn(t, treeOf(t, c.files), "include/lib/k.cuh", exec.Launch{Block: c.block})
		assumed := strings.Join(r.Assumed(), "; ")
		if r.Verdict != c.want || !strings.Contains(assumed, c.told) {
			t.Errorf("%s: %s %v, assumed %s; want %s and %q", name, r.Verdict, r.Reasons, assumed, c.want, c.told)
		}
	}
}

// TestTranslatedArguments: constants that all launches pass are premises; of a number that they do not agree on others are tried.
func TestTranslatedArguments(t *testing.T) {
	const kernel = "__global__ void k(float* p, int n) { __shared__ float s[128]; int t = threadIdx.x; s[t] = p[t]; if (n == 3) __syncthreads(); p[t] = s[127 - t]; }\n"
	for text, want := range map[string]engine.Verdict{
		"void run(float* p) { k<<<1, 128>>>(p, 3); }": engine.Holds,
		"void run(float* p) { k<<<1, 128>>>(p, 4); }": engine.Violated,
		"void run(float* p) { const int n = 2 + 1; void* args[] = {&p, (void*)&n}; cudaLaunchKernel((void*)k, 1, 128, args, 0, 0); }": engine.Holds,
		"void run(float* p, int n) { k<<<1, 128>>>(p, n); }":                                                                          engine.Violated,
		"void run(float* p) { k<<<1, 128>>>(p, 3); }\nvoid too(float* p, int n) { k<<<1, 128>>>(p, n); }":                             engine.Violated,
	} {
		r := verdictIn(t, treeOf(t, map[string]string{"k.cu": kernel + text}), "k.cu", exec.Launch{})
		if r.Verdict != want {
			t.Errorf("%s: %s %v; want %s", text, r.Verdict, r.Reasons, want)
		}
	}
	k := "k.cu"
	r := verdictIn(t, treeOf(t, map[string]string{k: kernel + "void run(float* p) { k<<<1, 128>>>(p, 3); }"}), k, exec.Launch{Params: map[string]int64{"n": 4}})
	if r.Verdict != engine.Violated {
		t.Errorf("with n = 4 as it is stated: %s", r.Verdict)
	}
}

// TestTranslatedInstances: a kernel is what the worst of the instances of its template is that are launched, and does not hold where one is left out.
func TestTranslatedInstances(t *testing.T) {
	const kernel = "template <int N> __global__ void k(float* p) { __shared__ float s[128]; int t = threadIdx.x; s[t] = p[t]; if constexpr (N != 3) __syncthreads(); p[t] = s[127 - t]; }\n"
	run := func(numbers ...int) string {
		var out strings.Builder
		for _, n := range numbers {
			fmt.Fprintf(&out, "void run%d(float* p) { k<%d><<<1, 128>>>(p); }\n", n, n)
		}
		return out.String()
	}
	for text, want := range map[string]engine.Verdict{
		run(1):       engine.Holds,
		run(1, 2):    engine.Holds,
		run(3):       engine.Violated,
		run(1, 2, 3): engine.Violated,
		run(1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14):                                                                                engine.Inconclusive, // more than are looked at
		"template __global__ void k<1>(float*);\ntemplate __global__ void k<2>(float*);\n":                                             engine.Holds,
		"template __global__ void k<1>(float*);\ntemplate __global__ void k<3>(float*);\n":                                             engine.Violated,
		"void run(float* p, int n) { auto f = k<1>; if (n > 3) f = k<3>; f<<<1, 128>>>(p); }":                                          engine.Violated,
		"template <int N> void start(float* p) { k<N><<<1, 128>>>(p); }\nvoid run(float* p, int n) { n ? start<1>(p) : start<3>(p); }": engine.Violated,
	} {
		r := verdictIn(t, treeOf(t, map[string]string{"k.cu": kernel + text}), "k.cu", exec.Launch{})
		if r.Verdict != want {
			t.Errorf("%s: %s %v; want %s", text, r.Verdict, r.Reasons, want)
		}
	}
}

// TestConstantsNotSaid: a constant of a file that is not there is a guess, of a parameter's part that is not.
func TestConstantsNotSaid(t *testing.T) {
	const text = "#include \"config.h\"\n__global__ void k(float* p, Config c) { __shared__ float s[1024]; int t = threadIdx.x; s[t] = p[t]; s[t + SIZE] = p[t]; p[t] = s[t]; }\nvoid run(float* p, Config c) { k<<<1, 128>>>(p, c); }\n"
	for name, want := range map[string]bool{"SIDE": true, "c.side": false} {
		r := verdictIn(t, treeOf(t, map[string]string{"k.cu": strings.Replace(text, "SIZE", name, 1)}), "k.cu", exec.Launch{})
		if r.Guessed != want {
			t.Errorf("%s is a guess: %v, %v; want %v", name, r.Guessed, r.Whole.Guesses, want)
		}
	}
}

// TestGuessesTold: what is wrong with several numbers for a constant that the text does not say, or under all shapes of two axes, or with a mask of lanes, whatever bound lets
// them come there, is told; what is right is not, and holds where nothing but the shape is guessed.
func TestGuessesTold(t *testing.T) {
	const at = "__device__ float* at(float* s, int i) { return s + i; }\n"
	for name, c := range map[string]struct {
		text, right, broken string
		held                string // the verdict of the right one
	}{
		"a constant": {"#include \"config.h\"\n__global__ void k(float* p) { __shared__ float s[4096]; int t = threadIdx.x;\n*at(s, t + WIDE) = p[t];\nWAIT;\np[t] = *at(s, (t ^ 1) + WIDE); }\n",
			"__syncthreads()", "(void)0", "inconclusive"},
		"two axes": {"__global__ void k(float* p) { __shared__ float s[1024]; int t = threadIdx.y * blockDim.x + threadIdx.x;\n*at(s, t) = p[t];\nWAIT;\np[t] = *at(s, blockDim.x * blockDim.y - 1 - t); }\n",
			"__syncthreads()", "(void)0", "holds"},
		"a mask behind a bound": {"__global__ void k(float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float x = p[i]; x += __shfl_xor_sync(WAIT, x, 1, 2); p[i] = x; }\n",
			"0xffffffffu", "0x0000ffffu", "inconclusive"},
		"rounds of tiles": {"__global__ void k(const float* in, float* p, int n) { __shared__ float s[1024]; int t = threadIdx.x; float sum = 0; for (int i = 0; i < (n + 255) / 256; ++i) {\n*at(s, t) = in[i * 256 + t];\n__syncthreads();\nsum += *at(s, blockDim.x - 1 - t);\nWAIT; } p[blockIdx.x * 256 + t] = sum; }\n",
			"__syncthreads()", "(void)0", "holds"},
	} {
		for _, right := range []bool{true, false} {
			wait, want := c.broken, ""
			if right {
				wait, want = c.right, c.held
			}
			opt := Options{Tree: treeOf(t, map[string]string{"k.cu": at + strings.Replace(c.text, "WAIT", wait, 1)}), Engine: Explore}
			report, err := Run(context.Background(), opt)
			if err != nil {
				t.Fatal(err)
			}
			told := 0
			for _, f := range report.Findings {
				if f.Severity >= finding.Warning && (f.Rule == "FP720" || f.Rule == "FP403" || f.Rule == "FP412") && f.Verdict == engine.Violated.String() {
					told++
				}
			}
			if right != (told == 0) || right && report.Kernels[0].Verdict != want {
				t.Errorf("%s, right %v: %s, %d told of %v, %v", name, right, report.Kernels[0].Verdict, told, report.Findings, report.Kernels[0].Reasons)
			}
		}
	}
}

// TestSpecialisationsUndecided: which specialisation of a class template is meant is not known where the kernel's own template decides: none is taken for it.
func TestSpecialisationsUndecided(t *testing.T) {
	const text = "enum Kind { ADD, MAX };\ntemplate <Kind K, typename T> struct Op { __device__ T both(const T& a, const T& b) const { return T(0); } };\n" +
		"template <typename T> struct Op<ADD, T> { __device__ T both(const T& a, const T& b) const { return a + b; } };\n" +
		"template <Kind K, typename T> __global__ void k(const T* in, T* out, const Op<K, T> op) { __shared__ T s[64]; int t = threadIdx.x; s[t] = in[t]; WAIT out[t] = op.both(s[63 - t], 1); }\n"
	for wait, never := range map[string]engine.Verdict{"": engine.Holds, "__syncthreads();": engine.Violated} {
		r := verdictIn(t, treeOf(t, map[string]string{"k.cu": strings.Replace(text, "WAIT", wait, 1)}), "k.cu", exec.Launch{})
		if r.Verdict == never {
			t.Errorf("%q: %s %v", wait, r.Verdict, r.Reasons)
		}
	}
}

// TestTemplateGuesses: what is wrong with one number for a template, and right with another, is not told.
func TestTemplateGuesses(t *testing.T) {
	const text = "template <int N> __global__ void k(float* p) { __shared__ float s[128]; int t = threadIdx.x; s[t] = p[t]; WAIT p[t] = s[127 - t]; }\nvoid run(float* p);\n" +
		"template <int N> void start(float* p) { k<N><<<1, 128>>>(p); }\n"
	for wait, want := range map[string]bool{"": true, "if (N == 8) __syncthreads();": false, "if (N == 32) __syncthreads();": false, "__syncthreads();": false} {
		opt := Options{Tree: treeOf(t, map[string]string{"k.cu": strings.Replace(text, "WAIT", wait, 1)})}
		opt.sources = NewSources(opt.Tree, nil)
		f, err := opt.sources.File("k.cu")
		if err != nil {
			t.Fatal(err)
		}
		table, err := Table(f.Language, nil)
		if err != nil {
			t.Fatal(err)
		}
		if k := opt.decideText(f, table, f.Functions[0]); (k.Verdict == engine.Violated && k.doubt.Code == 0) != want {
			t.Errorf("%q: %s, %q; want it told: %v", wait, k.Verdict, k.doubt, want)
		}
	}
}

// TestPart: a .cu that another one includes is compiled as a part of it: what stands before that place says what its types are, and how large.
func TestPart(t *testing.T) {
	const part = `__global__ void dots(const Point* in, REAL* out) {
  __shared__ Point s[THREADS];
  REAL sum = 0;
  s[threadIdx.x] = in[blockIdx.x * THREADS + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < THREADS; i++) sum += DOT(s[i], s[threadIdx.x]);
  out[blockIdx.x * THREADS + threadIdx.x] = sum;
}
`
	files := map[string]string{
		"sizes.h": "#define REAL double\n#define THREADS 64\n#define DOT(A, B) ((A).x * (B).x + (A).y * (B).y)\ntypedef struct { REAL x, y; } Point;\n",
		"main.cu": "#include \"sizes.h\"\n#include \"part.cu\"\nvoid run(const Point* in, REAL* out, int blocks) { dots<<<blocks, THREADS>>>(in, out); }\n",
	}
	for text, want := range map[string]engine.Verdict{part: engine.Holds, strings.Replace(part, "__syncthreads();", "", 1): engine.Violated} {
		files["part.cu"] = text
		if r := verdictIn(t, treeOf(t, files), "part.cu", exec.Launch{}); r.Verdict != want {
			t.Errorf("%s: %s, %v; expected %s", text, r.Verdict, r.Reasons, want)
		}
	}
}
