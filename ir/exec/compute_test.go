package exec

import (
	"fmt"
	"strings"
	"testing"

	frontend "github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// run executes instructions in one warp and returns what it writes to shared memory at first: 64 bits a lane.
func run(t *testing.T, text string) *warp {
	t.Helper()
	src := ".entry k(.param .u64 p) .reqntid 32 { .shared .b64 out[64]; " + text + "}"
	f := ptx.Read(&source.File{Name: "k.ptx", Data: []byte(src)})
	if len(f.Functions) != 1 {
		t.Fatalf("%s: not read", text)
	}
	k, err := frontend.Translate(f, f.Functions[0])
	if err != nil {
		t.Fatal(err)
	}
	l := Launch{Block: [3]int{32, 1, 1}, Cluster: [3]int{1, 1, 1}}
	m := newMachine(k.Reduced(false), l)
	m.populate()
	m.warps[0].run()
	return m.warps[0]
}

// TestCompute compares instructions with the results that the manual gives, or that follow from its text.
func TestCompute(t *testing.T) {
	for _, c := range []struct {
		text string // sets %o
		lane int
		want int64 // as stored: signed
	}{
		{"mov.u32 %o, 5;", 3, 5},
		{"mov.u32 %o, %tid.x;", 31, 31},
		{"mov.u32 %a, %tid.x; shr.u32 %o, %a, 3;", 31, 3},
		{"mov.u32 %a, %tid.x; and.b32 %o, %a, 7;", 13, 5},
		{"mov.u32 %a, %tid.x; sub.s32 %b, %a, 5; cvt.s64.s32 %o, %b;", 0, -5},
		{"mov.u32 %a, %tid.x; sub.s32 %b, %a, 5; cvt.u64.u32 %o, %b;", 0, 4294967291},
		{"mov.u32 %a, %tid.x; sub.s32 %b, %a, 5; cvt.u64.u32 %o, %b;", 6, 1},
		{"mov.u32 %a, %tid.x; mul.wide.s32 %o, %a, -4;", 31, -124},
		{"mov.u32 %a, %tid.x; mul.wide.u32 %o, %a, -4;", 2, 8589934584},
		{"mov.u32 %a, %tid.x; mad.lo.s32 %o, %a, %a, %a;", 5, 30},
		{"mov.u32 %a, -7; div.s32 %o, %a, 2;", 0, -3},
		{"mov.u32 %a, -7; rem.s32 %o, %a, 2;", 0, -1},
		{"mov.u32 %a, -7; div.u32 %o, %a, 2;", 0, 2147483644},
		{"mov.u32 %a, -8; shr.s32 %o, %a, 40;", 0, -1},
		{"mov.u32 %a, -8; shr.u32 %o, %a, 40;", 0, 0},
		{"mov.u32 %a, 1; shl.b32 %o, %a, 32;", 0, 0},
		{"mov.u32 %a, 1; shl.b32 %o, %a, 31;", 0, -2147483648},
		{"mov.u32 %a, -1; mul.hi.u32 %o, %a, %a;", 0, -2},
		{"mov.u64 %a, -1; mul.hi.s64 %o, %a, %a;", 0, 0},
		{"mov.u64 %a, -1; mul.hi.u64 %o, %a, 2;", 0, 1},
		{"mov.u32 %a, 0xABCD; bfe.u32 %o, %a, 4, 8;", 0, 0xBC},
		{"mov.u32 %a, 0xABCD; bfe.s32 %o, %a, 4, 8;", 0, -68},
		{"mov.u32 %a, 0xF; mov.u32 %b, 0; bfi.b32 %o, %a, %b, 8, 3;", 0, 0x700},
		{"mov.u32 %a, 0x00F0; bfind.u32 %o, %a;", 0, 7},
		{"mov.u32 %a, 0x00F0; bfind.shiftamt.u32 %o, %a;", 0, 24},
		{"mov.u32 %a, 0; bfind.u32 %o, %a;", 0, -1},
		{"mov.u32 %a, -1; bfind.s32 %o, %a;", 0, -1},
		{"mov.u32 %a, 0x10; clz.b32 %o, %a;", 0, 27},
		{"mov.u32 %a, -1; popc.b32 %o, %a;", 0, 32},
		{"mov.u32 %a, 1; brev.b32 %o, %a;", 0, -2147483648},
		{"mov.u32 %a, 0x33221100; mov.u32 %b, 0x77665544; prmt.b32 %o, %a, %b, 0x3614;", 0, 0x33661144},
		{"mov.u32 %a, 0x80; mov.u32 %b, 0; prmt.b32 %o, %a, %b, 0x1118;", 0, 0xFF},
		{"mov.u32 %a, 0x0F0; mov.u32 %b, 0x0FF; mov.u32 %c, 0xF0F; lop3.b32 %o, %a, %b, %c, 0x80;", 0, 0},
		{"mov.u32 %a, 0x0F0; mov.u32 %b, 0x0FF; mov.u32 %c, 0xF0F; lop3.b32 %o, %a, %b, %c, 0xFE;", 0, 0xFFF},
		{"mov.u32 %a, 0x12345678; mov.u32 %b, 0x9ABCDEF0; shf.l.wrap.b32 %o, %a, %b, 8;", 0, -1126240238},
		{"mov.u32 %a, 3; mov.u32 %b, 10; sad.s32 %o, %a, %b, 1;", 0, 8},
		{"mov.u32 %a, -3; min.s32 %o, %a, 2;", 0, -3},
		{"mov.u32 %a, -3; min.u32 %o, %a, 2;", 0, 2},
		{"mov.u32 %a, %tid.x; setp.lt.s32 %p, %a, 4; selp.b32 %o, 1, 2, %p;", 3, 1},
		{"mov.u32 %a, %tid.x; setp.lt.s32 %p, %a, 4; selp.b32 %o, 1, 2, %p;", 4, 2},
		{"mov.u32 %a, -1; setp.hi.u32 %p, %a, 4; selp.b32 %o, 1, 2, %p;", 0, 1},
		{"mov.u32 %a, %tid.x; set.eq.u32.u32 %o, %a, 7;", 7, -1},
		{"mov.u32 %a, %tid.x; mov.b64 %b, {%a, 1}; mov.b64 {%o, %c}, %b;", 9, 9},
		{"mov.u32 %a, %tid.x; mov.b64 %o, {%a, 1};", 9, 1<<32 + 9},
		{"mov.u32 %a, %tid.x; shfl.sync.bfly.b32 %o|%p, %a, 1, 0x1f, -1;", 6, 7},
		{"mov.u32 %a, %tid.x; shfl.sync.up.b32 %o|%p, %a, 2, 0, -1;", 1, 1},
		{"mov.u32 %a, %tid.x; shfl.sync.down.b32 %o|%p, %a, 2, 0x1f, -1;", 7, 9},
		{"mov.u32 %a, %tid.x; shfl.sync.idx.b32 %o|%p, %a, 3, 0x181f, -1;", 14, 11},
		{"mov.u32 %a, %tid.x; setp.lt.u32 %p, %a, 5; vote.sync.ballot.b32 %o, %p, -1;", 0, 31},
		{"mov.u32 %a, %tid.x; setp.lt.u32 %p, %a, 5; vote.sync.any.pred %q, %p, -1; selp.b32 %o, 1, 0, %q;", 9, 1},
		{"elect.sync %o|%p, -1;", 9, 0},
		{"mov.u32 %a, %lanemask_lt; popc.b32 %o, %a;", 12, 12},
		{"mov.u32 %a, %tid.x; setp.lt.u32 %p, %a, 16; mov.u32 %o, 1; @%p bra l; mov.u32 %o, 2; l: add.u32 %o, %o, 5;", 20, 7},
		{"mov.u32 %a, %tid.x; mov.u32 %o, 0; l: add.u32 %o, %o, 2; sub.u32 %a, %a, 1; setp.gt.s32 %p, %a, 0; @%p bra l;", 6, 12},
		{"mov.u32 %a, %tid.x; and.b32 %b, %a, 1; t: .branchtargets x, y; brx.idx %b, t; x: mov.u32 %o, 10; bra z; y: mov.u32 %o, 20; z: ;", 7, 20},
		{"mov.u32 %a, %tid.x; shl.b32 %b, %a, 3; mov.u32 %s, out; add.u32 %s, %s, %b; st.shared.u32 [%s], %a; xor.b32 %c, %b, 8; ld.shared.u32 %o, [%c]; setp.eq.u32 %p, %o, 99; @%p exit;", 4, 5},
		{"add.u64 %a, %SP, 0; st.local.u32 [64], 7; ld.local.u32 %o, [64];", 4, 7},
	} {
		w := run(t, strings.ReplaceAll(c.text, "; z: ;", "; z: ")+" st.shared.u64 [out], %o;")
		got, ok := w.lastWritten(c.lane)
		if !ok || got != c.want {
			t.Errorf("%s: lane %d has %d (known: %v), expected %d", c.text, c.lane, got, ok, c.want)
		}
	}
}

// lastWritten is what register %o holds in a lane at the end.
func (w *warp) lastWritten(lane int) (int64, bool) {
	for k, name := range w.m.kernel.Names {
		if name == "%o" {
			sym, n := w.registers[k].lane(lane)
			return n, sym == known
		}
	}
	return 0, false
}

// TestSymbolsApart: what a parameter is and what is computed of another one are not the same, however many registers there are.
func TestSymbolsApart(t *testing.T) {
	filler := ""
	for k := range 120 {
		w := run(t, "ld.param.u64 %q, [p]; mul.lo.u64 %m, %q, %q; mov.u32 %t, %tid.x; cvt.u64.u32 %w, %t; add.u64 %x, %m, %w; "+filler+
			"ld.param.u64 %z, [p+8]; sub.u64 %v, %x, %w; setp.eq.u64 %e, %v, %z; selp.b32 %o, 1, 2, %e; st.shared.u32 [out], %o;")
		if n, ok := w.lastWritten(0); ok {
			t.Fatalf("with %d registers between, the two are known to compare as %d", k, n)
		}
		filler += fmt.Sprintf("mov.u32 %%f%d, 1; ", k)
	}
}
