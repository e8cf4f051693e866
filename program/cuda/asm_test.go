package cuda

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/program"
)

func onlyAsm(t *testing.T, body string) (*program.Asm, string) {
	t.Helper()
	text := "#define SCOPE \".gpu\"\nvoid f() {\n" + body + "\n}"
	f := read(text)
	for _, s := range f.Functions[0].Body {
		if a, ok := s.(*program.Asm); ok {
			return a, text
		}
	}
	t.Fatalf("no asm in %s", dump(t, f))
	return nil, ""
}

func TestAsm(t *testing.T) {
	a, text := onlyAsm(t, `asm volatile("{\n"
		"  .reg .pred p;\n" // a comment
		"  mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
		"  selp.u32 %0, 1, 0, p;\n}"
		: "=r"(ok) : "r"(addr(b)), "r"(phase ^ 1) : "memory", "cc");`)
	if !a.Volatile || len(a.Outputs) != 1 || len(a.Inputs) != 2 || strings.Join(a.Clobbers, " ") != "memory cc" {
		t.Fatalf("operands: %+v", a)
	}
	if a.Outputs[0].Constraint != "=r" || program.DumpExpr(a.Inputs[1].X) != "(^ phase 1)" {
		t.Errorf("operands: %+v", a)
	}
	for i := range a.Instrs {
		in := &a.Instrs[i]
		if in.Op != "mbarrier" {
			continue
		}
		if !in.Has("try_wait") || !in.Has("shared::cta") {
			t.Errorf("modifiers %v", in.Modifiers)
		}
		if got := text[in.Span.Start:in.Span.End]; got != "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2" {
			t.Errorf("instruction span %q", got)
		}
		return
	}
	t.Errorf("no mbarrier in %v", a.Instrs)
}

func TestAsmTemplates(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"macro of this file", `asm("fence.acq_rel" SCOPE ";");`, "fence.acq_rel.gpu;"},
		{"raw string", `asm(R"(bar.sync 0;)");`, "bar.sync 0;"},
		{"escapes", `asm("a;\n\tb;\x41");`, "a;\n\tb;A"},
		{"missing comma", `asm("x;" :: "r"(a) "r"(b));`, "x;"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, _ := onlyAsm(t, tt.body)
			if a.Template == nil || *a.Template != tt.want {
				t.Errorf("template %v, want %q", a.Template, tt.want)
			}
		})
	}
	for _, body := range []string{`asm("fence" UNKNOWN ";");`, `asm("fence;" TAIL);`} {
		if a, _ := onlyAsm(t, body); a.Template != nil {
			t.Errorf("%s: template %q, want none", body, *a.Template)
		}
	}
}
