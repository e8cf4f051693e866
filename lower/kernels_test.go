package lower

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/instruction"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

const pyHead = "import cutlass\nimport cutlass.cute as cute\nfrom cutlass import Int32, Int64, Float32\n@cute.kernel\n"

func python(body string) string {
	return pyHead + "def kernel(smem, n: Int32, flag: cute.Pointer):\n    tid = cute.arch.thread_idx_x()\n    bar = smem.alloc_array(Int64, 4)\n    if tid == 0:\n        for s in range(4):\n            cute.arch.mbarrier_init(bar + s, 32)\n    cute.arch.sync_threads()\n" +
		indent(body) + "@cute.jit\ndef main(smem, n: Int32, flag: cute.Pointer):\n    kernel(smem, n, flag).launch(grid=(1, 1, 1), block=(32, 1, 1))\n"
}

func indent(body string) string {
	lines := strings.Split(strings.TrimRight(body, "\n"), "\n")
	return "    " + strings.Join(lines, "\n    ") + "\n"
}

// TestConstructs lowers one construct at a time. want is what the last instance (the one with the largest unknowns)
// does after the first CTA barrier, one operation a word; "?" and a text is the reason why there is no model.
func TestConstructs(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"flip", "k.py", python("phase = Int32(0)\nfor i in range(3):\n    cute.arch.mbarrier_arrive(bar)\n    cute.arch.mbarrier_wait(bar, phase)\n    phase ^= 1\n"), "A0 W0.0 A0 W0.1 A0 W0.0"},
		{"wrap on the stage", "k.py", python("stage = Int32(0)\nphase = Int32(0)\nfor i in range(5):\n    cute.arch.mbarrier_arrive(bar + stage)\n    cute.arch.mbarrier_wait(bar + stage, phase)\n    stage += 1\n    if stage == 4:\n        stage = Int32(0)\n        phase ^= 1\n"), "A0 W0.0 A1 W1.0 A2 W2.0 A3 W3.0 A0 W0.1"},
		{"a copy that is not known", "k.py", python("from cutlass._mlir.dialects import nvvm\nnvvm.CpAsyncBulkSomethingNewOp(smem, bar)\n"), "?call of cutlass._mlir.dialects.nvvm.CpAsyncBulkSomethingNewOp, which is not read"},
		{"a copy with a predicate", "k.py", python("from cutlass._mlir.dialects import nvvm\nbuf = smem.allocate_tensor(cutlass.Float16, cute.make_layout((64, 64)), 128)\nlane = nvvm.elect_sync()\nnvvm.CpAsyncBulkTensorGlobalToSharedClusterOp(buf.iterator, smem, [0], bar.llvm_ptr, [], predicate=lane)\n"), "B16 issue"},
		{"a function of the DSL is there", "k.py", python("hook = cute.arch.sync_threads\nif cutlass.const_expr(hook is None):\n    cute.arch.mbarrier_arrive(bar)\nelse:\n    cute.arch.mbarrier_arrive(bar + 1)\n"), "A1"},
		{"the type of what lanes hand on", "k.py", python("x = cute.full((4,), 0.0, cutlass.Float16).to(cute.Float32).reduce(cute.ReductionOp.ADD, 0.0, 0)\nx = cute.arch.shuffle_sync_bfly(x, 1)\nif cutlass.const_expr(isinstance(x, (tuple, float, cutlass.Int32))):\n    cute.arch.mbarrier_arrive(bar)\nif cutlass.const_expr(type(x) == cutlass.Float32):\n    cute.arch.mbarrier_arrive(bar + 1)\n"), "B16 A1"},
		{"a count that PTX does not have", "k.py", python("cute.arch.mbarrier_arrive(bar, arrive_count=n * 0)\n"), "?arrival with an illegal count of 0"},
		{"a count by division", "k.py", python("group = 64 / 2\ncute.arch.mbarrier_arrive(bar, arrive_count=group)\n"), "A0"},
		{"groups of threads that skip", "k.py", python("at = [0]\nfor i in cutlass.range(tid // 16):\n    at[0] += 1\ncute.arch.mbarrier_arrive(bar + at[0])\n"), "A0"},
		{"one unknown a bound", "k.py", python("for i in range(n):\n    cute.arch.mbarrier_arrive(bar)\nfor i in range(n):\n    cute.arch.mbarrier_arrive(bar + 1)\n"), "A0 A0 A0 A0 A0 A0 A0 A0 A0 A1 A1 A1 A1 A1 A1 A1 A1 A1"},
		{"runtime condition", "k.py", python("if n > 100:\n    cute.arch.mbarrier_arrive(bar)\n"), "A0"},
		{"try_wait loop", "k.py", python("while not cute.arch.mbarrier_try_wait(bar, 0):\n    pass\n"), "W0.0"},
		{"try_wait then wait", "k.py", python("ok = cute.arch.mbarrier_try_wait(bar, 0)\nif not ok:\n    cute.arch.mbarrier_wait(bar, 0)\n"), "W0.0"},
		{"complement of a token", "k.py", python("ok = cute.arch.mbarrier_try_wait(bar, 0)\nif ~ok:\n    cute.arch.mbarrier_wait(bar, 0)\n"), "W0.0"},
		{"allocation of tensor memory", "k.py", python("at = smem.alloc_array(Int32, 1)\ncute.arch.alloc_tmem(64, at)\ncute.arch.mbarrier_arrive(bar)\n"), "B16 A0"},
		{"method of what an epilogue gives", "k.py", python("def epilogue(x):\n    return flag.load()\nepilogue(n).to(Float32)\ncute.arch.mbarrier_arrive(bar)\n"), "A0"},
		{"masked warp barrier", "k.py", python("if tid < 4:\n    cute.arch.sync_warp(15)\n    cute.arch.mbarrier_arrive(bar)\nelse:\n    cute.arch.sync_warp(0xfffffff0)\n"), "B16 A0"},
		{"outside the warp barrier's mask", "k.py", python("cute.arch.sync_warp(15)\n"), "?thread 4 executes a warp barrier whose mask 0xf leaves it out, which is undefined"},
		{"dropping out", "k.py", python("if tid == 0:\n    cute.arch.mbarrier_arrive_drop(bar)\nelse:\n    cute.arch.mbarrier_arrive(bar)\n    cute.arch.mbarrier_wait(bar, 0)\n"), "arrive.drop"},
		{"token", "k.py", python("ok = cute.arch.mbarrier_try_wait(bar, 1)\nfor i in range(2):\n    cute.arch.mbarrier_arrive(bar)\n    if ok == 0:\n        cute.arch.mbarrier_wait(bar, (i + 1) % 2)\n    ok = cute.arch.mbarrier_try_wait(bar, i % 2)\nif not ok:\n    cute.arch.mbarrier_wait(bar, 1)\n"), "A0 W0.1 A0 W0.0 W0.1"},
		{"token not asked for", "k.py", python("ok = cute.arch.mbarrier_conditional_try_wait(n > 100, bar, 0)\nif not ok:\n    cute.arch.mbarrier_wait(bar, 0)\ncute.arch.mbarrier_arrive(bar)\n"), "W0.0 A0"},
		{"token of another stage", "k.py", python("ok = cute.arch.mbarrier_try_wait(bar, 0)\nif not ok:\n    cute.arch.mbarrier_wait(bar + 1, 0)\n"), "W0.0"},
		{"try_wait with other work", "k.py", python("if cute.arch.mbarrier_try_wait(bar, 0):\n    cute.arch.mbarrier_arrive(bar + 1)\nelse:\n    cute.arch.mbarrier_arrive(bar + 2)\n"), "W0.0 A1"},
		{"spin on a load", "k.py", python("while cute.arch.load(flag + 1, sem=\"acquire\", scope=\"gpu\") != 2:\n    pass\n"), "S==2"},
		{"attempt under a data branch", "k.py", python("tok = cutlass.Boolean(False)\nif cute.arch.load(bar + 3, cutlass.Int32) > 0:\n    tok = cute.arch.mbarrier_try_wait(bar, 0)\nif tok == 0:\n    cute.arch.mbarrier_wait(bar, 0)\n"), "W0.0"},
		{"wait loop under a data branch", "k.py", python("if cute.arch.load(bar + 3, cutlass.Int32) > 0:\n    while not cute.arch.mbarrier_try_wait(bar, 0):\n        pass\n"), "?branch on data that is only known when the kernel runs"},
		{"array by keywords", "k.py", python("more = cutlass.Array(dtype=cutlass.Int64, shape=(2,), space=cutlass.AddressSpace.smem)\nif tid == 0:\n    cute.arch.mbarrier_init(more, 1)\ncute.arch.mbarrier_arrive(cute.make_ptr(cutlass.Int64, bar.data_ptr()) + 1)\n"), "A1"},
		{"state of an arrive", "k.py", python("for i in range(2):\n    st = cute.arch.mbarrier_arrive(bar)\n    while not prims.mbarrier_try_wait_timelimit(bar, st, 100):\n        pass\n"), "A0 W0.0 A0 W0.1"},
		{"state of another arrive", "k.py", python("st = cute.arch.mbarrier_arrive(bar)\nwhile not prims.mbarrier_try_wait_timelimit(bar + 1, st, 100):\n    pass\n"), "?wait for the arrive on another mbarrier"},
		{"function in a variable, under a data branch", "k.py", python("f = lambda x: x + 1\ny = Int32(0)\nif flag[tid] > 0:\n    y = f(y)\ncute.arch.mbarrier_arrive(bar)\n"), "A0"},
		{"arrive in a variable, under a data branch", "k.py", python("f = lambda b: cute.arch.mbarrier_arrive(b)\nif flag[tid] > 0:\n    f(bar)\ncute.arch.mbarrier_arrive(bar)\n"), "?branch on data that is only known when the kernel runs"},
		{"PTX put together", "k.py", python("from cutlass._mlir.dialects import llvm\nops = ['arrive', 'test']\nllvm.inline_asm(None, [bar.toint(), Int32(1)], 'mbarrier.' + f'{ops[0]}.shared::cta.b64 _, [$0]; // {hex(flag)}', ','.join(['r', 'r']))\n"), "A0"},
		{"a shuffle by its instruction", "k.py", python("from cutlass.experimental import primitives as prims\nx = prims.shfl_sync(cute.arch.FULL_MASK, n, 1, 0x1F, prims.Shfl.BFLY)\ncute.arch.mbarrier_arrive(bar)\n"), "B16 A0"},
		{"an array of the experimental DSL", "k.py", python("more = cute.experimental.allocate(Int64, cute.AddressSpace.smem, cute.make_layout(3), alignment=8).iterator\nif tid == 0:\n    cute.arch.mbarrier_init(more + 2, 32)\ncute.arch.sync_threads()\ncute.arch.mbarrier_arrive(more + 2)\n"), "B0 Asmem@12[2"},
		{"PTX that a setting chooses", "k.py", python("from cutlass._mlir.dialects import llvm\nif cutlass.target_version(min_version='13.1'):\n    code = 'mbarrier.arrive.shared::cta.b64 _, [$0];'\nelse:\n    code = 'mov.b32 $0, $0; mbarrier.arrive.shared::cta.b64 _, [$0];'\nllvm.inline_asm(None, [bar.toint()], code, 'r')\n"), "A0"},
		{"PTX operands in a list", "k.py", python("from cutlass._mlir.dialects import llvm\nops = [Int32(1).ir_value()]\nops.append(bar.toint().ir_value())\nllvm.inline_asm(None, ops, 'mbarrier.' + f'{\"arrive\"}.shared::cta.b64 _, [$1];', 'r,r')\n"), "A0"},
		{"PTX with the distance of stages", "k.py", python("from cutlass._mlir.dialects import llvm\nimport cutlass.utils.blackwell_helpers as sm100_utils\nfrom cutlass.cute.nvgpu import tcgen05\nmma = cute.make_tiled_mma(tcgen05.MmaF16BF16Op(cutlass.Float16, Float32, (128, 128, 16), tcgen05.CtaGroup.ONE))\ntiles = smem.allocate_tensor(cutlass.Float16, sm100_utils.make_smem_layout_a(mma, (128, 128, 64), cutlass.Float16, 2), 128)\nstep = tiles.layout.stride[-1] * 2 >> 4\nllvm.inline_asm(None, [bar.toint()], f'add.s32 a, a, {-step};' + 'mbarrier.arrive.shared::cta.b64 _, [$0];', 'r')\n"), "A0"},
		{"PTX from elsewhere", "k.py", python("from cutlass._mlir.dialects import llvm\nllvm.inline_asm(None, [bar.toint()], flag.text, 'r')\n"), "?inline PTX whose text is not a literal"},
		{"copy whose mbarrier comes as a keyword of many", "k.py", python("buf = smem.allocate_tensor(cutlass.Float16, cute.make_layout((64, 64)), 128)\natom = cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp()\nmore = {'tma_bar_ptr': bar + 1}\ncute.copy(atom, flag, buf, **more)\n"), "B16 issue"},
		{"such a copy under a data branch", "k.py", python("more = {'tma_bar_ptr': bar + 1}\nif cute.arch.load(bar + 3, cutlass.Int32) > 0:\n    cute.copy(flag, flag, flag, **more)\n"), "?branch on data that is only known when the kernel runs"},
		{"a copy with other keywords under a data branch", "k.py", python("more = {'pred': None}\nif cute.arch.load(bar + 3, cutlass.Int32) > 0:\n    cute.copy(flag, flag, flag, **more)\ncute.arch.mbarrier_arrive(bar)\n"), "A0"},
		{"cp.async under a data branch", "k.py", python("buf = smem.allocate_tensor(cutlass.Float16, cute.make_layout((64, 64)), 128)\nif cute.arch.load(bar + 3, cutlass.Int32) > 0:\n    cute.copy(cute.make_copy_atom(cute.nvgpu.cpasync.CopyG2SOp(), cutlass.Float16), flag, buf)\ncute.arch.cp_async_commit_group()\n"), ""},
		{"loop of unknown length over a function in a variable", "k.py", python("f = lambda x: x + 1\nfor i in cutlass.range(cute.arch.load(bar + 3, cutlass.Int32)):\n    tid = f(tid)\ncute.arch.mbarrier_arrive(bar)\n"), "A0"},
		{"doubling list", "k.py", python("x = [0]\n" + strings.Repeat("x = x + x\n", 200) + "cute.arch.mbarrier_arrive(bar)\n"), "A0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := read(tt.file, tt.text)
			if len(tree.Skipped) > 0 {
				t.Fatalf("does not parse: %v", tree.Skipped)
			}
			ks := Kernels(tree, dialect.New(tree.Language), Options{})
			if len(ks) != 1 {
				t.Fatalf("%d kernels", len(ks))
			}
			if got := outline(ks[0]); got != tt.want {
				t.Errorf("got  %s\nwant %s\nopaque %v", got, tt.want, ks[0].Opaque)
			}
		})
	}
}

