package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

const gemm = `import argparse
import cutlass
import cutlass.cute as cute
import torch

class Gemm:
    def __init__(self, acc_dtype: type[cutlass.Numeric], tile_mn: tuple[int, int], cluster_mn: tuple[int, int], warps):
        self.tile_mn = tile_mn
        self.cluster_mn = cluster_mn
        self.load_warp = warps
        self.threads = 32 * (warps + 1)

    def check(self, a):
        if a.shape[0] % 8 != 0:
            return False
        return True

    @cute.jit
    def __call__(self, a: cute.Tensor, n: cutlass.Int32, stages: cutlass.Constexpr):
        if a.shape[1] < 64:
            raise ValueError("too small")
        if not torch.cuda.is_available():
            raise RuntimeError("no GPU")
        self.kernel(a, n, stages).launch(grid=(n, 1, 1), block=[self.threads, 1, 1], cluster=(*self.cluster_mn, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor, n: cutlass.Int32, stages: cutlass.Constexpr):
        cute.arch.sync_threads()
`

func TestDrivers(t *testing.T) {
	tests := []struct{ name, driver, want string }{
		{"the launching method alone", "", "block [160 1 1] cluster [1 1 1] args a n stages assumed cluster_mn[0] = 1, warps = 4, host's checks pass"},
		{"a function that sets up", "def run(k, n):\n    t = torch.randn(4, 4)\n    g = Gemm(cutlass.Float32, (128, 64), (2, 1), 7)\n    for i in range(2):\n        f = cute.compile(g, t, n, 3)\n",
			"block [256 1 1] cluster [2 1 1] args a n 3 assumed host's checks pass"},
		{"a script", "def run(k, warps):\n    g = Gemm(cutlass.Float32, (128, 64), (1, 1), warps)\n    g(k, 4096, 2)\n\nif __name__ == \"__main__\":\n    run(torch.ones(2), 3)\n",
			"block [128 1 1] cluster [1 1 1] args a n 2 assumed host's checks pass"},
		{"a script in two parts", "if __name__ == \"__main__\":\n    warps = 3\n\ndef run(k, warps):\n    Gemm(None, (1, 1), (1, 1), warps)(k, 4096, 2)\n\nif __name__ == \"__main__\":\n    run(torch.ones(2), warps)\n",
			"block [128 1 1] cluster [1 1 1] args a n 2 assumed host's checks pass"},
		{"what a script assigns is seen by the functions", "def run(k):\n    Gemm(cutlass.Float32, (128, 64), (1, 1), options.warps)(k, 4096, 2)\n\nif __name__ == \"__main__\":\n    import types\n    options = types.SimpleNamespace()\n    options.warps = 6\n    run(torch.ones(2))\n",
			"block [224 1 1] cluster [1 1 1] args a n 2 assumed host's checks pass"},
		{"a choice that leads there", "def run(arch, a):\n    if arch == 90:\n        g = Gemm(None, (1, 1), (1, 1), 2)\n        g(a, 1, 2)\n    else:\n        raise RuntimeError(\"arch\")\n",
			"block [96 1 1] cluster [1 1 1] args a n 2 assumed host's checks pass"},
		{"a choice over nothing known", "def run(a):\n    if torch.float8 in str(a.dtype()):\n        w = 3\n    else:\n        w = 2\n    Gemm(None, (1, 1), (1, 1), w)(a, 1, 2)\n",
			"block [96 1 1] cluster [1 1 1] args a n 2 assumed conditions of the host side: k.py:31 false"},
		{"a loop over nothing known", "def run(cases):\n    for a in open(cases).lines():\n        Gemm(None, (1, 1), (1, 1), 1)(a, 1, 2)\n",
			"block [64 1 1] cluster [1 1 1] args a n 2 assumed k.py:31 true"},
		{"a compiled function of sizes", "@cute.jit\ndef sized(a, sizes: tuple[int, int], g: cutlass.Constexpr):\n    g(a, sizes[0] + 0 * sizes[1], 2)\n\ndef run(a):\n    cute.compile(sized, a, (cutlass.Int32(0), 4), Gemm(None, (1, 1), (1, 1), 3))\n",
			"block [128 1 1] cluster [1 1 1] args a sizes[0] 2 assumed host's checks pass"},
		{"a search for what fits", "def fitting(n):\n    most = torch.cuda.get_device_properties(0).shared_memory_per_block_optin\n    for w in [7, 3, 1]:\n        if w * n * 400 <= most:\n            return w\n    return 1\n\ndef run(a, rows):\n    Gemm(None, (1, 1), (1, 1), fitting(rows))(a, 1, 2)\n",
			"block [128 1 1] cluster [1 1 1] args a n 2 assumed rows = 128"},
		{"a mode that is cast", "import typing\n\ndef run(a, mode=None):\n    mode = typing.cast(typing.Literal[\"one\", \"two\"], \"two\")\n    Gemm(None, (1, 1), (1, 1), 5 if mode == \"two\" else 1)(a, 1, 2)\n", "block [192 1 1] cluster [1 1 1] args a n 2 assumed host's checks pass"},
		{"a mode that nobody gives", "def run(a, mode):\n    one, two = mode == \"one\", mode == \"two\"\n    Gemm(None, (1, 1), (1, 1), 1 + 2 * one + 4 * two)(a, 1, 2)\n", "block [64 1 1] cluster [1 1 1] args a n 2 assumed mode == \"one\" = 0"},
		{"parts by a lambda", "def run(a):\n    make = lambda w: Gemm(None, (1, 1), (1, 1), w)\n    make(5)(a, 1, 2)\n", "block [192 1 1] cluster [1 1 1] args a n 2 assumed host's checks pass"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := read("k.py", gemm+"\n"+tt.driver)
			if len(file.Skipped) > 0 {
				t.Fatalf("does not parse: %v", file.Skipped)
			}
			fn := file.Functions[slices.IndexFunc(file.Functions, func(f *program.Function) bool { return f.Kernel })]
			la, why := newLowering(file, dialect.New(file.Language), Options{}).findLaunch(fn)
			shape, assumed, _ := strings.Cut(tt.want, " assumed ")
			got := fmt.Sprintf("block %v cluster %v args", la.block, la.cluster)
			for _, a := range la.args {
				got += " " + value.Canonical(a)
			}
			if got != shape {
				t.Errorf("got %s, want %s (%v)", got, shape, why)
			}
			notes := strings.Join(slices.Sorted(maps.Keys(la.assumed)), "; ")
			for _, w := range strings.Split(assumed, ", ") {
				if !strings.Contains(notes, w) {
					t.Errorf("assumptions %q do not tell %q", notes, w)
				}
			}
		})
	}
}

