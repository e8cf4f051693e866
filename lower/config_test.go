package lower

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
)

const flagged = `import cutlass
import cutlass.cute as cute

class Ring:
    def __init__(self, wide: bool, late: bool = False, unused: bool = False):
        self.wide = wide
        self.late = late

    @cute.jit
    def __call__(self, a: cute.Tensor):
        if self.wide and self.late:
            raise ValueError("not both")
        self.kernel(a).launch(grid=(1, 1, 1), block=(64 if self.wide else 32, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor):
        smem = cutlass.utils.SmemAllocator()
        bar = smem.allocate_array(cutlass.Int64, 1)
        tid, _, _ = cute.arch.thread_idx()
        if tid == 0:
            cute.arch.mbarrier_init(bar, 32)
        cute.arch.sync_threads()
        if cutlass.const_expr(self.wide):
            cute.arch.mbarrier_arrive(bar)
        if cutlass.const_expr(self.late):
            cute.arch.sync_threads()
`

func TestConfigurations(t *testing.T) {
	file := read("k.py", flagged)
	var got []string
	for _, k := range Kernels(file, dialect.New(file.Language), Options{}) {
		got = append(got, fmt.Sprintf("[%s] %s threads, %s", k.Config, k.Bounds["threads"], outline(k)))
		if k.Config == "" {
			if all := k.Bounds["configurations"]; all != "default; wide=True; late=True" {
				t.Errorf("configurations: %s", all)
			}
		}
	}
	want := []string{"[] 32 threads, ", "[wide=True] 64 threads, A", "[late=True] 32 threads, B0"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What is assumed of a value that an option may have is told where it has that value, and a configuration that the kernel
// refuses in part is told with the place.
func TestOtherValues(t *testing.T) {
	text := strings.Replace(flagged, "class Ring:", "from typing import NamedTuple, Optional\n\nclass Mask(NamedTuple):\n    rows: cute.Tensor\n    wide: bool = False\n\nclass Ring:", 1)
	text = strings.Replace(text, "a: cute.Tensor):\n        if self.wide", "a: cute.Tensor, mask: Mask | None = None):\n        self.masked = mask is not None\n        if self.wide", 1)
	text = strings.Replace(text, "if cutlass.const_expr(self.late):\n", "if cutlass.const_expr(self.masked):\n            cute.arch.sync_threads()\n        if cutlass.const_expr(self.late):\n            for i in range(a.shape[0]):\n                assert not self.late\n", 1)
	file := read("k.py", text)
	for _, k := range Kernels(file, dialect.New(file.Language), Options{}) {
		masked := strings.Contains(k.Config, "mask=")
		if told := slices.Contains(k.MadeUp, "mask = Mask with its defaults"); told != masked {
			t.Errorf("[%s] made up %q", k.Config, k.MadeUp)
		}
		if all := k.Bounds["configurations"]; k.Config == "" && (!strings.Contains(all, "; mask=a tensor") || !strings.Contains(all, "late=True (without what k.py:36 refuses)")) {
			t.Errorf("configurations: %s", all)
		}
	}
}

// Every two options take every pair of their values.
func TestPairwise(t *testing.T) {
	for n := range 9 {
		var options []option
		for i := range n {
			options = append(options, option{key: fmt.Sprint(i), name: fmt.Sprint(i)})
		}
		rows := append([]config{nil}, pairwise(options)...)
		if len(rows) > maxConfigs {
			t.Errorf("%d options: %d configurations", n, len(rows))
		}
		has := func(c config, i int) bool {
			return slices.ContainsFunc(c, func(o option) bool { return o.key == fmt.Sprint(i) })
		}
		for i := range n {
			for j := range i {
				for _, want := range [][2]bool{{false, false}, {false, true}, {true, false}, {true, true}} {
					if !slices.ContainsFunc(rows, func(c config) bool { return has(c, i) == want[0] && has(c, j) == want[1] }) {
						t.Errorf("%d options: %d and %d are never %v", n, i, j, want)
					}
				}
			}
		}
	}
}

// A configuration that does not go with the other values of a script is launched with values that its checks ask for.
func TestScriptsValues(t *testing.T) {
	text := strings.Replace(flagged, "wide: bool, late", "wide: bool, width=32, late", 1)
	text = strings.Replace(text, "        self.late = late\n", "        self.late = late\n        assert not wide or width == 64\n", 1)
	text += "\nif __name__ == \"__main__\":\n    Ring(False, 32, False)(cute.make_tensor(0, 4))\n"
	file := read("k.py", strings.Replace(text, "width=32, late", "width: int, late", 1))
	all := Kernels(file, dialect.New(file.Language), Options{})[0].Bounds["configurations"]
	if all != "default; wide=True; late=True" {
		t.Errorf("configurations: %s", all)
	}
}

// A flag that goes with a tensor which a record leaves out otherwise is tried with it, and what the tensor holds is asked
// for: how often a part of it makes the kernel wait is one unknown.
func TestOptionsThatGoTogether(t *testing.T) {
	const one = `            assert parts.starts is not None
            at = cute.arch.block_idx()[0]
            for k in cutlass.range(parts.starts[at + 1] - parts.starts[at]):
                cute.arch.sync_threads()`
	const either = `            assert parts.starts is not None or parts.idle is not None
            cute.arch.sync_threads()
            if cutlass.const_expr(parts.idle is not None):
                cute.arch.sync_threads()`
	for body, want := range map[string][]string{
		one: {"[] [], opaque []", "[gather=True, rows=a tensor, starts=a tensor] [length of part block_idx.x of starts], opaque []"},
		// One of two tensors will do, and each makes another kernel of it.
		either: {"[] [], opaque []", "[gather=True, rows=a tensor, starts=a tensor] [], opaque []", "[gather=True, rows=a tensor, idle=a tensor] [], opaque []"},
	} {
		file := read("k.py", fmt.Sprintf(parted, body))
		var got []string
		for _, k := range Kernels(file, dialect.New(file.Language), Options{}) {
			got = append(got, fmt.Sprintf("[%s] %v, opaque %v", k.Config, k.Rounds, k.Opaque))
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// parted is a kernel that gathers what a record says; %s is what it does then.
const parted = `import cutlass
import cutlass.cute as cute
from typing import NamedTuple, Optional

class Parts(NamedTuple):
    rows: Optional[cute.Tensor] = None
    starts: Optional[cute.Tensor] = None
    idle: Optional[cute.Tensor] = None

class Split:
    def __init__(self, gather: bool = False):
        self.gather = gather

    @cute.jit
    def __call__(self, a: cute.Tensor, parts: Optional[Parts]):
        if cutlass.const_expr(parts is None):
            parts = Parts()
        assert self.gather == (parts.rows is not None)
        self.kernel(a, parts).launch(grid=(4, 1, 1), block=(32, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor, parts: Parts):
        cute.arch.sync_threads()
        if cutlass.const_expr(self.gather):
%s
`

const listed = `import cutlass
import cutlass.cute as cute
from typing import NamedTuple, Optional

class Lists(NamedTuple):
    counts: cute.Tensor
    tiles: Optional[cute.Tensor]

class Gather:
    def __init__(self, paged: bool = False):
        self.dense = not paged

    @cute.jit
    def __call__(self, a: cute.Tensor, table: Optional[cute.Tensor] = None, lists: Optional[Lists] = None):
        self.kernel(a, table, lists).launch(grid=(4, 1, 1), block=(32, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor, table: Optional[cute.Tensor], lists: Optional[Lists]):
        smem = cutlass.utils.SmemAllocator()
        bar = smem.allocate_array(cutlass.Int64, 1)
        tid, _, _ = cute.arch.thread_idx()
        bidx, _, _ = cute.arch.block_idx()
        if tid == 0:
            cute.arch.mbarrier_init(bar, 32)
        cute.arch.sync_threads()
        if cutlass.const_expr(not self.dense):
            for i in range(table[bidx]):
                cute.arch.mbarrier_arrive(bar)
        if cutlass.const_expr(lists is not None):
            counts, tiles = lists
            for i in range(counts[bidx]):
                cute.arch.sync_threads()
`

// A flag that needs a tensor is tried with it, and a record that may be left out as one whose fields are given.
func TestOptionsTogether(t *testing.T) {
	file := read("k.py", listed)
	got := map[string]string{}
	for _, k := range Kernels(file, dialect.New(file.Language), Options{}) {
		got[k.Config] = outline(k)
	}
	want := map[string]string{"": "", "paged=True, table=a tensor": "A A A", "lists=a tensor": "B0 B0 B0"}
	for config, ops := range want {
		if g, ok := got[config]; !ok || g != ops {
			t.Errorf("[%s]: %q, want %q; all: %v", config, g, ops, got)
		}
	}
}

const waiting = `import cutlass
import cutlass.cute as cute

@cute.kernel
def kernel(n: cutlass.Int32):
    smem = cutlass.utils.SmemAllocator()
    ring = smem.allocate_array(cutlass.Int64, 8)
    tid, _, _ = cute.arch.thread_idx()
    if tid == 0:
        for i in cutlass.range_constexpr(8):
            cute.arch.mbarrier_init(ring + i, 32)
    cute.arch.sync_threads()
    for i in range(n):
        for j in cutlass.range_constexpr(8):
            cute.arch.mbarrier_arrive(ring + (i + j) % 8)

@cute.jit
def run(n: cutlass.Int32):
    kernel(n).launch(grid=(1, 1, 1), block=(32, 1, 1))
`

// Where the steps of a configuration end in the middle of a combination, those before it stay, and the bounds say so.
func TestCutShort(t *testing.T) {
	file := read("k.py", waiting)
	some, cut := false, 0
	for steps := 0; steps < 6000; steps += 50 {
		l := newLowering(file, dialect.New(file.Language), Options{})
		fn := file.Functions[0]
		la, _ := l.findLaunch(fn)
		l.brief, l.fuel = true, steps
		k := l.lowered(fn, la, nil)
		if some && (len(k.Opaque) > 0 || len(k.Instances) == 0) {
			t.Errorf("%d steps do for less than fewer: %d combinations, %v", steps, len(k.Instances), k.Opaque)
		}
		some = some || len(k.Instances) > 0
		if k.cut {
			cut++
		}
	}
	if !some || cut == 0 {
		t.Error("no number of steps cuts the kernel short")
	}
}
