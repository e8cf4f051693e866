package source

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWith: an edited file is read as edited, in that tree only, and a name outside stays refused.
func TestWith(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "k.py"), []byte("right\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tree, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	faulty := tree.With("k.py", []byte("faulty\n"))
	for want, from := range map[string]*Tree{"right\n": tree, "faulty\n": faulty} {
		f, err := from.Read("k.py")
		if err != nil || string(f.Data) != want {
			t.Errorf("read %q, %v; want %q", f.Data, err, want)
		}
	}
	if _, err := faulty.With("../k.py", nil).Read("../k.py"); err == nil {
		t.Error("a file outside of the tree is read")
	}
}
