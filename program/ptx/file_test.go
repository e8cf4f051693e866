package ptx

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

var update = flag.Bool("update", false, "rewrite golden files")

func dump(t *testing.T, data []byte) string {
	t.Helper()
	var b strings.Builder
	if err := program.Dump(&b, Read(&source.File{Name: "k.ptx", Data: data})); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReadGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/ring.ptx")
	if err != nil {
		t.Fatal(err)
	}
	got := dump(t, data)
	if *update {
		if err := os.WriteFile("testdata/ring.golden", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/ring.golden")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("tree differs from testdata/ring.golden (go test -update rewrites it); got\n%s", got)
	}
}

func TestReadPlaces(t *testing.T) {
	data, err := os.ReadFile("testdata/ring.ptx")
	if err != nil {
		t.Fatal(err)
	}
	f := Read(&source.File{Data: data})
	if len(f.Functions) != 2 || len(f.Notes) != 0 || len(f.Skipped) != 0 {
		t.Fatalf("got %d functions, notes %v, skipped %v", len(f.Functions), f.Notes, f.Skipped)
	}
	k := f.Functions[1]
	if got := string(data[k.NameSpan.Start:k.NameSpan.End]); got != "ring" || !k.Kernel || f.Functions[0].Kernel {
		t.Errorf("kernel name span holds %q", got)
	}
	for _, s := range k.Body {
		a, ok := s.(*program.Asm)
		if !ok || a.Instrs[0].Op != "mbarrier" {
			continue
		}
		text := string(data[a.Span.Start:a.Span.End])
		if !strings.HasPrefix(text, "mbarrier.try_wait") || !strings.HasSuffix(text, "%r3;") {
			t.Errorf("span of mbarrier.try_wait holds %q", text)
		}
	}
}

func TestReadBroken(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"unfinished body":   {".entry a() { ret;", "(skipped a)\n"},
		"open list":         {".entry a(.param .u32 x { ret; }\n.entry c() { ret; }", "(func kernel c)\n  (asm ret)\n(skipped a)\n"},
		"prototype":         {".extern .func f;\n.func g() { ret; }", "(func g)\n  (asm ret)\n"},
		"nothing":           {"\x00\xff }}} ;;", ""},
		"unknown directive": {".frob 1, {2};\n.entry a() .frob 3 { .frob 4; ret; }", "(func kernel a (call frob 3))\n  (asm ret)\n"},
		"no name":           {".entry { ret; }", "(skipped )\n"},
	} {
		if got := dump(t, []byte(c.in)); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func FuzzReadPTX(f *testing.F) {
	for _, s := range []string{".version 8.0\n.entry k(.param .u64 p) .reqntid 1 { .shared .b8 s[4]; L: ret; }",
		".func (.param .b32 r) f() { { .reg .pred p; W: @p bra W; } { W: bra W; } }", ".global .u8 a[2][3] = {1, 2}, b;",
		".section .debug {\n.b8 \"}\"\n}", "/* .entry a( { ( [ \""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out := Read(&source.File{Data: data})
		program.WalkStmts(out.Body, func(s program.Stmt) bool {
			if at := s.Where(); at.Start < 0 || at.End > len(data) || at.Start > at.End {
				t.Fatalf("span %v of %d", at, len(data))
			}
			return true
		})
		_ = dump(t, data)
	})
}
