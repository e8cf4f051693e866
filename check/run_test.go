package check

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/source"
)

// run checks files written to a fresh directory.
func run(t *testing.T, files map[string]string, change func(*Options)) (finding.Report, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	opt := Options{Tree: tree, Engine: Explore}
	if change != nil {
		change(&opt)
	}
	return Run(context.Background(), opt)
}

// Files made to break a reader are read, or left with a note; none is an error, and none stops the others.
func TestHostileFiles(t *testing.T) {
	const tokens = "mbarrier cutlass cute __syncthreads\n"
	deep := 100_000
	files := map[string]string{
		"nul.py":                tokens + "x\x00y = 1\n",
		"invalid.py":            "\xff\xfe" + tokens,
		"utf16.cu":              "\xff\xfe" + string(bytes.Join(bytes.Split([]byte(tokens), nil), []byte{0})),
		"latin.cu":              tokens + "// caf\xe9\n__global__ void k() { __syncthreads(); }\n",
		"parens.py":             "# " + tokens + "x = " + strings.Repeat("(", deep),
		"braces.cu":             "// " + tokens + "__global__ void k() " + strings.Repeat("{", deep),
		"ifs.cu":                "// " + tokens + "__global__ void k() {" + strings.Repeat("if (a) ", deep) + "; }",
		"else.py":               "# " + tokens + "@cute.kernel\ndef k():\n  if a: pass\n" + strings.Repeat("  elif a: cute.arch.sync_threads()\n", 20_000),
		"nested.py":             "# " + tokens + "x = " + strings.Repeat("[", deep/2) + strings.Repeat("]", deep/2),
		"binary.cu":             tokens + strings.Repeat("a + ", deep) + "a;\n",
		"line.cu":               "// " + tokens + "int x = " + strings.Repeat("1,", 500_000) + "1;",
		"flood.ptx":             ".entry k() {\n" + strings.Repeat("bar.sync 0;\n", 100_000) + "}\n",
		"braces.ptx":            ".entry k() " + strings.Repeat("{", deep) + "\nbar.sync 0;\n",
		"macro.cu":              "#define A(x) A(A(x))\n__global__ void k() { A(A(A(__syncthreads()))); }\n",
		"recursion.py":          "import cutlass.cute as cute\ndef f(n):\n    return f(n + 1)\n@cute.kernel\ndef k():\n    f(0)\n    cute.arch.sync_threads()\n",
		"forever.cu":            "__global__ void k() { while (true) { __syncthreads(); } }\n",
		"huge_loop.cu":          "__global__ void k() { for (long i = 0; i < 9000000000000000000; ++i) __syncthreads(); }\n",
		"overflow.cu":           "__global__ void k() { const int n = 9223372036854775807 * 2 / 0 % 0 << 700; __shared__ int s[-1]; __syncthreads(); }\n",
		"exponential.py":        "import cutlass.cute as cute\n@cute.kernel\ndef k():\n    x = [0]\n" + strings.Repeat("    x = x + x\n", 200) + "    cute.arch.sync_threads()\n",
		"unterminated.cu":       "__global__ void k() { asm volatile(\"mbarrier.init",
		"unterminated.py":       "import cutlass.cute as cute\n@cute.kernel\ndef k():\n    x = \"\"\"mbarrier",
		"unknown_threads.cu":    "__global__ void k(int n) { if (threadIdx.x < n) __syncthreads(); }\n",
		"a\nb/::error::k.cu":    "__global__ void k() { __syncthreads(); }\n",
		"many_functions.cu":     strings.Repeat("__device__ void f() { __syncthreads(); }\n", 5_000),
		"many_kernels.cu":       strings.Repeat("__global__ void k() { __syncthreads(); }\n", 500),
		"comment_only.py":       "# mbarrier cutlass\n",
		"suppress_flood.cu":     strings.Repeat("// fencepost: ignore[FP101] x\n", 2_000) + "__global__ void k() { __syncthreads(); }\n",
		"good.cu":               "__global__ void good() { __syncthreads(); }\n",
		"templates.cu":          "// " + tokens + "using T = " + strings.Repeat("A<", 10_000) + "int" + strings.Repeat(">", 10_000) + ";\n__global__ void k() { __syncthreads(); }\n",
		"decorators_only.py":    "# " + tokens + strings.Repeat("@cute.kernel\n", 10_000),
		"lambda.py":             "# " + tokens + "x = " + strings.Repeat("lambda: ", 20_000) + "0\n",
		"crlf_and_form_feed.py": "import cutlass.cute as cute\r\n\f\r\n@cute.kernel\r\ndef k():\r\n\tcute.arch.sync_threads()\r\n",
	}
	r, err := run(t, files, nil)
	if err != nil {
		t.Error(err)
	}
	if r.Summary.Files != len(files) {
		t.Errorf("%d files, want %d", r.Summary.Files, len(files))
	}
	found := false
	for _, k := range r.Kernels {
		found = found || k.Name == "good"
	}
	if !found {
		t.Errorf("the kernel of good.cu is not in the report")
	}
}

