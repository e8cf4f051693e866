package compiled

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/judge/kernel"
	"github.com/fencepost-dev/fencepost/judge/random"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// TestRandomAgrees: so do random kernels. FENCEPOST_COMPILED is how many, FENCEPOST_SEED the first.
func TestRandomAgrees(t *testing.T) {
	compiler(t)
	n, first := 24, 0
	if more, err := strconv.Atoi(os.Getenv("FENCEPOST_COMPILED")); err == nil {
		n = more
	}
	if seed, err := strconv.Atoi(os.Getenv("FENCEPOST_SEED")); err == nil {
		first = seed
	}
	var names []string
	dir := t.TempDir()
	for seed := first; seed < first+n; seed++ {
		name := fmt.Sprintf("%06d.cu", seed)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(random.Draw(kernel.CUDA, uint64(seed)).Text()), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	var mu sync.Mutex
	var rows []*row
	uncompiled := 0
	inParallel(names, func(name string) {
		code, err := compileFile(filepath.Join(dir, name))
		if err != nil { // a mutant
			mu.Lock()
			uncompiled++
			mu.Unlock()
			return
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			return
		}
		f, err := check.Read(source.Decode(name, text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		of, err := judged(f, nil, ptx.Read(&source.File{Name: name + ".ptx", Data: code}))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		rows = append(rows, of...)
	})
	report(t, rows, nil)
	t.Logf("%d of %d do not compile", uncompiled, n)
}
