package check

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/ir/exec"
)

// TestTranslatedDeduced: what a launch does not say of a kernel's template follows from the types of what it passes (C++17 [temp.deduct.call]): here whether there is a barrier.
func TestTranslatedDeduced(t *testing.T) {
	const (
		types = "struct Meets { __device__ void operator()() const { __syncthreads(); } };\nstruct Passes { __device__ void operator()() const { } };\n" +
			"template <typename G> struct Box { G g; __device__ void operator()() const { g(); } };\nstruct Both { double* wide; float* narrow; float* first() { return narrow; } double* second() { return wide; } };\n"
		body    = "{ __shared__ float s[128]; int t = threadIdx.x; s[t] = p[t]; "
		end     = " p[t] = s[127 - t]; }\n"
		functor = types + "template <typename F> __global__ void k(float* p, F f) " + body + "f();" + end
		boxed   = types + "template <typename F> __global__ void k(float* p, const Box<F> f) " + body + "f();" + end
		sized   = types + "template <typename T> __global__ void k(const T* q, float* p) " + body + "if (sizeof(T) == 8) __syncthreads();" + end
		counted = types + "template <int N, typename T> __global__ void k(T* q, float* p) " + body + "if (N == 3 && sizeof(T) == 8) __syncthreads();" + end
		start   = "template <typename A> void start(float* p, A a) { k<<<1, 128>>>(p, a); }\n"
		made    = types + "template <typename T> struct Way;\ntemplate <> struct Way<double> { static __device__ void meet() "
		waits   = " };\ntemplate <typename T> __global__ void k(float* p) " + body + "Way<T>::meet();" + end
		begin   = "template <typename A> void begin(A* q, float* p) { k<<<1, 128>>>(q, p); }\n"
	)
	for text, want := range map[string]engine.Verdict{
		functor + "void run(float* p) { Meets m; k<<<1, 128>>>(p, m); }":                                                                                         engine.Holds,
		functor + "void run(float* p) { Passes m; k<<<1, 128>>>(p, m); }":                                                                                        engine.Violated,
		functor + "void run(float* p) { auto m = Meets(); k<<<1, 128>>>(p, m); }":                                                                                engine.Holds,
		functor + "void run(float* p) { auto m = Passes{}; k<<<1, 128>>>(p, m); }":                                                                               engine.Violated,
		functor + "void run(float* p) { k<<<1, 128>>>(p, Meets()); }":                                                                                            engine.Holds,
		functor + "void run(float* p) { Unknown m; k<<<1, 128>>>(p, m); }":                                                                                       engine.Inconclusive,
		functor + start + "void run(float* p) { start(p, Meets()); }":                                                                                            engine.Holds,
		functor + start + "void run(float* p) { Passes x; start(p, x); }":                                                                                        engine.Violated,
		functor + start + "void run(float* p) { start(p, Meets()); start(p, Passes()); }":                                                                        engine.Violated,
		functor + start + "void run(float* p) { Box<Meets> x; start(p, x); }":                                                                                    engine.Holds,
		functor + start + "void run(float* p) { Box<Passes> x; start(p, x); }":                                                                                   engine.Violated,
		functor + "struct A { __device__ void operator()() const { } };\n" + start:                                                                               engine.Inconclusive, // the template's A is none of this name
		functor + "void run(float* p) { Passes m; { Meets m; k<<<1, 128>>>(p, m); } }":                                                                           engine.Holds,
		functor + "cudaLaunchConfig_t c{1, 128}; void run(float* p) { cudaLaunchConfig_t c{1, 128}; cudaLaunchKernelEx(&c, k<Meets>, p, Meets()); }":             engine.Holds,
		functor + "void run(float* p) { Meets m; { Passes m; } k<<<1, 128>>>(p, m); }":                                                                           engine.Holds,
		functor + "void run(float* p) { Passes m; if (p) { Meets m; } else k<<<1, 128>>>(p, m); }":                                                               engine.Violated,
		functor + "void run(float* p) { Passes m; for (Meets m; ;) { } k<<<1, 128>>>(p, m); }":                                                                   engine.Violated,
		functor + "void run(float* p) { Meets m; auto f = [&](Passes m) { }; k<<<1, 128>>>(p, m); }":                                                             engine.Holds,
		functor + "void run(float* p) { Meets m; auto f = [&](Passes m) { k<<<1, 128>>>(p, m); }; f(Passes()); }":                                                engine.Violated,
		functor + "template <typename L> void hand(L body, Passes m) { body(); }\nvoid run(float* p) { Meets m; hand([&] { k<<<1, 128>>>(p, m); }, Passes()); }": engine.Holds,
		functor + "#define START(x) k<<<1, 128>>>(p, x)\nvoid run(float* p) { Meets m; START(m); }":                                                              engine.Holds,
		functor + "#define START(x) do { Meets n; k<<<1, 128>>>(p, n); } while (0)\nvoid run(float* p) { Passes n; START(n); }":                                  engine.Holds,
		functor + "#define START k<<<1, 128>>>(p, m)\nvoid run(float* p) { { Meets m; } Passes m; START; }":                                                      engine.Inconclusive,
		boxed + "void run(float* p) { Box<Meets> m; k<<<1, 128>>>(p, m); }":                                                                                      engine.Holds,
		boxed + "void run(float* p) { Box<Passes> m; k<<<1, 128>>>(p, m); }":                                                                                     engine.Violated,
		boxed + "template <typename A> void start(float* p) { Box<A> b; k<<<1, 128>>>(p, b); }\nvoid run(float* p) { start<Meets>(p); }":                         engine.Holds,
		boxed + "template <typename A> void start(float* p) { Box<A> b; k<<<1, 128>>>(p, b); }\nvoid run(float* p) { start<Passes>(p); }":                        engine.Violated,
		sized + "void run(double* q, float* p) { k<<<1, 128>>>(q, p); }":                                                                                         engine.Holds,
		sized + "void run(const float* q, float* p) { k<<<1, 128>>>(q, p); }":                                                                                    engine.Violated,
		sized + "void run(void* q, float* p) { k<<<1, 128>>>((double*)q, p); }":                                                                                  engine.Holds,
		sized + "void run(void* q, float* p) { k<<<1, 128>>>(static_cast<const float*>(q), p); }":                                                                engine.Violated,
		sized + "void run(Both b, float* p) { k<<<1, 128>>>(b.wide, p); }":                                                                                       engine.Holds,
		sized + "void run(Both b, float* p) { k<<<1, 128>>>(b.narrow + 1, p); }":                                                                                 engine.Violated,
		sized + "void run(Both b, float* p) { k<<<1, 128>>>(b.second(), p); }":                                                                                   engine.Holds,
		sized + "void run(Both b, float* p) { k<<<1, 128>>>(b.first(), p); }":                                                                                    engine.Violated,
		sized + "void run(Tensor b, float* p) { k<<<1, 128>>>(b.data_ptr<double>(), p); }":                                                                       engine.Holds,
		sized + "void run(Tensor b, float* p) { k<<<1, 128>>>(b.data_ptr<float>(), p); }":                                                                        engine.Violated,
		sized + begin + "void run(double* q, float* p) { begin(q, p); }":                                                                                         engine.Holds,
		sized + begin + "void run(float* q, float* p) { begin(q, p); }":                                                                                          engine.Violated,
		sized + "template <typename A> void start(float* p) { using B = A; B* q = nullptr; k<<<1, 128>>>(q, p); }\nvoid run(float* p) { start<double>(p); }":     engine.Holds,
		sized + "template <typename A> void start(float* p) { using B = A; B* q = nullptr; k<<<1, 128>>>(q, p); }\nvoid run(float* p) { start<float>(p); }":      engine.Violated,
		counted + "void run(double* q, float* p) { k<3><<<1, 128>>>(q, p); }":                                                                                    engine.Holds,
		counted + "void run(double* q, float* p) { k<4><<<1, 128>>>(q, p); }":                                                                                    engine.Violated,
		counted + "void run(float* q, float* p) { k<3><<<1, 128>>>(q, p); }":                                                                                     engine.Violated,
		made + "{ __syncthreads(); }" + waits + "void run(float* p) { k<double><<<1, 128>>>(p); }":                                                               engine.Holds,
		made + "{ __syncwarp(); }" + waits + "void run(float* p) { k<double><<<1, 128>>>(p); }":                                                                  engine.Violated,
		made + "{ __syncwarp(); }" + waits + "template <typename A> void start(float* p) { k<A><<<1, 128>>>(p); }":                                               engine.Violated, // it is defined for one type
	} {
		if r := verdictIn(t, treeOf(t, map[string]string{"k.cu": text}), "k.cu", exec.Launch{}); r.Verdict != want {
			t.Errorf("%s: %s %v; want %s", text[len(types):], r.Verdict, r.Reasons, want)
		}
	}
}

