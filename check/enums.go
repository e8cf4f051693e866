package check

import (
	"regexp"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/rules"
)

// enumOf looks an enumeration up in the files beside one. The ids of named barriers stand in the file of the kernel, and
// are used in those of its parts, which get the enumeration as a parameter of a template.
func (opt *Options) enumOf(tree *program.File) func(enum string) map[string]int64 {
	return func(enum string) (found map[string]int64) {
		defines := regexp.MustCompile(`\benum\s+(class\s+|struct\s+)?` + regexp.QuoteMeta(enum) + `\b[^;{]*\{`)
		for _, name := range opt.kernelFiles(tree.Source.Name) {
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
