package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository makes a git repository whose first commit holds files.
func repository(t *testing.T, files map[string]string) (dir string, git func(args ...string)) {
	t.Helper()
	dir = write(t, files)
	git = func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com",
			"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "base")
	return dir, git
}

// A finding counts when its kernel changed, wherever in the kernel; other files and other kernels do not.
func TestDiff(t *testing.T) {
	second := strings.ReplaceAll(strings.SplitN(zeroCount, "\n\n\n", 2)[1], "zero_count", "second")
	dir, git := repository(t, map[string]string{"old.py": zeroCount, "two.py": zeroCount + "\n\n" + second, "clean.py": clean})
	check := func(code int, stdout string, args ...string) {
		t.Helper()
		r := invoke(t, dir, nil, append([]string{"--engine", "none"}, args...)...)
		if r.code != code || !strings.Contains(r.stdout, stdout) || strings.Contains(r.stdout, "old.py:") {
			t.Errorf("%v: exit code %d, want %d and %q\n%s%s", args, r.code, code, stdout, r.stdout, r.stderr)
		}
	}
	check(0, "", "--diff", "HEAD")
	check(0, "", "--staged")

	// The last line of the second kernel changes: its finding is the author's now, the first kernel's is not.
	text := zeroCount + "\n\n" + second + "    cute.arch.sync_threads()\n"
	if err := os.WriteFile(filepath.Join(dir, "two.py"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	check(1, "in second", "--diff", "HEAD")
	check(0, "", "--staged")
	git("add", "two.py")
	check(1, "in second", "--staged")
	git("commit", "-q", "-m", "change")
	check(1, "in second", "--diff", "HEAD^1")
	check(0, "", "--diff", "HEAD^1", "clean.py")
	r := invoke(t, dir, nil, "--engine", "none", "--diff", "HEAD^1", "--format", "json")
	if n := strings.Count(r.stdout, `"rule"`); n != 1 {
		t.Errorf("%d findings, want the second kernel's alone:\n%s", n, r.stdout)
	}

	// On a pull request the base comes from the environment; a base that is not there is a mistake with a way out.
	env := map[string]string{"GITHUB_EVENT_NAME": "pull_request", "GITHUB_REF": "refs/pull/1/merge"}
	if r := invoke(t, dir, env, "--engine", "none", "--diff", "pull-request"); r.code != 1 {
		t.Errorf("pull request: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	r = invoke(t, dir, nil, "--diff", "HEAD~7")
	if r.code != 2 || !strings.Contains(r.stderr, "fetch-depth") {
		t.Errorf("missing revision: exit code %d, %s", r.code, r.stderr)
	}
	r = invoke(t, dir, nil, "--diff=--output=x")
	if _, err := os.Stat(filepath.Join(dir, "x")); r.code != 2 || err == nil {
		t.Errorf("a revision that looks like a flag: exit code %d, file written: %t", r.code, err == nil)
	}
}
