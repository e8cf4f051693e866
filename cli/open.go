package cli

import (
	"os"
	"path/filepath"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/config"
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// kernelFile is a file of kernels, with what it takes to lower them. It is to be closed.
type kernelFile struct {
	*source.Tree
	source  *source.File
	program *program.File
	table   *dialect.Table
	lower   lower.Options
	sources *check.Sources
}

// readKernels reads a file of kernels, with constants that were given as NAME=VALUE.
func (c *common) readKernels(path string, given []string) (*kernelFile, error) {
	paths := []string{path}
	tree, cfg, err := c.open(paths)
	if err != nil {
		return nil, err
	}
	k := &kernelFile{Tree: tree, lower: lower.Options{Load: check.Loader(tree), Settable: &lower.Settable{}}}
	k.sources = check.NewSources(tree, cfg.Includes)
	if k.source, err = tree.Read(paths[0]); err == nil {
		k.program, err = k.sources.Parsed(k.source)
	}
	if err == nil {
		k.table, err = check.Table(k.program.Language, cfg.Wrappers)
	}
	if err != nil {
		err = usagef("%v", err)
	} else {
		k.lower.Set, err = constants(given)
	}
	if err != nil {
		tree.Close()
		return nil, err
	}
	return k, nil
}

// open opens the root and reads the configuration file. Paths outside of the working directory make the root their
// common directory: nothing but what the user named is ever read. Paths are made absolute where the root is another.
func (c *common) open(paths []string) (*source.Tree, *config.Config, error) {
	root := c.root
	if root == "" {
		root = commonRoot(paths)
	}
	if root != "." {
		for i, p := range paths {
			if abs, err := filepath.Abs(p); err == nil {
				paths[i] = abs
			}
		}
	}
	tree, err := source.Open(root)
	if err != nil {
		return nil, nil, usagef("%v", err)
	}
	cfg, err := c.load(tree)
	if err != nil {
		tree.Close()
		return nil, nil, usagef("%v", err)
	}
	return tree, cfg, nil
}

// commonRoot is the working directory when it holds every path, else the deepest directory that does.
func commonRoot(paths []string) string {
	cwd, err := os.Getwd()
	if err != nil {
		return "."
	}
	root := ""
	for _, p := range paths {
		abs, err := filepath.Abs(p)
		if err != nil {
			return "."
		}
		if rel, err := filepath.Rel(cwd, abs); err == nil && filepath.IsLocal(rel) {
			abs = cwd
		} else if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			abs = filepath.Dir(abs)
		}
		for root != "" {
			if rel, err := filepath.Rel(root, abs); err == nil && filepath.IsLocal(rel) {
				break
			}
			root = filepath.Dir(root)
		}
		if root == "" {
			root = abs
		}
	}
	if root == "" || root == cwd {
		return "."
	}
	return root
}
