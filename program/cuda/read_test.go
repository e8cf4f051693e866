package cuda

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

func read(text string) *program.File {
	return Read(&source.File{Name: "t.cu", Data: []byte(text)}, nil)
}

func dump(t *testing.T, f *program.File) string {
	t.Helper()
	var b strings.Builder
	if err := program.Dump(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// check compares the dump of text with want, both without the indentation common to want's lines.
func check(t *testing.T, text, want string) {
	t.Helper()
	got := strings.TrimSpace(dump(t, read(text)))
	lines := strings.Split(strings.Trim(want, "\n"), "\n")
	indent := len(lines[0]) - len(strings.TrimLeft(lines[0], "\t"))
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i][min(indent, len(lines[i])):], "\t")
	}
	if want := strings.TrimSpace(strings.Join(lines, "\n")); got != want {
		t.Errorf("%s\nreads as\n%s\nwant\n%s", text, got, want)
	}
}

func TestDeclarations(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"kernel with attributes", `
			template <int kStages = 4, class T = float, typename... Ts>
			static __global__ void __launch_bounds__(kStages * 32, 1) __cluster_dims__(2, 1, 1)
			ring(const __grid_constant__ Map map, T* __restrict__ out, int& n) {}`, `
			(func kernel ring (params kStages "int" = 4, T "typename" = float, *Ts "typename") (params map "const Map", out "T*", &n "int&") (call __launch_bounds__ (* kStages 32) 1) (call __cluster_dims__ 2 1 1))`},
		{"attribute macro", `PROJ_DEVICE_INLINE int f() { return 1; }`, `
			(func f)
			  (return 1)`},
		{"short attribute macro", `
			DI void f(int n) {}
			template <typename T>
			HDI T g(T x) { return x; }
			PROJ_INLINE_FUNCTION void h() {}
			T1 v(3);`, `
			(func f (params n "int"))
			(func g (params T "typename") (params x "T"))
			  (return x)
			(func h)
			(= v decl "T1" (call T1 3))`},
		{"macros for kernels", `
			template <int N>
			PROJ_KERNEL fill(float* x) {}
			PROJ_KERNEL void clear(float* x) {}
			template <int N> PROJ_KERNEL __launch_bounds__(N) void bounded(float* x) {}`, `
			(func kernel fill (params N "int") (params x "float*"))
			(func kernel clear (params x "float*"))
			(func kernel bounded (params N "int") (params x "float*") (call __launch_bounds__ N))`},
		{"namespaces, bases and members", `
			namespace a { namespace b::c {
			struct Ring : Base<4> {
			  Ring(int p) : phase_(p), n_{3}, Base<4>(p) {}
			  uint64_t full_[4][2];
			  int phase_ = 0, n_;
			  static constexpr int kBytes = 16u << 10;
			};
			} }`, `
			(class Ring (name Base 4))
			  (= full_ decl "uint64_t" (dims 4 2))
			  (= phase_ decl "int" 0)
			  (= n_ decl "int")
			  (= kBytes decl const "int" (<< 16 10))
			  (func a::b::c::Ring::Ring (params p "int"))
			    (call this->Base p)
			    (= this->phase_ p)
			    (= this->n_ 3)`},
		{"member defined outside its class", `
			struct S { void go(); };
			void S::go() { x = 1; }`, `
			(class S)
			  (func S::go)
			    (= x 1)
			(func S::go)
			  (= x 1)`},
		{"enumerators count", `enum class Role : int { Load, Mma = 4, Store };`, `
			(class enum Role)
			  (= Load decl const "int" 0)
			  (= Mma decl const "int" 4)
			  (= Store decl const "int" 5)`},
		{"macros", `
			#define STAGES 0x4u
			#define BYTES (STAGES * 16)
			#define EMPTY
			#define DIV(a, b) (((a) + (b) - 1) / (b))
			#include <cuda/barrier>`, `
			(= STAGES decl const 4)
			(= BYTES decl const (* STAGES 16))
			(func DIV (params &a, &b))
			  (return (/ (- (+ a b) 1) b))
			(import "cuda/barrier" "" "")`},
		{"shared memory", `
			__global__ void k() {
			  extern __shared__ __align__(1024) uint8_t smem[];
			  __shared__ alignas(8) uint64_t full[2], empty[2];
			}`, `
			(func kernel k)
			  (= smem decl shared "uint8_t" (dims (opaque "array of unknown extent")))
			  (= full decl shared "uint64_t" (dims 2))
			  (= empty decl shared "uint64_t" (dims 2))`},
		{"initialisers", `
			void f() {
			  int a{1}, b(2); uint32_t c{}; int d[] = {1, 2};
			  Pipe p(storage, params); Pipe q{storage}; auto [x, y] = pair();
			  dim3 g(1, 2); const volatile int* v = &a;
			}`, `
			(func f)
			  (= a decl "int" 1)
			  (= b decl "int" 2)
			  (= c decl "uint32_t" 0)
			  (= d decl "int" (dims 2) (list 1 2))
			  (= p decl "Pipe" (call Pipe storage params))
			  (= q decl "Pipe" (list storage))
			  (= (tuple x y) decl "auto" (call pair))
			  (= g decl "dim3" (call dim3 1 2))
			  (= v decl "const volatile int*" (& a))`},
		{"braced default argument", `void wait(State s, Token t = {Status::Again}) {}`, `
			(func wait (params s "State", t "Token" = (list Status::Again)))`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { check(t, tt.text, tt.want) })
	}
}

