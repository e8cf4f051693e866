package check

import (
	"path"
	"slices"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/rules"
	"github.com/fencepost-dev/fencepost/source"
)

// maxAround is how many files are parsed for one file.
const maxAround = 16

// around gives, for a file, the CUDA files of its folder whose text matches. Few files ask: then each of the others is read
// once, and parsed when it has what is asked for.
func (opt *Options) around(name string) rules.Around {
	var beside []*source.File
	looked := false
	parsed := map[*source.File]*program.File{}
	return func(match func(text []byte) bool) []*program.File {
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
			if !match(f.Data) {
				continue
			}
			tree, known := parsed[f]
			if !known && len(parsed) < maxAround {
				tree, _ = opt.sources.Parsed(f)
				parsed[f] = tree
			}
			if tree != nil {
				out = append(out, tree)
			}
		}
		return out
	}
}

// cudaFile reports whether a file may hold kernels in CUDA C++, by its name.
func cudaFile(name string) bool {
	return HasKernelExtension(name) && path.Ext(name) != ".py" && path.Ext(name) != ".ptx"
}

// mostBeside is how many files of a folder are looked through.
const mostBeside = 200

// kernelFiles are the other files of a file's folder that may hold kernels in CUDA C++.
func (opt *Options) kernelFiles(file string) []string {
	files := slices.DeleteFunc(opt.Tree.Beside(file), func(name string) bool {
		return name == file || !cudaFile(name)
	})
	return files[:min(len(files), mostBeside)]
}
