package interval_test

import (
	"fmt"
	"testing"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/interval"
)

func TestX(t *testing.T) {
	k, err := ir.Parse("x", `kernel a
parameter n
part n = n+0
registers b32 %t, i, %a, %b, %v
predicates %p
special %tid.x
variable shared s at 0 bytes 1024 element 4
function a
b0:
 i = move.s32 0
 %a = mul.s32 %tid.x, 4
 %t = sub.s32 127, %tid.x
 %b = mul.s32 %t, 4
b1:
 %p = setp.lt.s32 i, n
 @!%p branch b3
b2:
 store.shared.s32 [%a], %v size 4
 barrier.cta.aligned 0, 0
 %v = load.shared.s32 [%b] size 4
 i = add.s32 i, 1
 branch b1
b3:
 return
`)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(interval.Races(k, [][3]int{{128, 1, 1}}))
}
