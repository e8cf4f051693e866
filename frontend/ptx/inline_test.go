package ptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// inlined is a kernel of templates one behind the other. Each has four operands: two registers that are set, one that is read, and a number.
func inlined(templates ...string) *ir.Kernel {
	k := &ir.Kernel{Name: "k", File: &source.File{Name: "k.cu", Data: []byte("asm")}, Special: map[string]int32{}, Directives: map[string][3]int{}, Variables: map[string]*ir.Variable{}}
	taken := map[string]int{}
	unique := func(name string) string {
		name = strings.Map(named, name)
		for taken[name]++; taken[name] > 1 || name == "" || ir.Reserved(name); taken[name]++ {
			name = fmt.Sprintf("%s#%d", name, taken[name])
		}
		return name
	}
	register := func(name string) int32 {
		k.Names, k.Types = append(k.Names, unique(name)), append(k.Types, ir.Type{})
		return int32(len(k.Names) - 1)
	}
	register("?")
	formulas, noted := map[string]uint32{}, map[string]bool{}
	for _, text := range templates {
		x := Inline{Kernel: k, Unique: unique, Formulas: formulas, Noted: noted}
		x.Instrs, _ = ptx.ParseAsm(text, source.Span{}, nil)
		for range 2 {
			x.Operands = append(x.Operands, Bound{Operand: ir.Operand{Reg: register("out")}, Set: true})
		}
		x.Operands = append(x.Operands, Bound{Operand: ir.Operand{Reg: register("in")}}, Bound{Operand: ir.Operand{Reg: -1, Imm: -8}, Literal: true})
		x.Translate()
	}
	end := ir.Blank(ir.Return)
	end.Guard, end.Place = -1, uint32(len(k.Places))
	k.Places = append(k.Places, ir.Place{Name: "end"})
	k.Insts = append(k.Insts, end)
	k.Functions, k.Called = [][2]int32{{0, int32(len(k.Insts))}}, []string{"k"}
	k.Registers, k.Predicates = len(k.Names), len(k.Tests)
	k.InferTypes()
	return k
}

// text are the instructions of a kernel, without its declarations and places.
func text(k *ir.Kernel) string {
	_, body, _ := strings.Cut(k.String(), "function k\n")
	var out []string
	for line := range strings.Lines(body) {
		line, _, _ = strings.Cut(line, " ! ")
		out = append(out, strings.TrimSpace(line))
	}
	return strings.Join(out, "\n")
}

// TestInline: each use has registers, predicates and labels of its own, special registers are the kernel's, operands what they are bound to.
func TestInline(t *testing.T) {
	const wait = "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [%2 + %3], 1; @done bra over; bra again; over: }"
	for _, c := range []struct {
		templates []string
		want      string
	}{
		{[]string{wait, wait}, "b0:\ndone = mbar.test.try.shared.acquire.cta [in-8], 1\n@done branch b2\nb1:\nbranch b0\nb2:\ndone#2 = mbar.test.try.shared.acquire.cta [in#2-8], 1\n@done#2 branch b4\nb3:\nbranch b2\nb4:\nreturn"},
		{[]string{"mov.u32 %0, %%laneid; mov.u32 %1, %laneid;"}, "b0:\nout = move.b32 %laneid\nout#2 = move.b32 %laneid\nb1:\nreturn"},
		{[]string{"{ .reg .u32 %r; add.u32 %r, %2, %3; mov.u32 %0, %r; }"}, "b0:\n%r = add.b32 in, -8\nout = move.b32 %r\nb1:\nreturn"},
		{[]string{"add.u32 %2, %2, 1;"}, "b0:\n%2 = add.b32 in, 1\nstop text \"add.u32 sets %2, an operand that is no output\" code L008\nb1:\nreturn"},
		{[]string{"@%p bra away;"}, "b0:\n@%p stop text \"inline PTX branches to away, which is no label of it\" code L008\nb1:\nreturn"},
		{[]string{"ret;", "call f, ();"}, "b0:\nstop text \"ret in inline PTX is not modelled\" code L009\nstop text \"call in inline PTX is not modelled\" code L009\nb1:\nreturn"},
		{[]string{"tcgen05.dealloc.cta_group::2.sync.aligned.b32 %2, 128;"}, "b0:\noutside text \"tcgen05.dealloc.cta_group::2.sync.aligned.b32 accesses memory in a way that is not followed\" code L009\nb1:\nreturn"},
	} {
		k := inlined(c.templates...)
		if err := ir.Verify(k); err != nil {
			t.Errorf("%q: %v", c.templates, err)
		}
		if got := text(k); got != c.want {
			t.Errorf("%q is\n%s\nexpected\n%s", c.templates, got, c.want)
		}
	}
}

// FuzzInline: whatever stands in an asm statement makes instructions that verify.
func FuzzInline(f *testing.F) {
	for _, text := range []string{
		"{ .reg .pred P1; LAB: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 P1, [%2], %3, 0x989680; @P1 bra.uni DONE; bra.uni LAB; DONE: }",
		"{ .reg .u64 p; cvta.to.shared.u64 p, %2; cvt.u32.u64 %0, p; }", "elect.sync %0|p, 0xffffffff; selp.b32 %1, 1, 0, p;",
		"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1}, {%2}, {%2}, {%0,%1};",
		"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%2], %1;",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1}, %2, %2, p, 1, 1, 0, 0;", "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%0, %1}, [%2 + %3];",
		"tcgen05.mma.cta_group::1.kind::f16 [%0], [%2 + 8], %2, %1, p;", "ts: .branchtargets a, b; brx.idx %2, ts; a: trap; b: exit;",
		"mapa.shared::cluster.u32 %0, %2, %3; st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.s32 [%0], {%2, %2, %2, %2}, [%1];",
		"atom.global.add.f32 %0, [%2], 0f3F800000; red.shared.inc.u32 [%2], 7; bar.red.popc.u32 %1, 0, p; barrier.cluster.arrive.relaxed.aligned;",
		"lop3.b32 %0|q, %1, %2, %3, 0xfe; prmt.b32.f4e %0, %1, %2, 3; mov.b64 {%0, %1}, %2; shfl.sync.bfly.b32 %0|p, %1, 1, 31, -1; match.all.sync.b32 %0|p, %1, -1;",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 {
			return
		}
		k := inlined(text, text)
		if err := ir.Verify(k); err != nil {
			t.Errorf("%v\n%s", err, k)
		}
	})
}
