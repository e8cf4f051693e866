package cache

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// home makes a fresh directory the user's cache directory, on any system, and returns fencepost's own in it.
func home(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("LocalAppData", dir)
	under, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(under, "fencepost")
}

// open opens the cache as a build of that name.
func open(t *testing.T, build string) *Cache {
	t.Helper()
	c, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c.build = func() (string, error) { return build, nil }
	return c
}

func key(n int) Key { return Key{0: byte(n), 1: byte(n >> 8)} }

func (c *Cache) mustClose(t *testing.T) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func wants(t *testing.T, c *Cache, key Key, want string) {
	t.Helper()
	if got, ok := c.Get(key); ok != (want != "") || string(got) != want {
		t.Errorf("key %x: %q %t, want %q", key[:2], got, ok, want)
	}
}

func TestKeeps(t *testing.T) {
	dir := home(t)
	c := open(t, "one")
	c.Put(key(1), []byte("a"))
	c.Put(key(2), []byte("b"))
	c.Put(key(1), []byte("c"))
	wants(t, c, key(1), "c")
	c.mustClose(t)
	c = open(t, "one")
	wants(t, c, key(1), "c")
	wants(t, c, key(2), "b")
	wants(t, c, key(17), "") // in the file of key 1
	c.Drop(key(1))
	wants(t, c, key(1), "")
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, f := range list {
		if info, _ := f.Info(); info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %s", f.Name(), info.Mode())
		}
	}
	if info, _ := os.Stat(dir); info.Mode().Perm() != 0o700 {
		t.Errorf("%s: %s", dir, info.Mode())
	}
}

func TestNilHoldsNothing(t *testing.T) {
	var c *Cache
	c.Put(key(1), []byte("a"))
	c.Drop(key(1))
	wants(t, c, key(1), "")
	c.mustClose(t)
}

// What one build kept, another one does not get: an engine that was changed may say something else.
func TestOtherBuild(t *testing.T) {
	home(t)
	c := open(t, "one")
	c.Put(key(1), []byte("a"))
	c.mustClose(t)
	c = open(t, "two")
	wants(t, c, key(1), "")
	c.Put(key(1), []byte("b"))
	c.mustClose(t)
	wants(t, open(t, "two"), key(1), "b")
	wants(t, open(t, "one"), key(1), "")
}

// The build is told by the program's bytes: the same each time, and another where they differ.
func TestBuild(t *testing.T) {
	first, err := build()
	second, again := build()
	if err != nil || again != nil || len(first) != 32 || first != second {
		t.Errorf("%x %v, %x %v", first, err, second, again)
	}
	dir := t.TempDir()
	digests := map[string]bool{}
	for _, text := range []string{"x", "y"} {
		name := filepath.Join(dir, text)
		os.WriteFile(name, []byte(text), 0o600)
		d, err := digest(name)
		if err != nil {
			t.Fatal(err)
		}
		digests[d] = true
	}
	if _, err := digest(filepath.Join(dir, "none")); err == nil || len(digests) != 2 {
		t.Errorf("%d builds; a missing file: %v", len(digests), err)
	}
}

// A build that cannot be told has no cache.
func TestUnknownBuild(t *testing.T) {
	home(t)
	c := open(t, "one")
	c.Put(key(1), []byte("a"))
	c.mustClose(t)
	c = open(t, "")
	c.build = func() (string, error) { return "", os.ErrPermission }
	wants(t, c, key(1), "")
	c.Put(key(2), []byte("b"))
	if err := c.Close(); err == nil {
		t.Error("no word of it")
	}
	wants(t, open(t, ""), key(2), "")
}

// TestDamage cuts and changes a file at every byte: what comes back is what was put there, or nothing.
func TestDamage(t *testing.T) {
	dir := home(t)
	c := open(t, "one")
	for i := range 4 {
		c.Put(key(16*i), fmt.Append(nil, "value ", i))
	}
	c.mustClose(t)
	name := filepath.Join(dir, "0")
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, data []byte) {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c := open(t, "one")
		for i := range 4 {
			if got, ok := c.Get(key(16 * i)); ok {
				t.Fatalf("%s: %q is believed", what, got)
			}
		}
		c.Put(key(16), []byte("new"))
		c.mustClose(t)
		wants(t, open(t, "one"), key(16), "new")
	}
	for i := range whole {
		try(fmt.Sprintf("cut at %d", i), whole[:i])
		changed := bytes.Clone(whole)
		changed[i] ^= 0x10
		try(fmt.Sprintf("changed at %d", i), changed)
	}
	try("longer", append(bytes.Clone(whole), 0))
	try("huge", append(bytes.Clone(whole), make([]byte, mostShard)...))
}

