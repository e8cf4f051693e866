package barriers

import (
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// TestCollectivesMeet: lanes wait for each other in a collective, also where nothing depends on what it computes.
func TestCollectivesMeet(t *testing.T) {
	const head = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n.reqntid 32\n{\n.reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred %p<4>;\n" +
		".shared .align 8 .b8 gate[8];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 1;\n"
	// Lane 1 arrives in the second phase after what stands between lane 0's wait for the first and that.
	turn := func(between string) string {
		return head + "@%p1 mbarrier.init.shared.b64 [gate], 1;\nbar.warp.sync 0xffffffff;\n@%p2 mbarrier.arrive.shared.b64 %rd1, [gate];\n" +
			"@!%p1 bra past;\nagain: mbarrier.try_wait.parity.shared.b64 %p3, [gate], 0;\n@!%p3 bra again;\npast:\n" + between +
			"\n@%p2 mbarrier.arrive.shared.b64 %rd1, [gate];\n@!%p1 bra done;\nonce: mbarrier.try_wait.parity.shared.b64 %p3, [gate], 1;\n@!%p3 bra once;\ndone: ret;\n}\n"
	}
	for between, want := range map[string]engine.Verdict{
		"": engine.Violated,
		"shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff;":   engine.Holds,
		"shfl.sync.idx.b32 %r2|_, %r1, 0, 31, 0xffffffff;": engine.Holds,
		"vote.sync.ballot.b32 %r2, %p1, 0xffffffff;":       engine.Holds,
		"redux.sync.add.s32 %r2, %r1, 0xffffffff;":         engine.Holds,
		"match.any.sync.b32 %r2, %r1, 0xffffffff;":         engine.Holds,
		"activemask.b32 %r2;":                              engine.Violated,
		"@%p1 vote.sync.ballot.b32 %r2, %p1, 1;":           engine.Violated,
	} {
		f := ptx.Read(&source.File{Name: "k.ptx", Data: []byte(turn(between))})
		r, err := Verify(translated(t, f, f.Functions[0]), exec.Launch{}, order.Options{})
		if err != nil || r.Verdict != want {
			t.Errorf("%q: %v %v %v, want %v", between, err, r.Verdict, r.Reasons, want)
		}
	}
}

// TestSinks: a part of a vector that nobody wants goes nowhere (PTX ISA 6.1, the sink symbol).
func TestSinks(t *testing.T) {
	f := ptx.Read(&source.File{Name: "k.ptx", Data: []byte(`.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
.reqntid 32
{
	.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<3>;
	.shared .align 8 .b8 s[256];
	ld.param.u64 %rd1, [p];
	mov.b64 {_, %r1}, %rd1;
	mov.b64 {_, _}, %rd1;
	ld.shared.v2.u32 {_, %r2}, [s];
	elect.sync _|%p1, 0xffffffff;
	mov.u64 %rd2, 34359738372;
	mov.b64 {_, %r3}, %rd2;
	st.shared.u32 [s + 16], %r3;
	bar.sync %r3;
	ret;
}`)})
	e, err := exec.Run(translated(t, f, f.Functions[0]).Reduced(false), exec.Launch{})
	if err != nil || e.Stop != nil {
		t.Fatal(err, e.Stop)
	}
	c := e.Program.Warps[0].Commands
	if last := c[len(c)-1]; last.Kind != order.NamedSync || last.A != 8 {
		t.Errorf("%v of barrier %d, want bar.sync 8: the half that is not a sink", last.Kind, last.A)
	}
}

// TestMasksOfLanesElsewhere: whether lanes of a mask that run other code come to a collective is not followed, and so not decided;
// lanes that have exited are not waited for.
func TestMasksOfLanesElsewhere(t *testing.T) {
	const head = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n.reqntid 32\n{\n.reg .b32 %r<4>; .reg .pred %p<4>;\n" +
		"mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n"
	for body, stops := range map[string]bool{
		"@!%p1 bra past;\nbar.warp.sync 0xffffffff;\npast: ret;":                       true,
		"@!%p1 bra past;\nbar.warp.sync 0xffff;\npast: ret;":                           false,
		"@!%p1 bra past;\nshfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff;\npast: ret;":  true,
		"@!%p1 exit;\nshfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff;\nret;":            false,
		"@%p1 vote.sync.any.pred %p2, %p1, 0x1ffff;\nret;":                             true,
		"@!%p1 bra end; mov.u32 %r3, -1; redux.sync.add.s32 %r2, %r1, %r3;\nend: ret;": true,
		"@%p1 redux.sync.add.s32 %r2, %r1, 0xffff;\nret;":                              false,
	} {
		f := ptx.Read(&source.File{Name: "k.ptx", Data: []byte(head + body + "\n}\n")})
		e, err := exec.Run(translated(t, f, f.Functions[0]).Reduced(false), exec.Launch{})
		if err != nil || (e.Stop != nil) != stops {
			t.Errorf("%q: %v, stop %v; want one: %v", body, err, e.Stop, stops)
		}
	}
}

// TestMasksThatLeaveOut: a lane that its own mask leaves out is undefined, whatever the others do (PTX ISA 9.7.9.6, 9.7.13.2).
func TestMasksThatLeaveOut(t *testing.T) {
	const head = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n.reqntid 48\n{\n.reg .b32 %r<4>; .reg .pred %p<4>;\n" +
		"mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 16;\nselp.b32 %r3, 0xffff, 0xffff0000, %p1;\n"
	for body, want := range map[string]engine.Verdict{
		"shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffff;":                  engine.Violated,
		"shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff;":              engine.Holds, // lanes that are not there are waited for by nobody
		"@%p1 shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffff;":             engine.Holds,
		"@%p1 shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffff0000;":         engine.Violated,
		"bar.warp.sync 0xfffffffe;":                                   engine.Violated,
		"vote.sync.any.pred %p2, %p1, %r3;":                           engine.Holds,
		"xor.b32 %r3, %r3, 1; match.any.sync.b32 %r2, %r1, %r3;":      engine.Violated,
		"elect.sync _|%p2, 0xffff;":                                   engine.Violated,
		"activemask.b32 %r3; redux.sync.add.s32 %r2, %r1, %r3;":       engine.Holds,
		"@!%p1 bra past; redux.sync.add.s32 %r2, %r1, 0xff;\npast:":   engine.Violated,
		"@!%p1 bra past; redux.sync.add.s32 %r2, %r1, 0xffff;\npast:": engine.Holds,
	} {
		f := ptx.Read(&source.File{Name: "k.ptx", Data: []byte(head + body + "\nret;\n}\n")})
		r, err := Verify(translated(t, f, f.Functions[0]), exec.Launch{}, order.Options{})
		if err != nil || r.Verdict != want || (r.Checks[order.Divergence] == engine.Violated) != (want == engine.Violated) {
			t.Errorf("%q: %v %v %v %v, want %v", body, err, r.Verdict, r.Findings, r.Reasons, want)
		}
	}
}
