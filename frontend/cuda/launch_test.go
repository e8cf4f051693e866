package cuda

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/source"
)

// launchesText is what the IR says of the launches of the kernel k of a text.
func launchesText(t *testing.T, text string) (string, *compiled) {
	t.Helper()
	file := cuda.Read(source.Decode("k.cu", []byte(text)), nil)
	for _, fn := range file.Functions {
		if !fn.Kernel || fn.Name != "k" {
			continue
		}
		k, guessed, err := Translate(file, dialect.New(program.CUDA), fn, nil, 32)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var instances []string
		for _, k := range append([]*ir.Kernel{k}, k.Others...) {
			var out []string
			for _, l := range k.Launches {
				one := fmt.Sprint(l.Block)
				if l.Cluster[0] > 0 {
					one += fmt.Sprint(" cluster ", l.Cluster)
				}
				if l.Grid[0] > 0 {
					one += fmt.Sprint(" grid ", l.Grid)
				}
				if len(l.Params) > 0 {
					one += fmt.Sprint(" ", l.Params)
				}
				out = append(out, one)
			}
			instances = append(instances, strings.Join(out, ", "))
		}
		return strings.Join(instances, "; "), &compiled{k.Unlaunched, k.Assumed, guessed}
	}
	t.Fatalf("%s: no kernel k", text)
	return "", nil
}

type compiled struct {
	unlaunched string
	assumed    []string
	guessed    bool
}

