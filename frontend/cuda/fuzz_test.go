package cuda

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/source"
)

// FuzzTranslate: whatever a stranger writes becomes a kernel that verifies, or an error; never a panic.
func FuzzTranslate(f *testing.F) {
	names, err := filepath.Glob("../../testdata/*/*.cu")
	if err != nil || len(names) < 100 {
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
		file := cuda.Read(source.Decode("k.cu", []byte(text)), nil)
		for _, fn := range file.Functions {
			if fn.Kernel {
				if k, _, err := translate(file, dialect.New(program.CUDA), fn, nil, 32, nil); err == nil {
					_ = k.String()
				}
			}
		}
	})
}
