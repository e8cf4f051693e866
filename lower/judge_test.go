package lower

import (
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// count counts the operations of a kind, by class, in the last instance.
func count(t *testing.T, k *Kernel, kind protocol.Kind) []int {
	t.Helper()
	if len(k.Opaque) > 0 || len(k.Instances) == 0 {
		t.Fatalf("opaque %v, %d instances", k.Opaque, len(k.Instances))
	}
	var out []int
	for _, c := range k.Instances[len(k.Instances)-1].Classes {
		n := 0
		for _, o := range c.Ops {
			if o.Kind == kind {
				n++
			}
		}
		out = append(out, n)
	}
	return out
}

// A long loop in which lanes wait for each other does not only compute, for whichever group it is met first.
func TestLongLoopsOfShuffles(t *testing.T) {
	k := lowerPython(t, `x = cute.make_rmem_tensor((4,), cutlass.Float32)[0]
for off in cutlass.range_constexpr(1, 32):
    if cutlass.const_expr(off & (off - 1) == 0):
        x = x + cute.arch.shuffle_sync_bfly(x, offset=off)
if tid == 3:
    cute.arch.mbarrier_arrive(bar)
`)
	for _, n := range count(t, k, protocol.NamedSync) {
		if n != 1+5 {
			t.Errorf("%d barriers, want that of the CTA and five shuffles", n)
		}
	}
}

// A grid whose extent nothing tells is not empty: the launch would be refused.
func TestNoEmptyGrid(t *testing.T) {
	body := "step, _, _ = cute.arch.grid_dim()\nfor i in range(step):\n    cute.arch.mbarrier_arrive(bar)\n    cute.arch.mbarrier_wait(bar, i & 1)\n"
	k := Kernels(read("k.py", strings.Replace(python(body), "grid=(1, 1, 1)", "grid=(n, 1, 1)", 1)), dialect.New(program.CuTe), Options{})[0]
	if b := k.Bounds["grid_dim.x"]; b == "" || strings.HasPrefix(b, "0") || len(k.Opaque) > 0 {
		t.Errorf("grid_dim.x = %q, opaque %v", b, k.Opaque)
	}
}

// A copy into one part of a stage brings the bytes of that part.
func TestPartsOfAStage(t *testing.T) {
	k := lowerPython(t, `buf = smem.allocate_tensor(cutlass.Float16, cute.make_layout((64, 8, 2)), 128)
atom = cute.make_copy_atom(cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(), cutlass.Float16)
if tid == 0:
    cute.arch.mbarrier_arrive_and_expect_tx(bar, 1152)
    cute.copy(atom, flag, buf[None, 3, 1], tma_bar_ptr=bar)
    cute.copy(atom, flag, buf[None, None, 1], tma_bar_ptr=bar)
`)
	count(t, k, protocol.Issue)
	var bytes []int
	for _, c := range k.Instances[0].Classes {
		for _, o := range c.Ops {
			for _, e := range o.Effects {
				bytes = append(bytes, e.Bytes)
			}
		}
	}
	if len(bytes) != 2 || bytes[0] != 128 || bytes[1] != 1024 {
		t.Errorf("bytes %v, want 128 of a row and 1024 of a stage", bytes)
	}
}

const scripted = `import argparse
import cutlass
import cutlass.cute as cute

@cute.kernel
def kernel(n: cutlass.Constexpr):
    bar = cute.arch.alloc_smem(cutlass.Int64, 1)
    for i in cutlass.range_constexpr(n):
        cute.arch.sync_threads()

def run(rounds, **others):
    kernel(rounds).launch(grid=(1, 1, 1), block=(64, 1, 1))

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    run(**vars(parser.parse_args()))
`

// The options of a script reach a function as its keyword arguments.
func TestOptionsAsArguments(t *testing.T) {
	k := Kernels(read("k.py", scripted), dialect.New(program.CuTe), Options{})[0]
	for _, n := range count(t, k, protocol.NamedSync) {
		if n != 7 {
			t.Errorf("%d rounds, want the 7 that the script asks for", n)
		}
	}
}

// What threads write and a multiplication reads is read until the commit on the ring of those threads, though they wait
// for other commits too.
func TestReadsUntilTheWritersRing(t *testing.T) {
	k := lowerPython(t, `nv = cute.nvgpu.tcgen05
ring = smem.alloc_array(Int64, 2)
out = smem.alloc_array(Int64, 1)
buf = smem.allocate_tensor(cutlass.Float16, cute.make_layout((64, 64)), 128)
mma = cute.make_tiled_mma(nv.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (64, 64, 16), nv.CtaGroup.ONE))
if tid == 0:
    cute.arch.mbarrier_init(ring, 31)
    cute.arch.mbarrier_init(ring + 1, 1)
    cute.arch.mbarrier_init(out, 1)
cute.arch.sync_threads()
if tid > 0:
    cute.autovec_copy(cute.make_rmem_tensor((64, 64), cutlass.Float16), buf)
    cute.arch.mbarrier_arrive(ring)
    cute.arch.mbarrier_wait(out, 0)
    cute.arch.mbarrier_wait(ring + 1, 0)
else:
    cute.arch.mbarrier_wait(ring, 0)
    a = mma.make_fragment_A(mma.partition_A(buf))
    cute.gemm(mma, None, a, a, None)
    nv.commit(out)
    nv.commit(ring + 1)
`)
	count(t, k, protocol.Issue)
	p := k.Instances[0]
	for _, c := range p.Classes {
		for _, o := range c.Ops {
			if site := p.Sites[o.Site].Text; len(o.Access) > 0 && site != "commit arriving on ring[1]" {
				t.Errorf("reads until %s", site)
			}
		}
	}
}

// Where a part begins and which CTA works on it say nothing about how often a loop goes round.
func TestPositionsAreNoRounds(t *testing.T) {
	k := lowerPython(t, "lo = flag[0]\nx, _, _ = cute.arch.block_idx()\nfor i in range(flag[1] - lo + 3 - n):\n    cute.arch.mbarrier_arrive(bar)\n    cute.arch.mbarrier_wait(bar, i & 1)\nfor i in range(lo, lo + n):\n    cute.arch.mbarrier_arrive(bar + 1)\n    cute.arch.mbarrier_wait(bar + 1, (i - lo) & 1)\n")
	if len(k.Opaque) > 0 || strings.Join(k.Rounds, "; ") != "length of part 0 of flag; n" {
		t.Errorf("opaque %v, rounds %q", k.Opaque, k.Rounds)
	}
}

const annotatedScan = `import enum
from typing import Tuple
from dataclasses import dataclass
import cutlass
import cutlass.cute as cute

class Mask(enum.Enum):
    NONE = enum.auto()
    CAUSAL = enum.auto()

@dataclass
class Shape:
    rounds: int = 5

class Scan:
    def __init__(self, mask: Mask, shape: Shape, mma_tiler_mn: Tuple[int, int]):
        self.mask, self.shape, self.tiler = mask, shape, mma_tiler_mn

    @cute.jit
    def __call__(self, x: cute.Tensor):
        self.kernel(x).launch(grid=(1, 1, 1), block=(64, 1, 1))

    @cute.kernel
    def kernel(self, x: cute.Tensor):
        if self.mask == Mask.NONE:
            cute.arch.sync_threads()
        elif self.mask == Mask.CAUSAL:
            cute.arch.sync_threads()
        for i in cutlass.range_constexpr(self.shape.rounds):
            cute.arch.sync_threads()
        for i in cutlass.range_constexpr(self.tiler[1] // 64):
            cute.arch.sync_threads()
`

// A parameter of an enumeration is one of its members, tiles are of a size that a multiplication has, and what an annotation
// makes up is told.
func TestAnnotatedParameters(t *testing.T) {
	k := Kernels(read("k.py", annotatedScan), dialect.New(program.CuTe), Options{})[0]
	for _, n := range count(t, k, protocol.NamedSync) {
		if n != 8 {
			t.Errorf("%d barriers, want one for the mask, five rounds, and two parts of a tile", n)
		}
	}
	if !slices.Equal(k.MadeUp, []string{"mask = Mask.NONE, the first of its members", "shape = Shape with its defaults"}) {
		t.Errorf("made up %q", k.MadeUp)
	}
	for _, want := range []string{"mask = Mask.NONE", "shape = Shape with its defaults", "mma_tiler_mn[1] = 128"} {
		if !strings.Contains(k.Bounds["assumed"], want) {
			t.Errorf("assumed %q lacks %q", k.Bounds["assumed"], want)
		}
	}
}

// A tile that the constructor refuses is not the kernel's.
func TestRefusedTiles(t *testing.T) {
	text := strings.Replace(annotatedScan, "        self.mask,", "        if mma_tiler_mn not in ((128, 64), (128, 192)): raise ValueError('tile')\n        self.mask,", 1)
	k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]
	if !strings.Contains(k.Bounds["assumed"], "mma_tiler_mn[1] = 64") && !strings.Contains(k.Bounds["assumed"], "mma_tiler_mn[1] = 192") {
		t.Errorf("assumed %q", k.Bounds["assumed"])
	}
}

