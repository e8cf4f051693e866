package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/program/treesitter"
	"github.com/fencepost-dev/fencepost/source"
	cuda "github.com/tree-sitter-grammars/tree-sitter-cuda/bindings/go"
	sitter "github.com/tree-sitter/go-tree-sitter"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

// roles are the ways in which tree-sitter is measured.
var roles = []struct {
	name, about string
	binding     bool // through the binding of the module, or by what fencepost calls
	included    bool // files that are reached by include, too
}{
	{"words", "tree-sitter, files with a word", false, false},
	{"included", "tree-sitter, and what they include", false, true},
	{"binding", "tree-sitter by its binding for Go, and what they include", true, true},
}

// parsed is what was parsed.
type parsed struct{ Files, Bytes int }

// raw parses the files below a folder, and says how many these are.
func raw(name string, folders []string) error {
	for _, role := range roles {
		if role.name != name {
			continue
		}
		if role.binding {
			sitter.SetAllocator(nil, nil, nil, nil) // the binding's own, which package treesitter replaces
		}
		var out parsed
		for _, folder := range folders {
			files, err := sources(folder, role.included)
			if err != nil {
				return err
			}
			for _, f := range files {
				if err := parse(f, role.binding); err != nil {
					return err
				}
				out.Files, out.Bytes = out.Files+1, out.Bytes+len(f.Data)
			}
		}
		return json.NewEncoder(os.Stdout).Encode(out)
	}
	return &os.PathError{Op: "role", Path: name, Err: os.ErrNotExist}
}

// grammars are by the extension of files; "" is that of all others.
var grammars = map[string]unsafe.Pointer{".py": python.Language(), "": cuda.Language()}

var languages = sync.OnceValue(func() map[string]*treesitter.Language {
	return map[string]*treesitter.Language{".py": treesitter.New(grammars[".py"]), "": treesitter.New(grammars[""])}
})

func extension(f *source.File) string {
	if path.Ext(f.Name) == ".py" {
		return ".py"
	}
	return ""
}

func parse(f *source.File, binding bool) error {
	if binding {
		p := sitter.NewParser()
		defer p.Close()
		if err := p.SetLanguage(sitter.NewLanguage(grammars[extension(f)])); err != nil {
			return err
		}
		p.Parse(f.Data, nil).Close()
		return nil
	}
	p, err := languages()[extension(f)].NewParser(0)
	if err != nil {
		return err
	}
	defer p.Close()
	_, err = p.Parse(f.Data, treesitter.Limits{Nodes: 1})
	return err
}

var include = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]`)

// sources are the files that count. An include means each file whose path ends in what it names: what a compiler would look
// through is not known.
func sources(folder string, included bool) ([]*source.File, error) {
	tree, err := source.Open(folder)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	var out, queue []*source.File
	left := map[string][]*source.File{} // by the last part of the path
	_, err = tree.Walk(nil, check.HasKernelExtension, func(name string, _ bool) error {
		f, err := tree.Read(name)
		if err != nil || path.Ext(name) == ".ptx" {
			return nil // check goes on without it, too
		}
		python := path.Ext(name) == ".py"
		switch {
		case python && !bytes.Contains(f.Data, []byte("cutlass")) && !bytes.Contains(f.Data, []byte("cute")):
		case bytes.Contains(f.Data, []byte("__global__")), source.HasSync(f.Data):
			out, queue = append(out, f), append(queue, f)
		case !python:
			left[path.Base(name)] = append(left[path.Base(name)], f)
		}
		return nil
	})
	for included && len(queue) > 0 {
		f := queue[0]
		queue = queue[1:]
		if path.Ext(f.Name) == ".py" {
			continue
		}
		for _, m := range include.FindAllSubmatch(f.Data, -1) {
			header := path.Clean("/" + strings.TrimLeft(string(m[1]), "./"))
			rest := left[path.Base(header)][:0:0]
			for _, g := range left[path.Base(header)] {
				if strings.HasSuffix("/"+g.Name, header) {
					out, queue = append(out, g), append(queue, g)
				} else {
					rest = append(rest, g)
				}
			}
			left[path.Base(header)] = rest
		}
	}
	return out, err
}

// resident is the most memory that a process had, in KiB.
func resident(s *os.ProcessState) int64 {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss
	}
	return 0
}
