package check

import (
	"path"
	"regexp"
	"slices"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/rules"
)

// mostBeside is how many files of a folder are looked through.
const mostBeside = 200

// enumOf looks an enumeration up in the files beside one. The ids of named barriers stand in the file of the kernel, and
// are used in those of its parts, which get the enumeration as a parameter of a template.
func (opt *Options) enumOf(tree *program.File) func(enum string) map[string]int64 {
	return func(enum string) (found map[string]int64) {
		defines := regexp.MustCompile(`\benum\s+(class\s+|struct\s+)?` + regexp.QuoteMeta(enum) + `\b[^;{]*\{`)
		files := slices.DeleteFunc(opt.Tree.Beside(tree.Source.Name), func(name string) bool {
			return name == tree.Source.Name || path.Ext(name) == ".py" || !HasKernelExtension(name)
		})
		for _, name := range files[:min(len(files), mostBeside)] {
			f, err := opt.Tree.Read(name)
			if err != nil || !defines.Match(f.Data) {
				continue
			}
			if found != nil {
				return nil // which of them is meant is not known
			}
			found = rules.Enumerators(cuda.Read(f), enum)
		}
		return found
	}
}
