package cli

import (
	"fmt"
	"path/filepath"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/config"
	"github.com/fencepost-dev/fencepost/dialect"
	fromcuda "github.com/fencepost-dev/fencepost/frontend/cuda"
	fromptx "github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/report"
	"github.com/fencepost-dev/fencepost/source"
)

const (
	templateGuess = 32       // for a number that a kernel's template is given and no launch says
	maxPTX        = 64 << 20 // compilers write large files, which include nothing
)

// codeFiles is a tree with kernels in PTX and CUDA C++. It is to be closed.
type codeFiles struct {
	*source.Tree
	*check.Sources
	config *config.Config
	table  *dialect.Table
}

// openCode opens the tree of the files that were named.
func (c *common) openCode(named []string) (*codeFiles, error) {
	paths := make([]string, len(named))
	for i, p := range named {
		var err error
		if paths[i], err = filepath.Abs(p); err != nil {
			return nil, usagef("%s: %v", p, err)
		}
	}
	tree, cfg, err := c.open(paths)
	if err != nil {
		return nil, err
	}
	tree.MaxFileSize = cfg.Limits.FileSize
	table, err := check.Table(program.CUDA, nil)
	if err != nil {
		tree.Close()
		return nil, err
	}
	return &codeFiles{tree, check.NewSources(tree, cfg.Includes), cfg, table}, nil
}

// readCode reads a file of PTX or CUDA C++ that was named, and says what of it was not read.
func (a *app) readCode(files *codeFiles, path string) (*program.File, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, usagef("read kernels: %v", err)
	}
	if filepath.Ext(path) != ".ptx" {
		f, err := files.File(abs)
		if err == nil && f.Language != program.CUDA {
			err = fmt.Errorf("%s: the IR is made of PTX and of CUDA C++", path)
		}
		if err != nil {
			return nil, usagef("%v", err)
		}
		for _, s := range f.Skipped {
			fmt.Fprintf(a.stderr, "fencepost: %s:%d: function %s is not read: its text does not parse\n", report.Clean(path), f.Source.Position(s.Span.Start).Line, report.Clean(s.Name))
		}
		return f, nil
	}
	tree := *files.Tree
	tree.MaxFileSize = max(tree.MaxFileSize, maxPTX)
	src, err := tree.Read(abs)
	if err != nil {
		return nil, usagef("read kernels: %v", err)
	}
	f := ptx.Read(src)
	for _, n := range f.Notes {
		fmt.Fprintf(a.stderr, "fencepost: %s: %s\n", report.Clean(path), report.Clean(n.Text))
	}
	return f, nil
}

// unread says which includes were not read although there may be such files.
func (a *app) unread(files *codeFiles) {
	for _, text := range files.Unread() {
		fmt.Fprintf(a.stderr, "fencepost: %s\n", report.Clean(text))
	}
}

// translate makes the IR of a kernel of PTX or CUDA C++.
func (files *codeFiles) translate(f *program.File, fn *program.Function) (*ir.Kernel, error) {
	if f.Language == program.PTX {
		return fromptx.Translate(f, fn)
	}
	k, _, err := fromcuda.Translate(f, files.table, fn, files, templateGuess)
	return k, err
}