// A launch that the values do not lead to is reached against them, and the bounds say so.
func TestForced(t *testing.T) {
	file := read("k.py", `import cutlass.cute as cute

@cute.kernel
def first(a):
    cute.arch.sync_threads()

@cute.kernel
def second(a):
    cute.arch.sync_threads()

@cute.jit
def host(a: cute.Tensor, split: cutlass.Constexpr = 1, plain: cutlass.Constexpr = True):
    first(a).launch(grid=(1, 1, 1), block=(32, 1, 1))
    if plain:
        return
    if split > 1:
        second(a).launch(grid=(1, 1, 1), block=(96, 1, 1))
`)
	for i, want := range []string{"[32 1 1] ", "[96 1 1] conditions of the host side: k.py:14 false, k.py:16 true"} {
		la, why := newLowering(file, dialect.New(file.Language), Options{}).findLaunch(file.Functions[i])
		if got := fmt.Sprint(la.block, " ", strings.Join(slices.Sorted(maps.Keys(la.assumed)), "; ")); got != want {
			t.Errorf("%s: %s, want %s (%v)", file.Functions[i].Name, got, want, why)
		}
	}
}

func TestAnnotation(t *testing.T) {
	for typ, want := range map[string]string{
		"int":                             "int []",
		"tuple[int, int]":                 "tuple [int int]",
		"typing.Tuple[Tuple[int, int],T]": "Tuple [Tuple[int, int] T]",
		"Union[Tuple[int, str], int]":     "Tuple [int str]",
		"Union[int, None]":                "Union [int None]",
		"Type[cutlass.Numeric]":           "Type [cutlass.Numeric]",
		"":                                " []",
		"broken[":                         "broken []",
	} {
		head, args := value.Annotation(typ)
		if got := fmt.Sprintf("%s %v", head, args); got != want {
			t.Errorf("annotation(%q) = %q, want %q", typ, got, want)
		}
	}
}

