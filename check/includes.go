package check

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/source"
)

// Limits against hostile trees.
const (
	maxIndexed  = 20_000 // files whose names are known
	maxDirs     = 256    // directories of includes
	maxCommands = 20_000 // of compile_commands.json

	maxScanned   = 256 << 20 // bytes that are looked through for includes
	maxAbove     = 4         // files on the way from one to what it includes
	maxIncluders = 512       // files that include one
	maxLaunchers = 8         // of them those that are parsed
)

// indexed lists the tree's files and the directories of includes, once.
func (t *texts) indexed() {
	t.indexing.Do(func() {
		t.known, t.endings = map[string]bool{}, map[string][]string{}
		t.tree.Walk(nil, cudaExtension, func(name string, _ bool) error { // what cannot be walked has no names
			if len(t.known) < maxIndexed {
				t.known[name] = true
				t.endings[path.Base(name)] = append(t.endings[path.Base(name)], name)
			}
			return nil
		})
		t.dirs = append(append(slices.Clone(t.given), t.compiled()...), ".")
	})
}

func cudaExtension(name string) bool {
	ext := extension(name)
	return ext != ".py" && ext != ".ptx" && HasKernelExtension(name)
}

// inclusion is a file that includes a header.
type inclusion struct {
	from string
	cuda.Header
}

// resolve is the file that one includes; "" where the tree has none. of is more than 1 where it is the nearest of several that it may be.
func (t *texts) resolve(from string, h cuda.Header) (at string, of int) {
	t.indexed()
	if beside := path.Join(path.Dir(from), h.Name); h.Quoted && t.known[beside] {
		return beside, 1
	}
	for _, dir := range t.dirs {
		if at := path.Join(dir, h.Name); t.known[at] {
			return at, 1
		}
	}
	if beside := path.Join(path.Dir(from), h.Name); t.known[beside] { // which a build that is not known may give as a directory of includes
		return beside, 1
	}
	return t.named(from, h)
}

// named is the file nearest to one that includes it by the end of its name, and of how many: of those files that share most directories with it from the root on, the
// one with the fewest, the first. An angled include of one word is that of a library, unless a directory is named include for it, or one that the file itself is in has it: a build gives
// its own directories.
func (t *texts) named(from string, h cuda.Header) (at string, of int) {
	want := path.Clean(h.Name)
	for strings.HasPrefix(want, "../") { // from a directory of includes that is not known
		want = want[len("../"):]
	}
	if !filepath.IsLocal(want) {
		return "", 0
	}
	library := !h.Quoted && !strings.Contains(want, "/")
	best := [2]int{}
	for _, name := range t.endings[path.Base(want)] {
		dir, ends := strings.CutSuffix("/"+name, "/"+want)
		if !ends || name == from || library && path.Base(dir) != "include" && !strings.HasPrefix("/"+from, dir+"/") {
			continue
		}
		rank := nearness(from, name)
		if of++; at == "" || slices.Compare(rank[:], best[:]) > 0 {
			at, best = name, rank
		}
	}
	return at, of
}

// nearness orders files by how many directories they share with one, then by how few they have.
func nearness(from, name string) [2]int {
	home, parts := strings.Split(path.Dir(from), "/"), strings.Split(path.Dir(name), "/")
	shared := 0
	for shared < min(len(parts), len(home)) && parts[shared] == home[shared] {
		shared++
	}
	return [2]int{shared, -len(parts)}
}

// texted are the tree's files that can be read, in the order of their names, up to a limit.
func (t *texts) texted() iter.Seq2[string, *source.File] {
	return func(yield func(string, *source.File) bool) {
		t.indexed()
		read := 0
		for _, name := range slices.Sorted(maps.Keys(t.known)) {
			f, err := t.tree.Read(name)
			if err != nil {
				continue
			}
			if read += len(f.Data); read > maxScanned || !yield(name, f) {
				return
			}
		}
	}
}

// scanned notes what the tree's files include, once.
func (t *texts) scanned() {
	t.scanning.Do(func() {
		t.includes = map[string][]inclusion{}
		for name, f := range t.texted() {
			for _, m := range includeLine.FindAllSubmatch(f.Data, -1) {
				h := cuda.Header{Name: string(m[2]), Quoted: m[1][0] == '"'}
				base := path.Base(h.Name)
				t.includes[base] = append(t.includes[base], inclusion{name, h})
			}
		}
	})
}

// marksKernels reports whether a file names a macro that makes a function a kernel in some file of the tree.
func (t *texts) marksKernels(f *source.File) bool {
	if !includeLine.Match(f.Data) { // it would define that itself
		return false
	}
	t.marking.Do(func() {
		for _, f := range t.texted() {
			for name := range kernelMacros(f.Data) {
				if !slices.Contains(t.marks, name) {
					t.marks = append(t.marks, name)
				}
			}
		}
	})
	return slices.ContainsFunc(t.marks, func(name string) bool { return hasWord(f.Data, name) })
}

