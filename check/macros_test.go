package check

import (
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestMacrosOfIncludes: what a condition asks for is what the files that are included make of it; where one of them is not here, it is not known.
func TestMacrosOfIncludes(t *testing.T) {
	kernel := func(includes, condition string) string {
		return "#include <cuda_runtime.h>\n" + includes + "__global__ void k(float* a, float* b) {\n  __shared__ float s[128];\n  const int t = threadIdx.x;\n  s[t] = a[t];\n" +
			condition + "\n  __syncthreads();\n#endif\n  b[t] = s[127 - t];\n}\nvoid run(float* a, float* b) { k<<<1, 128>>>(a, b); }\n"
	}
	const near = "#include \"near.h\"\n"
	for _, c := range []struct {
		name, condition string
		files           map[string]string
		want            engine.Verdict
	}{
		{"defined where it is included", "#ifdef MEET", map[string]string{"near.h": "#define MEET\n"}, engine.Holds},
		{"defined nowhere", "#ifdef MEET", map[string]string{"near.h": "#define MEAT\n"}, engine.Violated},
		{"not defined, which is asked", "#ifndef ALONE", map[string]string{"near.h": "\n"}, engine.Holds},
		{"defined farther off", "#if MEET > 2", map[string]string{"near.h": "#pragma once\n#include \"far.h\"\n", "far.h": "#define MEET (3)\n"}, engine.Holds},
		{"defined farther off, as less", "#if MEET > 2", map[string]string{"near.h": "#pragma once\n#include \"far.h\"\n", "far.h": "#define MEET 2\n"}, engine.Violated},
		{"taken back", "#ifdef MEET", map[string]string{"near.h": "#include \"far.h\"\n#undef MEET\n", "far.h": "#define MEET\n"}, engine.Violated},
		{"defined where another one is", "#ifdef MEET", map[string]string{"near.h": "#include \"far.h\"\n#ifdef FAR\n#define MEET\n#endif\n", "far.h": "#define FAR\n"}, engine.Holds},
		{"left out where another one is not", "#ifdef MEET", map[string]string{"near.h": "#include \"far.h\"\n#ifdef FAR\n#define MEET\n#endif\n", "far.h": "\n"}, engine.Violated},
		{"a header that is not here", "#ifdef MEET", map[string]string{"near.h": "#include <their/library.h>\n"}, engine.Inconclusive},
		{"defined although one is not here", "#ifdef MEET", map[string]string{"near.h": "#include <their/library.h>\n#define MEET\n"}, engine.Holds},
		{"defined where one that is not here may say", "#ifdef MEET", map[string]string{"near.h": "#include <their/library.h>\n#ifdef THEIRS\n#define MEET\n#endif\n"}, engine.Inconclusive},
		{"included where one that is not here may say", "#ifdef MEET", map[string]string{"near.h": "#include <their/library.h>\n#ifdef THEIRS\n#include \"far.h\"\n#endif\n", "far.h": "#define MEET\n"}, engine.Inconclusive},
		{"no number", "#if MEET > 2", map[string]string{"near.h": "#define MEET sizeof(int)\n"}, engine.Inconclusive},
		{"the compiler's", "#if MEET >= 300", map[string]string{"near.h": "#ifndef __CUDA_ARCH__\n#define MEET 0\n#else\n#define MEET __CUDA_ARCH__\n#endif\n"}, engine.Holds},
		{"the compiler's, which is newer", "#if MEET < 300", map[string]string{"near.h": "#define MEET __CUDA_ARCH__\n"}, engine.Violated},
		{"another macro's", "#if MEET > 2", map[string]string{"near.h": "#include \"far.h\"\n#define MEET (LEVEL * 2 + 1)\n", "far.h": "#define LEVEL 1\n"}, engine.Holds},
		{"another macro's, which is less", "#if MEET > 2", map[string]string{"near.h": "#include \"far.h\"\n#define MEET (LEVEL * 2 + 1)\n", "far.h": "#define LEVEL 0\n"}, engine.Violated},
		{"one that nothing defines", "#if MEET", map[string]string{"near.h": "#define MEET LEVEL\n"}, engine.Violated},
		{"one that one that is not here may define", "#if MEET", map[string]string{"near.h": "#include \"theirs.h\"\n#define MEET LEVEL\n"}, engine.Inconclusive},
		{"a question", "#if MEET && 1", map[string]string{"near.h": "#define MEET defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 300\n"}, engine.Holds},
		{"parted by what is beside it", "#if MEET * 2 > 3", map[string]string{"near.h": "#define MEET 1 + 1\n"}, engine.Inconclusive},
		{"itself", "#if MEET", map[string]string{"near.h": "#define MEET MEET\n"}, engine.Inconclusive},
		{"ever more of them", "#if MEET", map[string]string{"near.h": "#define MEET (A + A)\n#define A (B + B)\n#define B (C + C)\n#define C (D + D)\n#define D (E + E)\n#define E (F + F)\n#define F (G + G)\n#define G (H + H)\n#define H (MEET + MEET)\n"}, engine.Inconclusive},
		{"files that include each other", "#ifdef MEET", map[string]string{"near.h": "#pragma once\n#include \"far.h\"\n#ifdef FAR\n#define MEET\n#endif\n", "far.h": "#pragma once\n#include \"near.h\"\n#ifndef MEET\n#define FAR\n#endif\n"}, engine.Holds},
	} {
		c.files["k.cu"] = kernel(near, c.condition)
		r, err := run(t, c.files, nil)
		if err != nil || len(r.Kernels) != 1 {
			t.Errorf("%s: %v, %d kernels", c.name, err, len(r.Kernels))
		} else if r.Kernels[0].Verdict != c.want.String() {
			t.Errorf("%s: %s, %v, %v; want %s", c.name, r.Kernels[0].Verdict, r.Kernels[0].Reasons, r.Findings, c.want)
		}
	}
}

// TestGuards: the guard of a header against being included again is no condition, whatever those that include it include before that is not here; other conditions on the same lines are.
func TestGuards(t *testing.T) {
	const body = "#include \"near.h\"\n__global__ void k(float* a, float* b) {\n  __shared__ float s[128];\n  const int t = threadIdx.x;\n  s[t] = a[t];\n#if MEET\n  __syncthreads();\n#endif\n  b[t] = s[127 - t];\n}\n"
	for _, c := range []struct {
		name, text, near string
		want             engine.Verdict
	}{
		{"ifndef", "// a header\n#ifndef K_CUH\n#define K_CUH /* once */\n" + body + "#endif // K_CUH\n", "#define MEET 1\n", engine.Holds},
		{"ifndef, and broken", "#ifndef K_CUH\n#define K_CUH\n" + body + "#endif\n", "#define MEET 0\n", engine.Violated},
		{"not defined", "#if !defined(K_CUH)\n#define K_CUH\n" + body + "#endif\n", "#define MEET 1\n", engine.Holds},
		{"not defined, without parentheses", "#pragma once\n#if !defined K_CUH\n#define K_CUH\n" + body + "#endif\n", "#define MEET 0\n", engine.Violated},
		{"a condition around half of it", "#ifndef K_CUH\n#define K_CUH\n#include \"near.h\"\n#endif\n" + body[len("#include \"near.h\"\n"):], "#define MEET 1\n", engine.Inconclusive},
		{"another name is defined", "#ifndef K_CUH\n#define OTHER\n" + body + "#endif\n", "#define MEET 1\n", engine.Inconclusive},
		{"it has another branch", "#ifndef K_CUH\n#define K_CUH\n" + body + "#else\n#define MORE\n#endif\n", "#define MEET 1\n", engine.Inconclusive},
	} {
		r, err := run(t, map[string]string{"k.cuh": c.text, "near.h": c.near, "k.cu": "#include \"theirs.h\"\n#include \"k.cuh\"\nvoid run(float* a, float* b) { k<<<1, 128>>>(a, b); }\n"}, nil)
		if err != nil || len(r.Kernels) != 1 {
			t.Errorf("%s: %v, %d kernels", c.name, err, len(r.Kernels))
		} else if r.Kernels[0].Verdict != c.want.String() {
			t.Errorf("%s: %s, %v, %v; want %s", c.name, r.Kernels[0].Verdict, r.Kernels[0].Reasons, r.Findings, c.want)
		}
	}
}

// TestHeadsOfLoops: a macro whose text is the head of a loop has what stands behind it executed, with braces and without, also where another file says what it is.
func TestHeadsOfLoops(t *testing.T) {
	const head = "#define OVER(i, n) for (int i = threadIdx.x; i < (n); i += blockDim.x)\n"
	for _, c := range []struct {
		name, here, near, between string
		want                      engine.Verdict
	}{
		{"here", head, "\n", "__syncthreads();", engine.Holds},
		{"here, and broken", head, "\n", "", engine.Violated},
		{"included", "", head, "__syncthreads();", engine.Holds},
		{"included, and broken", "", head, "", engine.Violated},
		{"nowhere", "", "\n", "__syncthreads();", engine.Inconclusive},
	} {
		for _, body := range []string{"{ s[at] = a[at]; }", "s[at] = a[at];"} {
			r, err := run(t, map[string]string{"near.h": c.near, "k.cu": "#include \"near.h\"\n" + c.here + "__global__ void k(float* a, float* b) {\n  __shared__ float s[256];\n  OVER(at, 256) " + body + "\n  " + c.between +
				"\n  OVER(at, 256) { b[at] = s[255 - at]; }\n}\nvoid run(float* a, float* b) { k<<<1, 128>>>(a, b); }\n"}, nil)
			if err != nil || len(r.Kernels) != 1 || r.Kernels[0].Verdict != c.want.String() {
				t.Errorf("%s, %s: %v, %+v; want %s", c.name, body, err, r.Kernels, c.want)
			}
		}
	}
	for body, want := range map[string]engine.Verdict{"{ s[i] = a[i]; }": engine.Holds, "s[i] = a[i];": engine.Inconclusive} { // of a library that is not here: its text is not the reader's
		r, err := run(t, map[string]string{"k.cu": "#include <ATen/cuda/detail/KernelUtils.h>\n__global__ void k(float* a, float* b) {\n  __shared__ float s[256];\n  CUDA_KERNEL_LOOP(i, 256) " + body + "\n  b[threadIdx.x] = a[0];\n}\nvoid run(float* a, float* b) { k<<<1, 128>>>(a, b); }\n"}, nil)
		if err != nil || len(r.Kernels) != 1 || r.Kernels[0].Verdict != want.String() {
			t.Errorf("%s: %v, %+v; want %s", body, err, r.Kernels, want)
		}
	}
}

// TestStatementsOfMacros: a macro without parameters is the statements that it stands for, also where another file says what it is; one that is the first words of a statement, or of which
// nothing is known, leaves the kernel undecided.
func TestStatementsOfMacros(t *testing.T) {
	const kernel = "#include \"near.h\"\n__global__ void k(float* a, float* b) {\n  __shared__ float s[128];\n  const int t = threadIdx.x;\n  s[t] = a[t];\n  "
	for _, c := range []struct {
		near, use, then string
		want            engine.Verdict
	}{
		{"#define MEET __syncthreads();\n", "MEET", "b[t] = s[127 - t];", engine.Holds},
		{"#define MEET __syncthreads();\n", "MEET;", "b[t] = s[127 - t];", engine.Holds},
		{"#define MEET b[t] = 0; __syncthreads()\n", "MEET;", "b[t] = s[127 - t];", engine.Holds},
		{"#define MEET b[t] = 0;\n", "MEET", "b[t] = s[127 - t];", engine.Violated},
		{"#define FIRST if (t == 0)\n", "FIRST", "s[127 - t] = 0;", engine.Inconclusive},
		{"#define FIRST if (t == 0)\n", "", "FIRST s[127 - t] = 0;", engine.Inconclusive},
		{"\n", "", "FIRST s[127 - t] = 0;", engine.Inconclusive},
		{"\n", "", "FIRST s[5] = 0;", engine.Inconclusive},
	} {
		r, err := run(t, map[string]string{"near.h": c.near, "k.cu": kernel + c.use + "\n  " + c.then + "\n}\nvoid run(float* a, float* b) { k<<<1, 128>>>(a, b); }\n"}, nil)
		if err != nil || len(r.Kernels) != 1 {
			t.Errorf("%q: %v, %d kernels", c.near+c.use+c.then, err, len(r.Kernels))
		} else if r.Kernels[0].Verdict != c.want.String() {
			t.Errorf("%q: %s, %v, %v; want %s", c.near+c.use+c.then, r.Kernels[0].Verdict, r.Kernels[0].Reasons, r.Findings, c.want)
		}
	}
}

// TestWholeFileUnderFlag: a condition on a name that nothing defines, around all that a header has, is no condition: without it nobody would include that. Around part of
// one it is taken to be so where the kernel calls what is there, and said.
func TestWholeFileUnderFlag(t *testing.T) {
	const kernel = "#include \"near.h\"\n__global__ void k(float* a, float* b) {\n  __shared__ float s[128];\n  const int t = threadIdx.x;\n  s[t] = a[t];\n  meet();\n  b[t] = s[127 - t];\n}\nvoid run(float* a, float* b) { k<<<1, 128>>>(a, b); }\n"
	for text, want := range map[string]engine.Verdict{
		"#ifdef WITH_GPU\n__device__ void meet() { __syncthreads(); }\n#endif  // WITH_GPU\n":                                                                                                                engine.Holds,
		"#ifndef NEAR_H\n#define NEAR_H\n#ifdef WITH_GPU\n#include <cuda.h>\nnamespace n {}\n__device__ void meet() { __syncthreads(); }\n#endif\n#endif // NEAR_H\n":                                        engine.Holds,
		"#ifndef NEAR_H\n#define NEAR_H\n#ifdef WITH_GPU\n__device__ void meet() { __syncwarp(); }\n#endif\n#endif\n":                                                                                        engine.Violated,
		"#ifdef WITH_OTHER\n#include <hip/hip_runtime.h>\n__device__ void meet() { __syncthreads(); }\n#endif\n":                                                                                             engine.Holds,
		"#ifdef WITH_GPU\n#ifdef __HIP_PLATFORM_AMD__\n#include <hip/hip_runtime.h>\n#endif\n__device__ void meet() { __syncthreads(); }\n#endif\n":                                                          engine.Holds,
		"#ifdef WITH_GPU\n__device__ void meet() { __syncthreads(); }\n#endif\nint more;\n":                                                                                                                  engine.Holds,
		"#ifdef WITH_GPU\n__device__ void meet() { __syncthreads(); }\n#else\n__device__ void meet() {}\n#endif\n":                                                                                           engine.Violated,
		"#include <not_here/config.h>\n#ifdef WITH_OTHER\n#include <hipcub/hipcub.hpp>\n#define MEET\n#else\n#define MEET __syncthreads()\n#endif\n__device__ void meet() { MEET; }\n":                       engine.Holds,
		"#include <not_here/config.h>\n#if HAVE_GPU\n#ifdef WITH_OTHER\n#include <hip/hip_runtime.h>\n#define MEET __syncthreads()\n#else\n#define MEET\n#endif\n#endif\n__device__ void meet() { MEET; }\n": engine.Violated,
		"#ifndef NEAR_H\n#ifdef WITH_GPU\n__device__ void meet() { __syncthreads(); }\n#endif\n#else\nint more;\n#endif\n":                                                                                   engine.Holds,
	} {
		r, err := run(t, map[string]string{"k.cu": kernel, "near.h": text}, nil)
		if err != nil || len(r.Kernels) != 1 {
			t.Errorf("%q: %v, %d kernels", text, err, len(r.Kernels))
		} else if r.Kernels[0].Verdict != want.String() {
			t.Errorf("%q: %s, %v, %v; want %s", text, r.Kernels[0].Verdict, r.Kernels[0].Reasons, r.Findings, want)
		}
	}
}
