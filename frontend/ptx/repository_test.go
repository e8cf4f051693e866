package ptx

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// kernels translates all kernels of all PTX that the repository has; FENCEPOST_PTX names a folder with more.
func kernels(t *testing.T, look func(t *testing.T, k *ir.Kernel)) {
	t.Helper()
	root := filepath.Join("..", "..")
	list := exec.Command("git", "ls-files", "*.ptx")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Skipf("no list of files: git ls-files: %v", err)
	}
	paths := strings.Fields(string(out))
	for k := range paths {
		paths[k] = filepath.Join(root, paths[k])
	}
	if more := os.Getenv("FENCEPOST_PTX"); more != "" {
		found, _ := filepath.Glob(filepath.Join(more, "*.ptx"))
		paths = append(paths, found...)
	}
	seen := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := ptx.Read(&source.File{Name: path, Data: data})
		for _, fn := range f.Functions {
			if !fn.Kernel {
				continue
			}
			k, err := Translate(f, fn)
			if err != nil {
				t.Logf("%s: %v", path, err)
				continue
			}
			seen++
			t.Run(filepath.Base(path)+"/"+fn.Name, func(t *testing.T) { look(t, k) })
		}
	}
	if seen < 20 {
		t.Errorf("saw %d kernels, expected at least 20", seen)
	}
}

// TestKernelsAreWhole verifies what the front end makes, and what the executor runs of it.
func TestKernelsAreWhole(t *testing.T) {
	kernels(t, func(t *testing.T, k *ir.Kernel) {
		for _, c := range []*ir.Kernel{k, k.Reduced(false), k.Reduced(true)} {
			if err := ir.Verify(c); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestTextIsWhole prints all kernels and reads them back.
func TestTextIsWhole(t *testing.T) {
	kernels(t, func(t *testing.T, k *ir.Kernel) {
		for _, c := range []*ir.Kernel{k, k.Reduced(false)} {
			text := c.String()
			again, err := ir.Parse("k.ir", text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if d := ir.Difference(c, again); d != "" {
				t.Errorf("the text is read as another kernel: %s", d)
			}
			if again.String() != text {
				t.Error("what is read is printed in another way")
			}
		}
	})
}
