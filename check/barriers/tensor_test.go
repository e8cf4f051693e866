package barriers

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// TestTensorMemory: kernels of the tensor core, right and with one thing wrong.
func TestTensorMemory(t *testing.T) {
	for _, c := range []struct {
		file, kernel string
		verdict      engine.Verdict
		check        order.Check // that is violated
		first, also  string      // instructions that some finding of it names, what they begin with
	}{
		{"product", "product_right", engine.Holds, 0, "", ""},
		{"product", "product_no_wait", engine.Violated, order.Race, "tcgen05.mma", "tcgen05.ld"},
		{"product", "product_wrong_parity", engine.Violated, order.Deadlock, "mbarrier.try_wait", ""},
		{"product", "product_no_wait_for_loads", engine.Violated, order.Race, "tcgen05.ld", "tcgen05.dealloc"},
		{"product", "product_no_dealloc", engine.Violated, order.Lifetime, "tcgen05.alloc", ""},
		{"product", "product_early_dealloc", engine.Violated, order.Lifetime, "tcgen05.ld", ""},
		{"product", "product_late_columns", engine.Violated, order.Lifetime, "tcgen05.ld", ""},
		{"product", "product_other_thread", engine.Violated, order.Race, "tcgen05.mma", "tcgen05.ld"},
		{"tiles", "tiles_right", engine.Holds, 0, "", ""},
		{"tiles", "tiles_not_taken", engine.Violated, order.Phase, "mbarrier.try_wait", ""},
		{"tiles", "tiles_early_release", engine.Violated, order.Race, "tcgen05.ld", "tcgen05.mma"},
		{"tiles", "tiles_early_refill", engine.Violated, order.Attribution, "cp.async.bulk", "mbarrier.arrive.expect_tx"},
		{"tiles", "tiles_refill_unseen", engine.Violated, order.Race, "tcgen05.mma", "cp.async.bulk"},
		{"tiles", "tiles_ring_right", engine.Holds, 0, "", ""},
		{"tiles", "tiles_ring_not_taken", engine.Violated, order.Phase, "mbarrier.try_wait", ""},
		{"tiles", "tiles_ring_other", engine.Violated, order.Race, "tcgen05.mma", "tcgen05.ld"},
		{"tiles", "tiles_ring_shared", engine.Violated, order.Race, "tcgen05.mma", "tcgen05.ld"},
		{"columns", "two_right", engine.Holds, 0, "", ""},
		{"columns", "two_too_wide", engine.Violated, order.Race, "tcgen05.mma", "tcgen05.st"},
		{"columns", "two_no_wait_for_stores", engine.Violated, order.Race, "tcgen05.st", "tcgen05.ld"},
		{"columns", "rows_right", engine.Holds, 0, "", ""},
		{"columns", "rows_early_store", engine.Violated, order.Race, "st.shared", "tcgen05.mma"},
	} {
		r := verify(t, read(t, "testdata/"+c.file+".ptx"), c.kernel, exec.Launch{})
		if r.Verdict != c.verdict {
			t.Errorf("%s: %s (%v), expected %s", c.kernel, r.Verdict, r.Reasons, c.verdict)
		}
		if c.verdict == engine.Violated && !told(r, c.check, c.first, c.also) {
			t.Errorf("%s: no finding of %s names %s and %s: %v", c.kernel, c.check, c.first, c.also, r.Findings)
		}
	}
	r := verify(t, read(t, "testdata/product.ptx"), "product_no_wait", exec.Launch{})
	if text := r.Findings[0].Text; !strings.Contains(text, "column 0 of lane 32 of tensor memory") {
		t.Errorf("a race in tensor memory is told as %q", text)
	}
}

// told reports whether a finding of a check names instructions, in this order.
func told(r *Report, check order.Check, names ...string) bool {
	for _, f := range r.Findings {
		if f.Check != check {
			continue
		}
		all := true
		for k, name := range names {
			all = all && (name == "" || k < len(f.Points) && strings.HasPrefix(r.Execution.Kernel.Places[f.Points[k].Place].Name, name))
		}
		if all {
			return true
		}
	}
	return false
}

