package barriers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// TestAddressesInMemory: a generic address of shared memory that is kept in memory comes back from there, from whichever place.
func TestAddressesInMemory(t *testing.T) {
	const text = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in)
.reqntid 64
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<9>;
	.shared .align 8 .b8 s[64];
	.local .align 8 .b8 table[16];
	ld.param.u64 %rd1, [in];
	mov.u64 %rd2, s;
	cvta.shared.u64 %rd3, %rd2;
	mov.u64 %rd5, table;
	st.local.u64 [%rd5], KEPT;
	st.local.u64 [%rd5+8], KEPT;
	ld.global.u32 %r1, [%rd1];
	and.b32 %r1, %r1, 1;
	mul.wide.u32 %rd6, %r1, 8;
	add.s64 %rd7, %rd5, %rd6;
	ld.local.u64 %rd8, [%rd7];
	MORE
	mov.u32 %r2, %tid.x;
	st.u32 [%rd8], %r2;
	ret;
}
`
	for _, c := range []struct {
		kept, more string
		want       engine.Verdict
	}{
		{"%rd3", "", engine.Inconclusive},
		{"%rd1", "", engine.Holds},
		{"%rd1", "st.global.u64 [%rd1], %rd3;", engine.Inconclusive},
		{"%rd1", "red.global.max.u64 [%rd1], %rd3;", engine.Inconclusive},
	} {
		f := ptx.Read(&source.File{Name: "k.ptx", Data: []byte(strings.NewReplacer("KEPT", c.kept, "MORE", c.more).Replace(text))})
		r, err := Verify(translated(t, f, f.Functions[0]), exec.Launch{}, order.Options{})
		if err != nil || r.Verdict != c.want {
			t.Errorf("%s is kept: %v %v %v, want %v", c.kept+c.more, err, r.Verdict, r.Reasons, c.want)
		}
	}
}

// TestMorePredicates: of an instruction that computes predicates the operands are no registers.
func TestMorePredicates(t *testing.T) {
	var body strings.Builder
	for n := range 60 {
		fmt.Fprintf(&body, "\tsetp.lt.u32 %%p%d, %%r1, %d;\n\tand.pred %%p%d, %%p%d, %%p%d;\n", n+1, n, n+2, n+1, n)
	}
	f := ptx.Read(&source.File{Name: "k.ptx", Data: []byte(`.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .pred %p<64>;
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
` + body.String() + `	@%p61 st.global.u32 [%rd1], %r1;
	ret;
}
`)})
	if b := BeyondOf(translated(t, f, f.Functions[0]), false); b.Grid == nil || b.Order != nil || b.Proxy != nil || b.Bytes != nil {
		t.Errorf("%+v, want what is written to global memory", b)
	}
}
