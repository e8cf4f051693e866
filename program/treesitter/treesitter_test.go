package treesitter

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	cuda "github.com/tree-sitter-grammars/tree-sitter-cuda/bindings/go"
)

// The C code here is compiled against a copy of the parser's header, and linked with the parser of the module.
func TestHeaderIsTheModules(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tree-sitter/go-tree-sitter").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	want, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "include", "tree_sitter", "api.h"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("tree_sitter", "api.h"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("tree_sitter/api.h is not that of the module in go.mod: copy include/tree_sitter/api.h of the module over it")
	}
}

func list(t *testing.T, text string, lim Limits) []Node {
	t.Helper()
	l := New(cuda.Language())
	p, err := l.NewParser(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	nodes, err := p.Parse([]byte(text), lim)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(nodes)
}

func TestParse(t *testing.T) {
	const text = "int f(int a) { return a + ; }"
	l := New(cuda.Language())
	var out strings.Builder
	for _, n := range list(t, text, Limits{Nodes: 1000, Deepest: 100}) {
		kind, named := l.Kind(&n)
		if !named {
			continue
		}
		out.WriteString(strings.Repeat(" ", int(n.Depth)) + l.Field(&n) + ":" + kind)
		if n.Missing() {
			out.WriteString("!")
		} else if n.Bad() {
			out.WriteString("?")
		}
		out.WriteString(" " + text[n.Start:n.End] + "\n")
	}
	want := ":translation_unit? " + text + `
 :function_definition? ` + text + `
  type:primitive_type int
  declarator:function_declarator f(int a)
   declarator:identifier f
   parameters:parameter_list (int a)
    :parameter_declaration int a
     type:primitive_type int
     declarator:identifier a
  body:compound_statement? { return a + ; }
   :return_statement? return a + ;
    :binary_expression? a +
     left:identifier a
     right:identifier! 
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestLimits(t *testing.T) {
	const text = "void f() { if (a) { b(); } } void g();"
	all := list(t, text, Limits{Nodes: 1000, Deepest: 100})
	for _, n := range list(t, text, Limits{Nodes: 1000, Deepest: 3}) {
		if n.Depth > 3 {
			t.Errorf("a node of depth %d, want no more than 3", n.Depth)
		}
	}
	few := list(t, text, Limits{Nodes: 8, Deepest: 100})
	if len(few) >= len(all) || few[len(few)-1].Start != all[len(all)-1].Start-uint32(len("void g()")) {
		t.Errorf("%d of %d nodes, the last at %d: want what stands behind the limit, without its children", len(few), len(all), few[len(few)-1].Start)
	}
	l := New(cuda.Language())
	p, err := l.NewParser(0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Parse([]byte(strings.Repeat(text, 1000)), Limits{Steps: 3, Nodes: 1000, Deepest: 100}); !errors.Is(err, ErrLimit) {
		t.Errorf("three steps: %v, want %v", err, ErrLimit)
	}
	for _, text := range []string{"", "\x00\xff", "int x"} { // the parser is good for another text
		if nodes, err := p.Parse([]byte(text), Limits{Nodes: 1000, Deepest: 100}); err != nil || len(nodes) == 0 {
			t.Errorf("%q: %d nodes, %v", text, len(nodes), err)
		}
	}
}