// What stands in the place of a file of ours is not followed, not waited for, and where possible replaced.
func TestForeignEntries(t *testing.T) {
	dir := home(t)
	c := open(t, "one")
	c.Put(key(1), []byte("a"))
	c.mustClose(t)
	name, elsewhere := filepath.Join(dir, "1"), filepath.Join(t.TempDir(), "file")
	if err := os.Rename(name, elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, name); err != nil {
		t.Fatal(err)
	}
	c = open(t, "one")
	wants(t, c, key(1), "")
	c.Put(key(17), []byte("b"))
	c.mustClose(t)
	if data, err := os.ReadFile(elsewhere); err != nil || bytes.Contains(data, []byte("oneb")) {
		t.Errorf("written through a link: %q, %v", data, err)
	}
	wants(t, open(t, "one"), key(17), "b")
	for _, n := range []string{"2", "3"} {
		if err := os.MkdirAll(filepath.Join(dir, n, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c = open(t, "one")
	wants(t, c, key(2), "")
	c.Put(key(2), []byte("b"))
	c.Put(key(4), []byte("c"))
	if err := c.Close(); err == nil {
		t.Error("a file replaced a directory")
	}
	wants(t, open(t, "one"), key(4), "c")
}

// TestSweep: a run that was killed while it wrote leaves nothing for ever, and what is not ours stays.
func TestSweep(t *testing.T) {
	dir := home(t)
	c := open(t, "one")
	for name, age := range map[string]time.Duration{".fencepost-unwritten-1": 2 * time.Hour, ".fencepost-unwritten-2": 0, "mine": 2 * time.Hour} {
		path := filepath.Join(dir, name)
		os.WriteFile(path, nil, 0o600)
		os.Chtimes(path, time.Time{}, time.Now().Add(-age))
	}
	c.mustClose(t)
	var left []string
	list, _ := os.ReadDir(dir)
	for _, f := range list {
		left = append(left, f.Name())
	}
	if got := strings.Join(left, " "); got != ".fencepost-unwritten-2 mine" {
		t.Errorf("left: %s", got)
	}
}

// TestBounded: a file grows to its bound and then forgets what was asked for least lately.
func TestBounded(t *testing.T) {
	dir := home(t)
	value := bytes.Repeat([]byte("x"), mostValue)
	for round := range 4 {
		c := open(t, "one")
		c.Put(Key{}, []byte("first"))
		for i := range 100 {
			c.Get(Key{})
			c.Put(Key{1: byte(i), 2: byte(round)}, value)
		}
		c.Put(Key{3: 1}, append(value, 'x')) // too large
		c.mustClose(t)
	}
	info, err := os.Stat(filepath.Join(dir, "0"))
	if err != nil || info.Size() > mostShard || info.Size() < mostShard/2 {
		t.Fatalf("%v, %v", info.Size(), err)
	}
	c := open(t, "one")
	wants(t, c, Key{}, "first")
	wants(t, c, Key{1: 99, 2: 3}, string(value))
	wants(t, c, Key{1: 1, 2: 0}, "")
	wants(t, c, Key{3: 1}, "")
}

// TestSideBySide: processes that write at the same time may lose what the others add, never what a file is.
func TestSideBySide(t *testing.T) {
	home(t)
	var wait sync.WaitGroup
	for p := range 8 {
		c := open(t, "one")
		for g := range 2 {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for round := range 5 {
					for i := range 32 {
						c.Put(key(i), fmt.Append(nil, i))
						if got, ok := c.Get(key(i)); ok && string(got) != fmt.Sprint(i) {
							t.Errorf("process %d, %d: key %d is %q", p, g, i, got)
						}
					}
					if err := c.Close(); err != nil {
						t.Errorf("round %d: %v", round, err)
					}
				}
			}()
		}
	}
	wait.Wait()
	c := open(t, "one")
	for i := range 32 {
		wants(t, c, key(i), fmt.Sprint(i))
	}
}

// TestRefusesPlaces: a directory that came with what is checked, or that others write to, is not believed.
func TestRefusesPlaces(t *testing.T) {
	refused := func(why, tree string) {
		t.Helper()
		if c, err := Open(tree); err == nil || c != nil || !strings.Contains(err.Error(), why) {
			t.Errorf("want %q: %v", why, err)
		}
	}
	dir := home(t)
	refused("inside of the tree", filepath.Dir(dir))
	t.Chdir(filepath.Dir(dir))
	refused("inside of the tree", ".")
	if _, err := Open(t.TempDir()); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(dir, 0o770); err != nil {
		t.Fatal(err)
	}
	refused("others may write", t.TempDir())
	os.Chmod(dir, 0o700)
	if err := os.Mkdir(filepath.Join(filepath.Dir(dir), ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	refused("inside of the repository", t.TempDir())

	dir, elsewhere := home(t), t.TempDir() // a link leads into the tree
	os.MkdirAll(filepath.Dir(dir), 0o700)
	if err := os.Symlink(elsewhere, dir); err != nil {
		t.Fatal(err)
	}
	refused("inside of the tree", elsewhere)

	t.Setenv("XDG_CACHE_HOME", "cache") // relative: of whatever directory is checked
	t.Setenv("HOME", "")
	t.Setenv("LocalAppData", "")
	refused("no cache", t.TempDir())
}

// A place that cannot be written to costs nothing but the cache.
func TestNoPlace(t *testing.T) {
	dir := home(t)
	os.MkdirAll(filepath.Dir(dir), 0o700)
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := Open(t.TempDir()); err == nil || c != nil {
		t.Error("a file is no directory")
	}
	dir = home(t)
	c := open(t, "one")
	c.Put(key(1), []byte("a"))
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err == nil {
		t.Error("written to nowhere")
	}
}
