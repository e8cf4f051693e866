package check

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// Limits against hostile trees.
const (
	maxIndexed  = 20_000 // files whose names are known
	maxDirs     = 256    // directories of includes
	maxCommands = 20_000 // of compile_commands.json
)

// indexed lists the tree's files and the directories of includes, once.
func (s *Sources) indexed() {
	s.once.Do(func() {
		s.known, s.endings = map[string]bool{}, map[string][]string{}
		s.tree.Walk(nil, cudaExtension, func(name string, _ bool) error { // what cannot be walked has no names
			if len(s.known) < maxIndexed {
				s.known[name] = true
				s.endings[path.Base(name)] = append(s.endings[path.Base(name)], name)
			}
			return nil
		})
		s.dirs = append(append(slices.Clone(s.given), s.compiled()...), ".")
	})
}

func cudaExtension(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext != ".py" && ext != ".ptx" && HasKernelExtension(name)
}

// named is the file nearest to one that includes it by the end of its name, and of how many: of those files that share most directories with it from the root on, the
// one with the fewest, the first. An angled include of one word is that of a library, unless a directory is named include for it.
func (s *Sources) named(from *program.File, i *program.Import) (at string, of int) {
	want := path.Clean(i.From)
	if !filepath.IsLocal(want) {
		return "", 0
	}
	library := !quoted(from, i) && !strings.Contains(want, "/")
	home := strings.Split(path.Dir(from.Source.Name), "/")
	best := [2]int{}
	for _, name := range s.endings[path.Base(want)] {
		dir, ends := strings.CutSuffix("/"+name, "/"+want)
		if !ends || name == from.Source.Name || library && path.Base(dir) != "include" {
			continue
		}
		parts := strings.Split(path.Dir(name), "/")
		rank := [2]int{0, -len(parts)}
		for rank[0] < min(len(parts), len(home)) && parts[rank[0]] == home[rank[0]] {
			rank[0]++
		}
		if of++; at == "" || slices.Compare(rank[:], best[:]) > 0 {
			at, best = name, rank
		}
	}
	return at, of
}

// compiled are the directories of includes, below the root, that the compilation database there names
// (https://clang.llvm.org/docs/JSONCompilationDatabase.html).
func (s *Sources) compiled() (dirs []string) {
	f, err := s.tree.Read("compile_commands.json")
	if err != nil {
		return nil
	}
	var commands []struct {
		Directory, Command string
		Arguments          []string
	}
	if json.Unmarshal(f.Data, &commands) != nil {
		return nil
	}
	for _, c := range commands[:min(len(commands), maxCommands)] {
		words := c.Arguments
		if len(words) == 0 {
			words = strings.Fields(c.Command)
		}
		for k, w := range words {
			dir, is := strings.CutPrefix(w, "-I")
			if w == "-isystem" || w == "-I" {
				if k+1 == len(words) {
					break
				}
				dir, is = words[k+1], true
			}
			if !is {
				continue
			}
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(c.Directory, dir)
			}
			if name, err := s.tree.Rel(dir); err == nil && !slices.Contains(dirs, name) && len(dirs) < maxDirs {
				dirs = append(dirs, name)
			}
		}
	}
	return dirs
}
