package barriers

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// TestData: kernels whose control, addresses or values come from memory or from what the launch does not say, each with its broken twin: SYNC is a
// barrier in the one and nothing in the other.
func TestData(t *testing.T) {
	const sync = "bar.sync 0;"
	// A thread's number in its CTA, as cooperative groups compute it.
	const rank = "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y;\n" +
		"mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r7, %r6, %r4, %r1;\n"
	for _, c := range []struct {
		name   string
		header string // behind the parameters
		body   string
		broken engine.Verdict // without SYNC
		reason string         // of it, where it is inconclusive
		tried  string         // what inputs that were tried begin with
	}{
		{"a thread's number is one, whatever its axes", ".entry k(.param .u64 p)", rank +
			"shl.b32 %r8, %r1, 2; mov.u32 %r9, s; add.u32 %r8, %r9, %r8; st.shared.u32 [%r8], %r7;\nSYNC xor.b32 %r8, %r8, 4; ld.shared.u32 %r9, [%r8];",
			engine.Violated, "", ""},
		{"a row of threads", ".entry k(.param .u64 p)",
			"mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mad.lo.u32 %r3, %r2, 7, %r1; shl.b32 %r4, %r1, 2; mov.u32 %r5, s; add.u32 %r4, %r5, %r4; st.shared.u32 [%r4], %r3;\n" +
				"SYNC xor.b32 %r4, %r4, 4; ld.shared.u32 %r9, [%r4];", engine.Violated, "", ""},
		{"a table and indices of data", ".entry k(.param .u64 p) .reqntid 64",
			"ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1;\n" +
				"SYNC mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; ld.global.u32 %r5, [%rd2]; shl.b32 %r5, %r5, 2; add.u32 %r5, %r3, %r5; ld.shared.u32 %r6, [%r5];",
			engine.Violated, "", ""},
		{"a table and indices of data and of the thread", ".entry k(.param .u64 p) .reqntid 64",
			"ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1;\n" +
				"SYNC mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; ld.global.u32 %r5, [%rd2]; add.u32 %r5, %r5, %r1; shl.b32 %r5, %r5, 2; add.u32 %r5, %r3, %r5; ld.shared.u32 %r6, [%r5];",
			engine.Inconclusive, "the address depends on data", ""},
		{"how far it goes stands in memory", ".entry k(.param .u64 p) .reqntid 64",
			"ld.param.u64 %rd1, [p]; mov.u32 %r9, %ctaid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd2, %rd1, %rd2; ld.global.u32 %r8, [%rd2];\n" +
				"mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; xor.b32 %r5, %r4, 128; mov.u32 %r6, 0;\n" +
				"L: setp.ge.u32 %p1, %r6, %r8; @%p1 bra E; st.shared.u32 [%r4], %r6; bar.sync 0; ld.shared.u32 %r7, [%r5]; SYNC add.u32 %r6, %r6, 1; bra L;\nE:",
			engine.Violated, "", "["},
		{"a part for each CTA, as far as its sum says", ".entry k(.param .u64 p, .param .u64 q) .reqntid 64", // the kernel writes, but not what it reads
			"ld.param.u64 %rd1, [p]; ld.param.u64 %rd5, [q]; ld.global.u32 %r8, [%rd1]; mul.wide.u32 %rd6, %r8, 4; add.s64 %rd6, %rd5, %rd6; st.global.u32 [%rd6], %r8;\n" +
				"mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; xor.b32 %r5, %r4, 128; setp.lt.u32 %p1, %r8, 7; @%p1 bra E;\n" +
				"st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r7, [%r5]; SYNC st.shared.u32 [%r4], %r7; E:",
			engine.Violated, "", "["},
		{"a factor that may be 0", ".entry k(.param .f32 f) .reqntid 64",
			"ld.param.f32 %f1, [f]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; xor.b32 %r5, %r4, 128;\n" +
				"setp.eq.f32 %p1, %f1, 0f00000000; @%p1 bra E; st.shared.u32 [%r4], %r1; SYNC ld.shared.u32 %r7, [%r5]; bar.sync 0; E:",
			engine.Violated, "", "?"},
		{"where there is a pointer", ".entry k(.param .u64 p) .reqntid 64",
			"ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; xor.b32 %r5, %r4, 128;\n" +
				"and.b64 %rd2, %rd1, 15; setp.ne.s64 %p1, %rd2, 0; @%p1 bra E; st.shared.u32 [%r4], %r1; SYNC ld.shared.u32 %r7, [%r5]; bar.sync 0; st.global.u32 [%rd1], %r7; E:",
			engine.Violated, "", "p"},
		{"as many parts as the caller says", ".entry k(.param .u32 parts) .reqntid 64",
			"ld.param.u32 %r9, [parts]; div.u32 %r8, 64, %r9; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; xor.b32 %r5, %r4, 128; mov.u32 %r6, 0;\n" +
				"L: setp.ge.u32 %p1, %r6, %r8; @%p1 bra E; st.shared.u32 [%r4], %r6; bar.sync 0; ld.shared.u32 %r7, [%r5]; SYNC add.u32 %r6, %r6, 1; bra L;\nE:",
			engine.Violated, "", "p"},
		{"a member of a struct, through its address", ".entry k(.param .align 8 .b8 p[16]) .reqntid 64",
			"mov.b64 %rd1, p; add.s64 %rd2, %rd1, 8; ld.param.u32 %r8, [%rd2+-4]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; xor.b32 %r5, %r4, 128; mov.u32 %r6, 0;\n" +
				"L: setp.ge.u32 %p1, %r6, %r8; @%p1 bra E; st.shared.u32 [%r4], %r6; bar.sync 0; ld.shared.u32 %r7, [%r5]; SYNC add.u32 %r6, %r6, 1; bra L;\nE:",
			engine.Violated, "", "p+4"},
		{"rows as long as the caller says", ".entry k(.param .u32 n) .reqntid 64", // of which it is not known that they are as long as they have to be
			"ld.param.u32 %r9, [n]; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, %r9; mov.u32 %r3, s; add.u32 %r4, %r3, %r2;\n" +
				"setp.lt.u32 %p1, %r9, 4; @%p1 bra E; st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r7, [%r4]; E:", engine.Holds, "", "n"},
		{"so many threads, or a trap", ".entry k(.param .u64 p)", "mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; setp.eq.u32 %p1, %r2, 512; @%p1 bra G; trap;\n" +
			"G: shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; xor.b32 %r5, %r4, 1024; st.shared.u32 [%r4], %r1; SYNC ld.shared.u32 %r7, [%r5];", engine.Violated, "", ""},
		{"256 threads at the most, along two axes", ".entry k(.param .u64 p) .maxntid 256", "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; shl.b32 %r3, %r2, 4; add.u32 %r3, %r3, %r1; shl.b32 %r4, %r1, 4; add.u32 %r4, %r4, %r2;\n" +
			"mov.u32 %r5, s; shl.b32 %r3, %r3, 2; shl.b32 %r4, %r4, 2; add.u32 %r3, %r5, %r3; add.u32 %r4, %r5, %r4; st.shared.u32 [%r3], %r1; SYNC ld.shared.u32 %r7, [%r4];", engine.Violated, "", ""},
		{"two warps at the most", ".entry k(.param .u64 p)", "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 6; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; xor.b32 %r5, %r4, 2048; st.shared.u32 [%r4], %r1; SYNC ld.shared.u32 %r7, [%r5];",
			engine.Violated, "", ""},
		{"rounds that are unrolled", ".entry k(.param .u64 p)",
			"mov.u32 %r1, %tid.x; mov.u32 %r5, %r1; mov.u32 %r3, s;\nL: shl.b32 %r2, %r5, 2; add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1; st.shared.u32 [%r4+256], %r1; add.u32 %r5, %r5, 128; setp.lt.u32 %p1, %r5, 1024; @%p1 bra L;\n" +
				"SYNC xor.b32 %r6, %r1, 32; shl.b32 %r6, %r6, 2; add.u32 %r6, %r3, %r6; ld.shared.u32 %r7, [%r6];", engine.Violated, "", ""},
	} {
		verify := func(sync string) *Report {
			text := c.header + " {\n.shared .align 16 .b8 s[4096];\n" + strings.ReplaceAll(c.body, "SYNC", sync) + "\nret; }"
			f := ptx.Read(&source.File{Name: "k.ptx", Data: []byte(text)})
			if len(f.Notes)+len(f.Skipped) > 0 {
				t.Fatalf("%s: %v", c.name, f.Notes)
			}
			return verify(t, f, "k", exec.Launch{})
		}
		right, broken := verify(sync), verify("")
		if right.Verdict != engine.Holds {
			t.Errorf("%s: %s, %v, %v; expected that it holds", c.name, right.Verdict, right.Reasons, right.Findings)
		}
		if broken.Verdict != c.broken || c.reason != "" && (len(broken.Reasons) == 0 || !strings.Contains(broken.Reasons[0].Why.Text, c.reason)) {
			t.Errorf("%s: without its barrier %s, %v; expected %s because of %q", c.name, broken.Verdict, broken.Reasons, c.broken, c.reason)
		}
		if names := slices.Collect(maps.Keys(right.Numbers)); c.tried != "" && !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, c.tried) }) {
			t.Errorf("%s: %q were tried, expected one that begins with %q", c.name, names, c.tried)
		}
	}
}

