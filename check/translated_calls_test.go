package check

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/ir/exec"
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
		{"a macro that is one that acts", "#define MEET if (t < 64) __syncthreads();\n#define SET() MEET" + open + "__syncthreads(); SET();" + shut, engine.Holds},
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
		{"a block that a macro is given", "#define IN(...) { constexpr int V = 4; __VA_ARGS__ }" + open + "IN({ if (V == 4) __syncthreads(); });" + shut, engine.Holds},
		{"a block that a macro is given, no barrier", "#define IN(...) { constexpr int V = 4; __VA_ARGS__ }" + open + "IN({ if (V == 3) __syncthreads(); });" + shut, engine.Violated},
		{"a block that a macro is given, with a semicolon", "#define IN(...) do { __VA_ARGS__; } while (0)" + open + "IN({ __syncthreads(); });" + shut, engine.Holds},
		{"a block that a macro is given, with a semicolon and no barrier", "#define IN(...) do { __VA_ARGS__; } while (0)" + open + "IN({ __syncwarp(); });" + shut, engine.Violated},
		{"a name that a macro declares for its block", "#define WITH(N, BODY) { constexpr int N = 4; BODY }" + open + "WITH(W, { if (W == 4) __syncthreads(); });" + shut, engine.Holds},
		{"a name that a macro declares for its block, no barrier", "#define WITH(N, BODY) { constexpr int N = 4; BODY }" + open + "WITH(W, { if (W == 5) __syncthreads(); });" + shut, engine.Violated},
		{"a block with a name of the macro's", "#define WITH(n, BODY) { if (n) { BODY } }" + open + "WITH(1, { if (n == 1) __syncthreads(); });" + shut, engine.Inconclusive},
		{"a namespace of the name of a class", "namespace n { namespace tags { struct n {}; }\nnamespace in { struct Meet { __device__ void all() { __syncthreads(); } }; } }" + open + "n::in::Meet m; m.all();" + shut, engine.Holds},
		{"a namespace of the name of a class, no barrier", "namespace n { namespace tags { struct n {}; }\nnamespace in { struct Meet { __device__ void all() { __syncwarp(); } }; } }" + open + "n::in::Meet m; m.all();" + shut, engine.Violated},
		{"a class that a namespace takes over", "namespace n { namespace in { struct Meet { __device__ void all() { __syncthreads(); } }; }\nusing in::Meet; }" + open + "n::Meet m; m.all();" + shut, engine.Holds},
		{"a class that a namespace takes over, no barrier", "namespace n { namespace in { struct Meet { __device__ void all() { __syncwarp(); } }; }\nusing in::Meet; }" + open + "n::Meet m; m.all();" + shut, engine.Violated},
		{"a template that is defined for some arguments alone", "template <class T> struct Meet;\ntemplate <> struct Meet<int> { __device__ void all() {} };\ntemplate <> struct Meet<float> { __device__ void all() { __syncthreads(); } };" + open + "Meet<float> m; m.all();" + shut, engine.Holds},
		{"a template that is defined for some arguments alone, another one", "template <class T> struct Meet;\ntemplate <> struct Meet<int> { __device__ void all() {} };\ntemplate <> struct Meet<float> { __device__ void all() { __syncthreads(); } };" + open + "Meet<int> m; m.all();" + shut, engine.Violated},
		{"a template that is not defined for an argument", "template <class T> struct Meet;\ntemplate <> struct Meet<int> { __device__ void all() { __syncthreads(); } };" + open + "Meet<short> m; m.all();" + shut, engine.Inconclusive},
		{"an array that a function returns", "__device__ float* mine() { __shared__ float q[128]; return q; }\n__global__ void k(float* a, float* b, int n) { float* q = mine(); q[threadIdx.x] = a[threadIdx.x]; __syncthreads(); b[threadIdx.x] = q[127 - threadIdx.x]; }", engine.Holds},
		{"an array that a function returns, no barrier", "__device__ float* mine() { __shared__ float q[128]; return q; }\n__global__ void k(float* a, float* b, int n) { float* q = mine(); q[threadIdx.x] = a[threadIdx.x]; b[threadIdx.x] = q[127 - threadIdx.x]; }", engine.Violated},
		{"an array that a method returns by auto, no barrier", "struct Of { __device__ auto get() { extern __shared__ float q[]; return q; } };\n__global__ void k(float* a, float* b, int n) { Of o; float* q = o.get(); q[threadIdx.x] = a[threadIdx.x]; b[threadIdx.x] = q[127 - threadIdx.x]; }", engine.Violated},
		{"a macro without parameters that calls", "__device__ void meet() { __syncthreads(); }\n#define MEET meet()" + open + "MEET;" + shut, engine.Holds},
		{"a macro without parameters that calls, no barrier", "__device__ void meet() { __syncwarp(); }\n#define MEET meet()" + open + "MEET;" + shut, engine.Violated},
		{"a return in a macro", "#define LEAVE(c) if (c) { return; }" + open + "LEAVE(t > 200); __syncthreads();" + shut, engine.Holds},
		{"a return in a macro, no barrier", "#define LEAVE(c) if (c) { return; }" + open + "LEAVE(t > 200);" + shut, engine.Violated},
		{"a return in a macro of another function", "#define LEAVE(c) if (c) { return; }\n__device__ void meet(int n) { LEAVE(n == 3); __syncthreads(); }" + open + "meet(4);" + shut, engine.Holds},
		{"a return in a macro of another function, taken", "#define LEAVE(c) if (c) { return; }\n__device__ void meet(int n) { LEAVE(n == 3); __syncthreads(); }" + open + "meet(3);" + shut, engine.Violated},
		{"specifiers behind a type", "#define DI __device__ __forceinline__\nvoid DI meet() { __syncthreads(); }" + open + "meet();" + shut, engine.Holds},
		{"specifiers behind a type, no barrier", "#define DI __device__ __forceinline__\nvoid DI meet() {}" + open + "meet();" + shut, engine.Violated},
		{"specifiers behind a keyword", "#define HDI __host__ __device__\ntemplate <class T> constexpr HDI T twice(T x) { return 2 * x; }" + open + "if (twice(2) == 4) __syncthreads();" + shut, engine.Holds},
		{"specifiers behind a keyword, no barrier", "#define HDI __host__ __device__\ntemplate <class T> constexpr HDI T twice(T x) { return 2 * x; }" + open + "if (twice(2) == 5) __syncthreads();" + shut, engine.Violated},
		{"specifiers before a type of several words", "#define DI __device__ __forceinline__\ntemplate <class T> DI std::enable_if_t<sizeof(T) == 4> meet(T x) { __syncthreads(); }" + open + "meet(n);" + shut, engine.Holds},
		{"specifiers before a type of several words, no barrier", "#define DI __device__ __forceinline__\ntemplate <class T> DI std::enable_if_t<sizeof(T) == 4> meet(T x) { }" + open + "meet(n);" + shut, engine.Violated},
		{"specifiers behind an attribute", "#define DI __device__ __forceinline__\ntemplate <class T> DI void meet(T x);\ntemplate <> [[deprecated(\"use another one\")]] DI void meet<int>(int x) { __syncthreads(); }" + open + "meet(n);" + shut, engine.Holds},
		{"a pack of pointers", "template <class... A> __device__ void meet(int m, const A*... p) { if (sizeof...(p) == 2) __syncthreads(); }" + open + "meet(n, a, b);" + shut, engine.Holds},
		{"a pack of pointers, no barrier", "template <class... A> __device__ void meet(int m, const A*... p) { if (sizeof...(p) == 1) __syncthreads(); }" + open + "meet(n, a, b);" + shut, engine.Violated},
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

