package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"unicode/utf8"
)

// MaxFileSize is the largest file read unless Tree.MaxFileSize says otherwise. Kernels are far smaller; generated
// tables are not, and would only cost time.
const MaxFileSize = 2 << 20

const (
	maxDepth = 64      // directories below the root
	maxFiles = 500_000 // names collected by one walk
)

// Tree is a directory whose files are read without ever leaving it: os.Root refuses links and ".." that do, and
// links that stay inside are not followed either (a committed link to .git/config would print it in a snippet).
type Tree struct {
	MaxFileSize int64 // 0: MaxFileSize

	root   *os.Root
	dir    string // absolute, links resolved
	edited map[string][]byte
}

// LimitError says that a file is larger than is read. It becomes a note, never a failure.
type LimitError struct {
	Name        string
	Size, Limit int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: not read: %d bytes, limit %d (raise limits.file-size in .fencepost.yaml)", e.Name, e.Size, e.Limit)
}

// NotRegularError says that a name is a link, a pipe or a device. It becomes a note, never a failure.
type NotRegularError struct {
	Name string
	Kind string
}

func (e *NotRegularError) Error() string {
	return fmt.Sprintf("%s: not read: it is %s, only regular files are (name the file itself)", e.Name, e.Kind)
}

// Open opens a directory as a tree.
func Open(dir string) (*Tree, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w (give an existing directory)", dir, err)
	}
	return &Tree{root: root, dir: abs}, nil
}

// With returns the tree as it would be if a file of it held data. Both are released by one Close.
func (t *Tree) With(name string, data []byte) *Tree {
	other := *t
	other.edited = maps.Clone(t.edited)
	if other.edited == nil {
		other.edited = map[string][]byte{}
	}
	other.edited[name] = data
	return &other
}

// Close releases the directory.
func (t *Tree) Close() error { return t.root.Close() }

// Dir returns the absolute path of the root, for git.
func (t *Tree) Dir() string { return t.dir }

// Rel turns a path the user gave (relative to the root, or absolute) into a slash-separated name inside the tree.
func (t *Tree) Rel(name string) (string, error) {
	if strings.ContainsRune(name, 0) {
		return "", fmt.Errorf("%q: a path cannot hold a NUL byte (check how the list of files was made)", name)
	}
	local := name
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(t.dir, t.resolve(name))
		if err != nil {
			return "", t.outside(name)
		}
		local = rel
	}
	local = filepath.Clean(local)
	if !filepath.IsLocal(local) {
		return "", t.outside(name)
	}
	return filepath.ToSlash(local), nil
}

func (t *Tree) outside(name string) error {
	return fmt.Errorf("%q: outside of %s, and files outside are never read (run from a directory that holds it, or pass --root)", name, t.dir)
}

// resolve follows links in the directory part only: the tree's own path has none, so the two compare, while a link as the
// last element is still seen as one by Read.
func (t *Tree) resolve(name string) string {
	if rel, err := filepath.Rel(t.dir, name); err == nil && filepath.IsLocal(rel) {
		return name
	}
	dir, base := filepath.Split(filepath.Clean(name))
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return filepath.Join(real, base)
	}
	return name
}

// Read reads and decodes one regular file. A file over the size limit is a *LimitError, a link or pipe a *NotRegularError.
func (t *Tree) Read(name string) (*File, error) {
	name, err := t.Rel(name)
	if err != nil {
		return nil, err
	}
	limit := t.MaxFileSize
	if limit <= 0 {
		limit = MaxFileSize
	}
	if data, ok := t.edited[name]; ok {
		if int64(len(data)) > limit {
			return nil, &LimitError{Name: name, Size: int64(len(data)), Limit: limit}
		}
		return Decode(name, data), nil
	}
	if err := t.regular(name); err != nil {
		return nil, err
	}
	// O_NONBLOCK: should the name have become a pipe since, opening it must not wait for a writer.
	f, err := t.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, &NotRegularError{Name: name, Kind: kind(info.Mode())}
	}
	if info.Size() > limit {
		return nil, &LimitError{Name: name, Size: info.Size(), Limit: limit}
	}
	raw := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := raw.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(raw.Len()) > limit {
		return nil, &LimitError{Name: name, Size: int64(raw.Len()), Limit: limit}
	}
	return Decode(name, raw.Bytes()), nil
}

