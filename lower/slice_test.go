package lower

import (
	"os"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cutedsl"
	"github.com/fencepost-dev/fencepost/source"
)

// The write-up prints the slice of its smoother: of 29 statements 16 are kept.
func TestSliceOfPublishedSmoother(t *testing.T) {
	data, err := os.ReadFile("../testdata/smoother/published.py")
	if err != nil {
		t.Fatal(err)
	}
	f := cutedsl.Read(source.Decode("published.py", data))
	var kernel *program.Function
	for _, fn := range f.Functions {
		if fn.Kernel {
			kernel = fn
		}
	}
	lines := Slice(kernel, f, dialect.New(program.CuTe))
	kept := 0
	for _, l := range lines {
		if l.Kept {
			kept++
		}
		t.Logf("%v %-60s %s", l.Kept, f.Source.Text(l.Span), l.Why)
	}
	if len(lines) != 29 || kept != 16 {
		t.Errorf("kept %d of %d statements, want 16 of 29", kept, len(lines))
	}
}
