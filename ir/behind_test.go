package ir_test

import (
	"testing"

	"github.com/fencepost-dev/fencepost/ir"
)

// A load behind a wait is come to past a fence on one way, and past none on the other one; round the loop the wait itself is come to.
func TestBehind(t *testing.T) {
	k, err := ir.Parse("behind", `
function k
b0:
	x = move.s32 0
b1:
	barrier.cta.aligned 0, 0
	%p = setp.lt.b32 %tid.x, 8
	@!%p branch b3
b2:
	fence.cta
	branch b4
b3:
	y = move.s32 1
b4:
	z = load.shared.b32 [x] size 4
	%q = setp.lt.b32 z, 8
	@%q branch b1
b5:
	return
`)
	if err != nil {
		t.Fatal(err)
	}
	first := func(op ir.Op) int32 {
		for n := range k.Insts {
			if k.Insts[n].Op == op {
				return int32(n)
			}
		}
		t.Fatalf("no %v", op)
		return -1
	}
	wait, load, move := first(ir.BarrierCTA), first(ir.Load), first(ir.Move)
	find := func(wanted int32, closed ...int32) int32 {
		return k.Flow().Behind(wait, func(n int32) ir.Heading {
			for _, c := range closed {
				if n == c {
					return ir.Aside
				}
			}
			if n == wanted {
				return ir.Found
			}
			return ir.Onward
		})
	}
	fence, around := first(ir.Fence), first(ir.Fence)+2
	for _, c := range []struct {
		name   string
		wanted int32
		closed []int32
		want   int32
	}{
		{"past no fence", load, []int32{fence}, load},
		{"with both ways closed", load, []int32{fence, around}, -1},
		{"round the loop", wait, nil, wait},
		{"what is before it", move, nil, -1},
	} {
		if got := find(c.wanted, c.closed...); got != c.want {
			t.Errorf("%s: instruction %d, want %d", c.name, got, c.want)
		}
	}
}
