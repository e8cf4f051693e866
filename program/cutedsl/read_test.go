package cutedsl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

func dump(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	if err := program.Dump(&b, Read(&source.File{Name: "k.py", Data: []byte(text)})); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTrees(t *testing.T) {
	root := os.Getenv("FENCEPOST_TREES")
	if root == "" {
		t.Skip("set FENCEPOST_TREES to a directory of Python projects")
	}
	files, bytes, skipped, functions, kernels, notes := 0, 0, 0, 0, 0, map[string]int{}
	start := time.Now()
	filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".py") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		f := Read(&source.File{Name: path, Data: data})
		files, bytes = files+1, bytes+len(data)
		for _, s := range f.Skipped {
			t.Logf("%s: skipped %s", path, s.Name)
		}
		for _, n := range f.Notes {
			notes[n.Text]++
			if !strings.HasPrefix(n.Text, "exception") {
				t.Logf("%s: %s", path, n.Text)
			}
		}
		skipped, functions = skipped+len(f.Skipped), functions+len(f.Functions)
		for _, fn := range f.Functions {
			if fn.Kernel {
				kernels++
			}
		}
		return nil
	})
	t.Logf("%d files, %d functions, %d kernels, %d skipped, %.1f MB/s, notes %v", files, functions, kernels, skipped,
		float64(bytes)/1e6/time.Since(start).Seconds(), notes)
}