// TestTranslatedFunctions: a function that the kernel's template is given is that of the launch, through a wrapper or not.
func TestTranslatedFunctions(t *testing.T) {
	const kernel = "__device__ void all() { __syncthreads(); }\n__device__ void one() { __syncwarp(); }\ntemplate <int N> __device__ void some() { if (N == 3) __syncthreads(); }\n" +
		"template <void (*meet)()> __global__ void k(float* p) { __shared__ float s[128]; int t = threadIdx.x; s[t] = p[t]; meet(); p[t] = s[127 - t]; }\n"
	const start = "template <void (*meet)()> void start(float* p) { k<meet><<<1, 128>>>(p); }\n"
	for host, want := range map[string]engine.Verdict{
		"k<all><<<1, 128>>>(p);":        engine.Holds,
		"k<one><<<1, 128>>>(p);":        engine.Violated,
		"start<all>(p);":                engine.Holds,
		"start<one>(p);":                engine.Violated,
		"start<some<3>>(p);":            engine.Holds,
		"start<some<4>>(p);":            engine.Violated,
		"start<all>(p); start<one>(p);": engine.Violated,
	} {
		text := kernel + "void run(float* p) { " + host + " }\n"
		if strings.Contains(host, "start") {
			text = kernel + start + "void run(float* p) { " + host + " }\n"
		}
		r := verdictIn(t, treeOf(t, map[string]string{"k.cu": text}), "k.cu", exec.Launch{})
		if r.Verdict != want {
			t.Errorf("%s: %s %v; want %s", host, r.Verdict, r.Reasons, want)
		}
	}
}

