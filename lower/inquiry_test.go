package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
)

// Two roles look for their tiles in a table with all lanes of their warps.
const lookingUp = `import cutlass
import cutlass.cute as cute

@cute.jit
def find(tile, table, parts):
    lane = cute.arch.lane_idx()
    end = cutlass.Int32(0)
    if lane < parts:
        end = table[lane]
    return cute.arch.popc(cute.arch.vote_ballot_sync(end > tile)) > 0

@cute.kernel
def kernel(starts: cute.Tensor, others: cute.Tensor, parts: cutlass.Int32):
    smem = cutlass.utils.SmemAllocator()
    full = smem.allocate_array(cutlass.Int64, 1)
    kept = smem.allocate_tensor(cutlass.Int32, cute.make_layout((32,)), 16)
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    if cute.arch.thread_idx()[0] == 0:
        cute.arch.mbarrier_init(full, 1)
    cute.arch.sync_threads()
    tile = cutlass.Int32(0)
    phase = cutlass.Int32(0)
    if warp == 0:
        more = find(tile, starts, parts)
        while more:
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive(full)
            tile += 1
            more = find(tile, starts, parts)
    if warp == 1:
        more = find(tile, starts, parts)
        while more:
            cute.arch.mbarrier_wait(full, phase)
            phase ^= 1
            tile += 1
            more = find(tile, starts, parts)

@cute.jit
def launch(starts: cute.Tensor, others: cute.Tensor, parts: cutlass.Int32):
    kernel(starts, others, parts).launch(grid=(1, 1, 1), block=(64, 1, 1))
`

func TestInquiries(t *testing.T) {
	second := func(old, new string) string {
		before, after, _ := strings.Cut(lookingUp, "    if warp == 1:\n")
		return before + "    if warp == 1:\n" + strings.ReplaceAll(after, old, new)
	}
	for _, c := range []struct{ name, text, opaque string }{
		{"the same way", lookingUp, ""},
		{"one tile later", second("        more = find(tile, starts, parts)\n        while", "        tile += 1\n        more = find(tile, starts, parts)\n        while"), ""},
		{"another table", second("find(tile, starts", "find(tile, others"), "look for their work in different ways"},
		{"every other tile", second("tile += 1", "tile += 2"), "do not go through it in the same order"},
		{"a table that is written", strings.Replace(lookingUp, "    phase = cutlass.Int32(0)\n", "    phase = cutlass.Int32(0)\n    starts[0] = tile\n", 1), "branch on data"},
		{"a table in shared memory", strings.ReplaceAll(lookingUp, "find(tile, starts", "find(tile, kept"), "branch on data"},
	} {
		k := Kernels(read("k.py", c.text), dialect.New(read("k.py", c.text).Language), Options{})[0]
		opaque := ""
		if len(k.Opaque) > 0 {
			opaque = k.Opaque[0].String()
		}
		if !strings.Contains(opaque, c.opaque) || (opaque == "") != (c.opaque == "") {
			t.Errorf("%s: %q, expected %q", c.name, opaque, c.opaque)
		}
		if c.opaque == "" && k.Bounds["pieces of work from what find finds"] != "0, 1, 2, 3" {
			t.Errorf("%s: %v", c.name, k.Bounds)
		}
	}
}

// Two roles each go through the table by themselves.
const seeking = `import cutlass
import cutlass.cute as cute

@cute.jit
def seek(tile, table, parts):
    part = cutlass.Int32(0)
    end = cutlass.Int32(0)
    more = part < parts
    while more:
        end += table[part]
        if end <= tile:
            part += 1
            more = part < parts
        else:
            more = cutlass.Boolean(False)
    return part, part < parts

@cute.kernel
def kernel(lengths: cute.Tensor, others: cute.Tensor, parts: cutlass.Int32):
    smem = cutlass.utils.SmemAllocator()
    full = smem.allocate_array(cutlass.Int64, 1)
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    if cute.arch.thread_idx()[0] == 0:
        cute.arch.mbarrier_init(full, 1)
    cute.arch.sync_threads()
    tile = cutlass.Int32(0)
    phase = cutlass.Int32(0)
    if warp == 0:
        part, more = seek(tile, lengths, parts)
        while more:
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive(full)
            tile += 1
            part, more = seek(tile, lengths, parts)
    if warp == 1:
        part, more = seek(tile, lengths, parts)
        while more:
            cute.arch.mbarrier_wait(full, phase)
            phase ^= 1
            tile += 1
            part, more = seek(tile, lengths, parts)

@cute.jit
def launch(lengths: cute.Tensor, others: cute.Tensor, parts: cutlass.Int32):
    kernel(lengths, others, parts).launch(grid=(1, 1, 1), block=(64, 1, 1))
`

func TestLookedAlone(t *testing.T) {
	second := func(old, new string) string {
		before, after, _ := strings.Cut(seeking, "    if warp == 1:\n")
		return before + "    if warp == 1:\n" + strings.ReplaceAll(after, old, new)
	}
	for _, c := range []struct{ name, text, opaque string }{
		{"the same way", seeking, ""},
		{"one tile later", second("        part, more = seek(tile, lengths, parts)\n        while", "        tile += 1\n        part, more = seek(tile, lengths, parts)\n        while"), ""},
		{"another table", second("seek(tile, lengths", "seek(tile, others"), "look for their work in different ways"},
		{"every other tile", second("tile += 1", "tile += 2"), "do not go through it in the same order"},
		{"a table that is written", strings.Replace(seeking, "    phase = cutlass.Int32(0)\n", "    phase = cutlass.Int32(0)\n    lengths[0] = tile\n", 1), "branch on data"},
		{"each thread another", strings.ReplaceAll(seeking, "seek(tile, lengths", "seek(tile + cute.arch.thread_idx()[0], lengths"), "branch on data"},
	} {
		k := Kernels(read("k.py", c.text), dialect.New(read("k.py", c.text).Language), Options{})[0]
		opaque := ""
		if len(k.Opaque) > 0 {
			opaque = k.Opaque[0].String()
		}
		if !strings.Contains(opaque, c.opaque) || (opaque == "") != (c.opaque == "") {
			t.Errorf("%s: %q, expected %q", c.name, opaque, c.opaque)
		}
		if c.opaque == "" && k.Bounds["pieces of work from what seek finds"] != "0, 1, 2, 3" {
			t.Errorf("%s: %v", c.name, k.Bounds)
		}
	}
}