// TestLaunches: the shapes that the host's text gives a kernel, in many spellings. What is not a constant there is not known, and said.
func TestLaunches(t *testing.T) {
	const plain = "__global__ void k(float* p, int n) { p[threadIdx.x] = n; }\n"
	const template = "template <typename T, int N> __global__ void k(T* p, int n) { p[threadIdx.x] = N; }\n"
	const block = "[128 1 1]"
	const unknown = "!"
	for _, c := range []struct{ kernel, host, want string }{
		{plain, "void run(float* p, int n) { k<<<n, 128>>>(p, n); }", block},
		{plain, "void run(float* p, int n) { k<<<dim3(n, 2), dim3(128)>>>(p, n); }", block},
		{plain, "void run(float* p, int n) { k<<<4, 128>>>(p, 1024); }", block + " grid [4 1 1] map[n:1024]"},
		{plain, "void run(float* p, int n) { k<<<n, n>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { const dim3 block(32, 8); k<<<n, block>>>(p, n); }", "[32 8 1]"},
		{plain, "void run(float* p, int n) { dim3 block{32, 8}; k<<<n, block>>>(p, n); }", "[32 8 1]"},
		{plain, "void run(float* p, int n) { dim3 block = {32, 8, 2}; k<<<n, block>>>(p, n); }", "[32 8 2]"},
		{plain, "void run(float* p, int n) { dim3 block = dim3(32, 8), other = block; k<<<n, other>>>(p, n); }", "[32 8 1]"},
		{plain, "void run(float* p, int n) { dim3 block; block.x = 32; block.y = block.x / 4; k<<<n, block>>>(p, n); }", "[32 8 1]"},
		{plain, "void run(float* p, int n) { dim3 block; block.x = n; block.y = 4; k<<<n, block>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { dim3 block; shape(n, block); k<<<n, block>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { dim3 block(32); shape(n, &block); k<<<n, block>>>(p, n); }", unknown},
		{plain, "void shape(dim3& b) { b.x = 7; }\nvoid run(float* p, int n) { dim3 block(32); shape(block); k<<<n, block>>>(p, n); }", unknown},
		{plain, "int first(float* p, int n) { k<<<n, 64>>>(p, n); return n; }\nint second(float* p, int n) { return first(p, n); }\nvoid run(float* p, int n) { second(p, n); k<<<n, 128>>>(p, n); }", "[64 1 1], " + block},
		{plain, "#define THREADS 128\nvoid run(float* p, int n) { k<<<n, THREADS>>>(p, n); }", block},
		{plain, "constexpr int warps = 4;\nvoid run(float* p, int n) { const int threads = 32 * warps; k<<<n, threads>>>(p, n); }", block},
		{plain, "namespace a { constexpr int T = 64; }\nnamespace b { constexpr int T = 128; }\nvoid run(float* p, int n) { k<<<n, b::T>>>(p, n); }", block},
		{plain, "struct Traits { static constexpr int threads = 128; };\nvoid run(float* p, int n) { k<<<n, Traits::threads>>>(p, n); }", block},
		{plain, "struct Host { static constexpr int threads = 128; void run(float* p, int n) { k<<<n, threads>>>(p, n); } };", block},
		{plain, "constexpr int up(int a, int b) { return (a + b - 1) / b * b; }\nvoid run(float* p, int n) { k<<<n, up(100, 64)>>>(p, n); }", block},
		{plain, "int pick(int n) { if (n > 4) return 64; return 128; }\nvoid run(float* p, int n) { k<<<n, pick(n)>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { k<<<n, std::min(128, 1024)>>>(p, n); }", block},
		{plain, "void run(float* p, int n) { k<<<n, std::min(n, 1024)>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int t = 128; if (n > 9) t = 256; k<<<n, t>>>(p, n); }", "[256 1 1], [128 1 1]"},
		{plain, "void run(float* p, int n) { int t = n > 9 ? 256 : 128; k<<<n, t>>>(p, n); }", "[256 1 1], [128 1 1]"},
		{plain, "void run(float* p, int n) { int x = 16, y = 16; if (n > 9) { x = 32; } if (n > 9) { y = 8; } k<<<n, dim3(x, y)>>>(p, n); }", "[32 8 1], [16 16 1]"},
		{plain, "void run(float* p, int n) { int t = 64; t = 128; k<<<n, t>>>(p, n); t = 7; }", block},
		{plain, "void run(float* p, int n) { int t = 128; while (n--) { k<<<n, t>>>(p, n); t *= 2; } }", unknown},
		{plain, "void run(float* p, int n) { int t = 128; { int t = 64; p[t] = 0; } k<<<n, t>>>(p, n); }", block},
		{plain, "void run(float* p, int n) { int sizes[] = {64, 128}; for (int i = 0; i < 2; i++) { int t = sizes[i]; k<<<n, t>>>(p, n); } }", "[64 1 1], [128 1 1]"},
		{plain, "void run(float* p, int n) { int t = 128; auto set = [&] { t = n; }; set(); k<<<n, t>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { k<<<1, 128>>>(p, n); }\nvoid other(float* p, int n) { k<<<1, n>>>(p, n); }", block + " at the other: not known"},
		{plain, "void run(float* p, int t) { k<<<1, t>>>(p, 3); }\nint main() { run(nullptr, 128); }", block + " grid [1 1 1] map[n:3]"},
		{plain, "template <int T> void run(float* p, int n) { k<<<n, T>>>(p, n); }\nvoid all(float* p, int n) { run<128>(p, n); }", block},
		{plain, "template <typename F> void start(F f, dim3 grid, dim3 block, float* p, int n) { f<<<grid, block>>>(p, n); }\nvoid run(float* p, int n) { start(k, n, 128, p, n); }", block},
		{plain, "#define START(f, t, ...) f<<<1, t>>>(__VA_ARGS__)\n#define GO(f, t, p, n) f<<<n, t>>>(p, n)\nvoid run(float* p, int n) { GO(k, 128, p, n); }", block},
		{plain, "void run(float* p, int n) { auto f = k; f<<<n, 128>>>(p, n); }", block},
		{plain, "void run(float* p, int n) { void (*f)(float*, int) = n ? k : nullptr; f<<<n, 128>>>(p, n); }", block},
		{plain, "void run(float* p, int n) { void* args[] = {&p, &n}; cudaLaunchKernel((void*)k, dim3(n), dim3(128), args, 0, 0); }", block},
		{plain, "void run(float* p) { int n = 7; void* args[] = {&p, &n}; cudaLaunchCooperativeKernel((const void*)&k, dim3(2), 128, args); }", block + " grid [2 1 1] map[n:7]"},
		{plain, "void run(float* p, int n) { cudaLaunchConfig_t c = {0}; c.gridDim = n; c.blockDim = dim3(32, 4); CHECK(cudaLaunchKernelEx(&c, k, p, n)); }", "[32 4 1]"},
		{plain, "void run(float* p, int n) { cudaLaunchConfig_t c; c.blockDim.x = 32; c.blockDim.y = 4; c.blockDim.z = 1; cudaLaunchKernelEx(&c, k, p, n); }", "[32 4 1]"},
		{plain, "void run(float* p, int n) { cudaLaunchConfig_t c{}; c.blockDim = 128; cudaLaunchAttribute a[1]; a[0].id = cudaLaunchAttributeClusterDimension; a[0].val.clusterDim = {2, 1, 1}; c.attrs = a; c.numAttrs = 1; cudaLaunchKernelEx(&c, k, p, n); }", block + " cluster [2 1 1]"},
		{plain, "void run(float* p, int n) { cudaLaunchConfig_t c{}; c.blockDim = 128; cudaLaunchAttribute a[1]; a[0].id = cudaLaunchAttributeClusterDimension; a[0].val.clusterDim.x = n; c.attrs = a; c.numAttrs = 1; cudaLaunchKernelEx(&c, k, p, n); }", unknown},
		{plain, "void run(float* p, int n) { cudaLaunchConfig_t c{}; c.blockDim = 128; cudaLaunchAttribute a[1]; a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization; a[0].val.programmaticStreamSerializationAllowed = 1; c.attrs = a; c.numAttrs = 1; cudaLaunchKernelEx(&c, k, p, n); }", block},
		{plain, "void one(float* p, int t) { k<<<p[0], t>>>(p, t); }\nvoid call(void (*f)(float*, int), float* p) { f(p, 128); }\nvoid run(float* p) { call(one, p); }", block + " map[n:128]"},
		{plain, "struct Shape { dim3 grid, block; int bytes; };\nvoid run(float* p, int n) { Shape s{n, dim3(32, 4), 0}; k<<<s.grid, s.block>>>(p, n); }", "[32 4 1]"},
		{plain, "struct Shape { dim3 grid; dim3 block; Shape(dim3 g, int b) : grid(g), block(b, 4) {} };\nvoid run(float* p, int n) { const Shape s = Shape(n, 32); k<<<s.grid, s.block>>>(p, n); }", "[32 4 1]"},
		{plain, "struct Shape { dim3 block; Shape(int b) : block(b) {} Shape(dim3 b) : block(1) {} };\nvoid run(float* p, int n) { Shape s(128); k<<<n, s.block>>>(p, n); }", unknown},
		{plain, "namespace lib { constexpr int warp = 32; }\nstatic constexpr int threads = 4 * lib::warp;\nvoid run(float* p, int n) { k<<<n, threads>>>(p, n); }", block},
		{plain, "void run(float* p, int n) { FBGEMM_LAUNCH_KERNEL((k), n, 128, 0, stream, p, 5); }", block + " map[n:5]"},
		{plain, "#define UP(a, b) (((a) + (b) - 1) / (b))\nvoid run(float* p, int n) { const int t = 128; int g = UP(n, t); k<<<g, t>>>(p, n); }", block},
		{plain, "#define SET(a, b) a = b\nvoid run(float* p, int n) { int t = 128; SET(t, n); k<<<1, t>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int x = 16, y = 16; if (n > 9) x = 32; if (n <= 9) y = 8; k<<<n, dim3(x, y)>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int t = 128; int& r = t; r = n; k<<<1, t>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { dim3 b(32); auto& r = b; r.y = 4; k<<<n, b>>>(p, n); }", "[32 4 1]"},
		{plain, "void run(float* p, int n) { dim3 b(32); const auto& r = b; b.y = 4; k<<<n, r>>>(p, n); }", "[32 4 1]"},
		{plain, "void run(float* p, int n) { int t[] = {128}; int& r = t[n]; r = n; k<<<n, t[0]>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int t = 128; int* q = &t; *q = n; k<<<n, t>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int t = 128; std::swap(t, n); k<<<n, t>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { dim3 b(32, 4), c = std::move(b); k<<<n, c>>>(p, n); }", "[32 4 1]"},
		{plain, "void run(float* p, int n) { int t; std::tie(t, n) = pick(); k<<<n, t>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int t = 128; std::cin >> t; k<<<n, t>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int t = 128; goto in; in: t = n; k<<<n, t>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int t = 128; try { t = n; } catch (...) {} k<<<n, t>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int t = 128; for (int i = 0; i < 3; i++) { if (i == n) { t = 64; break; } } k<<<n, t>>>(p, n); }", unknown},
		{plain, "int t = 128;\nvoid run(float* p, int n) { k<<<n, t>>>(p, n); }", unknown},
		{plain, "static int t = 128;\nvoid set(int n) { t = n; }\nvoid run(float* p, int n) { set(n); k<<<n, t>>>(p, n); }", unknown},
		{plain, "struct Shape { dim3 g, b; Shape(const dim3& x, const dim3& y) : g(x), b(y) {} };\ntemplate <typename F, typename... A> void start(F f, const Shape& s, A&&... a) { f<<<s.g, s.b>>>(std::forward<A>(a)...); }\n" +
			"void run(float* p, int n) { const Shape s = Shape{n, 128}; start(k, s, p, n); }", block},
		{plain, "void run(float* p, int n) { int t = 128; int* q = &t; q[0] = n; k<<<n, t>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int t = 128; int* q = pick(&t); *q = n; k<<<n, t>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int t = 128; int* q = &t; fill(q); k<<<n, t>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int t = 128; int* q = n ? &t : nullptr; *q = n; k<<<n, t>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int t = 128; float* h = host(n); h[3] = t; p[1] = 2; k<<<n, t>>>(p, n); }", block},
		{plain, "struct S { dim3 b; void grow() { b.x *= 2; } };\nvoid run(float* p, int n) { S s{128}; s.grow(); k<<<n, s.b>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int t = 128; auto f = [&] { t = n; }; std::thread th(f); k<<<n, t>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { k<<<1, 128>>>(p, 5); START((k), 0, ACCESSOR(p, int64_t, 1)); }", block + " at the other: not known"},
		{plain, "struct S { dim3 b; int size() { return b.x; } };\nvoid run(float* p, int n) { S s{128}; int m = s.size(); k<<<m, s.b>>>(p, n); }", block},
		{plain, "struct S { cudaLaunchConfig_t c; cudaLaunchAttribute a[2]; };\nS make(dim3 b, dim3 g = {2, 1, 1}) { S s; auto& c = s.c; auto& a = s.a; a[0].id = cudaLaunchAttributeClusterDimension; a[0].val.clusterDim = {g.x, g.y, g.z}; c.blockDim = b; c.gridDim = 4; c.attrs = a; c.numAttrs = 1; return s; }\n" +
			"void run(float* p, int n) { S s = make(128); cudaLaunchKernelEx(&s.c, k, p, n); }", block + " cluster [2 1 1] grid [4 1 1]"},
		{plain, "struct S { static constexpr int most = 64; int t = most * 2; dim3 b; };\nvoid run(float* p, int n) { S s; k<<<n, s.t>>>(p, n); }", block},
		{plain, "struct S { int t = 128; S() { t = pick(); } };\nvoid run(float* p, int n) { S s; k<<<n, s.t>>>(p, n); }", unknown},
		{plain, "int main(int c, char** v) { int t[2] = {128, 1}; for (int i = 1; i < c; i++) { std::stringstream s(v[i]); s >> t[i]; } k<<<1, t[0]>>>(0, 1); }", unknown},
		{plain, "int main(int c, char** v) { int t = 128; for (int i = 1; i < c; i++) { parse(v[i], t); } k<<<1, t>>>(0, 1); }", unknown},
		{plain, "int main(int c, char** v) { int t = 128, n = 0; auto set = [&] { t = c; }; while (n < c) { set(); n++; } k<<<1, t>>>(0, 1); }", unknown},
		{plain, "int main(int c, char** v) { int t = 128; int* q = &t; for (int i = 1; i < c; i++) { q[i] = c; } k<<<1, t>>>(0, 1); }", unknown},
		{plain, "int main(int c, char** v) { int t = 128; int* q = &t; q[c] = c; k<<<1, t>>>(0, 1); }", unknown},
		{plain, "int main(int c, char** v) { int t = 128; for (int i = 1; i < c; i++) { int* q = &t; *q = i; } k<<<1, t>>>(0, 1); }", unknown},
		{plain, "struct S { dim3 b; void grow() { b.x *= 2; } };\nvoid run(float* p, int n) { S s{128}; while (n--) s.grow(); k<<<n, s.b>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int i = 0, t[2] = {128, 64}; while (n--) { t[i] = n; i = 1 - i; } k<<<n, t[1]>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { int t = 128; std::vector<float> h(n); for (auto& x : h) x = 1; for (int i = 0; i < n; i++) h[i] = i; k<<<n, t>>>(p, n); }", block},
		{plain, "void run(float* p, int n) { other<<<n, 128>>>(p, n); }", unknown},
		{plain, "namespace a { __global__ void k(float* p, int n); }\nvoid run(float* p, int n) { a::k<<<n, 128>>>(p, n); }", unknown},
		{plain, "void run(float* p, int n) { k<<<n, 4096>>>(p, n); }", unknown},
		{plain, "struct P { dim3 g, b; P(const dim3& g_, const dim3& b_) : g(g_), b(b_) {} };\nstruct C { cudaLaunchConfig_t cfg; C(const P& q) { cfg = {}; cfg.gridDim = q.g; cfg.blockDim = q.b; } C(const C&) = delete; };\n" +
			"void run(float* p, int n) { P q(n, 128); auto c = C(q); cudaLaunchKernelEx(&c.cfg, k, p, n); }", block},
		{plain, "struct P { dim3 b; P(const dim3& b_) : b(b_) {} };\nstruct C { cudaLaunchAttribute at[1]; cudaLaunchConfig_t cfg; C(const P& q) { at[0].id = cudaLaunchAttributeCooperative; cfg = {}; cfg.blockDim = q.b; cfg.attrs = at; cfg.numAttrs = 1; } };\n" +
			"void run(float* p, int n) { P q(128); auto c = C(q); c.at[0].id = pick(n); cudaLaunchKernelEx(&c.cfg, k, p, n); }", unknown},
		{plain, "void run(float* p, int n) { k<<<1, 128>>>(p, 5); start(k, p); }", "[128 1 1] at the other"},
		{plain, "void run(float* p, int n) { cudaFuncSetAttribute(k, 8, 4096); k<<<n, 128>>>(p, n); }", block},
		{plain, "void run(float* p, int n) { START((k), n, 128, PART(p, int64_t, 2)); }", unknown},
		{plain, "void run(float* p, int n) { FBGEMM_LAUNCH_KERNEL((k), n, 128, 0, stream, PART(p, int64_t, 2), n); }", block},
		{template, "void run(float* p, int n) { k<float, 4><<<n, 128>>>(p, n); }", block},
		{template, "template <int N> void run(float* p, int n) { k<float, N><<<n, N * 32>>>(p, n); }\nvoid all(float* p, int n) { run<4>(p, n); run<8>(p, n); }", block + "; [256 1 1]"},
		{template, "void run(float* p, int n) { switch (n) { case 4: k<float, 4><<<1, 128>>>(p, n); break; case 8: k<float, 8><<<1, 256>>>(p, n); break; } }", block + " grid [1 1 1] map[n:4]; [256 1 1] grid [1 1 1] map[n:8]"},
		{template, "void run(float* p, int n) { auto f = k<float, 4>; cudaLaunchKernelEx(nullptr, f, p, n); f<<<n, 128>>>(p, n); }", block},
		{template, "void run(float* p, int n) { constexpr int N = 4; using T = float; k<T, N><<<n, N * 32>>>(p, n); }", block},
		{template, "typedef void (*fn)(float*, int);\nfn pick(int n) { if (n == 1) return k<float, 1>; if (n == 2) return k<float, 2>; return nullptr; }\nvoid run(float* p, int n) { fn f = pick(n); f<<<n, 128>>>(p, n); }", block + "; " + block},
		{template, "auto pick() { return &k<float, 2>; }\nvoid run(float* p, int n) { auto f = pick(); f<<<n, 128>>>(p, n); }", block},
		{template, "#define PICK(v, N, ...) switch (v) { case 4: { constexpr int N = 4; __VA_ARGS__ break; } case 8: { constexpr int N = 8; __VA_ARGS__ break; } default: break; }\n" +
			"void run(float* p, int n) { PICK(n, M, { k<float, M><<<1, M * 32>>>(p, n); }); }", block + " grid [1 1 1] map[n:4]; [256 1 1] grid [1 1 1] map[n:8]"},
		{template, "template <int N> void go(float* p, int n) { k<float, N><<<1, N * 32>>>(p, n); }\nusing F = void (*)(float*, int);\nF pick() { return go<4>; }", block + " grid [1 1 1]"},
		{plain, "template <typename F> void twice(F&& f) { f(); f(); }\nvoid run(float* p, int n) { int t = 128; twice([&] { k<<<n, t>>>(p, n); }); }", "[128 1 1]"},
		{plain, "template <typename F> void twice(F&& f) { f(); f(); }\nvoid run(float* p, int n) { int t = 128; twice([&] { k<<<n, t>>>(p, n); t = 64; }); }", unknown},
		{plain, "template <typename F> void once(F f) { f(); }\nvoid run(float* p, int n) { int t = 128; once([&] { t = n; }); k<<<n, t>>>(p, n); }", unknown},
		{plain, "template <typename F> void with(F f) { f(64); }\nvoid run(float* p, int n) { int t = 2; with([&](int m) { k<<<n, t * m>>>(p, n); }); }", "[128 1 1]"},
		{template, "void run(float* p, int n) { DISPATCH(n, N, [&] { k<float, N><<<n, 128>>>(p, n); }); }", block},
	} {
		for _, turned := range []bool{false, true} { // whichever stands first
			text := c.kernel + c.host
			if turned {
				text = strings.Replace(c.kernel, "{ p[threadIdx.x]", ";", 1)
				if k := strings.IndexByte(text, ';'); k >= 0 {
					text = text[:k+1] + "\n"
				}
				text += c.host + "\n" + c.kernel
			}
			got, also := launchesText(t, text)
			want, noted, _ := strings.Cut(c.want, " at the other")
			if want == unknown {
				want, noted = "", "said"
			}
			if got != want || noted != "" && also.unlaunched == "" {
				t.Errorf("%s: %q (%s), want %q", text, got, also.unlaunched, c.want)
			}
		}
	}
}

