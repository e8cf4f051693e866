package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutputFollowsNoLink: a link that a repository brings as the name of a report, or on the way to it, is not followed.
func TestOutputFollowsNoLink(t *testing.T) {
	precious := write(t, map[string]string{"target": "precious"})
	dir := write(t, map[string]string{"clean.py": clean, ".git/HEAD": "ref: refs/heads/main\n", "sub/x": "", "real.sarif": "precious"})
	for link, target := range map[string]string{
		"out.sarif": filepath.Join(precious, "target"), "inside.sarif": "real.sarif", "away": precious, "sub/up.sarif": filepath.Join(precious, "target"),
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	for _, c := range []struct{ cwd, out, clean string }{
		{dir, "out.sarif", "clean.py"}, {dir, "inside.sarif", "clean.py"}, {dir, "away/target", "clean.py"}, {dir, "./sub/../out.sarif", "clean.py"},
		{dir, filepath.Join(dir, "out.sarif"), "clean.py"}, {filepath.Join(dir, "sub"), "up.sarif", "../clean.py"}, {filepath.Join(dir, "sub"), "../away/target", "../clean.py"},
		{precious, filepath.Join(dir, "away/target"), filepath.Join(dir, "clean.py")}, // another working directory: the checked tree's links are refused as well
	} {
		r := invoke(t, c.cwd, nil, "--engine", "none", "--output", "sarif="+c.out, c.clean)
		if r.code != ExitInternal || !strings.Contains(r.stderr, "symbolic link") {
			t.Errorf("%s in %s: exit code %d, want %d\n%s", c.out, c.cwd, r.code, ExitInternal, r.stderr)
		}
	}
	for _, name := range []string{filepath.Join(precious, "target"), filepath.Join(dir, "real.sarif")} {
		if text, err := os.ReadFile(name); err != nil || string(text) != "precious" {
			t.Errorf("%s was written over: %v, %.40s", name, err, text)
		}
	}
	// Outside of any repository a link is the user's own, and is written through.
	own := write(t, map[string]string{"elsewhere/clean.py": clean, "elsewhere/old.sarif": "old"})
	link := filepath.Join(own, "link")
	if err := os.Symlink(filepath.Join(own, "elsewhere"), link); err != nil {
		t.Skip(err)
	}
	if r := invoke(t, filepath.Join(own, "elsewhere"), nil, "--engine", "none", "--output", "sarif="+filepath.Join(link, "old.sarif"), "clean.py"); r.code != ExitClean {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
}