// TestTranslatedAround: a kernel of a header is what those make it that include this: they call what launches it, and may have what it calls.
func TestTranslatedAround(t *testing.T) {
	const (
		head    = "#pragma once\n#include \"types.h\"\ntemplate <typename F, int N> __global__ void k(float* p, F f) { __shared__ float s[N]; int t = threadIdx.x; s[t] = p[t]; f(); p[t] = s[N - 1 - t]; }\n"
		through = head + "template <int N, typename A> void start(float* p, A a) { k<A, N><<<1, N>>>(p, a); }\n"
		calling = "#pragma once\n__global__ void k(float* p) { __shared__ float s[128]; int t = threadIdx.x; s[t] = p[t]; meet(); p[t] = s[127 - t]; }\n"
		types   = "#pragma once\nstruct Meets { __device__ void operator()() const { __syncthreads(); } };\nstruct Passes { __device__ void operator()() const { } };\n"
		own     = "#include \"k.cuh\"\n__device__ void settle() { WAIT; }\nstruct Own { __device__ void operator()() const { settle(); } };\nvoid run(float* p) { start<64>(p, Own()); }\n"
	)
	const rows = "__device__ void settle(int n) {\nROW(1);\nROW(2);\n}\n"
	table := func(row string) string {
		return "#define ROW(k) " + row + "\n#include \"rows.h\"\n#undef ROW\n__global__ void k(float* p) { __shared__ float s[128]; int t = threadIdx.x; s[t] = p[t]; settle(2); p[t] = s[127 - t]; }\nvoid run(float* p) { k<<<1, 128>>>(p); }\n"
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  engine.Verdict
	}{
		"what stands before, and is not the same everywhere": {map[string]string{"k.cuh": calling, "a.cu": "__device__ void meet() { __syncthreads(); }\n#include \"k.cuh\"\nvoid run(float* p) { k<<<1, 128>>>(p); }\n",
			"b.cu": "__device__ void meet() { }\n#include \"k.cuh\"\nvoid walk(float* p) { k<<<1, 128>>>(p); }\n"}, engine.Inconclusive},
		"a macro around what is included":         {map[string]string{"k.cuh": table("if (n == k) { __syncthreads(); return; }"), "rows.h": rows}, engine.Holds},
		"a macro around what is included, broken": {map[string]string{"k.cuh": table("if (n + 2 == k) { __syncthreads(); return; }"), "rows.h": rows}, engine.Violated},
		"a caller elsewhere":                      {map[string]string{"k.cuh": through, "types.h": types, "a.cu": "#include \"k.cuh\"\nvoid run(float* p) { start<64>(p, Meets()); }\n"}, engine.Holds},
		"a caller elsewhere, broken":              {map[string]string{"k.cuh": through, "types.h": types, "a.cu": "#include \"k.cuh\"\nvoid run(float* p) { start<64>(p, Passes()); }\n"}, engine.Violated},
		"of several callers the worst":            {map[string]string{"k.cuh": through, "types.h": types, "a.cu": "#include \"k.cuh\"\nvoid run(float* p) { start<64>(p, Meets()); }\n", "b.cu": "#include \"k.cuh\"\nvoid walk(float* p) { start<64>(p, Passes()); }\n"}, engine.Violated},
		"with a type of the caller's":             {map[string]string{"k.cuh": through, "types.h": types, "a.cu": strings.Replace(own, "WAIT", "__syncthreads()", 1)}, engine.Holds},
		"with a type of the caller's, broken":     {map[string]string{"k.cuh": through, "types.h": types, "a.cu": strings.Replace(own, "WAIT", "__syncwarp()", 1)}, engine.Violated},
		"what stands before":                      {map[string]string{"k.cuh": calling, "a.cu": "__device__ void meet() { __syncthreads(); }\n#include \"k.cuh\"\nvoid run(float* p) { k<<<1, 128>>>(p); }\n"}, engine.Holds},
		"what stands before, broken":              {map[string]string{"k.cuh": calling, "a.cu": "__device__ void meet() { }\n#include \"k.cuh\"\nvoid run(float* p) { k<<<1, 128>>>(p); }\n"}, engine.Violated},
	} {
		if r := verdictIn(t, treeOf(t, c.files), "k.cuh", exec.Launch{}); r.Verdict != c.want {
			t.Errorf("%s: %s %v %v; want %s", name, r.Verdict, r.Reasons, r.Whole.Unlaunched, c.want)
		}
	}
}