// TestReductionOfData: sums by a butterfly are the same in all lanes, whatever the lanes begin with; without its last step they are not.
func TestReductionOfData(t *testing.T) {
	step := func(lanes string) string {
		return "shfl.sync.bfly.b32 %r8, %r7, " + lanes + ", 31, -1; mov.b32 %f2, %r8; add.f32 %f1, %f1, %f2; mov.b32 %r7, %f1;\n"
	}
	text := `.entry k(.param .u64 p, .param .u32 n) .reqntid 64 { .shared .align 16 .b8 s[64];
	ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %r1; mov.f32 %f1, 0f00000000; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; ld.global.u32 %r3, [%rd1];
	L: setp.ge.u32 %p1, %r2, %r3; @%p1 bra D; ld.global.f32 %f2, [%rd1+4]; add.f32 %f1, %f1, %f2; add.u32 %r2, %r2, 64; bra L;
	D: mov.b32 %r7, %f1;
	` + step("16") + step("8") + step("4") + step("2") + step("1") + `shr.u32 %r4, %r1, 5; shl.b32 %r4, %r4, 2; mov.u32 %r5, s; add.u32 %r4, %r5, %r4; st.shared.f32 [%r4], %f1; ret; }`
	for name, text := range map[string]string{"right": text, "broken": strings.Replace(text, step("1"), "", 1)} {
		r := verify(t, ptx.Read(&source.File{Name: "k.ptx", Data: []byte(text)}), "k", exec.Launch{})
		if want := map[string]engine.Verdict{"right": engine.Holds, "broken": engine.Violated}[name]; r.Verdict != want || r.Result.Benign+len(r.Findings) == 0 {
			t.Errorf("%s: %s, %d benign, %v; expected %s", name, r.Verdict, r.Result.Benign, r.Reasons, want)
		}
	}
}