// skeleton is a kernel of 128 threads that allocates 256 columns, and gives them back behind a body that thread 0 runs, and one
// that all run.
func skeleton(one, all string) string {
	return `.version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 p)
.reqntid 128
{
	.reg .b32 %r<40>; .reg .b64 %rd<8>; .reg .pred %p<6>;
	.shared .align 1024 .b8 a[16384]; .shared .align 1024 .b8 b[16384];
	.shared .align 8 .b8 done[8]; .shared .align 8 .b8 also[8]; .shared .align 4 .b8 place[4];
	mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r2, 0;
	@!%p2 bra INIT;
	mov.u32 %r3, place; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], 256;
INIT: fence.proxy.async; tcgen05.fence::after_thread_sync; @%p1 mbarrier.init.shared::cta.b64 [done], 1; @%p1 mbarrier.init.shared::cta.b64 [also], 1;
	bar.sync 0;
	ld.shared.u32 %r4, [place];
	shl.b32 %r5, %r2, 21; add.s32 %r6, %r4, %r5;
	mov.u64 %rd1, 0x4000404000010000; mov.u64 %rd2, 0x4000404000010400;
	ld.param.u64 %rd3, [p]; ld.global.u32 %r20, [%rd3];
	@!%p1 bra ALL;
` + one + `
ALL:
` + all + `
	bar.sync 0;
	@!%p2 bra END;
	tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 256;
END: ret;
}
`
}