// outline spells the first class of the last instance after its first CTA barrier.
func outline(k *Kernel) string {
	if len(k.Opaque) > 0 {
		return "?" + k.Opaque[0].Why.Text
	}
	p := k.Instances[len(k.Instances)-1]
	var words []string
	started := false
	for _, o := range p.Classes[0].Ops {
		w := shorthand(p, o)
		if started && w != "" {
			words = append(words, w)
		}
		started = started || w == "B0"
	}
	return strings.Join(words, " ")
}

func shorthand(p *protocol.Protocol, o protocol.Op) string {
	index := func() string { return strings.Trim(strings.TrimPrefix(p.Mbars[o.Object].Name, "bar"), "[]") }
	switch o.Kind {
	case protocol.Arrive:
		return "A" + index()
	case protocol.Wait:
		return fmt.Sprintf("W%s.%d", index(), o.Parity)
	case protocol.NamedSync:
		return fmt.Sprintf("B%d", p.Named[o.Object].ID)
	case protocol.NamedArrive:
		return fmt.Sprintf("b%d", p.Named[o.Object].ID)
	case protocol.Spin:
		return fmt.Sprintf("S%s%d", o.Compare, o.Count)
	case protocol.Init:
		return ""
	}
	return o.Kind.String()
}

// Values that Go cannot compare pass through a branch and a loop that only compute.
func TestSpeculatedValues(t *testing.T) {
	tree := read("k.py", python("tok = cute.arch.mbarrier_try_wait(bar, 0)\nparts = [bar, range(3), tid, tok]\nx = Int32(0)\nfor i in range(n):\n    if cute.arch.lane_idx() > flag[i]:\n        x = x + 1\n        parts = [parts[1], parts[0], x, tok]\ncute.arch.mbarrier_arrive(bar)\n"))
	ks := Kernels(tree, dialect.New(tree.Language), Options{})
	if got := outline(ks[0]); got != "A0" {
		t.Errorf("got %s, opaque %v", got, ks[0].Opaque)
	}
}

