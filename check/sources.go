package check

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/source"
)

// keptSources bounds the text of files that are kept parsed at a time: beyond it they are parsed again when they are asked for. What a file of CUTLASS includes is 9 MB.
const keptSources = 32 << 20

// Sources are the files of a tree that kernels in CUDA C++ are made of, each read and parsed once. Nothing outside of the tree is ever read, whatever an
// include names. Several goroutines may ask.
type Sources struct {
	*texts
	names []string // that are defined though no file defines them

	mu     sync.Mutex
	kept   map[string]*sourceFile
	order  []string        // of these, the oldest first
	size   int             // of their texts
	unread map[string]bool // what is told of includes that were not read
	left   map[string]*cuda.Directives
	others map[string]*Sources // the same files with other names defined
}

// texts are what the texts of a tree's files say, whatever is defined.
type texts struct {
	tree  *source.Tree
	given []string // directories that the configuration names

	indexing sync.Once
	known    map[string]bool     // the tree's files
	endings  map[string][]string // by the last part of their names
	dirs     []string            // of includes, as the build and the configuration have them, and the root

	scanning sync.Once
	includes map[string][]inclusion // by the last part of the header's name

	marking sync.Once
	marks   []string // macros with __global__ in their text

	outlining sync.Mutex
	outlines  map[string]*cuda.Outline
	outlined  int // bytes of their texts
}

// maxOthers bounds with how many sets of names the files are kept.
const maxOthers = 4

// with are the same files as they are where names are defined that none of them defines.
func (s *Sources) with(names []string) *Sources {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := strings.Join(names, " ")
	if s.others[key] == nil {
		if len(s.others) >= maxOthers {
			clear(s.others)
		}
		if s.others == nil {
			s.others = map[string]*Sources{}
		}
		s.others[key] = s.texts.sources(slices.Clone(names))
	}
	return s.others[key]
}

// sourceFile is one file, once it is read.
type sourceFile struct {
	once sync.Once
	file *program.File
	err  error
	size int // of its text
}

// NewSources gives the files of a tree. What is included is looked for in the directories first.
func NewSources(tree *source.Tree, dirs []string) *Sources {
	return (&texts{tree: tree, given: dirs, outlines: map[string]*cuda.Outline{}}).sources(nil)
}

// sources gives the files as they are where names are defined that none of them defines.
func (t *texts) sources(names []string) *Sources {
	return &Sources{texts: t, names: names, kept: map[string]*sourceFile{}, unread: map[string]bool{}, left: map[string]*cuda.Directives{}}
}

// File is a file by its name in the tree.
func (s *Sources) File(name string) (*program.File, error) {
	name, err := s.tree.Rel(name)
	if err != nil {
		return nil, err
	}
	return s.parse(name, func() (*source.File, error) { return s.tree.Read(name) })
}

// Parsed is a file of the tree whose text was read already.
func (s *Sources) Parsed(f *source.File) (*program.File, error) {
	return s.parse(f.Name, func() (*source.File, error) { return f, nil })
}

// parse parses a file, once as long as it is kept.
func (s *Sources) parse(name string, read func() (*source.File, error)) (*program.File, error) {
	s.mu.Lock()
	f := s.kept[name]
	if f == nil {
		for s.size > keptSources { // files of one folder ask for each other
			s.size -= s.kept[s.order[0]].size
			delete(s.kept, s.order[0])
			s.order = s.order[1:]
		}
		f = &sourceFile{}
		s.kept[name], s.order = f, append(s.order, name)
	}
	s.mu.Unlock()
	f.once.Do(func() {
		f.err = fmt.Errorf("%s: not read: the reader failed", name) // where it ends here
		src, err := read()
		if err != nil {
			f.err = err
			return
		}
		f.file, f.err = readWith(src, s.elsewhere(src.Name))
		s.mu.Lock()
		if s.kept[name] == f {
			f.size = len(src.Data)
			s.size += f.size
		}
		s.mu.Unlock()
	})
	return f.file, f.err
}

// Include is the file that another one includes, and what is taken for granted of which one it is: one beside it, in a directory that the
// build or the configuration names, else the nearest below the tree's root whose name ends so. nil where the tree has none.
func (s *Sources) Include(from *program.File, i *program.Import) (f *program.File, premise string) {
	h := cuda.Header{Name: i.From, Quoted: strings.Contains(from.Source.Text(i.Span), `"`)}
	at, of := s.resolve(from.Source.Name, h)
	if h.Quoted {
		beside := path.Join(path.Dir(from.Source.Name), i.From)
		f, err := s.File(beside)
		if f != nil {
			return f, ""
		}
		s.note(from, i, beside, err)
	}
	if at == "" {
		return nil, ""
	}
	if of > 1 {
		premise = fmt.Sprintf("%s, which %s includes, is %s, the nearest of %d files of that name", i.From, from.Source.Name, at, of)
	}
	f, _ = s.File(at)
	return f, premise
}

// note keeps why an include in quotes is not read, where there may be such a file.
func (s *Sources) note(from *program.File, i *program.Import, at string, err error) {
	var limit *source.LimitError
	var irregular *source.NotRegularError
	_, outside := s.tree.Rel(at)
	if path.IsAbs(i.From) || outside == nil && !errors.As(err, &limit) && !errors.As(err, &irregular) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unread[fmt.Sprintf("%s:%d: the include is not read: %v", from.Source.Name, from.Source.Position(i.Span.Start).Line, err)] = true
}

// Unread says which includes were not read although there may be such files, each once, and forgets it.
func (s *Sources) Unread() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for text := range s.unread {
		out = append(out, text)
	}
	clear(s.unread)
	slices.Sort(out)
	return out
}