// TestTensorInstructions: what an instruction accesses, and that what is not modelled decides nothing.
func TestTensorInstructions(t *testing.T) {
	const commit = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];\n"
	const wait = "W: mbarrier.try_wait.parity.shared::cta.b64 %p4, [done], 0; @!%p4 bra W;\ntcgen05.fence::after_thread_sync;\n"
	const take = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r30}, [%r6]; tcgen05.wait::ld.sync.aligned;\n"
	// Products of 128 x 64 to columns 0 to 63, and of 64 x 64: the first and the third 16 lanes of each 32.
	const full, half = "0x8100010", "0x4100010"
	mma := func(shape string) string {
		return "tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd1, %rd2, " + shape + ", %p1;\n"
	}
	load := func(shape, at string) string {
		return "tcgen05.ld.sync.aligned." + shape + ".b32 {%r30}, [" + at + "]; tcgen05.wait::ld.sync.aligned;\n"
	}
	for _, c := range []struct {
		name, one, all string
		verdict        engine.Verdict
		reason         string
	}{
		{"right", mma(full) + commit, wait + take, engine.Holds, ""},
		{"no wait", mma(full) + commit, take + wait, engine.Violated, ""},
		{"columns behind those of D", mma(full) + commit, load("32x32b.x1", "%r6+64") + wait, engine.Holds, ""},
		{"the last column of D", mma(full) + commit, load("32x32b.x1", "%r6+63") + wait, engine.Violated, ""},
		{"16 lanes behind those of D", mma(half) + commit, load("16x64b.x1", "%r7") + wait, engine.Holds, ""},
		{"16 lanes of D", mma(half) + commit, load("16x64b.x1", "%r6") + wait, engine.Violated, ""},
		{"8 columns from D on", mma(full) + commit, load("16x256b.x1", "%r6+60") + wait, engine.Violated, ""},
		{"4 columns behind D", mma(full) + commit, load("16x128b.x1", "%r6+64") + wait, engine.Holds, ""},
		{"the upper half of D", mma(full) + commit, "tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r30}, [%r6+64], 1; tcgen05.wait::ld.sync.aligned;\n" + wait, engine.Holds, ""},
		{"a store to D", mma(full) + commit, "tcgen05.st.sync.aligned.16x128b.x1.b32 [%r6+62], {%r1, %r1}; tcgen05.wait::st.sync.aligned;\n" + wait, engine.Violated, ""},
		{"a store beside D", mma(full) + commit, "tcgen05.st.sync.aligned.16x128b.x1.b32 [%r6+64], {%r1, %r1}; tcgen05.wait::st.sync.aligned;\n" + wait, engine.Holds, ""},
		{"A in tensor memory", "tcgen05.mma.cta_group::1.kind::f16 [%r4], [%r8], %rd2, " + full + ", %p1;\n" + commit, "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r6+135], {%r1}; tcgen05.wait::st.sync.aligned;\n" + wait, engine.Violated, ""},
		{"behind A in tensor memory", "tcgen05.mma.cta_group::1.kind::f16 [%r4], [%r8], %rd2, " + full + ", %p1;\n" + commit, "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r6+136], {%r1}; tcgen05.wait::st.sync.aligned;\n" + wait, engine.Holds, ""},
		{"two with one D", mma(full) + mma(full) + commit, wait + take, engine.Holds, ""},
		{"two of other shapes with one D", mma(full) + mma(half) + commit, wait + take, engine.Inconclusive, "in any order"},
		{"A is stored", mma(full) + commit, "@%p1 st.shared.u32 [a], 0;\n" + wait, engine.Violated, ""},
		{"another slice of A is stored", mma(full) + commit, "@%p1 st.shared.u32 [a+32], 0;\n" + wait, engine.Holds, ""},
		{"the last row of B is stored", mma(full) + commit, "@%p1 st.shared.u32 [b+8164], 0;\n" + wait, engine.Violated, ""},
		{"behind B is stored", mma(full) + commit, "@%p1 st.shared.u32 [b+8192], 0;\n" + wait, engine.Holds, ""},
		{"the descriptor is data", mma("%r20") + commit, wait + take, engine.Inconclusive, "depends on data"},
		{"the address is data", mma(full) + commit, wait + "add.s32 %r6, %r6, %r20;\n" + take, engine.Inconclusive, "depends on data"},
		{"lanes stay", "tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd1, %rd2, " + full + ", {0, 0, 0, -1}, %p1;\n" + commit, take + wait, engine.Inconclusive, "executed or not"},
		{"no lanes stay", "tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd1, %rd2, " + full + ", {0, 0, 0, 0}, %p1;\n" + commit, take + wait, engine.Violated, ""},
		{"two CTAs", "tcgen05.mma.cta_group::2.kind::f16 [%r4], %rd1, %rd2, " + full + ", %p1;\n" + commit, wait + take, engine.Inconclusive, "not followed"},
		{"sparse", "tcgen05.mma.sp.cta_group::1.kind::f16 [%r4], %rd1, %rd2, [%r8], " + full + ", %p1;\n" + commit, wait + take, engine.Inconclusive, "not followed"},
		{"ws", "tcgen05.mma.ws.cta_group::1.kind::f16 [%r4], %rd1, %rd2, " + full + ", %p1;\n" + commit, wait + take, engine.Inconclusive, "not followed"},
		{"block scale", "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%r4], %rd1, %rd2, " + full + ", [%r8], [%r8], %p1;\n" + commit, wait + take, engine.Inconclusive, "not followed"},
		{"cp", "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r8], %rd1;\n" + mma(full) + commit, wait + take, engine.Inconclusive, "not followed"},
		{"cp is read", "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r8], %rd1;\n" + mma(full) + commit, load("32x32b.x1", "%r6+128") + wait, engine.Violated, ""},
		{"shift", "tcgen05.shift.cta_group::1.down [%r4];\n" + mma(full) + commit, wait + take, engine.Inconclusive, "not followed"},
		{"A from the collector", "tcgen05.mma.cta_group::1.kind::f16.collector::a::use [%r4], %rd1, %rd2, " + full + ", %p1;\n" + commit, wait + take, engine.Inconclusive, "not followed"},
		{"another thread goes on", mma(full), "bar.sync 0;\nsetp.eq.u32 %p3, %r1, 64; @!%p3 bra OTHER;\n" + mma(full) + commit + "OTHER:\n" + wait + take, engine.Holds, ""},
		{"another thread goes on, both commit", mma(full) + commit, "bar.sync 0;\nsetp.eq.u32 %p3, %r1, 64; @!%p3 bra OTHER;\n" + mma(full) +
			"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [also];\nOTHER:\n" + wait + "V: mbarrier.try_wait.parity.shared::cta.b64 %p4, [also], 0; @!%p4 bra V;\ntcgen05.fence::after_thread_sync;\n" + take, engine.Holds, ""},
		{"another thread goes on at once", mma(full) + commit, "setp.eq.u32 %p3, %r1, 64; @!%p3 bra OTHER;\n" + mma(full) +
			"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [also];\nOTHER:\n" + wait + "V: mbarrier.try_wait.parity.shared::cta.b64 %p4, [also], 0; @!%p4 bra V;\ntcgen05.fence::after_thread_sync;\n" + take, engine.Violated, ""},
		{"relinquished", mma(full) + commit, wait + take + "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n", engine.Holds, ""},
		{"allocated when relinquished", mma(full) + commit, wait + take + "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; bar.sync 0; @!%p2 bra PAST;\n" +
			"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], 32; tcgen05.dealloc.cta_group::1.sync.aligned.b32 256, 32;\nPAST:\n", engine.Violated, ""},
		{"halves of the columns behind D", mma(full) + commit, load("32x32b.x2.pack::16b", "%r6+64") + wait, engine.Holds, ""},
		{"four halves of columns", mma("0x8100010") + "tcgen05.mma.cta_group::1.kind::f16 [%r8], %rd1, %rd2, 0x8100010, %p1;\n" + commit, load("32x32b.x2.pack::16b", "%r6+125") + wait, engine.Violated, ""},
		{"a reduction", mma(full) + commit, wait + "tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%r30, %r31}, %r32, [%r6];\n", engine.Inconclusive, "not followed"},
		{"the last column with the upper half", mma(full) + commit, "tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r30}, [%r6+62], 1; tcgen05.wait::ld.sync.aligned;\n" + wait, engine.Violated, ""},
		{"lanes beside D with both halves", mma(half) + commit, "tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r30}, [%r7], 1; tcgen05.wait::ld.sync.aligned;\n" + wait, engine.Holds, ""},
		{"lanes of another warp", mma(full) + commit, wait + load("32x32b.x1", "%r4"), engine.Inconclusive, "its own lanes"},
		{"columns that there are not", mma(full) + commit, wait + load("32x32b.x1", "%r6+600"), engine.Violated, ""},
	} {
		text := skeleton(c.one, "add.s32 %r7, %r6, 1048576;\n"+c.all)
		text = strings.Replace(text, "@!%p1 bra ALL;", "add.s32 %r8, %r4, 128; @!%p1 bra ALL;", 1)
		f := ptx.Read(&source.File{Name: "k.ptx", Data: []byte(text)})
		r := verify(t, f, "k", exec.Launch{})
		if r.Verdict != c.verdict {
			t.Errorf("%s: %s (%v), expected %s", c.name, r.Verdict, r.Reasons, c.verdict)
		}
		if c.reason != "" && (len(r.Reasons) == 0 || !strings.Contains(r.Reasons[0].Why.Text, c.reason) || r.Reasons[0].Place == nil) {
			t.Errorf("%s: the reason is %v, expected %q with its line", c.name, r.Reasons, c.reason)
		}
	}
}