// TestInstances: the arguments of the template are those of the launch; what no launch says is guessed.
func TestInstances(t *testing.T) {
	const template = "template <typename T, int N> __global__ void k(T* p, int n) { p[threadIdx.x] = N; }\n"
	for host, want := range map[string]bool{
		"void run(float* p, int n) { k<float, 4><<<n, 128>>>(p, n); }":                                      false,
		"void run(float* p, int n) { constexpr int m = 2; k<float, 2 * m><<<n, 128>>>(p, n); }":             false,
		"template <int N> void run(float* p, int n) { k<float, N><<<n, 128>>>(p, n); }":                     true,
		"template <int N> void run(float* p) { k<float, N><<<1, 128>>>(p, 1); }\nvoid all() { run<4>(0); }": false,
		"": true,
		"template <typename T, int N> void run(T* p) { k<T, N><<<1, 128>>>(p, 1); }\ntemplate void run<float, 4>(float*);":                                                                                    false,
		"template <typename T, int N = 8> void run(T* p) { k<T, N><<<1, 128>>>(p, 1); }\ntemplate void run<double>(double*);":                                                                                 false,
		"template <typename T> struct S { static constexpr int n = sizeof(T); };\ntemplate <typename T> void run(T* p) { using Q = S<T>; k<T, Q::n><<<1, Q::n>>>(p, 1); }\ntemplate void run<float>(float*);": false,
		"#define AS(c, V, ...) [&] { if (c) { constexpr int V = 1; return __VA_ARGS__(); } else { constexpr int V = 0; return __VA_ARGS__(); } }()\n" +
			"void run(float* p, int n) { AS(n > 1, A, [&] { AS(n > 2, B, [&] { k<float, 2 * A + B><<<n, 128>>>(p, n); }); }); }": false,
		"#define NO(x)\nvoid run(float* p, int n) { auto f = &k<float, 3>; cudaFuncSetAttribute(NO((void*)) f, 8, 0); f<<<n, 128>>>(p, n); }":   false,
		"void run(float* p, int n) { auto f = [&]<typename T, int N>(T q) { k<T, N><<<n, N>>>(q, n); }; f.template operator()<float, 64>(p); }": false,
		"void any(int);\nvoid run(float* p, int n) { any([&]<int N>() { k<float, N><<<n, N>>>(p, n); }); }":                                     true,
		"struct S { static constexpr int n = 4; };\ntemplate <typename S> void run(float* p) { k<float, S::n><<<1, 128>>>(p, 1); }":             true,
		"constexpr int N = 5;\ntemplate <int N> void run(float* p, int n) { k<float, N><<<n, 128>>>(p, n); }":                                   true,
	} {
		_, also := launchesText(t, template+host)
		if also.guessed != want || slices.Contains(also.assumed, "N is 32") != want {
			t.Errorf("%s: guessed %v, assumed %q; want %v", host, also.guessed, also.assumed, want)
		}
	}
}

