//go:build unix

package source

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string) *Tree {
	t.Helper()
	tree, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

// hostile makes a tree with everything a stranger may commit.
func hostile(t *testing.T) string {
	dir := t.TempDir()
	outside := t.TempDir()
	write(t, outside, "secret.py", "token")
	write(t, dir, "a.py", "a")
	write(t, dir, "sub/b.py", "b")
	write(t, dir, "sub/big.py", strings.Repeat("#", MaxFileSize+1))
	write(t, dir, ".git/config.py", "token")
	write(t, dir, "vendor/v.py", "v")
	write(t, dir, "x/node_modules/n.py", "n")
	for link, to := range map[string]string{
		"out.py": filepath.Join(outside, "secret.py"), "in.py": ".git/config.py", "loop": ".", "outdir": outside, "indir": ".git", "dangling.py": "nothing",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.py"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReadRefuses(t *testing.T) {
	dir := hostile(t)
	tree := open(t, dir)
	for _, name := range []string{"out.py", "in.py", "indir/config.py", "outdir/secret.py", "pipe.py", "sub", "loop/a.py"} {
		_, err := tree.Read(name)
		var notRegular *NotRegularError
		if !errors.As(err, &notRegular) {
			t.Errorf("Read(%s): %v, want a NotRegularError", name, err)
		}
	}
	for _, name := range []string{"../x.py", "/etc/passwd", "a/../../x", "", "a\x00.py", "sub/../../../etc/passwd"} {
		if f, err := tree.Read(name); err == nil {
			t.Errorf("Read(%q) gave %q", name, f.Data)
		}
	}
	_, err := tree.Read("sub/big.py")
	var limit *LimitError
	if !errors.As(err, &limit) || limit.Limit != MaxFileSize || limit.Size != MaxFileSize+1 {
		t.Errorf("Read of a large file: %v", err)
	}
	tree.MaxFileSize = 4 << 20
	if _, err := tree.Read("sub/big.py"); err != nil {
		t.Errorf("a raised limit is not used: %v", err)
	}
	for _, name := range []string{"sub/b.py", "./sub/b.py", "sub/../sub/b.py", filepath.Join(dir, "sub/b.py")} {
		f, err := tree.Read(name)
		if err != nil || f.Name != "sub/b.py" || string(f.Data) != "b" {
			t.Errorf("Read(%s) = %+v, %v", name, f, err)
		}
	}
}

func TestWalk(t *testing.T) {
	tree := open(t, hostile(t))
	python := func(name string) bool { return strings.HasSuffix(name, ".py") }
	for _, test := range []struct {
		paths []string
		want  []string
	}{
		{nil, []string{"a.py", "sub/b.py", "sub/big.py"}},
		{[]string{"sub", "."}, []string{"a.py", "sub/b.py", "sub/big.py"}},
		{[]string{"sub/b.py", "sub/b.py"}, []string{"sub/b.py explicit"}},
		{[]string{"vendor"}, []string{"vendor/v.py"}},
		{[]string{"out.py"}, []string{"out.py explicit"}}, // Read refuses it, with a note
		{[]string{"loop", "indir", "outdir"}, []string{"indir explicit", "loop explicit", "outdir explicit"}},
	} {
		var got []string
		notes, err := tree.Walk(test.paths, python, func(name string, explicit bool) error {
			if explicit {
				name += " explicit"
			}
			got = append(got, name)
			return nil
		})
		if err != nil || len(notes) > 0 || !reflect.DeepEqual(got, test.want) {
			t.Errorf("Walk(%q) = %q, notes %q, %v; want %q", test.paths, got, notes, err, test.want)
		}
	}
	for _, p := range []string{"../elsewhere", "/etc", "no-such-file", "a\x00"} {
		_, err := tree.Walk([]string{p}, python, func(string, bool) error { return nil })
		if err == nil {
			t.Errorf("Walk(%q) gave no error", p)
		}
	}
	stop := errors.New("stop")
	if _, err := tree.Walk(nil, python, func(string, bool) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the callback's error is lost: %v", err)
	}
}

func TestWalkLimits(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "ok.py", "")
	write(t, dir, strings.Repeat("d/", maxDepth+3)+"deep.py", "")
	if err := os.WriteFile(filepath.Join(dir, "bad\xff.py"), nil, 0o644); err != nil {
		t.Skip("this file system refuses names that are not UTF-8")
	}
	var got []string
	notes, err := open(t, dir).Walk(nil, func(string) bool { return true }, func(name string, _ bool) error {
		got = append(got, name)
		return nil
	})
	if err != nil || fmt.Sprint(got) != "[ok.py]" || len(notes) != 2 {
		t.Errorf("got %q, notes %q, %v", got, notes, err)
	}
}
