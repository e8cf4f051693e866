package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	frontend "github.com/fencepost-dev/fencepost/frontend/cuda"
	"github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir/exec"
	readptx "github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// TestTranslatedCompiled: where the repository has the PTX of a CUDA file, both have the same kernels, and what holds of one under a launch is not
// violated in the other.
func TestTranslatedCompiled(t *testing.T) {
	decided, open := 0, 0
	for _, pattern := range []string{"../testdata/*/*.ptx", "../testdata/rules/*/*.ptx", "barriers/testdata/*.ptx"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, compiled := range names {
			name := strings.TrimSuffix(compiled, ".ptx") + ".cu"
			text, err := os.ReadFile(name)
			if os.IsNotExist(err) {
				continue
			}
			data, err2 := os.ReadFile(compiled)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			f, err := Read(source.Decode(name, text))
			if err != nil {
				t.Fatal(err)
			}
			table, err := Table(f.Language, nil)
			if err != nil {
				t.Fatal(err)
			}
			of := readptx.Read(&source.File{Name: compiled, Data: data})
			for _, fn := range f.Functions {
				if !fn.Kernel {
					continue
				}
				whole, _, err := frontend.Translate(f, table, fn, nil, 32)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				for _, entry := range of.Functions {
					if !entry.Kernel || entry.Name != fn.Name && !strings.HasPrefix(entry.Name, mangled(fn.Name)) {
						continue
					}
					k, err := ptx.Translate(of, entry)
					if err != nil {
						t.Fatal(err)
					}
					a, err := barriers.Verify(whole, exec.Launch{}, order.Options{})
					if err != nil {
						t.Fatal(err)
					}
					k.Launches = whole.Launches
					b, err := barriers.Verify(k, exec.Launch{}, order.Options{})
					if err != nil {
						t.Fatal(err)
					}
					switch {
					case a.Verdict == engine.Inconclusive || b.Verdict == engine.Inconclusive:
						open++
					case a.Verdict != b.Verdict:
						t.Errorf("%s: %s is %s, and %s as it is compiled: %v", name, fn.Name, a.Verdict, b.Verdict, b.Findings)
					default:
						decided++
					}
				}
			}
		}
	}
	t.Logf("%d kernels are decided alike, %d are open in one of both", decided, open)
	if decided < 10 {
		t.Errorf("%d kernels are decided in both, expected 10", decided)
	}
}

// mangled is what the symbol of a function of no namespace begins with (Itanium C++ ABI, 5.1).
func mangled(name string) string { return fmt.Sprintf("_Z%d%s", len(name), name) }