// A stage that two multiplications read before it is released is read until the commit that the next copy waits for.
func TestStagesReadTwice(t *testing.T) {
	got := verdict(t, strings.Replace(python(`nv = cute.nvgpu.tcgen05
full = smem.alloc_array(Int64, 1)
empty = smem.alloc_array(Int64, 1)
other = smem.alloc_array(Int64, 1)
buf = smem.allocate_tensor(cutlass.Float16, cute.make_layout((64, 64)), 128)
atom = cute.make_copy_atom(cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(), cutlass.Float16)
mma = cute.make_tiled_mma(nv.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (64, 64, 16), nv.CtaGroup.ONE))
if tid == 0:
    cute.arch.mbarrier_init(full, 1)
    cute.arch.mbarrier_init(empty, 1)
    cute.arch.mbarrier_init(other, 1)
cute.arch.sync_threads()
if tid == 32:
    for i in range(4):
        cute.arch.mbarrier_wait(empty, (i & 1) ^ 1)
        cute.arch.mbarrier_arrive_and_expect_tx(full, 8192)
        cute.copy(atom, flag, buf, tma_bar_ptr=full)
elif tid < 32:
    a = mma.make_fragment_A(mma.partition_A(buf))
    for i in range(4):
        cute.arch.mbarrier_wait(full, i & 1)
        cute.arch.sync_warp()
        cute.gemm(mma, None, a, a, None)
        if tid == 0:
            nv.commit(other)
        cute.gemm(mma, None, a, a, None)
        if tid == 0:
            nv.commit(empty)
        cute.arch.mbarrier_wait(other, i & 1)
`), "block=(32", "block=(64", 1))
	if got != "holds" {
		t.Errorf("got %s", got)
	}
}