func TestStatements(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"conditions", `if constexpr (kA and kB >= 2) f(); else if (auto z = g(); z > 0) return; if (int* p = h()) ++n;`, `
			(if const (&& kA (>= kB 2)))
			  (call f)
			(else)
			  (block)
			    (= z decl "auto" (call g))
			    (if (> z 0))
			      (return)
			(if (= p (call h)))
			  (++ n)`},
		{"loops", `for (int i = 0, j = 1; i < n; ++i, j += 2) continue; do { f(); } while (x != 0); for (auto& v : list) v++; while (true) break; for (;;) {}`, `
			(for)
			  (= i decl "int" 0)
			  (= j decl "int" 1)
			(cond (< i n))
			  (continue)
			(post)
			  (++ i)
			  (+= j 2)
			(while do (!= x 0))
			  (call f)
			(for v list)
			  (post++ v)
			(while true)
			  (break)
			(for)
			(cond)
			(post)`},
		{"assignment forms", `a = b = 3; phase ^= (stage == 0); x = 1, y = 2; *p += 1; m.n->o = q[i][2];`, `
			(= a b 3)
			(^= phase (== stage 0))
			(= x 1)
			(= y 2)
			(+= (* p) 1)
			(= m.n->o (index (index q i) 2))`},
		{"switch", `switch (role) { case A: case B: f(); break; case C: { g(); break; } default: h(); }`, `
			(if (|| (== role A) (== role B)))
			  (call f)
			(else)
			  (if (== role C))
			    (block)
			      (call g)
			  (else)
			    (call h)`},
		{"switch that falls through", `switch (n) { case 2: f(); case 1: g(); }`, `
			(if (== n 2))
			  (call f)
			  (call g)
			(else)
			  (if (== n 1))
			    (call g)`},
		{"break inside a case", `switch (next()) { case 1: if (x) break; f(); }`, `
			(= switch value decl "auto" (call next))
			(while do false)
			  (if (== switch value 1))
			    (if x)
			      (break)
			    (call f)`},
		{"assignments ahead of commas", "x += (a <= b) ? (j <<= 1, k = f(1, 2), r) : (j == 0, r);\n(j = 1, k = 2);", `
			(+= x (? (<= a b) (opaque "comma" (<<= j 1) (= k (call f 1 2)) r) (opaque "comma" (== j 0) r)))
			(= j 1)
			(= k 2)`},
		{"macro calls without semicolon", "CHECK_IT(a)\nTRACE_BEGIN\nf();", `
			(call CHECK_IT a)
			(opaque "TRACE_BEGIN stands as a statement")
			(call f)`},
		{"pragmas, static assertions and jumps", "#pragma unroll\nfor (;;) f();\nPROJ_STATIC_ASSERT(a % b == 0, \"x\");\nstatic_assert(a<b>);\ngoto out; out: g();", `
			(for)
			(cond)
			  (call f)
			(post)
			(opaque "goto")
			(block)
			(call g)`},
		{"features of an architecture are there", "#if !defined(__CUDA_ARCH_FEAT_SM90_ALL)\na();\n#else\nb();\n#endif", `
(call b)`},
		{"first live branch", "#if defined(_MSC_VER)\na();\n#elif __CUDA_ARCH__ >= 900 && !defined(X)\nb();\n#else\nc();\n#endif\n#if 0\nisn't\n#elif 1\nd();\n#endif", `
			(call b)
			(call d)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := "(func f)\n" + indent(tt.want)
			check(t, "void f() {\n"+tt.body+"\n}", want)
		})
	}
}

// indent sets the lines of a body below its function.
func indent(body string) string {
	lines := strings.Split(strings.Trim(body, "\n"), "\n")
	for i, l := range lines {
		lines[i] = "  " + strings.TrimPrefix(l, "\t\t\t")
	}
	return strings.Join(lines, "\n")
}

func TestExpressions(t *testing.T) {
	tests := []struct{ text, want string }{
		{`0x1F + 0b11 + 017 + 1'000u + 'a' + 0xFFFFFFFFFFFFFFFFull`, `(+ (+ (+ (+ (+ 31 3) 15) 1000) (cast "char" 97)) -1)`},
		{`threadIdx.x / 32`, `(/ threadIdx.x 32)`},
		{`cond ? a->arrive() : void()`, `(? cond (call a->arrive) (call void))`},
		{`static_cast<uint32_t>(__cvta_generic_to_shared(&b[0]))`, `(cast "uint32_t" (call __cvta_generic_to_shared (& (index b 0))))`},
		{`(uint64_t*)p + unsigned(q) + int(r)`, `(+ (+ (cast "uint64_t*" p) (cast "unsigned" q)) (cast "int" r))`},
		{`ns::f<1, T*>(x).template g<kN + 1>(y)`, `(call (call ns::f (template 1 T*) x).g (template (+ kN 1)) y)`},
		{`!bar.try_wait<true>(phase)`, `(! (call bar.try_wait (template true) phase))`},
		{`i < n && j > (k)`, `(&& (< i n) (> j k))`},
		{`Foo<(A > B), ceil_div(3, 2)>{}`, `(call Foo (template (> A B) (call ceil_div 3 2)))`},
		{`typename T::Shape{}`, `(call T::Shape)`},
		{`sizeof(Foo<4>) + alignof(int)`, `(+ (call sizeof "Foo<4>") (call alignof "int"))`},
		{`sizeof...(Ts) + 1`, `(+ (opaque "the size of a pack" Ts) 1)`},
		{`[&](auto i) { return i + 1; }`, `(lambda & (params i "auto") (return (+ i 1)))`},
		{`DISPATCH(n, { f(); })`, `(call DISPATCH n (lambda & (call f)))`},
		{`kern<128, true><<<grid, dim3(256), 0, s>>>(a)`, `(call kern (template 128 true) (launch grid (call dim3 256) 0 s) a)`},
		{`f({1, 2}, "a" "b", nullptr, true, 1.5f)`, `(call f (list 1 2) "ab" none true 1.5f)`},
		{`not a or b and c`, `(|| (! a) (&& b c))`},
		{`this->operator()(x)`, `(call this->operator() x)`},
	}
	for _, tt := range tests {
		f := read("void f() { v = " + tt.text + "; }")
		if len(f.Functions) != 1 || len(f.Functions[0].Body) != 1 {
			t.Errorf("%s: reads as %s", tt.text, dump(t, f))
			continue
		}
		a, ok := f.Functions[0].Body[0].(*program.Assign)
		if !ok {
			t.Errorf("%s: reads as %s", tt.text, dump(t, f))
			continue
		}
		if got := program.DumpExpr(a.Value); got != tt.want {
			t.Errorf("%s\nreads as %s\nwant     %s", tt.text, got, tt.want)
		}
	}
}

