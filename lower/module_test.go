package lower

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// tree is a set of files that import each other.
func tree(files map[string]string) func(name string) *program.File {
	return func(name string) *program.File {
		if text, ok := files[name]; ok {
			return read(name, text)
		}
		return nil
	}
}

func TestImports(t *testing.T) {
	files := map[string]string{
		"pkg/__init__.py":       "",
		"pkg/base.py":           "import cutlass.cute as cute\nSTAGES = 3\nclass Ring:\n    def __init__(self, bar, n=STAGES):\n        self.bar = bar\n        self.n = n\n    def signal(self, i):\n        cute.arch.mbarrier_arrive(self.bar + self.at(i))\n    def at(self, i):\n        return i % self.n\n",
		"pkg/kinds/__init__.py": "from ..base import Ring\nfrom .odd import *\n",
		"pkg/kinds/odd.py":      "from pkg.base import Ring\nclass Odd(Ring):\n    def at(self, i):\n        return super_index(i)\ndef super_index(i):\n    return 2\n",
		"pkg/loop.py":           "from pkg import loop2\nX = 1\n",
		"pkg/loop2.py":          "from pkg import loop\nY = loop.X\n",
	}
	const head = "import cutlass\nimport cutlass.cute as cute\n"
	const kernel = "\n@cute.kernel\ndef k():\n    tid, _, _ = cute.arch.thread_idx()\n    smem = cutlass.utils.SmemAllocator()\n    bar = smem.allocate_array(cutlass.Int64, 4)\n    if tid == 0:\n        for i in range(4):\n            cute.arch.mbarrier_init(bar + i, 128)\n    cute.arch.sync_threads()\n"
	tests := []struct{ name, imports, body, want string }{
		{"class of a module", "from pkg.base import Ring", "r = Ring(bar)\nr.signal(4)", "A1"},
		{"module by alias", "import pkg.base as b", "b.Ring(bar, 2).signal(5)", "A1"},
		{"module by its full name", "import pkg.base", "pkg.base.Ring(bar, n=pkg.base.STAGES).signal(5)", "A2"},
		{"re-export and base of another file", "from pkg.kinds import Odd", "Odd(bar).signal(0)", "A2"},
		{"star import", "from pkg.kinds.odd import *", "Odd(bar).signal(0)\ncute.arch.mbarrier_arrive(bar + super_index(1))", "A2 A2"},
		{"relative", "from .base import Ring", "Ring(bar).signal(3)", "A0"},
		{"inside a function", "", "from pkg.base import Ring as R\nR(bar).signal(1)", "A1"},
		{"circle", "from pkg.loop2 import Y", "cute.arch.mbarrier_arrive(bar + Y)", "A1"},
		{"skipped branch of another file's method", "from pkg.base import Ring", "r = Ring(bar)\nif cute.arch.load(bar, cutlass.Int32) > 0:\n    r.signal(0)", "?branch on data that is only known when the kernel runs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := head + tt.imports + kernel + "    " + strings.ReplaceAll(tt.body, "\n", "\n    ") + "\n"
			file := read("pkg/k.py", text)
			if len(file.Skipped) > 0 {
				t.Fatalf("does not parse: %v", file.Skipped)
			}
			ks := Kernels(file, dialect.New(file.Language), Options{Load: tree(files)})
			ks[0].Opaque = dropShape(ks[0].Opaque)
			if got := outline(ks[0]); got != tt.want {
				t.Errorf("got  %s\nwant %s\nopaque %v", got, tt.want, ks[0].Opaque)
			}
		})
	}
}

func dropShape(list []Opaque) []Opaque {
	var out []Opaque
	for _, o := range list {
		if !strings.HasPrefix(o.Why.Text, "the launch shape") {
			out = append(out, o)
		}
	}
	return out
}

// Everything in the library is understood by our own reader.
func TestLibraryParses(t *testing.T) {
	err := fs.WalkDir(embedded, "library", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f := libraryFile(strings.TrimPrefix(name, "library/"))
		if f == nil {
			t.Errorf("%s is not found", name)
			return nil
		}
		for _, s := range f.Skipped {
			t.Errorf("%s: %s does not parse", name, s.Name)
		}
		for _, n := range f.Notes {
			t.Errorf("%s:%d: %s", name, f.Source.Position(n.Span.Start).Line, n.Text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
