package check

import (
	"path"
	"sync"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// keptBytes bounds the source text of imported files that are kept parsed during a run. Beyond it a file is parsed
// again whenever it is asked for.
const keptBytes = 64 << 20

// Loader gives the parsed Python files of a tree by name, nil for one that is not there or cannot be read. It may be
// called from several goroutines.
func Loader(tree *source.Tree) func(name string) *program.File {
	var mu sync.Mutex
	kept := map[string]*program.File{}
	size := 0
	return func(name string) *program.File {
		mu.Lock()
		f, ok := kept[name]
		mu.Unlock()
		if ok || path.Ext(name) != ".py" {
			return f
		}
		if src, err := tree.Read(name); err == nil {
			f, _ = Read(src)
		}
		mu.Lock()
		defer mu.Unlock()
		if f != nil {
			size += len(f.Source.Data)
		}
		if size <= keptBytes {
			kept[name] = f
		}
		return f
	}
}
