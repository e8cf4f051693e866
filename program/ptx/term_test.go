package ptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

func read(text string) *program.File { return Read(&source.File{Name: "k.ptx", Data: []byte(text)}) }

// shown spells a term so that its parts can be told apart.
func shown(t Term) string {
	kind := [...]string{"none", "name", "integer", "float", "sink", "address", "vector", "list", "pair"}[t.Kind]
	var b strings.Builder
	b.WriteString(kind)
	if t.Not {
		b.WriteString(" not")
	}
	if t.Minus {
		b.WriteString(" minus")
	}
	if t.Name != "" {
		b.WriteString(" " + t.Name)
	}
	if t.Kind == Float {
		fmt.Fprintf(&b, " %x", uint64(t.Value))
	} else if t.Value != 0 || t.Kind == Integer {
		fmt.Fprintf(&b, " %d", t.Value)
	}
	if len(t.Parts) > 0 {
		var parts []string
		for _, p := range t.Parts {
			parts = append(parts, shown(p))
		}
		b.WriteString(" (" + strings.Join(parts, ", ") + ")")
	}
	return b.String()
}

func TestTake(t *testing.T) {
	for in, want := range map[string]string{
		"%r1":                    "name %r1",
		"%tid.x":                 "name %tid.x",
		"buf+16":                 "name buf 16",
		"-%r1":                   "name minus %r1",
		"!%p1":                   "name not %p1",
		"_":                      "sink",
		"42":                     "integer 42",
		"-1":                     "integer -1",
		"0x1FU":                  "integer 31",
		"017":                    "integer 15",
		"0b101":                  "integer 5",
		"18446744073709551615":   "integer -1",
		"(1<<4)|3":               "integer 19",
		"~0&0xff":                "integer 255",
		"-(2+3)*4":               "integer -20",
		"0f3F800000":             "float 3f800000",
		"-0f3F800000":            "float bf800000",
		"0d4000000000000000":     "float 4000000000000000",
		"1.5":                    "float 3ff8000000000000",
		"[%rd1]":                 "address %rd1",
		"[%rd1+8]":               "address %rd1 8",
		"[%rd1+-8]":              "address %rd1 -8",
		"[%rd1-8]":               "address %rd1 -8",
		"[buf+4]":                "address buf 4",
		"[64]":                   "address 64",
		"[%rd1,{%r1,%r2}]":       "address %rd1 (name %rd1, vector (name %r1, name %r2))",
		"{%r1,_,-2}":             "vector (name %r1, sink, integer -2)",
		"(param0,param1)":        "list (name param0, name param1)",
		"%p1|%p2":                "pair (name %p1, name %p2)",
		"_|%p2":                  "pair (sink, name %p2)",
		"1/0":                    "none",
		"1<<99":                  "none",
		"generic(x)":             "none",
		"[":                      "none",
		"":                       "none",
		strings.Repeat("(", 400): "none",
		strings.Repeat("{", 400) + strings.Repeat("}", 400): "vector (vector (vector (vector (vector (none)))))",
	} {
		if got := shown(Take(program.Operand{Text: in})); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

// TestLines: instructions know the source lines that .loc gives, files their names.
func TestLines(t *testing.T) {
	f := read(".file 1 \"a.cu\"\n.file 2 \"/src\" \"b.cu\"\n.entry k() {\n.loc 2 17 3\nbar.sync 0;\n.loc 1 0 0\nret;\n.loc 1 9 1, function_name f, inlined_at 2 4 4\nexit;\n}")
	var got []string
	for _, st := range f.Functions[0].Body {
		i := st.(*program.Asm).Instrs[0]
		got = append(got, fmt.Sprintf("%s %d:%d", i.Op, i.Loc.File, i.Loc.Line))
	}
	if want := "bar 2:17 ret 0:0 exit 1:9"; strings.Join(got, " ") != want || f.Paths[1] != "a.cu" || f.Paths[2] != "/src/b.cu" {
		t.Errorf("got %v and %v, want %s", got, f.Paths, want)
	}
}
