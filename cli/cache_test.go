package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain gives the tests a cache of their own.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "fencepost-cache-")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_CACHE_HOME", dir) // not HOME, which has the modules that `go list` looks at
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// TestCacheIsTheUsers: --no-cache leaves the user's directory alone, and nothing that is checked says where a cache is.
func TestCacheIsTheUsers(t *testing.T) {
	source, err := os.ReadFile("../testdata/ring/right.py")
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, map[string]string{"right.py": string(source), "cache.yaml": "cache: " + t.TempDir() + "\n"})
	under := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, under)
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	exists := func() bool {
		_, err := os.Stat(filepath.Join(caches, "fencepost"))
		return err == nil
	}
	for _, verb := range []string{"check", "coverage"} {
		if r := invoke(t, dir, nil, verb, "--no-cache", "--engine", "explore", "right.py"); r.code != ExitClean || exists() {
			t.Errorf("%s --no-cache: code %d, a cache %t\n%s", verb, r.code, exists(), r.stderr)
		}
	}
	if r := invoke(t, dir, nil, "mutants", "--sample", "1", "right.py"); r.code != ExitClean || exists() {
		t.Errorf("mutants: code %d, a cache %t\n%s", r.code, exists(), r.stderr)
	}
	if r := invoke(t, dir, nil, "check", "--config", "cache.yaml", "right.py"); r.code != ExitUsage || !strings.Contains(r.stderr, "cache") {
		t.Errorf("cache in the configuration: code %d\n%s", r.code, r.stderr)
	}
	if r := invoke(t, dir, nil, "check", "--engine", "explore", "right.py"); r.code != ExitClean || !exists() {
		t.Errorf("check: code %d, a cache %t\n%s", r.code, exists(), r.stderr)
	}
	t.Setenv("XDG_CACHE_HOME", "relative")
	t.Setenv("HOME", "")
	t.Setenv("LocalAppData", "")
	for flag, told := range map[string]bool{"-v": true, "-q": false} {
		r := invoke(t, dir, nil, "check", flag, "--engine", "explore", "right.py")
		if r.code != ExitClean || strings.Contains(r.stderr, "no cache") != told {
			t.Errorf("without a cache, %s: code %d\n%s", flag, r.code, r.stderr)
		}
	}
}
