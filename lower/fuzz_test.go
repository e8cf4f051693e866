package lower

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cutedsl"
	"github.com/fencepost-dev/fencepost/source"
)

// read turns text into a tree.
func read(name, text string) *program.File { return cutedsl.Read(source.Decode(name, []byte(text))) }

// FuzzKernels lowers arbitrary text: whatever a stranger writes, the evaluator ends with protocols
// that are well formed or with a reason, and never panics.
func FuzzKernels(f *testing.F) {
	names, err := filepath.Glob("../testdata/*/right.py")
	if err != nil || len(names) == 0 {
		f.Fatal("no seeds in testdata", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		tree := read("k.py", text)
		table := dialect.New(tree.Language)
		for _, k := range Kernels(tree, table, Options{MaxInstances: 4}) {
			for _, p := range k.Instances {
				if err := p.Validate(); err != nil {
					t.Fatalf("kernel %s: %v", k.Name, err)
				}
			}
			Slice(k.Function, tree, table)
		}
	})
}