// regular refuses a name that is, or goes through, a link.
func (t *Tree) regular(name string) error {
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := t.root.Lstat(name[:i])
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		last := i == len(name)
		if info.Mode()&fs.ModeSymlink != 0 || last && !info.Mode().IsRegular() {
			return &NotRegularError{Name: name[:i], Kind: kind(info.Mode())}
		}
	}
	return nil
}

func kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device or another special file"
}

// Beside lists the regular files in the folder of a file, by name.
func (t *Tree) Beside(name string) []string {
	dir := path.Dir(name)
	entries, err := fs.ReadDir(t.root.FS(), dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			out = append(out, path.Join(dir, e.Name()))
		}
	}
	return out
}

// Walk calls fn for every file under the paths, each once, in the order of their names. Directories are searched for
// names that match; hidden ones, vendor and node_modules are left out unless named themselves. Links are never followed.
// A path that names a file is passed on whatever it is called, with explicit set. The notes say what was left unread.
func (t *Tree) Walk(paths []string, match func(name string) bool, fn func(name string, explicit bool) error) (notes []string, err error) {
	w := walk{tree: t, match: match, found: map[string]bool{}}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, p := range paths {
		if err := w.add(p); err != nil {
			return w.notes, err
		}
	}
	names := make([]string, 0, len(w.found))
	for name := range w.found {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if err := fn(name, w.found[name]); err != nil {
			return w.notes, err
		}
	}
	return w.notes, nil
}

type walk struct {
	tree  *Tree
	match func(string) bool
	found map[string]bool // name → explicit
	notes []string
}

func (w *walk) note(format string, args ...any) {
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

func (w *walk) add(given string) error {
	name, err := w.tree.Rel(given)
	if err != nil {
		return err
	}
	if _, ok := w.tree.edited[name]; ok {
		w.found[name] = true
		return nil
	}
	info, err := w.tree.root.Lstat(name)
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) { // it names the system call and the path once more
			err = at.Err
		}
		return fmt.Errorf("open %s: %w (check the path: it is taken relative to %s)", given, err, w.tree.dir)
	}
	if !info.IsDir() {
		if !utf8.ValidString(name) {
			w.note("%q: not read: the name is not UTF-8", name)
			return nil
		}
		w.found[name] = true
		return nil
	}
	err = fs.WalkDir(w.tree.root.FS(), name, func(p string, d fs.DirEntry, err error) error {
		return w.visit(name, p, d, err)
	})
	if err != nil {
		return fmt.Errorf("walk %s: %w", given, err)
	}
	return nil
}

var errTooMany = errors.New("too many files (name fewer paths, or exclude some in .fencepost.yaml)")

func (w *walk) visit(start, p string, d fs.DirEntry, err error) error {
	switch {
	case !utf8.ValidString(p):
		w.note("%q: not read: the name is not UTF-8", p)
		if d != nil && d.IsDir() {
			return fs.SkipDir
		}
		return nil
	case err != nil:
		w.note("%s: not read: %v", p, err)
		if d != nil && d.IsDir() {
			return fs.SkipDir
		}
		return nil
	case d.IsDir():
		if p != start && leftOut(path.Base(p)) {
			return fs.SkipDir
		}
		if strings.Count(p, "/") >= maxDepth {
			w.note("%s: not searched: deeper than %d directories", p, maxDepth)
			return fs.SkipDir
		}
	case d.Type().IsRegular() && w.match(p):
		if len(w.found) >= maxFiles {
			return errTooMany
		}
		w.found[p] = w.found[p]
	}
	return nil
}

func leftOut(dir string) bool {
	return strings.HasPrefix(dir, ".") || dir == "vendor" || dir == "node_modules"
}
