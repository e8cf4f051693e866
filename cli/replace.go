package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fencepost-dev/fencepost/source"
	"github.com/fencepost-dev/fencepost/wholefile"
)

// replace writes a file of the user's whole or not at all. What lies in the checked tree or in the working tree came with the
// repository: a link there could lead anywhere, so none is followed. Elsewhere links and devices are the user's own, and are
// written through.
func (a *app) replace(name string, data []byte, tree *source.Tree) error {
	abs, err := filepath.Abs(name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	trees := []string{source.TopLevel(cwd)}
	if tree != nil {
		trees = append(trees, tree.Dir())
	}
	within := false
	for _, dir := range trees {
		in, err := noLinks(dir, abs)
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		within = within || in
	}
	if info, err := os.Lstat(abs); err == nil && !info.Mode().IsRegular() && !within {
		err := os.WriteFile(abs, data, 0o644)
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		return nil
	}
	if err := wholefile.Write(abs, data, 0o644); err != nil {
		return fmt.Errorf("write %s: %w (is the directory there and writable?)", name, err)
	}
	return nil
}

// noLinks tells whether a file is below a directory, and refuses one that is, or is reached through, something else than
// directories and a regular file.
func noLinks(dir, name string) (within bool, err error) {
	rel, err := filepath.Rel(dir, name)
	if err != nil || !filepath.IsLocal(rel) {
		return false, nil
	}
	for at := name; at != dir && len(at) > len(dir); at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return true, err
		case info.Mode()&fs.ModeSymlink != 0:
			return true, fmt.Errorf("%s is a symbolic link, and links in the tree are not followed (name the file itself)", at)
		case at == name && !info.Mode().IsRegular():
			return true, fmt.Errorf("%s is no regular file", at)
		}
	}
	return true, nil
}
