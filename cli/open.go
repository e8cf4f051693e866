package cli

import (
	"os"
	"path/filepath"

	"github.com/fencepost-dev/fencepost/config"
	"github.com/fencepost-dev/fencepost/source"
)

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