func TestSpans(t *testing.T) {
	text := "// é\r\ntemplate <int N>\n__global__ void k(int a) {\n  if (a >= N) wait(a < 2 && a > (1));\n}\n"
	f := read(text)
	if len(f.Functions) != 1 {
		t.Fatal(dump(t, f))
	}
	at := func(s source.Span) string { return text[s.Start:s.End] }
	k := f.Functions[0]
	if got := at(k.NameSpan); got != "k" {
		t.Errorf("name span %q", got)
	}
	if got := at(k.Span); !strings.HasPrefix(got, "template") || !strings.HasSuffix(got, "}") {
		t.Errorf("function span %q", got)
	}
	s := k.Body[0].(*program.If)
	if got := at(s.Cond.Where()); got != "a >= N" {
		t.Errorf("condition span %q", got)
	}
	call := s.Then[0].(*program.ExprStmt).X.(*program.Call)
	if got := at(call.Args[0].Where()); got != "a < 2 && a > (1)" {
		t.Errorf("argument span %q", got)
	}
}

// The grammar says which functions are operators, conversions and destructors: their names do not.
func TestSpecialFunctions(t *testing.T) {
	f := read(`struct Cell {
  explicit operator bool() const { return true; }
  operator float*() { return p; }
  operator const float&() const { return *p; }
  bool operator ==(const Cell& o) const { return p == o.p; }
  float& operator[](int i) { return p[i]; }
  ~Cell() {}
  int operator_of(int operators) { return operators; }
  float* p;
};
Cell operator+(const Cell& a, const Cell& b) { return a; }
void Cell::operator()(int i) { p[i] = 0.f; }
`)
	want := []string{"operator bool: bool", "operator float*: float*", "operator float&: float&", "operator==: ==", "operator[]: []", "~Cell: ~", "operator_of: ", "operator+: +", "operator(): ()"}
	var got []string
	for _, fn := range f.Functions {
		kind := fn.Operator + fn.Conversion
		if fn.Destructor {
			kind = "~"
		}
		got = append(got, fn.Name+": "+kind)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A call through an element of a table is no structured binding, and nothing declares its names.
func TestCallThroughTable(t *testing.T) {
	f := Read(source.Decode("k.cu", []byte("void run(int i, int n) {\n  for (int k = 0; k < n; ++k) {\n    table[i](n);\n  }\n}\n")), nil)
	for _, fn := range f.Functions {
		program.WalkStmts(fn.Body, func(st program.Stmt) bool {
			if a, ok := st.(*program.Assign); ok && a.Decl {
				if _, tuple := a.Targets[0].(*program.Tuple); tuple {
					t.Error("names are declared by a call")
				}
			}
			return true
		})
	}
}

// Who launches kernels, and what these call, is read of a large file; of a large header bodies are left unread that neither synchronize nor launch anything.
func TestLargeFiles(t *testing.T) {
	padding := "/*" + strings.Repeat("x", largeFile) + "*/\n"
	tests := []struct {
		text string
		read map[string]bool
	}{
		{"__device__ int half(int n) { return n / 2; }\nint shape(int n) { return n; }\n__global__ void k(int* p) { p[0] = half(p[1]); }\nvoid run(int* p, int n) { k<<<1, shape(n)>>>(p); }\n",
			map[string]bool{"half": true, "shape": true, "k": true, "run": true}},
		{"__device__ int half(int n) { return n / 2; }\n__device__ void meet() { __syncthreads(); }\n", map[string]bool{"half": false, "meet": true}},
	}
	for _, test := range tests {
		f := read(padding + test.text)
		for _, fn := range f.Functions {
			if got, want := len(fn.Body) > 0, test.read[fn.Name]; got != want {
				t.Errorf("the body of %s is read: %v", fn.Name, got)
			}
		}
	}
}

// What a macro makes is read where it is used: its places are those of the use, and those of what follows it their own.
func TestMadeKernels(t *testing.T) {
	f := read(`#define MAKE(name, T) __global__ void a_##name(T* p) { one(#T); }
#define HEAD(name) __global__ void name(int* p)
namespace x {
MAKE(b, unsigned int)

HEAD(c) {
  two();
}
}
#define LATER 1
MAKE(LATER, int)
void f() { MAKE(b, int) }
`)
	var got []string
	for _, fn := range f.Functions {
		call := "-"
		for _, st := range fn.Body {
			call = fmt.Sprintf("%s at %d", strings.TrimSpace(f.Source.Text(st.Where())), f.Source.Position(st.Where().Start).Line)
		}
		got = append(got, fmt.Sprintf("%s kernel %v at %d-%d: %s", fn.Qualified, fn.Kernel, f.Source.Position(fn.NameSpan.Start).Line, f.Source.Position(fn.Span.End).Line, call))
	}
	want := []string{`f kernel false at 12-12: MAKE(b, int) at 12`, `x::a_b kernel true at 4-4: one("unsigned int"); at 4`, `x::c kernel true at 6-8: two(); at 7`, `a_LATER kernel true at 11-11: one("int"); at 11`}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q\n%s", got, want, dump(t, f))
	}
	if n := f.Source.Lines(); n != 12 {
		t.Errorf("%d lines", n)
	}
}

// Names mean what they do at the use, and where that is not what they mean at the end of the file, nothing is read.
func TestMadeWhereNamesChange(t *testing.T) {
	f := read("#define MAKE(name) __global__ void name() { f(N); }\n#define N 1\nMAKE(a)\n#undef N\n#define N 2\n")
	if got := dump(t, f); len(f.Functions) != 1 || !strings.Contains(got, "(call f 1)") {
		t.Errorf("%s", got)
	}
	f = read("#define MAKE(name) __global__ void name() { F(); }\n#define F() g()\nMAKE(a)\n#undef F\n#define F() h()\n")
	if slices.ContainsFunc(f.Functions, func(fn *program.Function) bool { return fn.Kernel }) || len(f.Notes) != 1 || !strings.Contains(f.Notes[0].Text, "MAKE is not expanded") {
		t.Errorf("%s", dump(t, f))
	}
}

// TestSpellings: what people write, and the grammar stumbles over, is read whole.
func TestSpellings(t *testing.T) {
	for _, text := range []string{
		`#define HINT(n) ".L2::" #n "B"
__device__ void f(int to, const void* from) { asm volatile("cp.async.cg.shared.global" HINT(64) " [%0], [%1], 16;\n" ::"r"(to), "l"(from)); }`,
		`__device__ void f(int a, int b) { asm volatile("mov.b32 %0, %1;" : "=r"(a) : "r"(b) "r"(a)); }`,
		"#define GO(n) { k<n><<<1, n>>>(p); }\nvoid f(int* p, int n) { if (n == 1) GO(1) else if (n == 2) GO(2) else GO(4) }",
		"void f(int* p, int n) { if (n == 1) LAUNCH(half, 1)\n  if (n == 2) LAUNCH(float, 2)\n  else LAUNCH(int, n)\n  n = 3; }",
		"void f(int* p, int n) { k<3> << <n, 32>> >(p); k << <1, 2, 0, s >> > (p, n); }",
		"void f(int n) { int** a = new int*[n]; std::unique_ptr<int*[]> b(new int*[n]); }",
		"struct ALIGNED_TO(8) pair { XINLINE pair() : lo(2) {} XINLINE pair(float l) : lo(l) {} XINLINE const float &operator[](int i) const { return (&lo)[i]; }\n__our_inline__ constexpr pair(int l, int m) : lo(l) {}\n__our_inline__ void put(float* p) { p[0] = lo; }\nDLL virtual bool pinned(const void* p) NOTHROW { return false; } float lo; };",
		"template <> XINLINE a::half_t ops::Map<a::half_t>(a::half_t p, a::half_t q) { return p; }\ntemplate <> XINLINE float least<float>(void) { return 1; }",
		"static int f(int k, unsigned char* = nullptr) { return k; }",
		"struct __align__(16) RGBA { float r; };\nRGBA one() { RGBA x; return x; }\nstruct OUR_ALIGN(8) HSV { float h; };",
		"__global__ __our_bounds__ static void k(float* o) { o[0] = 1; }",
		"void f(int* p, int n) { switch (n) { case 1: RUN_IT(1) break; default: RUN_IT(2) } }",
		"void f(int* p) { CHECKED(OUR_PREFIX cub::DeviceScan::InclusiveSum(p, p)); typedef OUR_PREFIX cub::BlockReduce<int, 32> reduce; }",
		"void f(int* p) { k < int, 64 / 32, true > <<<1, 32>>> (p); auto other = &k < int, 2 >; k<<<3, {32, 2, 1}, 0, s>>>(p); }",
		"void f(bool a, int b, int* c) { int& x(a ? b : c[1]); const int &y(*c); x += y; }",
		"template <typename T> OUR_XDEVICE [[nodiscard]] std::uint64_t load(T const* p) { return p[0]; }",
		"void f(int* p) { GET_PTR(int8_t*, p); GET_PTR(void*, p); }",
		"EXTERN_C OUR_DEVICE_INLINE handle_t f(const int* p) { return p[0]; }",
		"void f(int a) { run(a, [a] HD(int i) { return i + a; }); }",
		`void f(X x) { SWITCH(x->at[0].type(), T, SWITCH_TOO(x.type(), U, k<T, U><<<1, 64>>>(x.p););); DISPATCH(x.t(), 0, "f", using A = B<T, true>; const int n = 3; k<A><<<1, n>>>(x.p);) int z = 3; }`,
	} {
		f := read(text)
		if len(f.Notes) > 0 || len(f.Skipped) > 0 {
			t.Errorf("%s: %v, %d not read", text, f.Notes, len(f.Skipped))
		}
	}
	if got := dump(t, read("__shared__ float part[32];\n")); !strings.Contains(got, "decl shared") { // words that are spelled as attributes are
		t.Error(got)
	}
	if got := dump(t, read("int f(int a, int b) { return ((a) + (b + 1) * 2) + ((a) - (b + 1) * 2) + (int) - (b); }")); !strings.Contains(got, "(+ a (* (+ b 1) 2))") || !strings.Contains(got, "(- a (* (+ b 1) 2))") || !strings.Contains(got, `(cast "int" (- b))`) { // sums of names in parentheses are no casts
		t.Error(got)
	}
	loop := read("void f(int n) { FOR_EACH(int i = 0; i < n; ++i) { g(i); } }") // it holds semicolons, too
	if got := dump(t, loop); !strings.Contains(got, "(call g i)") {
		t.Error(got)
	}
}

func TestKernelsLeftOutAreSaid(t *testing.T) {
	const kernel = "// __global__\n__global__ void k() {}\n__global__ void l() {}\n"
	f := read("#ifdef WITH_KERNELS\n" + kernel + "#else\nint none;\n#endif\n")
	if len(f.Notes) != 1 || !strings.Contains(f.Notes[0].Text, "2 of them") || !strings.Contains(f.Notes[0].Text, "WITH_KERNELS") {
		t.Errorf("notes %v", f.Notes)
	}
	if f := read("#ifdef WITH_KERNELS\n" + kernel + "#else\nint none;\n#endif\n__global__ void m() {}\n"); len(f.Notes) != 0 {
		t.Errorf("beside a kernel: notes %v", f.Notes)
	}
}
