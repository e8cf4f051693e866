//go:build unix

package spin

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestSweepLeftBehind: what a run that was killed left behind is removed, and nothing else is.
func TestSweepLeftBehind(t *testing.T) {
	under := t.TempDir()
	long := time.Now().Add(-time.Hour)
	place := func(name string, files ...string) string {
		dir := filepath.Join(under, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(dir, f), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		os.Chtimes(dir, long, long)
		return dir
	}
	place("fencepost-killed", lockFile, modelFile)
	alive, err := hold(filepath.Join(place("fencepost-alive", lockFile), lockFile))
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	place("fencepost-notes", "letter.txt") // somebody's own folder
	place("other", lockFile)
	now := time.Now()
	os.Chtimes(place("fencepost-fresh", lockFile), now, now)
	os.Chmod(place("fencepost-shared", lockFile), 0o777)
	target := place("target", lockFile)
	os.Symlink(target, filepath.Join(under, "fencepost-link"))

	sweep(under)
	var left []string
	list, err := os.ReadDir(under)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		left = append(left, e.Name())
	}
	if want := []string{"fencepost-alive", "fencepost-fresh", "fencepost-link", "fencepost-notes", "fencepost-shared", "other", "target"}; !slices.Equal(left, want) {
		t.Errorf("left: %v\nwant: %v", left, want)
	}
}
