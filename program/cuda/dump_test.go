package cuda

import (
	"os"
	"testing"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

func TestDumpFile(t *testing.T) {
	data, err := os.ReadFile(os.Getenv("FENCEPOST_DUMP"))
	if err != nil {
		t.Skip()
	}
	f := Read(&source.File{Data: data})
	program.Dump(os.Stdout, f)
	for _, fn := range f.Functions {
		t.Logf("%s kernel=%v %d attrs span %q...", fn.Qualified, fn.Kernel, len(fn.Attributes), data[fn.Span.Start:fn.Span.Start+20])
	}
}
