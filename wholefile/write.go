// Package wholefile writes files whole or not at all: aside, then in the place of what was there.
package wholefile

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// unwritten begins the name of a file that is being written; a run that was killed leaves it behind.
const unwritten = ".fencepost-unwritten-"

// Write replaces a file at once, so that whoever reads it sees the old one or the new one, whatever happens on the way. A
// link of that name is replaced and not followed.
func Write(name string, data []byte, mode fs.FileMode) error {
	dir := filepath.Dir(name)
	f, err := os.OpenFile(filepath.Join(dir, unwritten+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode) // never what is there already
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if old, e := os.Lstat(name); e == nil && old.Mode().IsRegular() && err == nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", name, err)
	}
	Sweep(dir)
	return nil
}

// Sweep removes from a directory the files of runs that were killed while they wrote.
func Sweep(dir string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, f := range list {
		if !strings.HasPrefix(f.Name(), unwritten) {
			continue
		}
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > time.Hour {
			os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}
