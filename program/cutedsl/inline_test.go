package cutedsl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

func inlineText(t *testing.T, call string) string {
	t.Helper()
	f := Read(&source.File{Data: []byte(call + "\n")})
	for c := range program.Calls(f.Body) {
		a, ok := InlineCall(c)
		if !ok {
			continue
		}
		var b strings.Builder
		for i, o := range append(a.Outputs, a.Inputs...) {
			fmt.Fprintf(&b, "%%%d %s %s; ", i, o.Constraint, program.DumpExpr(o.X))
		}
		fmt.Fprintf(&b, "clobbers %v; volatile %v; literal %v", a.Clobbers, a.Volatile, a.Template != nil)
		for _, in := range a.Instrs {
			b.WriteString("\n" + in.String())
		}
		return b.String()
	}
	return "none"
}

func TestInlineCall(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"not one": {`f("bar.sync 0;")`, "none"},
		"llvm": {`llvm.inline_asm(T.i32(), [p.ir_value(loc=loc), Int32(v).ir_value()], "atom.add.release.gpu.s32 $0, [$1], $2;", "=r,l,r,~{memory}", has_side_effects=True)`,
			"%0 =r ; %1 l p; %2 r (call Int32 v); clobbers [memory]; volatile true; literal true\natom.add.release.gpu.s32 %0, [%1], %2"},
		"special register": {`llvm.inline_asm(T.i32(), [], "mov.u32 $0, %clusterid.x;", "=r")`,
			"%0 =r ; clobbers []; volatile false; literal true\nmov.u32 %0, %clusterid.x"},
		"pieces, labels and escapes": {`llvm.inline_asm(None, [b, ph], "{\n\t.reg .pred P;\n" "W$$: mbarrier.try_wait.parity.b64 P, [${0}], $1;" + "@!P bra W$$;}", "r,r")`,
			"%0 r b; %1 r ph; clobbers []; volatile false; literal true\nW$: mbarrier.try_wait.parity.b64 P, [%0], %1\n@!P bra W$"},
		"operands elsewhere": {`llvm.inline_asm(None, ops, "bar.sync $0, $1;", "r,r")`,
			"%0 r (index ops 0); %1 r (index ops 1); clobbers []; volatile false; literal true\nbar.sync %0, %1"},
		"f-string": {`llvm.inline_asm(None, [a], f"red.{sem}.gpu.add.s32 [$0], {n};", "l")`,
			"%0 l a; clobbers []; volatile false; literal false\nred.?.gpu.add.s32 [%0], ?"},
		"template elsewhere": {`llvm.inline_asm(None, [a], table[op], "l")`, "%0 l a; clobbers []; volatile false; literal false"},
		"inline_ptx": {`cute.arch.inline_ptx("mbarrier.init.b64 [{$r0}], {$r1};", read_only_args=[bar, n])`,
			"%0  bar; %1  n; clobbers []; volatile true; literal true\nmbarrier.init.b64 [%0], %1"},
		"inline_ptx all kinds": {`inline_ptx("st.b32 [{$r0}], {{$rw0}, {$w0}};", write_only_types=[Int32], read_only_args=[a], read_write_args=[c], predicate=p)`,
			"%0 = ; %1 + c; %2  a; %3 b p; clobbers []; volatile true; literal true\n@%3 st.b32 [%2], {%1,%0}"},
		"inline_ptx elsewhere": {`prims.inline_ptx(text, read_only_args=[i])`, "clobbers []; volatile true; literal false"},
		"inline_ptx format": {`inline_ptx(f"bar.sync {{$r0}}, {N};", read_only_args=(i,))`,
			"%0  i; clobbers []; volatile true; literal false\nbar.sync %0, ?"},
	} {
		if got := inlineText(t, c.in); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestInlineCallText(t *testing.T) {
	f := Read(&source.File{Data: []byte("llvm.inline_asm(None, [a], table[op], kinds[op])\n")})
	for c := range program.Calls(f.Body) {
		a, ok := InlineCallText(c, "bar.sync $0;", "r")
		if !ok || a.Template == nil || *a.Template != "bar.sync %0;" || len(a.Instrs) != 1 || len(a.Inputs) != 1 {
			t.Errorf("got %v, %+v", ok, a)
		}
	}
}
