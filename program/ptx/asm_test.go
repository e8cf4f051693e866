package ptx

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/source"
)

func asmText(template string) string {
	instrs, notes := ParseAsm(template, source.Span{}, nil)
	var out []string
	for _, in := range instrs {
		out = append(out, in.String())
	}
	for _, n := range notes {
		out = append(out, "note: "+n.Text)
	}
	return strings.Join(out, "\n")
}

func TestParseAsm(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"one":                  {"mbarrier.init.shared::cta.b64 [%0], %1;", "mbarrier.init.shared::cta.b64 [%0], %1"},
		"no semicolon":         {"fence.proxy.async", "fence.proxy.async"},
		"several":              {"bar.arrive 1, 64;\n\tbar.sync 2, 64;", "bar.arrive 1, 64\nbar.sync 2, 64"},
		"modifiers keep order": {"ld.acquire.sys.global.u32 %0, [%1];", "ld.acquire.sys.global.u32 %0, [%1]"},
		"glued operands":       {"tcgen05.ld.sync.aligned.32x32b.x2.b32{%0, %1},[%2+4];", "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%0,%1}, [%2+4]"},
		"predicates":           {"@p bra A; @!%%p1 bra B; @ ! q ret;", "@p bra A\n@!%p1 bra B\n@!q ret"},
		"escape":               {"mov.u32 %0, %%clusterid.x;", "mov.u32 %0, %clusterid.x"},
		"scope and registers":  {"{\n.reg .pred p;\n setp.ne.b32 p, %1, 0;\n @p membar.gl;\n}", "setp.ne.b32 p, %1, 0\n@p membar.gl"},
		"wait loop": {"{ .reg .pred P1; LAB: mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1; @P1 bra DONE; bra LAB; DONE: }",
			"LAB: mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1\n@P1 bra DONE\nbra LAB\nDONE: "},
		"comments":        {"// all\nbar.sync /* the id */ 0; // done\n/* open", "bar.sync 0"},
		"tensor address":  {"cp.async.bulk.tensor.2d.shared::cluster.global [%0], [%1, {%2, %3}], [%4];", "cp.async.bulk.tensor.2d.shared::cluster.global [%0], [%1,{%2,%3}], [%4]"},
		"predicate pair":  {"setp.eq.u32 p|q, %0, 1;", "setp.eq.u32 p|q, %0, 1"},
		"unknown":         {"frob.now.b33 a, b;", "frob.now.b33 a, b"},
		"unique label":    {"L_%=: bra L_%=;", "L_%=: bra L_%="},
		"extra brace":     {"} bar.sync 0; {", "bar.sync 0"},
		"missing bracket": {"st.shared.u32 [%0, %1; bar.sync 0;", "st.shared.u32 [%0,%1\nbar.sync 0"},
		"junk":            {"( bar.sync 0;", "bar.sync 0\nnote: unexpected '(' in PTX text"},
		"empty":           {" \n;;", ""},
		"two labels":      {"A: B: ret;", "A: \nB: ret"},
		"scoped names": {"{ .reg .b32 t; W: mov.b32 t, %0; bra W; } { .reg .b32 t; W: mov.b32 t, [t+4]; bra W; }",
			"W: mov.b32 t, %0\nbra W\nW$1: mov.b32 t$1, [t$1+4]\nbra W$1"},
	} {
		if got := asmText(c.in); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestParseAsmOperands(t *testing.T) {
	instrs, _ := ParseAsm("st.async.v2.b32 [%0], { %1 , %2 }, [%3];", source.Span{}, nil)
	if len(instrs) != 1 || len(instrs[0].Operands) != 3 {
		t.Fatalf("got %v", instrs)
	}
	ops := instrs[0].Operands
	if !ops[0].Address || ops[1].Address || strings.Join(ops[1].Vector, " ") != "%1 %2" || ops[0].Vector != nil {
		t.Errorf("got %+v", ops)
	}
}

func TestParseAsmSpans(t *testing.T) {
	text := "{ .reg .pred p; L: @p bar.sync 0; }"
	var offsets []string
	instrs, _ := ParseAsm(text, source.Span{}, func(off int) source.Span { return source.Span{Start: off, End: off + 1} })
	for _, in := range instrs {
		offsets = append(offsets, text[in.Span.Start:in.Span.End])
	}
	if got := strings.Join(offsets, " "); got != "@" {
		t.Errorf("got %q", got)
	}
	if instrs, _ := ParseAsm("ret;", source.Span{Start: 3, End: 9}, nil); instrs[0].Span != (source.Span{Start: 3, End: 9}) {
		t.Errorf("without lineAt: %v", instrs[0].Span)
	}
}

func TestParseAsmLimit(t *testing.T) {
	instrs, notes := ParseAsm(strings.Repeat("ret;", maxAsmInstrs+5), source.Span{}, nil)
	if len(instrs) != maxAsmInstrs || len(notes) != 1 {
		t.Errorf("got %d instructions, notes %v", len(instrs), notes)
	}
	if instrs, _ := ParseAsm(strings.Repeat("{.reg .b32 t;", 50_000)+"ret;", source.Span{}, nil); len(instrs) != 1 {
		t.Errorf("deep scopes: got %d instructions", len(instrs))
	}
}

func FuzzParseAsm(f *testing.F) {
	for _, s := range []string{"@!p mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;", "{ .reg .pred P; W: bra W; } { W: bra W; }",
		"tcgen05.ld{%0,%1},[%2];", "/* \" */ .loc 1 2", "A::b: ::: @ {[("} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		instrs, _ := ParseAsm(s, source.Span{}, func(off int) source.Span {
			if off < 0 || off >= len(s) {
				t.Fatalf("offset %d of %d", off, len(s))
			}
			return source.Span{}
		})
		for _, in := range instrs {
			_ = in.String()
		}
	})
}
