package random

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestFaultsApply: each fault that faults.sh plants is one of the code as it is. Whether it is found takes a build for each.
func TestFaultsApply(t *testing.T) {
	faults, err := filepath.Glob("faults/*.patch")
	if err != nil || len(faults) < 20 {
		t.Fatalf("%d faults, %v", len(faults), err)
	}
	for _, f := range faults {
		check := exec.Command("git", "apply", "--check", "-C1", filepath.Join("judge", "random", f))
		check.Dir = filepath.Join("..", "..")
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", f, err, out)
		}
	}
}
