package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInit: a fresh repository gets files that fencepost itself takes; what is there stays.
func TestInit(t *testing.T) {
	dir := write(t, map[string]string{"k.cu": right})
	if r := invoke(t, dir, nil, "init", "--dry-run"); r.code != 0 || !strings.Contains(r.stdout, "would be") || exists(filepath.Join(dir, ".fencepost.yaml")) {
		t.Errorf("dry run: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if r := invoke(t, dir, nil, "init"); r.code != 0 || strings.Count(r.stdout, "written") != 3 {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	for name, want := range map[string]string{".fencepost.yaml": "fail-on: error", ".pre-commit-config.yaml": "rev: v", ".github/workflows/fencepost.yml": "fencepost-dev/fencepost@v"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(text), want) || strings.Contains(string(text), "@TAG@") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	if r := invoke(t, dir, nil, "config", "verify"); r.code != 0 || !strings.Contains(r.stdout, "in order") {
		t.Errorf("config verify: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if r := invoke(t, dir, nil, "--engine", "explore"); r.code != 0 {
		t.Errorf("check: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if err := os.WriteFile(filepath.Join(dir, ".pre-commit-config.yaml"), []byte("repos: []\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := invoke(t, dir, nil, "init", ".")
	if text, _ := os.ReadFile(filepath.Join(dir, ".pre-commit-config.yaml")); r.code != 0 || strings.Count(r.stdout, "there already") != 3 || string(text) != "repos: []\n" || !strings.Contains(r.stdout, "- id: fencepost\n") {
		t.Errorf("again: exit code %d\n%s%s%s", r.code, r.stdout, r.stderr, text)
	}
	if r := invoke(t, dir, nil, "init", "no-such"); r.code != ExitUsage {
		t.Errorf("no such folder: exit code %d", r.code)
	}

	// A link of the repository's is no folder to write through.
	away := t.TempDir()
	linked := write(t, map[string]string{"k.cu": right})
	if err := os.Symlink(away, filepath.Join(linked, ".github")); err != nil {
		t.Skip(err)
	}
	r = invoke(t, linked, nil, "init")
	if left, _ := os.ReadDir(away); r.code != ExitInternal || len(left) > 0 {
		t.Errorf("through a link: exit code %d, %v\n%s", r.code, left, r.stderr)
	}
}

// TestConfigSchema: what is printed is the schema.
func TestConfigSchema(t *testing.T) {
	if r := invoke(t, t.TempDir(), nil, "config", "schema"); r.code != 0 || !strings.Contains(r.stdout, `"title": ".fencepost.yaml"`) {
		t.Errorf("exit code %d\n%.200s%s", r.code, r.stdout, r.stderr)
	}
}
