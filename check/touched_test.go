package check

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/finding"
)

// ring is a package with kernels that use some of its functions and constants.
func ring() map[string]string {
	const kernel = `
@cute.kernel
def NAME():
    BODY

@cute.jit
def run_NAME():
    NAME().launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
`
	file := func(imports, name, body, threads string) string {
		return "import cutlass.cute as cute\n" + imports + "\n" + strings.NewReplacer("NAME", name, "BODY", body, "THREADS", threads).Replace(kernel)
	}
	return map[string]string{
		"ops/__init__.py": "from .place import meet, WIDTH\n",
		"ops/place.py": `"""Where threads meet."""
import cutlass.cute as cute

WIDTH = 64  # threads
OTHER = 32


def meet():
    "All of them."
    cute.arch.sync_threads()


def through():
    # as it is
    meet()


def alone():
    cute.arch.sync_warp()


class Gate:
    def pass_by(self):
        cute.arch.sync_threads()

    def stay(self):
        cute.arch.sync_warp()

    def close(self):
        self.__lock()

    def __lock(self):
        cute.arch.sync_threads()

    def __len__(self):
        return 1
`,
		"ops/direct.py":   file("from ops.place import meet", "direct", "meet()", "64"),
		"ops/exported.py": file("from . import meet as assemble", "exported", "assemble()", "64"),
		"ops/behind.py":   file("from .place import through", "behind", "through()", "64"),
		"ops/module.py":   file("import ops.place as m", "module", "m.meet()", "64"),
		"ops/starred.py":  file("from ops.place import *", "starred", "meet()", "64"),
		"ops/wide.py":     file("from ops.place import WIDTH", "wide", "cute.arch.sync_threads()", "WIDTH"),
		"ops/lone.py":     file("from ops.place import alone", "lone", "alone()", "64"),
		"ops/gated.py":    file("from ops.place import Gate", "gated", "Gate().pass_by()", "64"),
		"ops/closed.py":   file("import ops.gates", "closed", "ops.gates.make().close()", "64"),
		"ops/gates.py":    "import ops.place as p\n\n\ndef make():\n    return p.Gate()\n\n\ndef shut(gate):\n    gate.close()\n",
		"ops/shutting.py": file("from ops.gates import shut", "shutting", "shut(GATE)", "64"),
		"ops/handed.py":   file("from ops import place\n\ndef there(m):\n    getattr(m, 'me' + 'et')()\n", "handed", "there(place)", "64"),
		"ops/idle.py":     file("import ops.place", "idle", "cute.arch.sync_threads()", "64"),
		"apart/meet.py":   "def meet():\n    pass\n",
		"apart/same.py":   file("from apart.meet import meet", "same", "meet()", "64"),
	}
}

// touch runs with files changed, and gives the kernels that are checked.
func touch(t *testing.T, before map[string]string, name, from, to string) ([]string, finding.Report) {
	t.Helper()
	files := maps.Clone(before)
	if files[name] = strings.Replace(files[name], from, to, 1); files[name] == before[name] {
		t.Fatalf("%s has no %q", name, from)
	}
	r, err := run(t, files, func(o *Options) {
		o.Paths, o.Committed = []string{name}, committed(before)
	})
	if err != nil {
		t.Fatal(err)
	}
	var kernels []string
	for _, k := range r.Kernels {
		kernels = append(kernels, k.Name)
	}
	slices.Sort(kernels)
	return kernels, r
}

func committed(files map[string]string) func(context.Context, []string) (map[string][]byte, error) {
	return func(_ context.Context, names []string) (map[string][]byte, error) {
		texts := map[string][]byte{}
		for _, name := range names {
			if text, ok := files[name]; ok {
				texts[name] = []byte(text)
			}
		}
		return texts, nil
	}
}

// What is touched in a file of functions reaches the kernels that use it, and no others.
func TestTouched(t *testing.T) {
	users := []string{"behind", "direct", "exported", "handed", "module", "starred"}
	for _, test := range []struct {
		name, from, to string
		want           []string
	}{
		{"ops/place.py", "# as it is", "# another remark", nil},
		{"ops/place.py", "  # threads", "", nil},
		{"ops/place.py", `"All of them."`, `"""Every one."""`, nil},
		{"ops/place.py", "OTHER = 32\n\n", "OTHER = 32\n\n\n", nil},
		{"ops/place.py", "OTHER = 32", "OTHER = 16", []string{"handed"}},
		{"ops/place.py", "    cute.arch.sync_threads()\n\n\ndef through", "    cute.arch.sync_warp()\n\n\ndef through", users},
		{"ops/place.py", "    meet()", "    meet(), meet()", []string{"behind", "handed"}},
		{"ops/place.py", "WIDTH = 64", "WIDTH = 128", []string{"handed", "wide"}},
		{"ops/place.py", "def alone():\n", "def alone(warps=1):\n", []string{"behind", "closed", "direct", "exported", "gated", "handed", "lone", "module", "shutting", "starred", "wide"}}, // a parameter's type
		{"ops/place.py", "def pass_by(self):\n", "def pass_by(self):\n        cute.arch.sync_warp()\n", []string{"closed", "gated", "handed"}},
		{"ops/place.py", "    def __lock(self):\n", "    def __lock(self):\n        cute.arch.sync_warp()\n", []string{"closed", "gated", "handed", "shutting"}},
		{"ops/__init__.py", "from .place import meet, WIDTH", "from apart.meet import meet\nfrom .place import WIDTH", []string{"exported"}},
		{"apart/meet.py", "pass", "return", []string{"same"}},
	} {
		got, r := touch(t, ring(), test.name, test.from, test.to)
		if !slices.Equal(got, test.want) {
			t.Errorf("%q for %q: checked %v, want %v", test.to, test.from, got, test.want)
		}
		if test.want == nil && !strings.Contains(strings.Join(r.Notes, "\n"), "not checked: 1") {
			t.Errorf("%q for %q: the notes %q do not say that the file was not checked", test.to, test.from, r.Notes)
		}
	}
}