// TestErrorSurvivesLoad: what else a file holds takes no error away that stands in it.
func TestErrorSurvivesLoad(t *testing.T) {
	const broken = "__global__ void k(int *p) { if (threadIdx.x < 3) __syncthreads(); p[0] = 1; }\n"
	deep := 100_000
	for name, text := range map[string]string{
		"alone":        broken,
		"pointers":     "void run(void (*kernels[])(int), int i) { kernels[i](1); }\n" + broken,
		"parens":       broken + "__global__ void l(int *p) { p[0] = " + strings.Repeat("(", deep) + "1" + strings.Repeat(")", deep) + "; }\n",
		"own parens":   strings.Replace(broken, "= 1", "= "+strings.Repeat("(", deep)+"1"+strings.Repeat(")", deep), 1),
		"own barriers": strings.Replace(broken, "p[0] = 1; }", strings.Repeat("\n__syncthreads();", 60_000)+"}", 1),
		"kernels":      broken + strings.Repeat("__global__ void l(int *p) { __syncthreads(); p[0] = 1; }\n", 800),
		"one line":     strings.TrimSpace(broken) + strings.Repeat(" __global__ void l(int *p) { __syncthreads(); p[0] = 1; }", 800),
	} {
		r, err := run(t, map[string]string{"k.cu": text}, nil)
		if err != nil || r.Summary.Errors != 1 || r.Summary.FilesSkipped > 0 {
			t.Errorf("%s: %v, %d errors in %+v", name, err, r.Summary.Errors, r.Summary)
		}
	}
}

// What a change does to fencepost itself is told to the reviewer.
func TestSilencingChangeIsTold(t *testing.T) {
	files := map[string]string{
		"k.cu":            "__global__ void k() {\n  // fencepost: ignore[FP101] looks fine to me\n  __syncthreads();\n}\n",
		".fencepost.yaml": "rules: {FP101: off}\n",
	}
	r, err := run(t, files, func(opt *Options) {
		opt.ConfigPath = ".fencepost.yaml"
		opt.Changed = map[string][]source.Range{"k.cu": {{First: 2, Last: 2}}, ".fencepost.yaml": {source.WholeFile}}
	})
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{".fencepost.yaml: the configuration is changed", "k.cu:2: this change adds or edits a suppression"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q do not say %q", notes, want)
		}
	}
}

// A run that is stopped says so: what it found until then is not the whole.
func TestStoppedRunIsIncomplete(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "k.cu"), []byte("__global__ void k() { __syncthreads(); }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tree, err := source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Options{Tree: tree, Engine: Explore}); err == nil || !strings.Contains(err.Error(), "stopped before the end") {
		t.Errorf("error %v, want one that says that the run was stopped", err)
	}
}

// A panic in one file is an error that names it, with the stack apart from the message.
func TestPanicNamesTheFile(t *testing.T) {
	r := checkFile(context.Background(), Options{}, "k.py") // without a tree, reading panics
	var internal *InternalError
	if !errors.As(r.err, &internal) || internal.Path != "k.py" || !strings.Contains(internal.Stack, "checkFile") {
		t.Errorf("got %v", r.err)
	}
	if strings.Contains(r.err.Error(), "goroutine") {
		t.Errorf("the message holds the stack: %v", r.err)
	}
}