// kernelMacros are the macros whose text has __global__, which ends where a line is not spliced with the next one (C++17 [lex.phases]).
func kernelMacros(text []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		done := 0 // where the text that was looked at ends
		for {
			at := bytes.Index(text[done:], []byte("__global__"))
			if at < 0 {
				return
			}
			at += done
			begin := at
			for {
				begin = max(bytes.LastIndexByte(text[:begin], '\n')+1, done)
				spliced := bytes.HasSuffix(bytes.TrimSuffix(bytes.TrimSuffix(text[:begin], []byte("\n")), []byte("\r")), []byte("\\"))
				if begin == done || !spliced {
					break
				}
				begin--
			}
			if m := definition.FindSubmatch(text[begin:at]); m != nil && !source.WordByte(text[at-1]) && !yield(string(m[1])) {
				return
			}
			done = at + len("__global__")
		}
	}
}

var definition = regexp.MustCompile(`^[ \t]*#[ \t]*define[ \t]+(\w+)`)

var includeLine = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]`)

// including are the files that include one.
func (t *texts) including(of string) (out []string) {
	t.scanned()
	for _, i := range t.includes[path.Base(of)] {
		if at, _ := t.resolve(i.from, i.Header); at == of && i.from != of && !slices.Contains(out, i.from) && len(out) < maxIncluders {
			out = append(out, i.from)
		}
	}
	return out
}

// nearestTo sorts files by how near they are to one.
func nearestTo(of string, list []string) []string {
	slices.SortStableFunc(list, func(a, b string) int {
		x, y := nearness(of, a), nearness(of, b)
		return slices.Compare(y[:], x[:])
	})
	return list
}

// above are the files that include one, directly or through others: the nearest first.
func (t *texts) above(of string) iter.Seq[string] {
	return func(yield func(string) bool) {
		level, seen := []string{of}, map[string]bool{of: true}
		for depth := 0; depth < maxAbove && len(level) > 0; depth++ {
			var next []string
			for _, name := range level {
				for _, from := range t.including(name) {
					if !seen[from] && len(seen) < maxIncluders {
						seen[from] = true
						next = append(next, from)
					}
				}
			}
			next = nearestTo(of, next)
			for _, name := range next {
				if !yield(name) {
					return
				}
			}
			level = next
		}
	}
}

// Launchers are the files that include one, directly or through others, and have one of some words in their text, if there are any: the nearest first.
func (s *Sources) Launchers(of *program.File, words ...string) (out []*program.File) {
	for name := range s.above(of.Source.Name) {
		if len(out) >= maxLaunchers {
			break
		}
		text, err := s.tree.Read(name)
		if err != nil || len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return hasWord(text.Data, w) }) {
			continue
		}
		if f, _ := s.File(name); f != nil {
			out = append(out, f)
		}
	}
	return out
}

// Users are files with kernels that include one, directly or through others, and name one of its functions or classes, or of those of a header between that does: the
// nearest first. more says that there are others.
func (s *Sources) Users(of *program.File) (out []string, more bool) {
	words := map[string]bool{}
	names := func(f *program.File) {
		for _, fn := range f.Functions {
			if words[fn.Name] = true; fn.Class != nil {
				words[fn.Class.Name] = true
			}
		}
	}
	names(of)
	for name := range s.above(of.Source.Name) {
		text, err := s.tree.Read(name)
		if err != nil || !slices.ContainsFunc(program.Words(string(text.Data)), func(w string) bool { return words[w] }) {
			continue
		}
		f, _ := s.File(name)
		switch {
		case f == nil:
		case !slices.ContainsFunc(f.Functions, func(fn *program.Function) bool { return fn.Kernel }):
			names(f)
		case len(out) == maxLaunchers:
			return out, true
		default:
			out = append(out, name)
		}
	}
	return out, false
}

// hasWord reports whether a text has an identifier.
func hasWord(text []byte, word string) bool {
	for at := 0; word != ""; {
		k := bytes.Index(text[at:], []byte(word))
		if k < 0 {
			return false
		}
		from, to := at+k, at+k+len(word)
		if (from == 0 || !source.WordByte(text[from-1])) && (to == len(text) || !source.WordByte(text[to])) {
			return true
		}
		at = to
	}
	return false
}

// compiled are the directories of includes, below the root, that the compilation database there names
// (https://clang.llvm.org/docs/JSONCompilationDatabase.html).
func (t *texts) compiled() (dirs []string) {
	f, err := t.tree.Read("compile_commands.json")
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
			if name, err := t.tree.Rel(dir); err == nil && !slices.Contains(dirs, name) && len(dirs) < maxDirs {
				dirs = append(dirs, name)
			}
		}
	}
	return dirs
}
