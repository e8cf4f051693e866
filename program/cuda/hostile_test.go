package cuda

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

func TestBrokenStatement(t *testing.T) {
	f := read("__global__ void k() {\n  a();\n  x = = 3;\n  if (c) { b(); y ++ ++ 4 5; d(); }\n}\nvoid g() { h(); }")
	got := dump(t, f)
	for _, want := range []string{"(call a)", "(call b)", "(call d)", "(call h)", "does not parse"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if len(f.Skipped) != 0 || len(f.Notes) == 0 {
		t.Errorf("skipped %v, notes %v", f.Skipped, f.Notes)
	}
}

func TestSkippedKernel(t *testing.T) {
	f := read("void ok() { a(); }\n__global__ void bad(int x, float * = * y] {\n  if (x) { b();\n}\n")
	if len(f.Skipped) != 1 || f.Skipped[0].Name != "bad" {
		t.Errorf("skipped %v in\n%s", f.Skipped, dump(t, f))
	}
	for _, fn := range f.Functions {
		if fn.Name == "bad" {
			t.Errorf("a function that does not parse was read:\n%s", dump(t, f))
		}
	}
}

// TestEndsEarly: what ends in the middle of a kernel, or of a comment, is said.
func TestEndsEarly(t *testing.T) {
	for text, name := range map[string]string{"\x00\xfe;\x12(} __global__ void k(": "k", "__global__": "", "__global__ void k(int n)": "k", "int x;\n__global__ void k(int * p, ": "k"} {
		f := read(text)
		if len(f.Skipped) != 1 || f.Skipped[0].Name != name {
			t.Errorf("%q: skipped %v", text, f.Skipped)
		}
	}
	if f := read("__global__ void k(int n);"); len(f.Skipped)+len(f.Notes) != 0 {
		t.Errorf("skipped %v, notes %v", f.Skipped, f.Notes)
	}
	for text, notes := range map[string]int{"int x; /* __global__ void k() { }": 1, "int x; /*/": 1, "int x; /**/": 0} {
		if f := read(text); len(f.Notes) != notes {
			t.Errorf("%q: notes %v", text, f.Notes)
		}
	}
}

// TestHostile reads text made to hang or to exhaust a reader. The test's own deadline is what it checks.
func TestHostile(t *testing.T) {
	const n = 10000
	tests := map[string]string{
		"parentheses":       "void f() { x = " + strings.Repeat("(", n) + strings.Repeat(")", n) + "; }",
		"groups":            strings.Repeat("#ifndef X\n#endif\n", 10*n),
		"groups in groups":  strings.Repeat("#ifdef __HIPCC__\n", n) + "__global__ void k() {}\n" + strings.Repeat("#endif\n", n),
		"braces":            "void f() " + strings.Repeat("{", n) + strings.Repeat("}", n),
		"stray closers":     strings.Repeat("(", n) + strings.Repeat("}", n),
		"conditionals":      strings.Repeat("#if 1\n", n) + "void f() {}",
		"angles":            "void f() { " + strings.Repeat("a<", n) + "; }",
		"templates":         strings.Repeat("template <class T> ", n) + "void f() {}",
		"globals":           strings.Repeat("__global__ ", n) + "{",
		"asm":               strings.Repeat("asm volatile ", n),
		"defaults":          "void f(" + strings.Repeat("T a = {(", n),
		"else chain":        "void f() { if (a) b();" + strings.Repeat(" else if (a) b();", n) + " }",
		"sum":               "void f() { x = 1" + strings.Repeat(" + 1", n) + "; }",
		"switches":          "void f() {" + strings.Repeat("switch (a) { case 1: f(); case 2: g(); case 3: ", 60) + strings.Repeat("}", 61),
		"quotes":            strings.Repeat("'\"\n", n/10),
		"raw string":        strings.Repeat(`R"x(`, n),
		"macro of macros":   strings.Repeat("#define A(x) A(A(x))\n", n/4),
		"made kernels":      "#define A(x) __global__ void x\n" + strings.Repeat("A(k) { }\n", n),
		"made of made":      "#define A(x) __global__ x\n#define B(x) A(x) A(x) A(x) A(x) A(x) A(x) A(x) A(x)\n#define C(x) B(x) B(x) B(x) B(x) B(x) B(x) B(x) B(x)\n#define D(x) C(x) C(x) C(x) C(x) C(x) C(x) C(x) C(x)\n#define E(x) D(x) D(x) D(x) D(x) D(x) D(x) D(x) D(x)\n" + strings.Repeat("E(y);\n", 600),
		"made of itself":    "#define A(x) __global__ void x() { A(x) A(x) }\n" + strings.Repeat("A(k)\n", n),
		"makers":            "#define A0(x) __global__ void x() {}\n" + chained(n/4),
		"makers unclosed":   "#define A(x, __global__\nA(y) A( { A(z) }",
		"directive":         "#if " + strings.Repeat("(", n) + "\n#endif",
		"zero bytes":        strings.Repeat("\x00\xff", n),
		"unclosed comment":  "void f() { /*" + strings.Repeat("*", n),
		"member templates":  "void f() { " + strings.Repeat("a.b<1 + ", n) + "; }",
		"nested namespaces": strings.Repeat("namespace a { ", n),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) { inspect(t, read(text)) })
	}
}

// chained are macros each of which stands for the one defined behind it.
func chained(n int) string {
	var out strings.Builder
	for k := n; k > 0; k-- {
		fmt.Fprintf(&out, "#define A%d(x) A%d(x)\n", k, k-1)
	}
	return out.String() + fmt.Sprintf("A%d(k)\n", n)
}

// inspect checks what every tree must keep: spans inside the file, no nil where a node is required.
func inspect(t *testing.T, f *program.File) {
	t.Helper()
	size := len(f.Source.Data)
	inside := func(what string, s source.Span) {
		if s.Start < 0 || s.End < s.Start || s.End > size {
			t.Fatalf("%s has span %v in a file of %d bytes", what, s, size)
		}
	}
	for _, fn := range f.Functions {
		inside("function "+fn.Name, fn.Span)
		for _, s := range fn.Body {
			program.Walk(s, func(n program.Node) bool {
				inside("a node", n.Where())
				if a, ok := n.(*program.Assign); ok && len(a.Targets) == 0 {
					t.Fatalf("assignment without target at %v", a.Span)
				}
				return true
			})
		}
	}
	for _, s := range f.Skipped {
		inside("skipped "+s.Name, s.Span)
	}
	for _, n := range f.Notes {
		inside("note "+n.Text, n.Span)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("template <int N> __global__ void __launch_bounds__(N) k(int a = {1}) { switch (a) { case 1: x.f<N + 1>(y); } }")
	f.Add("#define M(a) asm(\"bar.sync %0;\" :: \"r\"(a) \"r\"(b))\nstruct S : T<1> { S() : a(1) {} int a[2]; };\nvoid S::f() { M(1) }")
	f.Add("#if A\nvoid f() { [&, x = 1](auto... y) { (g(y), ...); }; }\n#else\n#endif\nenum { A, B = 3 };")
	f.Fuzz(func(t *testing.T, text string) {
		inspect(t, read(text))
	})
}