// TestMembersIncluded: what is included in the body of a class are its members, with what its template is given.
func TestMembersIncluded(t *testing.T) {
	const class = "namespace n { template <int N> struct team {\n  static constexpr int THREADS = N * 32;\n#include \"members.h\"\n}; using all = team<4>; using half = team<2>; }\n"
	files := map[string]string{
		"members.h": "#include \"more.h\"\ntemplate <class T> __device__ static inline void fill(T* s, int n) { for (int i = threadIdx.x % THREADS; i < n; i += THREADS) s[i] = i; }\n" +
			"struct inner { __device__ static inline void meet() { __syncthreads(); } };\n",
		"more.h": "__device__ static inline void sync() { asm volatile(\"bar.sync 1, %0;\" :: \"n\"(THREADS)); }\n",
	}
	for body, want := range map[string]engine.Verdict{
		"n::all::fill(s, 128); n::all::sync();":        engine.Holds,
		"n::all::fill(s, 128); n::all::inner::meet();": engine.Holds,
		"n::all::fill(s, 128);":                        engine.Violated,
		"n::all::fill(s, 128); n::half::sync();":       engine.Violated,
	} {
		files["k.cu"] = class + "__global__ void k(float* p) { __shared__ float s[128]; " + body + " p[threadIdx.x] = s[127 - threadIdx.x]; }\nvoid run(float* p) { k<<<1, 128>>>(p); }\n"
		if r := verdictIn(t, treeOf(t, files), "k.cu", exec.Launch{}); r.Verdict != want {
			t.Errorf("%s: %s %v; want %s", body, r.Verdict, r.Reasons, want)
		}
	}
}

// TestLeftOut: a call whose body is left out says where it stands, and what would have to be defined.
func TestLeftOut(t *testing.T) {
	files := map[string]string{
		"meet.h": "#if defined(WIDE) || defined(NARROW)\n__device__ void meet() { __syncthreads(); }\n#endif\nint more;\n",
		"k.cu":   "#include \"meet.h\"\n__global__ void k(float* p) { meet(); }\nvoid run(float* p) { k<<<1, 128>>>(p); }\n",
	}
	r := verdictIn(t, treeOf(t, files), "k.cu", exec.Launch{})
	if len(r.Reasons) == 0 || !strings.Contains(r.Reasons[0].Why.Text, "meet.h:2") || !strings.Contains(r.Reasons[0].Why.Text, "WIDE or NARROW") {
		t.Errorf("%s %v; want the line that is left out", r.Verdict, r.Reasons)
	}
	files["meet.h"], files["far/meet.h"] = "#ifdef WIDE\n#include \"far/meet.h\"\n#endif\nint more;\n", "\n__device__ void meet() { __syncthreads(); }\n"
	r = verdictIn(t, treeOf(t, files), "k.cu", exec.Launch{})
	if len(r.Reasons) == 0 || !strings.Contains(r.Reasons[0].Why.Text, "far/meet.h:2") || !strings.Contains(r.Reasons[0].Why.Text, "where WIDE is defined") {
		t.Errorf("%s %v; want the line of a file that is left out", r.Verdict, r.Reasons)
	}
}

// TestMarksKernels: a file without a word that synchronizes may hold kernels by a macro of another file.
func TestMarksKernels(t *testing.T) {
	tree := treeOf(t, map[string]string{
		"inc/marks.h": "#ifdef HIDE\n#define START_KERNEL \\\n  static __global__ void\n#endif\n#define PLAIN_KERNEL static void\n",
		"a.cuh":       "#include \"inc/marks.h\"\nSTART_KERNEL k(float* p) { p[0] = 1; }\n",
		"b.cuh":       "#include \"inc/marks.h\"\nPLAIN_KERNEL k(float* p) { p[0] = 1; }\n",
	})
	s := NewSources(tree, nil)
	for name, want := range map[string]bool{"a.cuh": true, "b.cuh": false} {
		f, err := tree.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.marksKernels(f); got != want {
			t.Errorf("%s: %v; want %v", name, got, want)
		}
	}
}

