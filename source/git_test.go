//go:build unix

package source

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(gitEnv(), "HOME="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, key := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR"} {
		t.Setenv(key, "") // set when the tests run inside of a hook; they must not touch that repository
	}
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	write(t, dir, "k.py", "one\ntwo\nthree\nfour\n")
	write(t, dir, "sub/sp ace.cu", "a\nb\n")
	write(t, dir, "same.py", "x\n")
	runGit(t, dir, "add", ".")
	runGit(t, dir, "commit", "-q", "-m", "base")
	return dir
}

func TestChangedLines(t *testing.T) {
	dir := repository(t)
	base := runGit(t, dir, "rev-parse", "HEAD")
	runGit(t, dir, "checkout", "-q", "-b", "topic")
	write(t, dir, "k.py", "one\nTWO\nfour\nfive\n")
	write(t, dir, "sub/sp ace.cu", "a\nb\nc\n")
	write(t, dir, ".gitattributes", "*.py -diff\n") // a pull request must not hide its kernels as binary
	runGit(t, dir, "add", ".")
	runGit(t, dir, "commit", "-q", "-m", "topic")
	runGit(t, dir, "mv", "same.py", "moved.py")
	write(t, dir, "new.py", "n\n")

	want := map[string][]Range{
		"k.py": {{First: 2, Last: 2}, {First: 4, Last: 4}}, "sub/sp ace.cu": {{First: 3, Last: 3}}, ".gitattributes": {{First: 1, Last: 1}}, "new.py": {WholeFile},
	}
	for _, rev := range []string{base, "main", "HEAD~1"} {
		got, err := ChangedLines(context.Background(), dir, rev)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("ChangedLines(%s) = %v, %v; want %v", rev, got, err, want)
		}
	}
	got, err := ChangedLines(context.Background(), filepath.Join(dir, "sub"), "main")
	if err != nil || !reflect.DeepEqual(got, map[string][]Range{"sp ace.cu": {{First: 3, Last: 3}}}) {
		t.Errorf("in a sub-directory: %v, %v", got, err)
	}
	runGit(t, dir, "add", "new.py")
	got, err = StagedLines(context.Background(), dir)
	if err != nil || !reflect.DeepEqual(got, map[string][]Range{"new.py": {{First: 1, Last: 1}}}) {
		t.Errorf("StagedLines = %v, %v", got, err)
	}
}

func TestChangedLinesErrors(t *testing.T) {
	dir := repository(t)
	_, err := ChangedLines(context.Background(), dir, "0123456789012345678901234567890123456789")
	if !errors.Is(err, ErrNoRevision) || !strings.Contains(err.Error(), "fetch-depth: 2") {
		t.Errorf("a missing base: %v", err)
	}
	for _, rev := range []string{"", "--output=pwned", "-h", "no-such", "main:k.py", "main\n", "HEAD^{tree}"} {
		if got, err := ChangedLines(context.Background(), dir, rev); err == nil {
			t.Errorf("ChangedLines(%q) = %v", rev, got)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("a revision was taken as an option")
	}
	if _, err := ChangedLines(context.Background(), t.TempDir(), "main"); err == nil || errors.Is(err, ErrNoRevision) {
		t.Errorf("outside of a repository: %v", err)
	}
}

// None of the programs that git can be told to run may run (notes/anchors.md C1 row 15).
func TestGitRunsNothing(t *testing.T) {
	dir := repository(t)
	pwned := filepath.Join(dir, "pwned")
	script := filepath.Join(dir, "evil.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntouch "+pwned+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "reference-transaction"} {
		write(t, dir, ".git/hooks/"+hook, "")
		if err := os.WriteFile(filepath.Join(dir, ".git/hooks", hook), []byte("#!/bin/sh\ntouch "+pwned+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, ".gitattributes", "*.py diff=evil filter=evil\n*.cu filter=a=b.c\n*.h filter=process\n")
	for _, setting := range [][2]string{
		{"diff.external", script}, {"diff.evil.command", script}, {"diff.evil.textconv", script}, {"core.fsmonitor", script},
		{"core.pager", script}, {"pager.diff", script}, {"core.editor", script},
		{"filter.evil.clean", script}, {"filter.evil.smudge", script}, {"filter.evil.required", "true"}, {"filter.a=b.c.clean", script}, {"filter.process.process", script},
	} {
		runGit(t, dir, "config", setting[0], setting[1])
	}
	os.Remove(pwned)
	write(t, dir, "k.py", "changed\n")
	write(t, dir, "sub/sp ace.cu", "changed\n")
	if lines, err := ChangedLines(context.Background(), dir, "HEAD"); err != nil || lines["k.py"] == nil || lines["sub/sp ace.cu"] == nil {
		t.Fatal(lines, err)
	}
	if _, err := StagedLines(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	if texts, err := Committed(context.Background(), dir, []string{"k.py", "sub/sp ace.cu"}); err != nil || len(texts) != 2 {
		t.Fatal(texts, err)
	}
	if _, err := os.Stat(pwned); err == nil {
		t.Error("git ran a program of the repository's configuration")
	}
}

// Texts are those of HEAD, below the folder that is asked in; what HEAD does not have is left out, and names that are none of a file of it.
func TestCommitted(t *testing.T) {
	dir := repository(t)
	write(t, dir, "k.py", "changed\n")
	write(t, dir, "new.py", "new\n")
	runGit(t, dir, "add", ".")
	got, err := Committed(context.Background(), dir, []string{"new.py", "k.py", "sub", "../k.py", "a\nb.py", "sub/sp ace.cu", "same.py"})
	want := map[string][]byte{"k.py": []byte("one\ntwo\nthree\nfour\n"), "sub/sp ace.cu": []byte("a\nb\n"), "same.py": []byte("x\n")}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if got, err := Committed(context.Background(), filepath.Join(dir, "sub"), []string{"sp ace.cu"}); err != nil || string(got["sp ace.cu"]) != "a\nb\n" {
		t.Errorf("in a folder: %q, %v", got, err)
	}
	if _, err := Committed(context.Background(), t.TempDir(), []string{"k.py"}); err == nil {
		t.Error("outside of a repository there is no error")
	}
	fresh := t.TempDir()
	runGit(t, fresh, "init", "-q")
	if got, err := Committed(context.Background(), fresh, []string{"k.py"}); err != nil || len(got) != 0 {
		t.Errorf("before the first commit: %q, %v", got, err)
	}
}
