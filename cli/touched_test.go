package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The hook's --touched compares with HEAD, in a real repository: what is staged of a file of functions reaches the kernels that use it.
func TestTouched(t *testing.T) {
	const kernel = `import cutlass.cute as cute
from .meet import NAME

@cute.kernel
def k_NAME():
    cute.arch.sync_threads()
    if cute.arch.thread_idx_x() < 64:
        NAME()

@cute.jit
def run():
    k_NAME().launch(grid=(1, 1, 1), block=(128, 1, 1))
`
	meet := "import cutlass.cute as cute\n\n\ndef both():\n    cute.arch.barrier(barrier_id=1, number_of_threads=64)\n\n\ndef other():\n    # as it is\n    cute.arch.sync_warp()\n"
	dir, git := repository(t, map[string]string{
		"sub/ops/__init__.py": "", "sub/ops/meet.py": meet, "sub/ops/one.py": strings.ReplaceAll(kernel, "NAME", "both"), "sub/ops/two.py": strings.ReplaceAll(kernel, "NAME", "other"),
	})
	for _, at := range []struct{ root, name string }{{"", "sub/ops/meet.py"}, {"sub", "ops/meet.py"}} {
		check := func(code int, from, to string, args []string, want ...string) {
			t.Helper()
			text := strings.Replace(meet, from, to, 1)
			if err := os.WriteFile(filepath.Join(dir, "sub/ops/meet.py"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			git("add", "-A")
			r := invoke(t, filepath.Join(dir, at.root), nil, append([]string{"check", "--engine", "explore", "--touched", at.name}, args...)...)
			if r.code != code {
				t.Errorf("%q: exit code %d, want %d\n%s%s", to, r.code, code, r.stdout, r.stderr)
			}
			for _, w := range want {
				if !strings.Contains(r.stdout, w) {
					t.Errorf("%q: no %q in\n%s%s", to, w, r.stdout, r.stderr)
				}
			}
			if one, two := strings.Contains(r.stdout, "k_both"), strings.Contains(r.stdout, "k_other"); one && two && from != "" {
				t.Errorf("%q: both kernels are checked\n%s", to, r.stdout)
			}
		}
		check(0, "# as it is", "# another", nil, "not checked: 1", "0 kernels")
		check(1, "number_of_threads=64", "number_of_threads=96", nil, "k_both", "violated")
		check(0, "sync_warp()", "sync_threads(), 1", []string{"--fail-on", "never"}, "k_other")
		check(0, "", "", nil, "k_both", "k_other") // as HEAD has it: all of it, as ever
		check(2, "", "", []string{"--staged"})
	}
	if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	r := invoke(t, dir, nil, "check", "--engine", "explore", "--touched", "sub/ops/meet.py")
	for _, want := range []string{"k_both", "k_other", "files are checked whole"} {
		if r.code != 0 || !strings.Contains(r.stdout, want) {
			t.Errorf("without a repository: exit code %d, no %q in\n%s%s", r.code, want, r.stdout, r.stderr)
		}
	}
}

// What warm has checked, check takes from the cache.
func TestWarm(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := write(t, map[string]string{"k.py": clean})
	if r := invoke(t, dir, nil, "warm"); r.code != 0 || !strings.Contains(r.stdout, "1 kernels of 1 files were checked") {
		t.Fatalf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if r := invoke(t, dir, nil, "check", "--engine", "explore", "--format", "json"); !strings.Contains(r.stdout, `"ms": 0,`) {
		t.Errorf("it was checked again:\n%s", r.stdout)
	}
	if r := invoke(t, dir, nil, "check", "--engine", "explore", "--format", "json", "--no-cache"); strings.Contains(r.stdout, `"ms": 0,`) {
		t.Errorf("--no-cache takes it from the cache:\n%s", r.stdout)
	}
}