// TestMacroConfigures: a macro of another file declares what the kernel is launched with, and one is handed the macro that launches it.
func TestMacroConfigures(t *testing.T) {
	files := map[string]string{
		"start.h": "#define SETUP(g, b) cudaLaunchConfig_t cfg = {(g), (b), 0, 0, nullptr, 0}; cudaLaunchAttribute at[1]; at[0].id = cudaLaunchAttributeCooperative; cfg.attrs = at; cfg.numAttrs = 1\n" +
			"#define EACH(one) switch (n) { case 2: one(2); case 4: one(4); default: fail(false); } while (false)\n",
	}
	for host, want := range map[string]engine.Verdict{
		"SETUP(1, 128); cudaLaunchKernelEx(&cfg, k<2>, p);":                                                     engine.Holds,
		"SETUP(1, 256); cudaLaunchKernelEx(&cfg, k<2>, p);":                                                     engine.Violated,
		"SETUP(1, 128);\n#define ONE(m) { cudaLaunchKernelEx(&cfg, k<m>, p); } break\nEACH(ONE);\n#undef ONE\n": engine.Holds,
		"SETUP(1, 256);\n#define ONE(m) { cudaLaunchKernelEx(&cfg, k<m>, p); } break\nEACH(ONE);\n#undef ONE\n": engine.Violated,
	} {
		files["k.cu"] = "#include \"start.h\"\ntemplate <int N> __global__ void k(float* p) { __shared__ float s[256]; int t = threadIdx.x; s[t] = p[t]; asm volatile(\"bar.sync 1, 128;\"); p[t] = s[(t + 128 / N) % 128 + t / 128 * 128] + s[t % 128]; }\n" +
			"void run(float* p, int n) {\n" + host + " }\n"
		if r := verdictIn(t, treeOf(t, files), "k.cu", exec.Launch{}); r.Verdict != want || len(r.Whole.Launches) != 1 {
			t.Errorf("%s: %s %v %v; want %s", host, r.Verdict, r.Reasons, r.Whole.Launches, want)
		}
	}
}

// TestParametersSay: what a parameter of a class that is not at hand says of itself, by a method that is handed numbers alone, is one number for all threads, and that is a guess. A
// method that stands as a statement may synchronize.
func TestParametersSay(t *testing.T) {
	for body, want := range map[string]engine.Verdict{
		"for (int r = 0; r < in.size(0); r += 128) { s[t] = in[r + t]; __syncthreads(); out[r + t] = s[127 - t]; __syncthreads(); }": engine.Inconclusive,
		"for (int r = 0; r < in.size(0); r += 128) { s[t] = in[r + t]; out[r + t] = s[127 - t]; __syncthreads(); }":                  engine.Violated,
		"if (t >= in.rows()) return; s[t] = 1.f; out[t] = s[127 - t];":                                                               engine.Inconclusive, // with some numbers
		"s[t] = in.scale(); in.meet(); out[t] = s[127 - t];":                                                                         engine.Inconclusive,
		"s[t] = 1.f; float a = in(t, 2.f); out[t] = s[127 - t] + a;":                                                                 engine.Violated,
		"s[t] = 1.f; in(t, 2.f); out[t] = s[127 - t];":                                                                               engine.Inconclusive,
		"s[t] = 1.f; in.put(t, 1); out[t] = s[127 - t];":                                                                             engine.Inconclusive,
		"s[t] = in.scale(t); float a = in.scale(127 - t); out[t] = s[127 - t] + a;":                                                  engine.Violated,
		"s[t] = in.scale(t); float a = in.scale(s); out[t] = s[127 - t] + a;":                                                        engine.Inconclusive,
		"s[t] = in.scale(t); out[t] = s[127 - t];":                                                                                   engine.Violated,
	} {
		text := "#include <their/span.h>\n__global__ void k(their::span in, float* out) { __shared__ float s[128]; int t = threadIdx.x; " + body + " }\nvoid run(their::span in, float* out) { k<<<1, 128>>>(in, out); }\n"
		r, err := run(t, map[string]string{"k.cu": text}, nil)
		if err != nil || len(r.Kernels) != 1 || r.Kernels[0].Verdict != want.String() {
			t.Errorf("%s: %v, %v; want %s", body, err, r.Kernels, want)
		}
	}
}

// TestRowsOfUnknownLength: of a pointer to rows nothing is known where it is not known how long they are.
func TestRowsOfUnknownLength(t *testing.T) {
	const kernel = "__device__ void put(float (*rows)[WIDTH], int r, int c, float v) { rows[r][c] = v; }\n__global__ void k(const float* in, float* out) {\n  __shared__ float s[1024];\n  const int t = threadIdx.x;\n" +
		"  put((float (*)[WIDTH])s, t / 32, t % 32, in[t]);\n  __syncthreads();\n  out[t] = s[t];\n}\nvoid run(const float* in, float* out) { k<<<1, 128>>>(in, out); }\n"
	for define, want := range map[string]engine.Verdict{"": engine.Inconclusive, "#define WIDTH 32\n": engine.Holds, "#define WIDTH 16\n": engine.Violated} {
		r, err := verdictOfText(t, "k.cu", define+kernel, nil)
		if err != nil || r.Verdict != want {
			t.Errorf("%q: %v, %v, %v; want %s", define, err, r.Verdict, r.Reasons, want)
		}
	}
}
