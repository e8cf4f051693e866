package check

import (
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// TestTranslatedCalls: what a name means leads to the barrier in the body, and without that barrier to the race.
func TestTranslatedCalls(t *testing.T) {
	const foot = "\nvoid run(float* a, float* b, int n) { k<<<1, 128>>>(a, b, n); }\n"
	const open = "\n__global__ void k(float* a, float* b, int n) {\n  __shared__ float s[128];\n  const int t = threadIdx.x;\n  s[t] = a[t];\n"
	const shut = "\n  b[t] = s[127 - t];\n}"
	cub := func(between string) string {
		return "#include <cub/block/block_reduce.cuh>\n__global__ void k(float* a, float* b, int n) {\n  using Reduce = cub::BlockReduce<float, 128>;\n" +
			"  __shared__ typename Reduce::TempStorage temp;\n  float x = Reduce(temp).Sum(a[threadIdx.x]);\n  " + between +
			"\n  float y = Reduce(temp).Reduce(a[threadIdx.x + 128], cub::Max());\n  b[threadIdx.x] = x + y;\n}"
	}
	special := func(of, other string) string {
		return "template <class T> struct Of { static __device__ void all(T* x) {} };\ntemplate <> struct Of<float> { static __device__ void all(float* x) { " + other + " } };\ntemplate <> struct Of<int> { static __device__ void all(int* x) { " + of + " } };\n" +
			"template <> struct Of<short> { static __device__ void all(short* x) { " + other + " } };"
	}
	bound := func(between, made string) string {
		return "struct Buf { float s[128]; };\nstruct Writer { Buf& b; __device__ Writer(Buf& x) : b(x) {} __device__ void put(float x) { b.s[threadIdx.x] = x; } __device__ float get() { return b.s[127 - threadIdx.x]; } };\n" +
			"struct Pair { Buf& b; int n; __device__ void put(float x) { b.s[threadIdx.x] = x; } __device__ float get() { return b.s[127 - threadIdx.x]; } };\n" +
			"__global__ void k(float* a, float* b, int n) {\n  __shared__ Buf q;\n  " + made + "\n  w.put(a[threadIdx.x]);\n  " + between + "\n  b[threadIdx.x] = w.get();\n}"
	}
	for _, c := range []struct {
		name, text string
		want       engine.Verdict
	}{
		{"storage used again behind a barrier", cub("__syncthreads();"), engine.Holds},
		{"storage used again at once", cub(""), engine.Violated},
		{"storage of two collectives", "#include <cub/cub.cuh>\n__global__ void k(float* a, float* b, int n) {\n  using Scan = cub::BlockScan<int, 128>;\n  using Reduce = cub::BlockReduce<float, 128>;\n" +
			"  __shared__ union { typename Scan::TempStorage scan; typename Reduce::TempStorage reduce; } temp;\n  int at;\n  Scan(temp.scan).ExclusiveSum(int(a[threadIdx.x]), at);\n  __syncthreads();\n" +
			"  b[threadIdx.x] = Reduce(temp.reduce).Sum(a[threadIdx.x]);\n}", engine.Holds},
		{"storage of two collectives, no barrier", "#include <cub/cub.cuh>\n__global__ void k(float* a, float* b, int n) {\n  using Scan = cub::BlockScan<int, 128>;\n  using Reduce = cub::BlockReduce<float, 128>;\n" +
			"  __shared__ union { typename Scan::TempStorage scan; typename Reduce::TempStorage reduce; } temp;\n  int at;\n  Scan(temp.scan).ExclusiveSum(int(a[threadIdx.x]), at);\n" +
			"  b[threadIdx.x] = Reduce(temp.reduce).Sum(a[threadIdx.x]);\n}", engine.Violated},
		{"what a collective is handed stands in shared memory", "#include <cub/cub.cuh>\n__global__ void k(float* a, float* b, int n) {\n  using Reduce = cub::BlockReduce<float, 128>;\n  __shared__ typename Reduce::TempStorage temp;\n" +
			"  __shared__ float s[128];\n  s[threadIdx.x] = a[threadIdx.x];\n  b[threadIdx.x] = Reduce(temp).Sum(s[127 - threadIdx.x]);\n}", engine.Violated},
		{"a load that needs no storage", "#include <cub/cub.cuh>\n__global__ void k(float* a, float* b, int n) {\n  using Load = cub::BlockLoad<float, 128, 2, cub::BLOCK_LOAD_VECTORIZE>;\n  __shared__ typename Load::TempStorage temp;\n" +
			"  float x[2];\n  Load(temp).Load(a, x);\n  Load(temp).Load(a + 256, x);\n  b[threadIdx.x] = x[0];\n}", engine.Holds},
		{"a load that transposes", "#include <cub/cub.cuh>\n__global__ void k(float* a, float* b, int n) {\n  using Load = cub::BlockLoad<float, 128, 2, cub::BLOCK_LOAD_TRANSPOSE>;\n  __shared__ typename Load::TempStorage temp;\n" +
			"  float x[2];\n  Load(temp).Load(a, x);\n  Load(temp).Load(a + 256, x);\n  b[threadIdx.x] = x[0];\n}", engine.Violated},
		{"a warp's collective", "#include <cub/cub.cuh>\n__global__ void k(float* a, float* b, int n) {\n  using Reduce = cub::WarpReduce<float>;\n  __shared__ typename Reduce::TempStorage temp[4];\n" +
			"  b[threadIdx.x] = Reduce(temp[threadIdx.x / 32]).Sum(a[threadIdx.x]);\n}", engine.Holds},

		{"an alias template", "struct Meet { static __device__ void all() { __syncthreads(); } };\ntemplate <class T> struct Of { using type = T; };\ntemplate <class T> using Which = typename Of<T>::type;" +
			open + "Which<Meet>::all();" + shut, engine.Holds},
		{"an alias template, no barrier", "struct Meet { static __device__ void all() { __syncwarp(); } };\ntemplate <class T> struct Of { using type = T; };\ntemplate <class T> using Which = typename Of<T>::type;" +
			open + "Which<Meet>::all();" + shut, engine.Violated},
		{"a namespace by another name", "namespace a { namespace b { struct Meet { __device__ void all() { __syncthreads(); } }; } }\nnamespace q = a::b;" + open + "q::Meet m; m.all();" + shut, engine.Holds},
		{"a namespace by another name, no barrier", "namespace a { namespace b { struct Meet { __device__ void all() {} }; } }\nnamespace q = a::b;" + open + "q::Meet m; m.all();" + shut, engine.Violated},
		{"the one of two types that a condition chooses", "struct Yes { __device__ void all() { __syncthreads(); } };\nstruct No { __device__ void all() {} };\ntemplate <bool B> using Which = std::conditional_t<B, Yes, No>;" +
			open + "Which<sizeof(float) == 4> m; m.all();" + shut, engine.Holds},
		{"the other one", "struct Yes { __device__ void all() { __syncthreads(); } };\nstruct No { __device__ void all() {} };\ntemplate <bool B> using Which = std::conditional_t<B, Yes, No>;" +
			open + "Which<sizeof(float) == 8> m; m.all();" + shut, engine.Violated},
		{"a method of a base by its name", "struct Base { int n; __device__ void all() { if (n == 3) __syncthreads(); } };\nstruct Derived : Base { __device__ Derived() { n = 3; } __device__ void go() { Base::all(); } };" +
			open + "Derived d; d.go();" + shut, engine.Holds},
		{"a method of a base by its name, no barrier", "struct Base { int n; __device__ void all() { if (n == 3) __syncthreads(); } };\nstruct Derived : Base { __device__ Derived() { n = 4; } __device__ void go() { Base::all(); } };" +
			open + "Derived d; d.go();" + shut, engine.Violated},
		{"what is compiled for a type", "template <class T> __device__ void meet() { if constexpr (std::is_same_v<T, double>) __syncthreads(); }" + open + "meet<double>();" + shut, engine.Holds},
		{"what is compiled for another type", "template <class T> __device__ void meet() { if constexpr (std::is_same_v<T, double>) __syncthreads(); }" + open + "meet<float>();" + shut, engine.Violated},
		{"a specialisation for pairs", "template <class A, class B> struct Pair {};\ntemplate <class T> struct Meet { static __device__ void all() {} };\n" +
			"template <class A> struct Meet<Pair<A, int>> { static __device__ void all() { __syncthreads(); } };" + open + "Meet<Pair<float, int>>::all();" + shut, engine.Holds},
		{"not this pair", "template <class A, class B> struct Pair {};\ntemplate <class T> struct Meet { static __device__ void all() {} };\n" +
			"template <class A> struct Meet<Pair<A, int>> { static __device__ void all() { __syncthreads(); } };" + open + "Meet<Pair<int, float>>::all();" + shut, engine.Violated},
		{"a pack of arguments", "template <class... A> __device__ int many(A... a) { return sizeof...(a); }\ntemplate <class... A> __device__ void meet(A&&... a) { if (many(a...) == 2) __syncthreads(); }" +
			open + "meet(n, t);" + shut, engine.Holds},
		{"a pack of other arguments", "template <class... A> __device__ int many(A... a) { return sizeof...(a); }\ntemplate <class... A> __device__ void meet(A&&... a) { if (many(a...) == 2) __syncthreads(); }" +
			open + "meet(n, t, 1);" + shut, engine.Violated},
		{"a macro of any number of arguments", "__device__ void meet(int a, int b) { __syncthreads(); }\n#define MEET(f, ...) f(__VA_ARGS__)\n#define UNUSED(...) do { (void)sizeof((__VA_ARGS__, 0)); } while (0)" +
			open + "UNUSED(n, a); MEET(meet, n, t);" + shut, engine.Holds},
		{"a macro without text", "#define MEET(x)" + open + "MEET(n);" + shut, engine.Violated},
		{"a macro that may have another text", "#include \"mode.h\"\n#ifdef QUIET\n#define MEET(x)\n#else\n#define MEET(x) __syncthreads()\n#endif" + open + "MEET(n);" + shut, engine.Inconclusive},
		{"names that a macro declares", "#define PLACES const int from = 127 - t; const int to = t" + "\n#define SET() PLACES" + open + "__syncthreads(); SET(); b[to] = s[from];" + shut, engine.Inconclusive},
		{"defaults that a declaration says", "template <class T, int N = 3> __device__ void meet(T* p, bool all = true);\n" + open + "meet<float>(a);" + shut + "\ntemplate <class T, int N> __device__ void meet(T* p, bool all) { if (all && N == 3) __syncthreads(); }", engine.Holds},
		{"defaults that a declaration says, not that of the template", "template <class T, int N = 3> __device__ void meet(T* p, bool all = true);\n" + open + "meet<float, 4>(a);" + shut + "\ntemplate <class T, int N> __device__ void meet(T* p, bool all) { if (all && N == 3) __syncthreads(); }", engine.Violated},
		{"defaults that a declaration says, not that of the argument", "template <class T, int N = 3> __device__ void meet(T* p, bool all = true);\n" + open + "meet<float>(a, false);" + shut + "\ntemplate <class T, int N> __device__ void meet(T* p, bool all) { if (all && N == 3) __syncthreads(); }", engine.Violated},
		{"defaults that a class says", "struct Meet { int n; __device__ Meet(int a, int b = 3); __device__ void go(int m = 2); };\n__device__ Meet::Meet(int a, int b) : n(a + b) {}\n__device__ void Meet::go(int m) { if (n == 4 && m == 2) __syncthreads(); }" + open + "Meet m(1); m.go();" + shut, engine.Holds},
		{"defaults that a class says, another argument", "struct Meet { int n; __device__ Meet(int a, int b = 3); __device__ void go(int m = 2); };\n__device__ Meet::Meet(int a, int b) : n(a + b) {}\n__device__ void Meet::go(int m) { if (n == 4 && m == 2) __syncthreads(); }" + open + "Meet m(1); m.go(3);" + shut, engine.Violated},
		{"a constructor that is not there", "struct Meet { int n, m; __device__ Meet(int a) : n(a), m(a) {} __device__ Meet(int a, int b); __device__ void go() { if (n == 1) __syncthreads(); } };" + open + "Meet m(1, 2); m.go();" + shut, engine.Inconclusive},
		{"one of two values by reference", "__device__ void meet(int const& m) { if (m == 3) __syncthreads(); }\nenum Kind { three = 3, four = 4 };" + open + "meet(n > 0 ? three : 3);" + shut, engine.Holds},
		{"one of two values by reference, no barrier", "__device__ void meet(int const& m) { if (m == 3) __syncthreads(); }\nenum Kind { three = 3, four = 4 };" + open + "meet(n > 0 ? four : 5);" + shut, engine.Violated},
		{"a macro that is another one", "#define MEET_ALL(x) if (x > 0) {} __syncthreads()\n#define MEET(x) MEET_ALL(x)" + open + "MEET(1);" + shut, engine.Holds},
		{"a macro that is another one, no barrier", "#define MEET_ALL(x) __syncwarp()\n#define MEET(x) MEET_ALL(x)" + open + "MEET(1);" + shut, engine.Violated},
		{"a macro that is one that acts", "#define MEET if (t < 64) __syncthreads();\n#define SET() MEET" + open + "__syncthreads(); SET();" + shut, engine.Inconclusive},
		{"a macro that is one of another file", "#include \"meet.h\"\n#define SET() MEET" + open + "__syncthreads(); SET();" + shut, engine.Inconclusive},
		{"a macro that is a number of this file", "#define ONE 1\n#define SET() ONE" + open + "if (SET()) __syncthreads();" + shut, engine.Holds},
		{"names that a macro of another file declares", "#include \"places.h\"" + open + "__syncthreads(); PLACES(t); s[to] = a[from];" + shut, engine.Inconclusive},
		{"an overload by what its template is given", "template <int N> __device__ void meet() { __syncthreads(); }\ntemplate <class T> __device__ void meet() {}" + open + "meet<3>();" + shut, engine.Holds},
		{"the other overload", "template <int N> __device__ void meet() { __syncthreads(); }\ntemplate <class T> __device__ void meet() {}" + open + "meet<int>();" + shut, engine.Violated},
		{"an object hands itself on", "template <class T> __device__ void meet(T& x) { x.all(); }\nstruct Meet { __device__ void all() { __syncthreads(); } __device__ void go() { meet(*this); } };" + open + "Meet m; m.go();" + shut, engine.Holds},
		{"an object hands itself on, no barrier", "template <class T> __device__ void meet(T& x) { x.all(); }\nstruct Meet { __device__ void all() { __syncwarp(); } __device__ void go() { meet(*this); } };" + open + "Meet m; m.go();" + shut, engine.Violated},
		{"an object hands a pointer to itself on", "struct Meet { int n; __device__ void go(); };\n__device__ void meet(Meet* m) { if (m->n == 3) __syncthreads(); }\n__device__ void Meet::go() { meet(this); }" + open + "Meet m; m.n = 3; m.go();" + shut, engine.Holds},
		{"an object hands a pointer to itself on, no barrier", "struct Meet { int n; __device__ void go(); };\n__device__ void meet(Meet* m) { if (m->n == 3) __syncthreads(); }\n__device__ void Meet::go() { meet(this); }" + open + "Meet m; m.n = 4; m.go();" + shut, engine.Violated},
		{"methods of several specialisations", special("__syncthreads();", "") + open + "Of<int>::all(&n);" + shut, engine.Holds},
		{"methods of several specialisations, no barrier", special("", "__syncthreads();") + open + "Of<int>::all(&n);" + shut, engine.Violated},
		{"a method for one argument of a template", "template <class T> struct Of { __device__ void all(); };\ntemplate <class T> __device__ void Of<T>::all() {}\ntemplate <> __device__ void Of<int>::all() { __syncthreads(); }" + open + "Of<int> m; m.all();" + shut, engine.Holds},
		{"not this argument", "template <class T> struct Of { __device__ void all(); };\ntemplate <class T> __device__ void Of<T>::all() {}\ntemplate <> __device__ void Of<int>::all() { __syncthreads(); }" + open + "Of<float> m; m.all();" + shut, engine.Violated},
		{"a method of a specialisation by other names of its parameters", "template <class T, int N> struct Of { __device__ void all() {} };\ntemplate <int N> struct Of<int, N> { __device__ void all(); };\ntemplate <int M> __device__ void Of<int, M>::all() { if (M == 3) __syncthreads(); }" +
			open + "Of<int, 3> m; m.all();" + shut, engine.Holds},
		{"a method of a specialisation for another number", "template <class T, int N> struct Of { __device__ void all() {} };\ntemplate <int N> struct Of<int, N> { __device__ void all(); };\ntemplate <int M> __device__ void Of<int, M>::all() { if (M == 3) __syncthreads(); }" +
			open + "Of<int, 4> m; m.all();" + shut, engine.Violated},
		{"a union without a name", "__device__ int mixed(int x) { union { int a; float f; }; a = x; f += 1.0f; return a; }" + open + "int m = mixed(n); __syncthreads(); b[t + m * 0] = 0;" + shut, engine.Holds},
		{"a union of a class that has a name", "struct Both { union { int a; float f; } x; int c; };" + open + "if (sizeof(Both) == 8) __syncthreads();" + shut, engine.Holds},
		{"a union of a class that has a name, no barrier", "struct Both { union { int a; float f; } x; int c; };" + open + "if (sizeof(Both) == 12) __syncthreads();" + shut, engine.Violated},
		{"a member that is a reference", bound("__syncthreads();", "Writer w(q);"), engine.Holds},
		{"a member that is a reference, no barrier", bound("", "Writer w(q);"), engine.Violated},
		{"a list binds a member that is a reference", bound("__syncthreads();", "Pair w{q, 3};"), engine.Holds},
		{"a list binds a member that is a reference, no barrier", bound("", "Pair w{q, 3};"), engine.Violated},
		{"the copy of an object with a reference", bound("", "Writer v(q); Writer w = v;"), engine.Inconclusive},
		{"what a reference may have set", "struct Up { int& n; __device__ Up(int& x) : n(x) {} __device__ void up() { n = n + 1; } };" + open + "int m = 2; Up u(m); Up v = u; v.up(); if (m == 2) __syncthreads();" + shut, engine.Inconclusive},
		{"a call that the kernel's template decides", "template <class F> __global__ void k(float* a, float* b, F f) {\n  __shared__ float s[128];\n  s[threadIdx.x] = a[threadIdx.x];\n  f(1);\n  b[threadIdx.x] = s[127 - threadIdx.x];\n}",
			engine.Inconclusive},
	} {
		got, err := verdictOfText(t, "k.cu", c.text+foot, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got.Verdict != c.want {
			t.Errorf("%s: %s, %v; expected %s", c.name, got.Verdict, got.Reasons, c.want)
		}
	}
}
