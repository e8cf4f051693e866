package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/finding"
)

// TestHandoffs decides the kernels of testdata/handoffs: what is wrong with one is an error with an execution, where the file says so, and a right one has none.
func TestHandoffs(t *testing.T) {
	files, err := filepath.Glob("../testdata/handoffs/*.cu")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			r, err := run(t, map[string]string{filepath.Base(name): text}, nil)
			if err != nil || len(r.Kernels) != 1 {
				t.Fatalf("%d kernels: %v", len(r.Kernels), err)
			}
			r.Findings = slices.DeleteFunc(r.Findings, func(f finding.Finding) bool { return f.Severity < finding.Error })
			if got, want := places(r.Findings), wanted(text); !slices.Equal(got, want) {
				t.Errorf("errors %q, want %q", got, want)
			}
			head := strings.Split(text, "\n")[1]
			if got := r.Kernels[0]; !strings.HasPrefix(head, "// expect: "+got.Verdict) || strings.HasSuffix(head, " order") != (got.Properties["order"] == "violated") {
				t.Errorf("%s, order %q; want %s", got.Verdict, got.Properties["order"], head)
			}
		})
	}
}