// However many combinations there are, one of them lets every loop go round most often.
func TestDeepestCombination(t *testing.T) {
	body := ""
	for _, at := range []string{"10", "20", "30", "40"} {
		body += "for i in range((flag[" + at + "] + 63) // 64):\n    cute.arch.mbarrier_arrive(bar + i % 4)\n    cute.arch.mbarrier_wait(bar + i % 4, 0)\n"
	}
	k := lowerPython(t, body)
	if k.Bounds["flag[10]"] != "0, 64, 65, 128, 192, 576" || !strings.Contains(k.Bounds["combinations"], " of 1296") {
		t.Fatalf("bounds %v, opaque %v", k.Bounds, k.Opaque)
	}
	for _, p := range k.Instances {
		if p.Values["flag[10]"] == "576" && p.Values["flag[20]"] == "576" && p.Values["flag[30]"] == "576" && p.Values["flag[40]"] == "576" {
			return
		}
	}
	t.Error("no combination is the largest in all")
}

// A copy operation of a class that the program derives from one of the library's is one of those.
func TestDerivedCopyOperation(t *testing.T) {
	text := python(`buf = smem.allocate_tensor(cutlass.Float16, cute.make_layout((64, 8)), 128)
atom = cute.CopyAtom(Gather(cta_group=cute.nvgpu.tcgen05.CtaGroup.TWO), flag)
if tid == 0:
    cute.copy(atom, flag, buf, tma_bar_ptr=bar)
`)
	text = strings.Replace(text, "@cute.kernel", "class Gather(cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp):\n    def kind(self):\n        return self.cta_group\n\n@cute.kernel", 1)
	text = strings.Replace(text, "grid=(1, 1, 1)", "grid=(2, 1, 1), cluster=(2, 1, 1)", 1)
	k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]
	count(t, k, protocol.Issue)
	copies := 0
	p := k.Instances[0]
	for _, c := range p.Classes {
		for _, o := range c.Ops {
			for _, e := range o.Effects {
				if copies++; p.Mbars[e.Mbar].CTA != 0 {
					t.Errorf("a copy of CTA %d completes in CTA %d, want the first of the pair", c.CTA, p.Mbars[e.Mbar].CTA)
				}
			}
		}
	}
	if copies != 2 {
		t.Errorf("%d copies, want one in each CTA", copies)
	}
}

// A barrier of all threads at which some arrive without waiting keeps its count when they end; one at which all wait is
// the CTA's.
func TestCountOfArrivals(t *testing.T) {
	for body, want := range map[string]int{
		"if tid < 32:\n    cute.arch.barrier(barrier_id=4, number_of_threads=64)\nelse:\n    cute.arch.barrier_arrive(barrier_id=4, number_of_threads=64)\n": 64,
		"cute.arch.barrier(barrier_id=4, number_of_threads=64)\n": 0,
	} {
		k := Kernels(read("k.py", strings.Replace(python(body), "block=(32", "block=(64", 1)), dialect.New(program.CuTe), Options{})[0]
		if len(k.Opaque) > 0 {
			t.Fatalf("%s: %v", body, k.Opaque)
		}
		found := false
		for _, n := range k.Instances[0].Named {
			if n.ID == 4 {
				found = n.Threads == want
			}
		}
		if !found {
			t.Errorf("%s: barriers %+v, want one of %d threads", body, k.Instances[0].Named, want)
		}
	}
}
