package cuda

import (
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/source"
)

// TestHostileHosts: functions of the host that branch, loop and call each other without end are given up in time.
func TestHostileHosts(t *testing.T) {
	const kernel = "__global__ void k(float* p, int n) { p[threadIdx.x] = n; }\n"
	loops := strings.Repeat("for (int i = 0; i < 16; i++) { ", 40) + "k<<<1, 128>>>(p, n);" + strings.Repeat("}", 40)
	var calls strings.Builder
	for i := range 40 {
		name := func(i int) string { return "f" + strings.Repeat("x", i) }
		calls.WriteString("void " + name(i) + "(float* p, int n);\n")
		calls.WriteString("void " + name(i+1) + "(float* p, int n) { " + strings.Repeat(name(i)+"(p, n); ", 8) + "k<<<1, n>>>(p, n); }\n")
	}
	for name, host := range map[string]string{
		"branches":  "void run(float* p, int n) { int t = 1; " + strings.Repeat("if (p[n] > t) t = t + 1; ", 2000) + "k<<<1, t>>>(p, n); }",
		"loops":     "void run(float* p, int n) { " + loops + " }",
		"calls":     calls.String(),
		"itself":    "void run(float* p, int n) { run(p, n); run(p, n + 1); k<<<1, n>>>(p, n); }",
		"each":      "void b(float* p);\nvoid a(float* p) { b(p); b(p); k<<<1, 2>>>(p, 1); }\nvoid b(float* p) { a(p); a(p); }",
		"constants": "constexpr int a = b + b;\nconstexpr int b = a + a;\nvoid run(float* p) { k<<<a, b>>>(p, b); }",
		"aliases":   "void run(float* p, int n) { int& a = b; int& b = a; a = 3; auto& c = c; c = 4; k<<<a, c>>>(p, b); }",
		"circles":   "void run(float* p, int n) { int a = 1; int& b = a; { int& a = b; a = 3; k<<<a, b>>>(p, a); } k<<<a, b>>>(p, b); }",
		"pointers":  "void run(float* p, int n) { int* a = &a; *a = 3; int* b = &b; b = &b; b->x.y = 4; k<<<*a, *b>>>(p, *b); }",
		"lambdas":   "void run(float* p, int n) { auto f = [&](auto g) { g(g); g(g); k<<<1, n>>>(p, n); }; f(f); }",
		"macros":    "#define A(x) B(x) + B(x)\n#define B(x) A(x) + A(x)\nvoid run(float* p, int n) { int t = A(n); k<<<1, t>>>(p, A(t)); }",
		"sizes":     "void run(float* p, int n) { dim3 b(2147483647, 2147483647, -1); k<<<b, b>>>(p, 9223372036854775807); k<<<0, 0>>>(p, n); k<<<1>>>(p, n); k<<<>>>(p); cudaLaunchKernel(k); cudaLaunchKernelEx(); }",
	} {
		file := cuda.Read(source.Decode("k.cu", []byte(kernel+host)), nil)
		for _, fn := range file.Functions {
			if fn.Kernel {
				begin := time.Now()
				if _, _, err := Translate(file, dialect.New(program.CUDA), fn, nil, 32); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if d := time.Since(begin); d > 10*time.Second {
					t.Errorf("%s: took %v", name, d)
				}
			}
		}
	}
}