// Values that the host's checks ask for are found; the types of operands too.
func TestDemands(t *testing.T) {
	const text = `import math
import cutlass
from cutlass.base_dsl import BaseDSL
import cutlass.cute as cute

class K:
    def __init__(self, vec, tile_mn, a_dtype: type[cutlass.Numeric], acc_dtype: type[cutlass.Numeric], rows: int, heads: int = 1):
        assert vec in (16, 32)
        assert heads == 64 or heads == 128
        assert BaseDSL._get_dsl().get_arch_enum().major == 9, "sm_90 only"
        if a_dtype.width != 8:
            raise TypeError("8 bits")
        if acc_dtype != cutlass.Float32:
            raise TypeError("accumulator")
        if tile_mn[1] * 3 > 200:
            raise ValueError("tile")
        self.warps = math.ceil(rows / 48)
        stages = 9
        while True:
            if stages * vec < 3 * tile_mn[0] - 300:
                break
            stages -= 1
            if stages < unknown_size(a_dtype):
                break

    @cute.jit
    def __call__(self, a: cute.Tensor):
        self.kernel(a).launch(grid=(1, 1, 1), block=(32 * self.warps, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor):
        cute.arch.sync_threads()
`
	file := read("k.py", text)
	fn := file.Functions[slices.IndexFunc(file.Functions, func(f *program.Function) bool { return f.Kernel })]
	la, why := newLowering(file, dialect.New(file.Language), Options{}).findLaunch(fn)
	notes := strings.Join(slices.Sorted(maps.Keys(la.assumed)), "; ")
	for _, w := range []string{"vec = 16", "a_dtype = Float8E4M3FN", "acc_dtype = Float32", "tile_mn[1] = 64", "rows = 128", "heads = 128", "the target is sm_90a"} {
		if !strings.Contains(notes, w) {
			t.Errorf("assumptions %q do not tell %q (%v)", notes, w, why)
		}
	}
	if la.block != [3]int64{96, 1, 1} {
		t.Errorf("block %v", la.block)
	}
}

// A kernel that is a method can be launched by a base class of another file.
func TestInherited(t *testing.T) {
	files := map[string]string{"base.py": "import cutlass.cute as cute\nclass Base:\n    def __init__(self, w=5):\n        self.w = w\n    @cute.jit\n    def __call__(self, a: cute.Tensor):\n        self.kernel(a).launch(grid=(1, 1, 1), block=(32 * self.w, 1, 1))\n"}
	file := read("k.py", "import cutlass.cute as cute\nfrom base import Base\nclass K(Base):\n    @cute.kernel\n    def kernel(self, a: cute.Tensor):\n        cute.arch.sync_threads()\n")
	la, why := newLowering(file, dialect.New(file.Language), Options{Load: tree(files)}).findLaunch(file.Functions[0])
	if la.block != [3]int64{160, 1, 1} || why != nil {
		t.Errorf("block %v (%v)", la.block, why)
	}
}

// A driver says what its tensors hold: two of one type are two, and a pointer to the first element has its type.
func TestTypesOfDrivers(t *testing.T) {
	const kernel = `import cutlass
import cutlass.cute as cute
import cutlass.torch as cutlass_torch
from cutlass.cute.runtime import from_dlpack

@cute.kernel
def kernel(n: cutlass.Constexpr):
    for _ in cutlass.range_constexpr(n):
        cute.arch.sync_threads()

@cute.jit
def start(a: cute.Pointer, b: cute.Pointer):
    kernel(2 if a.dtype.width >= 8 and b.dtype.width < 8 else 3).launch(grid=(1, 1, 1), block=(32, 1, 1))

def run(rows, a_type=cutlass.Int8, b_type=cutlass.Int4):
`
	tests := []struct{ name, driver, want string }{
		{"set", "    def made(t):\n        x = from_dlpack(torch.empty(rows), assumed_align=16)\n        x.element_type = t\n        return x\n    start(made(a_type).iterator, made(b_type).iterator)\n", "2"},
		{"made like another", "    a, _ = cutlass_torch.cute_tensor_like(torch.empty(rows), a_type, True)\n    b, _ = cutlass_torch.cute_tensor_like(torch.empty(rows), b_type, True)\n    start(a.iterator, b.iterator)\n", "2"},
		{"not set", "    start(from_dlpack(torch.empty(rows)).iterator, from_dlpack(torch.empty(rows)).iterator)\n", "3"},
	}
	for _, tt := range tests {
		file := read("k.py", kernel+tt.driver)
		la, why := newLowering(file, dialect.New(file.Language), Options{}).findLaunch(file.Functions[0])
		if len(la.args) != 1 || value.Canonical(la.args[0]) != tt.want {
			t.Errorf("%s: launched with %v, want %s (%v)", tt.name, la.args, tt.want, why)
		}
	}
}