// TestColumnsGivenBack: as many columns are given back as were given.
func TestColumnsGivenBack(t *testing.T) {
	const free = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 256;"
	for _, c := range []struct {
		free    string
		verdict engine.Verdict
		says    string
	}{
		{free, engine.Holds, ""},
		{strings.Replace(free, "256", "128", 1), engine.Violated, "columns 128 to 255 of tensor memory are still allocated"},
		{strings.Replace(free, "256", "512", 1), engine.Violated, "of which 256 is not allocated"},
		{strings.Replace(free, "256", "128", 1) + "add.s32 %r9, %r4, 128;" + strings.Replace(strings.Replace(free, "256", "128", 1), "%r4", "%r9", 1), engine.Inconclusive, ""},
	} {
		text := strings.Replace(skeleton("", ""), free, c.free, 1)
		r := verify(t, ptx.Read(&source.File{Name: "k.ptx", Data: []byte(text)}), "k", exec.Launch{})
		if r.Verdict != c.verdict || c.says != "" && (len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Text, c.says)) {
			t.Errorf("%s: %s (%v) %v, expected %s", c.free, r.Verdict, r.Reasons, r.Findings, c.verdict)
		}
	}
}

// TestPairsOfCTAs: columns that a pair of CTAs is given are not followed, so it is not said that they are not allocated.
func TestPairsOfCTAs(t *testing.T) {
	text := strings.ReplaceAll(skeleton("", "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r30}, [%r5]; tcgen05.wait::ld.sync.aligned;\n"), "cta_group::1", "cta_group::2")
	r := verify(t, ptx.Read(&source.File{Name: "k.ptx", Data: []byte(text)}), "k", exec.Launch{})
	if r.Verdict != engine.Inconclusive || len(r.Reasons) == 0 || r.Reasons[0].Place == nil {
		t.Errorf("%s %v %v, expected inconclusive at a line", r.Verdict, r.Findings, r.Reasons)
	}
}

