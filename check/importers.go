package check

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"github.com/fencepost-dev/fencepost/source"
)

// importWords finds the names in the import statements of a Python file, those on the lines a parenthesis goes on to
// included.
var (
	importLine = regexp.MustCompile(`(?m)^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n#]*)|import[ \t]+([^\n#]+))`)
	word       = regexp.MustCompile(`\w+`)
)

// importers gives the Python files among names that import a changed file, directly or through others: their kernels
// are modelled with its functions in them. Modules are told apart by their last name alone, so it may give a file too
// many, never one too few.
func importers(tree *source.Tree, names []string, changed map[string][]source.Range) map[string]bool {
	reached := map[string]bool{}
	for name, ranges := range changed {
		if path.Ext(name) == ".py" && !onlyRemarks(tree, name, ranges) {
			reached[moduleName(name)] = true
		}
	}
	if len(reached) == 0 {
		return nil
	}
	mentions := map[string][]string{} // by file
	for _, name := range names {
		if path.Ext(name) != ".py" {
			continue
		}
		if f, err := tree.Read(name); err == nil && bytes.Contains(f.Data, []byte("import")) {
			mentions[name] = importedWords(f.Data)
		}
	}
	out := map[string]bool{}
	for more := true; more; {
		more = false
		for _, name := range names {
			if out[name] {
				continue
			}
			for _, w := range mentions[name] {
				if reached[w] {
					out[name], reached[moduleName(name)], more = true, true, true
					break
				}
			}
		}
	}
	return out
}

// onlyRemarks reports whether a change of a Python file is of comments and blank lines alone: those that import it are what they
// were. Outside of its hunks the file is as it was, so what stands within a string now did so before.
func onlyRemarks(tree *source.Tree, name string, ranges []source.Range) bool {
	for _, r := range ranges {
		if !r.Remark {
			return false
		}
	}
	f, err := tree.Read(name)
	if err != nil || len(ranges) == 0 {
		return false
	}
	inside := source.WithinStrings(f.Data)
	for _, r := range ranges {
		for line := r.First; line <= r.Last; line++ {
			if inside[line] {
				return false
			}
		}
	}
	return true
}

func importedWords(text []byte) []string {
	var out []string
	for _, m := range importLine.FindAllSubmatch(text, -1) {
		for _, part := range m[1:] {
			for _, w := range word.FindAll(part, -1) {
				out = append(out, string(w))
			}
		}
	}
	return out
}

// moduleName is the last name of the module a file is: its folder's for a package.
func moduleName(name string) string {
	base := strings.TrimSuffix(path.Base(name), ".py")
	if base == "__init__" {
		return path.Base(path.Dir(name))
	}
	return base
}