// TestSupposed: what nothing gives a template of the host is guessed where no shape is known without it, so that arguments and block go together, and a CTA has two warps.
func TestSupposed(t *testing.T) {
	const template = "template <typename T, int N> __global__ void k(T* p, int n) { p[threadIdx.x] = N; }\n"
	for _, c := range []struct{ host, want, assumed string }{
		{"template <int D> void run(float* p) { constexpr int c = D / 4; dim3 b(c, 128 / c); k<float, c><<<4, b>>>(p, 1); }", "[8 16 1] grid [4 1 1] map[n:1]", "D of run, which launches it, is 32"},
		{"template <int D> void run(float* p, int n) { k<float, D><<<n, D>>>(p, n); }", "[64 1 1]", "D of run, which launches it, is 64"},
		{"template <int D> void run(float* p, int n) { static_assert(D >= 200, \"\"); k<float, D><<<n, D>>>(p, n); }", "[256 1 1]", "D of run, which launches it, is 256"},
		{"template <typename E, unsigned D> void run(E p, int n) { using T = typename E::type; k<T, D><<<n, D / sizeof(T)>>>(p, n); }", "[64 1 1]", "D of run, which launches it, is 256"},
		{"template <typename E, int D> void run(E* p, int n) { k<E, D><<<n, D * sizeof(E*)>>>(p, n); }", "[256 1 1]", "D of run, which launches it, is 32"},
		{"template <int D> void run(float* p, int n) { k<float, D><<<n, D>>>(p, n); }\nvoid all(float* p) { k<float, 4><<<2, 96>>>(p, 1); }", "[96 1 1] grid [2 1 1] map[n:1]; ", ""},
		{"template <int D> void run(float* p, int n) { k<float, D><<<n, n>>>(p, n); }", "", "N is 32"},
		{"template <int D, typename = void> void run(float* p, int n) { k<float, D><<<n, D>>>(p, n); }", "[64 1 1]", "D of run, which launches it, is 64"},
		{"template <bool D> void run(float* p, int n) { k<float, 3><<<n, n>>>(p, n); }", "", ""},
		{"template <int D> void run(float* p, int n) { static_assert(D < 0, \"\"); k<float, 3><<<n, D>>>(p, n); }", "", ""},
	} {
		got, also := launchesText(t, template+c.host)
		if got != c.want || c.assumed != "" && (!also.guessed || !slices.Contains(also.assumed, c.assumed)) || strings.Contains(strings.Join(also.assumed, ";"), "of run") != strings.Contains(c.assumed, "of run") {
			t.Errorf("%s: %q, assumed %q; want %q, %q", c.host, got, also.assumed, c.want, c.assumed)
		}
	}
}

