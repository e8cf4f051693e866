package barriers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
)

// skipped is a kernel whose threads do not meet where %p says so, between a write and the reads of others; and what they do with their reads.
const skipped = `kernel k
parameter n
parameter m
parameter l
part n = n+0
part m = m+0
part l = l+0
special %%tid.x
variable shared s at 0 bytes 256 element 4
function k
b0:
 %%a = shl.b32 %%tid.x, 2
 %%b = sub.s32 252, %%a
 store.shared.b32 [%%a], %%tid.x size 4
 %s
 @%%p branch b2
b1:
 barrier.cta.aligned 0, 0
b2:
 %s%%x = load.shared.b32 [%%b] size 4
 return
`

// verdictOfSkipped is that of the kernel in which all read, or only those that have met.
func verdictOfSkipped(t *testing.T, right bool, body ...string) *Report {
	t.Helper()
	guard := ""
	if right {
		guard = "@!%p "
	}
	k, err := ir.Parse("k.ir", fmt.Sprintf(skipped, strings.Join(body, "\n "), guard))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Verify(k, exec.Launch{Block: [3]int{64, 1, 1}}, order.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPairs: that the threads do not meet is found where it takes several numbers that go together, and the twin that does not read then holds.
func TestPairs(t *testing.T) {
	for name, body := range map[string][]string{
		"a sum":            {"%x1 = add.s32 m, 37", "%p = setp.eq.s32 n, %x1"},
		"a sum of two":     {"%x1 = add.s32 m, l", "%x2 = add.s32 %x1, 7", "%p = setp.eq.s32 n, %x2"},
		"a product":        {"%x1 = mul.s32 n, m", "%p = setp.eq.s32 %x1, 221"},
		"bits of both":     {"%x1 = xor.b32 n, m", "%p = setp.eq.s32 %x1, 13"},
		"halves":           {"%x1 = shr.s32 n, 4", "%x2 = shr.s32 m, 3", "%x3 = add.s32 %x1, %x2", "%p = setp.eq.s32 %x3, 9"},
		"three tests":      {"%p1 = setp.gt.s32 n, 3", "%p2 = setp.gt.s32 m, 5", "%p3 = setp.eq.s32 l, 7", "%p4 = logic.and %p1, %p2", "%p = logic.and %p4, %p3"},
		"an order":         {"%p1 = setp.gt.s32 n, m", "%p2 = setp.gt.s32 m, l", "%p3 = setp.gt.s32 l, 3", "%p4 = logic.and %p1, %p2", "%p = logic.and %p4, %p3"},
		"both in bounds":   {"%x1 = min.s32 n, m", "%x2 = max.s32 n, m", "%p1 = setp.gt.s32 %x1, 9", "%p2 = setp.lt.s32 %x2, 14", "%p = logic.and %p1, %p2"},
		"two remainders":   {"%x1 = rem.s32 n, 7", "%x2 = rem.s32 m, 5", "%p1 = setp.eq.s32 %x1, 3", "%p2 = setp.eq.s32 %x2, 2", "%p = logic.and %p1, %p2"},
		"far from another": {"%x1 = sub.s32 n, m", "%p = setp.gt.s32 %x1, 5000"},
	} {
		for right, want := range map[bool]engine.Verdict{true: engine.Holds, false: engine.Violated} {
			if r := verdictOfSkipped(t, right, body...); r.Verdict != want {
				t.Errorf("%s, right %v: %s with %v; expected %s; %v", name, right, r.Verdict, r.Numbers, want, r.Reasons)
			}
		}
	}
}

// TestNeverOtherwise: a test of what may be anything, and that always came out alike, is not decided.
func TestNeverOtherwise(t *testing.T) {
	for name, body := range map[string][]string{
		"a square":       {"%x1 = mul.b32 n, n", "%p = setp.eq.b32 %x1, 1000003"},
		"a hash":         {"%x1 = mul.b32 n, 2654435761", "%p = setp.eq.b32 %x1, 12345"},
		"of two numbers": {"%x1 = mul.b32 n, 2654435761", "%x2 = xor.b32 %x1, m", "%x3 = mul.b32 %x2, 2246822519", "%p = setp.eq.b32 %x3, 12345"},
	} {
		if r := verdictOfSkipped(t, false, body...); r.Verdict == engine.Holds || r.Verdict == engine.Inconclusive && (len(r.Reasons) == 0 || r.Reasons[0].Place == nil) {
			t.Errorf("%s: %s with %v, %v", name, r.Verdict, r.Numbers, r.Reasons)
		}
	}
	if r := verdictOfSkipped(t, false, "%x1 = and.b32 n, 3", "%p = setp.gt.s32 %x1, 3"); r.Verdict != engine.Holds {
		t.Errorf("what is never so: %s, %v, %v, %v", r.Verdict, r.Reasons, r.Findings, r.Numbers)
	}
}