// TestWarpgroupProducts: wgmma reads shared memory until the wait of its group. Of threads that rely on each other's waits it is not said
// that they are wrong.
func TestWarpgroupProducts(t *testing.T) {
	const mma = "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%f1, %f2}, %rd1, %rd2, 1, 1, 1, 0, 0;\n"
	const commit, wait = "wgmma.commit_group.sync.aligned;\n", "wgmma.wait_group.sync.aligned 0;\n"
	const fill = "st.shared.u32 [%r3], %r1;\n"
	for _, c := range []struct {
		name, body string
		verdict    engine.Verdict
		reason     string
	}{
		{"right", fill + "bar.sync 0;\n" + mma + commit + wait + "bar.sync 0;\n" + fill, engine.Holds, ""},
		{"no wait", fill + "bar.sync 0;\n" + mma + commit + "bar.sync 0;\n" + fill + wait, engine.Inconclusive, "may race"},
		{"no commit", fill + "bar.sync 0;\n" + mma + wait + "bar.sync 0;\n" + fill, engine.Inconclusive, "may race"},
		{"the last group but one", fill + "bar.sync 0;\n" + mma + commit + commit + "wgmma.wait_group.sync.aligned 1;\nbar.sync 0;\n" + fill, engine.Holds, ""},
		{"no barrier", fill + mma + commit + wait, engine.Violated, ""},
		{"other bytes meanwhile", mma + commit + "st.shared.u32 [%r3+32768], %r1;\n" + wait, engine.Holds, ""},
		{"A in registers", strings.Replace(mma, "%rd1, %rd2, 1, 1, 1, 0, 0", "{%r4, %r4, %r4, %r4}, %rd2, 1, 1, 1, 0", 1) + commit + fill + wait, engine.Holds, ""},
		{"transposed", fill + "bar.sync 0;\n" + strings.Replace(mma, "0, 0;", "1, 1;", 1) + commit + wait + "bar.sync 0;\n" + fill, engine.Holds, ""},
		{"the descriptor is data", strings.Replace(mma, "%rd1,", "%rd4,", 1) + commit + wait, engine.Inconclusive, "depends on data"},
		{"sparse", "wgmma.mma_async.sp.sync.aligned.m64n64k32.f32.f16.f16 {%f1, %f2}, %rd1, %rd2, %r4, 0, 1, 1, 1, 0, 0;\n" + commit + wait, engine.Inconclusive, "not followed"},
	} {
		text := `.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p)
.reqntid 128
{
	.reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<6>; .shared .align 1024 .b8 a[49152];
	mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, a; add.s32 %r3, %r3, %r2;
	fence.proxy.async; wgmma.fence.sync.aligned;
	mov.u64 %rd1, 0x4000004000010000; mov.u64 %rd2, 0x4000004000010400;
	ld.param.u64 %rd3, [p]; ld.global.u64 %rd4, [%rd3];
` + c.body + "	ret;\n}\n"
		r := verify(t, ptx.Read(&source.File{Name: "k.ptx", Data: []byte(text)}), "k", exec.Launch{})
		if r.Verdict != c.verdict || c.reason != "" && (len(r.Reasons) == 0 || !strings.Contains(r.Reasons[0].Why.Text, c.reason) || r.Reasons[0].Place == nil) {
			t.Errorf("%s: %s (%v), expected %s because of %q", c.name, r.Verdict, r.Reasons, c.verdict, c.reason)
		}
	}
}

// TestMissingFences: that a kernel without any fence is right is not said.
func TestMissingFences(t *testing.T) {
	whole := skeleton("st.shared.u32 [a], 0;\ntcgen05.mma.cta_group::1.kind::f16 [%r4], %rd1, %rd2, 0x8100010, %p1;\ntcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];",
		"W: mbarrier.try_wait.parity.shared::cta.b64 %p4, [done], 0; @!%p4 bra W;\n tcgen05.fence::after_thread_sync;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r30}, [%r6]; tcgen05.wait::ld.sync.aligned;")
	for fence, want := range map[string]engine.Verdict{"": engine.Holds, "fence.proxy.async;": engine.Inconclusive, "tcgen05.fence::after_thread_sync;": engine.Inconclusive, " tcgen05.fence::after_thread_sync;": engine.Inconclusive} {
		text := whole
		if fence != "" { // with a blank ahead of it, the one behind the wait alone
			text = strings.ReplaceAll(text, fence, "")
		}
		r := verify(t, ptx.Read(&source.File{Name: "k.ptx", Data: []byte(text)}), "k", exec.Launch{})
		if r.Verdict != want || want == engine.Inconclusive && (len(r.Reasons) == 0 || !strings.Contains(r.Reasons[0].Why.Text, strings.Trim(fence, " ;"))) {
			t.Errorf("without %q: %s (%v), expected %s", fence, r.Verdict, r.Reasons, want)
		}
	}
}

// TestBenignBesideHidden: races of equal values are no violation where something else is not followed.
func TestBenignBesideHidden(t *testing.T) {
	text := `.entry k(.param .u64 p) .reqntid 64 { .shared .b32 s[64]; ld.param.u64 %rd1, [p]; ld.global.f32 %f1, [%rd1]; ld.global.u32 %r1, [%rd1+4];
	add.f32 %f2, %f1, %f1; st.shared.f32 [s], %f2; mov.u32 %r2, s; mov.u32 %r4, %tid.x; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r1; atom.shared.add.u32 %r3, [%r2], 1; ret; }`
	r := verify(t, ptx.Read(&source.File{Name: "k.ptx", Data: []byte(text)}), "k", exec.Launch{})
	if r.Verdict != engine.Inconclusive || r.Result.Benign == 0 {
		t.Errorf("%s, %d benign (%v), expected inconclusive with some", r.Verdict, r.Result.Benign, r.Findings)
	}
}