// TestFragments: wmma.load reads rows of a matrix: what no barrier of the warp orders with them races, whichever lanes wrote it.
func TestFragments(t *testing.T) {
	const text = `.entry k(.param .u32 n) .reqntid 32 { .shared .align 32 .b8 s[1024];
	mov.u32 %r1, %tid.x; SHIFT mov.u32 %r3, s; add.u32 %r4, %r3, %r2; st.shared.v4.u32 [%r4], {%r1, %r1, %r1, %r1}; st.shared.v4.u32 [%r4+16], {%r1, %r1, %r1, %r1};
	SYNC wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%r3], STRIDE; ret; }`
	for _, c := range []struct {
		shift, sync, stride string
		verdict             engine.Verdict
	}{
		{"shl.b32 %r2, %r1, 5;", "bar.warp.sync -1;", "16", engine.Holds},
		{"shl.b32 %r2, %r1, 5;", "", "16", engine.Violated},
		{"add.u32 %r2, %r1, 16; shl.b32 %r2, %r2, 4; setp.lt.u32 %p1, %r1, 16; @%p1 bra E;", "", "8", engine.Violated}, // the last row, of which there is half
		{"add.u32 %r2, %r1, 2; shl.b32 %r2, %r2, 4; setp.lt.u32 %p1, %r1, 16; @%p1 bra E;", "", "8", engine.Violated},
	} {
		r := strings.NewReplacer("SHIFT", c.shift, "SYNC", c.sync, "STRIDE", c.stride, "ret;", "E: ret;")
		if got := verify(t, ptx.Read(&source.File{Name: "k.ptx", Data: []byte(r.Replace(text))}), "k", exec.Launch{}); got.Verdict != c.verdict {
			t.Errorf("%+v: %s, %v, %v", c, got.Verdict, got.Reasons, got.Findings)
		}
	}
}
