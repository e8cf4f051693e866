package lower

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/program/cutedsl"
	"github.com/fencepost-dev/fencepost/source"
)

// read turns text into a tree by the ending of its name.
func read(name, text string) *program.File {
	f := source.Decode(name, []byte(text))
	if filepath.Ext(name) == ".py" {
		return cutedsl.Read(f)
	}
	return cuda.Read(f, nil)
}

// FuzzKernels lowers arbitrary text of each language: whatever a stranger writes, the evaluator ends with protocols
// that are well formed or with a reason, and never panics.
func FuzzKernels(f *testing.F) {
	names, err := filepath.Glob("../testdata/*/right.*")
	if err != nil || len(names) == 0 {
		f.Fatal("no seeds in testdata", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(filepath.Ext(name), string(text))
	}
	f.Fuzz(func(t *testing.T, ext, text string) {
		if len(text) > 1<<14 {
			return
		}
		if ext != ".py" {
			ext = ".cu"
		}
		tree := read("k"+ext, text)
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