// A place that only some lanes of a warp run, since the others took its branch for pure arithmetic, joins nobody.
func TestDividedConvergence(t *testing.T) {
	text := "import cutlass\nimport cutlass.cute as cute\n\n@cute.kernel\ndef k(x: cute.Tensor):\n    tid, _, _ = cute.arch.thread_idx()\n    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())\n    top = x[tid]\n    if warp == 0:\n        top = cute.arch.warp_reduction_max(top)\n        if tid == 0:\n            x[0] = top\n    cute.arch.sync_threads()\n\n@cute.jit\ndef main(x: cute.Tensor):\n    k(x).launch(grid=(1, 1, 1), block=(128, 1, 1))\n"
	file := read("k.py", text)
	ks := Kernels(file, dialect.New(file.Language), Options{})
	if len(ks) != 1 || len(ks[0].Opaque) > 0 || len(ks[0].Instances) == 0 {
		t.Fatalf("%+v", ks[0].Opaque)
	}
	for _, p := range ks[0].Instances {
		times := map[int]int{} // lanes of warp 0 at its warp barrier
		for _, c := range p.Classes {
			for _, o := range c.Ops {
				if o.Kind == protocol.NamedSync && p.Named[o.Object].ID == protocol.WarpBarrier {
					times[o.Object] += c.Count
				}
			}
		}
		for _, n := range times {
			if n%32 != 0 {
				t.Errorf("%d lanes of a warp meet", n)
			}
		}
	}
}

func TestBytesOfInstructions(t *testing.T) {
	for mods, want := range map[string]int64{"async shared::cluster f32": 4, "async v4 b32": 16, "async v2 b64": 16} {
		if got := instruction.BytesOf(&program.Instr{Op: "st", Modifiers: strings.Fields(mods)}); got != want {
			t.Errorf("st.%s: %d bytes, want %d", mods, got, want)
		}
	}
}