// TestLeftOutNames: a name that is none is declared nowhere, and what only names one declares none.
func TestLeftOutNames(t *testing.T) {
	text := []byte("return meet(); a.meet(); void\nmeet2(); __device__ void meet() { }")
	if at := declaredIn(text, "meet"); at < 0 || string(text[at:at+6]) != "meet()" || at < 40 {
		t.Errorf("at %d", at)
	}
	c := &compiler{lefts: map[string]string{}, files: []*program.File{{Source: &source.File{Name: "k.cu", Data: text}, Left: []program.Left{{Names: []string{"A"}, Span: source.Span{End: len(text)}}}}}}
	if why := c.leftOut(""); why != "" {
		t.Errorf("%q", why)
	}
}

// TestManyWays: where numbers that are not known tell too many ways through a function of the host apart, the launch behind them is found all the same.
func TestManyWays(t *testing.T) {
	var host strings.Builder
	host.WriteString("int f(int);\nvoid run(float* x) { int c = f(0);\n")
	for i := range 8 { // each choice leaves numbers that are one with others in other ways
		fmt.Fprintf(&host, "int a%d = f(1), b%d = a%d; if (c > 0) { a%d = f(2); } c = f(3);\n", i, i, i, i)
	}
	for i := range 5000 {
		fmt.Fprintf(&host, "int d%d = 1; d%d += 2;\n", i, i)
	}
	host.WriteString("k<64><<<1, 64>>>(x); }\n")
	file := cuda.Read(source.Decode("k.cu", []byte("template <int N> __global__ void k(float* p) { p[threadIdx.x] = N; }\n"+host.String())), nil)
	for _, fn := range file.Functions {
		if !fn.Kernel {
			continue
		}
		k, _, err := Translate(file, dialect.New(program.CUDA), fn, nil, 32)
		if err != nil {
			t.Fatal(err)
		}
		if len(k.Launches) != 1 || k.Launches[0].Block != [3]int{64, 1, 1} {
			t.Errorf("launches %v, %q", k.Launches, k.Unlaunched)
		}
	}
}

// TestNamelessParameters: a parameter of a kernel's template may have no name; nothing in its text is one.
func TestNamelessParameters(t *testing.T) {
	got, _ := launchesText(t, "template <typename, typename T, int = 4> __global__ void k(T* p, int n) { p[threadIdx.x] = T::zero + n; }\nvoid run(float* p) { k<int, float><<<1, 64>>>(p, 1); }\ntemplate <typename T> void any(T* p) { k<T, T, 2><<<1, 64>>>(p, 1); }")
	if !strings.HasPrefix(got, "[64 1 1]") {
		t.Errorf("%q", got)
	}
}
