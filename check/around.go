package check

import (
	"bytes"
	"path"
	"slices"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// maxAround is how many files are parsed for one file.
const maxAround = 16

// mentions gives, for a file, the CUDA files of its folder that mention a name. Few files ask: then each of the others is
// read once, and parsed when it mentions what is asked for.
func (opt *Options) mentions(name string) func(word string) []*program.File {
	var beside []*source.File
	looked := false
	parsed := map[*source.File]*program.File{}
	return func(word string) []*program.File {
		if !looked {
			looked = true
			for _, other := range opt.kernelFiles(name) {
				if f, err := opt.Tree.Read(other); err == nil {
					beside = append(beside, f)
				}
			}
		}
		var out []*program.File
		for _, f := range beside {
			if !bytes.Contains(f.Data, []byte(word)) {
				continue
			}
			tree, known := parsed[f]
			if !known && len(parsed) < maxAround {
				tree, _ = Read(f)
				parsed[f] = tree
			}
			if tree != nil {
				out = append(out, tree)
			}
		}
		return out
	}
}

// mostBeside is how many files of a folder are looked through.
const mostBeside = 200

// kernelFiles are the other files of a file's folder that may hold kernels in CUDA C++.
func (opt *Options) kernelFiles(file string) []string {
	files := slices.DeleteFunc(opt.Tree.Beside(file), func(name string) bool {
		return name == file || path.Ext(name) == ".py" || path.Ext(name) == ".ptx" || !HasKernelExtension(name)
	})
	return files[:min(len(files), mostBeside)]
}
