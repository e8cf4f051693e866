package barriers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// TestPremises: what is not said of a launch is tried. Each kernel that is right holds for the shapes and numbers that go together with it; its
// broken twin is violated, with the shape and the number named.
func TestPremises(t *testing.T) {
	f := read(t, "testdata/premises.ptx")
	for _, c := range []struct {
		kernel  string
		verdict engine.Verdict
		guessed bool
		held    string // the shapes, with their verdicts
		numbers string // that were tried, of the last parameter
		params  string // under which it is violated
	}{
		{"sum_right", engine.Holds, true, "held for blocks of 32, 48, 128, 256 threads", "", ""},
		{"sum_broken", engine.Violated, true, "violated for blocks of 32, 48, 128, 256 threads", "", ""},
		{"turn_right", engine.Holds, true, "held for blocks of 8x8, 16x16 threads", "", ""},
		{"turn_broken", engine.Violated, true, "violated for blocks of 8x8, 8x16, 16x8, 16x16 threads", "", ""},
		{"stride_right", engine.Holds, true, "held for blocks of 192 threads", "", ""},
		{"stride_broken", engine.Violated, true, "violated for blocks of 192 threads", "", ""},
		{"rounds_right", engine.Holds, true, "held for blocks of 32, 48, 128 threads", "0 1 2 3 4", ""},
		{"rounds_broken", engine.Violated, true, "violated for blocks of 128 threads; held for blocks of 32, 48 threads", "0 1 2", "2"},
		{"tail_right", engine.Holds, false, "", "0 1 2 32 33 63 64 65 161 191 192 193", ""},
		{"tail_broken", engine.Violated, false, "", "0 1", "1"},
		{"roles_right", engine.Holds, true, "held for blocks of 96 threads", "", ""},
		// A barrier of 64 threads speaks for 64 of them, the roles for 96.
		{"roles_broken", engine.Inconclusive, true, "violated for blocks of 96 threads; held for blocks of 64 threads", "", ""},
	} {
		r := verify(t, f, c.kernel, exec.Launch{})
		numbers := ""
		for _, name := range slices.Sorted(maps.Keys(r.Numbers)) {
			numbers = joinNumbers(r.Numbers[name])
		}
		if r.Verdict != c.verdict || r.Guessed != c.guessed || ByVerdict(r.Shapes) != c.held || numbers != c.numbers {
			t.Errorf("%s: %s, guessed %v, %s, numbers %s; %v", c.kernel, r.Verdict, r.Guessed, ByVerdict(r.Shapes), numbers, r.Reasons)
		}
		if params := joinNumbers(slices.Collect(maps.Values(r.Execution.Launch.Params))); r.Verdict == engine.Violated && params != c.params {
			t.Errorf("%s: violated with %s, expected %s", c.kernel, params, c.params)
		}
	}
}

func joinNumbers(list []int64) string {
	return strings.Trim(fmt.Sprint(list), "[]")
}

// TestStatedShape: what the launch says is not guessed, and a kernel that says itself how it is launched is not asked for more.
func TestStatedShape(t *testing.T) {
	f := ptx.Read(&source.File{Name: "k.ptx", Data: []byte(".entry a { bar.sync 0; ret; } .entry b .reqntid 32 { bar.sync 0; ret; } .entry c .maxntid 96 { bar.sync 0; ret; }")})
	for name, block := range map[string]int{"a": 0, "b": 32, "c": 96} {
		r := verify(t, f, name, exec.Launch{})
		if r.Verdict != engine.Holds || r.Guessed != (block == 0) || block > 0 && r.Execution.Launch.Block[0] != block {
			t.Errorf("%s: %s, %v, guessed %v", name, r.Verdict, r.Execution.Launch.Block, r.Guessed)
		}
	}
	r := verify(t, f, "a", exec.Launch{Block: [3]int{2048, 1, 1}})
	if r.Verdict != engine.Holds || r.Guessed || len(r.Execution.Assumed) != 1 {
		t.Errorf("a of 2048 threads: %s, guessed %v, assumed %q", r.Verdict, r.Guessed, r.Execution.Assumed)
	}
}

// TestNumbersTogether: two parameters are given numbers together, and addresses never are.
func TestNumbersTogether(t *testing.T) {
	const text = `.entry k(.param .u64 p, .param .u32 rows, .param .u32 columns) .reqntid 32 {
 ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [rows]; ld.param.u32 %r2, [columns]; mov.u32 %r3, 0;
OUTER: setp.ge.u32 %p1, %r3, %r1; @%p1 bra DONE; mov.u32 %r4, 0;
INNER: setp.ge.u32 %p2, %r4, %r2; @%p2 bra NEXT; bar.sync 0; ld.global.u32 %r5, [%rd1]; add.u32 %r4, %r4, 1; bra INNER;
NEXT: add.u32 %r3, %r3, 1; bra OUTER;
DONE: ret; }`
	r := verify(t, ptx.Read(&source.File{Name: "k.ptx", Data: []byte(text)}), "k", exec.Launch{})
	if r.Verdict != engine.Holds || len(r.Numbers) != 2 || len(r.Numbers["rows"]) < 4 || len(r.Numbers["columns"]) < 4 {
		t.Errorf("%s with %v, %v", r.Verdict, r.Numbers, r.Reasons)
	}
	if r.Result.Barriers < 9 { // three rounds of three
		t.Errorf("%d dynamic barriers in the longest run, expected 9 or more", r.Result.Barriers)
	}
}
