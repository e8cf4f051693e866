package ptx

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

var update = flag.Bool("update", false, "write the results in docs/ir.md anew")

// TestManual compares what docs/ir.md shows of its kernel with what is computed of it: go test ./frontend/ptx -run Manual -update.
func TestManual(t *testing.T) {
	const path = "../../docs/ir.md"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(data), "```ptx\n")
	text, rest, found := strings.Cut(rest, "```\n")
	between, rest, _ := strings.Cut(rest, "```ir\n")
	const say = "and the passes say:\n"
	_, rest, shown := strings.Cut(rest, say)
	if !found || !shown {
		t.Fatalf("%s has no kernel, or not what is computed of it", path)
	}
	f := ptx.Read(&source.File{Name: "turns.ptx", Data: []byte(text)})
	k, err := Translate(f, f.Functions[0])
	if err != nil {
		t.Fatal(err)
	}
	var passes strings.Builder
	for _, p := range ir.Passes() {
		fmt.Fprintf(&passes, "\n### %s\n\n%s.\n\n```\n%s```\n", p.Name(), sentence(p.Doc()), p.Print(k))
	}
	after := ""
	if n := strings.Index(rest, "\n## "); n >= 0 {
		after = rest[n:]
	}
	want := before + "```ptx\n" + text + "```\n" + between + "```ir\n" + k.String() + "```\n\n" + say + passes.String() + after
	switch {
	case want == string(data):
	case *update:
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what is computed; run with -update if that is meant", path)
	}
}

func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