// Of a file with kernels those are checked that what changed leads to; a defect of another one is not told again.
func TestTouchedKernels(t *testing.T) {
	before := map[string]string{"k.py": `import cutlass.cute as cute


def helper():
    cute.arch.sync_threads()


@cute.kernel
def first():
    helper()


@cute.kernel
def second():
    if cute.arch.thread_idx_x() < 64:
        cute.arch.barrier(barrier_id=1, number_of_threads=96)


@cute.jit
def launch_first(threads=64):
    first().launch(grid=(1, 1, 1), block=(threads, 1, 1))


@cute.jit
def launch_second():
    second().launch(grid=(1, 1, 1), block=(128, 1, 1))
`}
	for _, test := range []struct {
		from, to string
		want     []string
		findings int
	}{
		{"def helper():\n", "def helper():\n    # now\n", nil, 0},
		{"    cute.arch.sync_threads()", "    cute.arch.sync_warp()", []string{"first"}, 0},
		{"    first()", "    a = 1\n    first()", []string{"first"}, 0},
		{"        cute.arch.barrier(", "        cute.arch.barrier( ", []string{"second"}, 1},
		{"block=(128,", "block=(256,", []string{"second"}, 1},
	} {
		got, r := touch(t, before, "k.py", test.from, test.to)
		if !slices.Equal(got, test.want) || len(r.Findings) != test.findings {
			t.Errorf("%q: checked %v with findings %+v, want %v and %d", test.to, got, r.Findings, test.want, test.findings)
		}
	}
	whole := maps.Clone(before)
	if r, err := run(t, whole, func(o *Options) { o.Paths, o.Committed = []string{"k.py"}, committed(before) }); err != nil || len(r.Kernels) != 2 {
		t.Errorf("a file that did not change: %+v, %v; want both kernels", r.Kernels, err)
	}
	if r, err := run(t, whole, func(o *Options) { o.Paths, o.Committed = []string{"k.py"}, committed(nil) }); err != nil || len(r.Kernels) != 2 {
		t.Errorf("a new file: %+v, %v; want both kernels", r.Kernels, err)
	}
}

// Where it is not known what a file was, all of it is checked, and who imports it, as without --touched.
func TestTouchedUnknown(t *testing.T) {
	files := ring()
	kernels := func(commit func(context.Context, []string) (map[string][]byte, error)) int {
		t.Helper()
		r, err := run(t, files, func(o *Options) { o.Paths, o.Committed = []string{"ops/place.py"}, commit })
		if err != nil {
			t.Fatal(err)
		}
		return len(r.Kernels)
	}
	all := kernels(nil)
	if all < 6 {
		t.Fatalf("%d kernels without", all)
	}
	old := ring()
	old["ops/place.py"] = "def meet(:\n    pass\n"
	if n := kernels(committed(old)); n != all {
		t.Errorf("what does not parse: %d kernels, want %d", n, all)
	}
	if n := kernels(func(context.Context, []string) (map[string][]byte, error) { return nil, errors.New("no repository") }); n != all {
		t.Errorf("no git: %d kernels, want %d", n, all)
	}
}

// A comment changed in CUDA brings nobody in; what stands in a string, or in what looks like a comment, does.
func TestTouchedCUDA(t *testing.T) {
	files := functionsOf("")
	files["ops/sum.cuh"] = strings.Replace(files["ops/sum.cuh"], "  float all = 0;\n", "  // of all\n  float all = 0; /* so\n   far // */ all += 0;\n  const char* s = \"// a\";\n", 1)
	for _, test := range []struct {
		from, to string
		want     int
	}{
		{"// of all", "// of each", 0},
		{"  // of all\n", "\n\n", 0},
		{"#pragma once\n", "#pragma once\n\n", 0},
		{"all += 0", "all += 1", 1},
		{"\"// a\"", "\"// b\"", 1},
	} {
		if got, r := touch(t, files, "ops/sum.cuh", test.from, test.to); len(got) != test.want {
			t.Errorf("%q: checked %v (%v), want %d kernels", test.to, got, r.Notes, test.want)
		}
	}
}

// Imports are read as their lines have them.
func TestImportsOf(t *testing.T) {
	got := importsOf([]byte("import a, b.c as d  # e\nfrom .f import (  # why\n    g as h,  # so\n    i,\n)\n    from . import j; k()\nfrom l import m, \\\n    n\nfrom o import *\nimported = 1\n"))
	want := []importing{{from: "a"}, {from: "b.c", as: true}, {from: ".f", name: "g"}, {from: ".f", name: "i"}, {from: ".", name: "j"}, {from: "l", name: "m"}, {from: "l", name: "n"}, {from: "o", name: "*"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
