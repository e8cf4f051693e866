package check

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// What a change touches: the definitions that differ from those of an earlier version, and those that use one that is touched, in the
// same file or in one that imports it. Names are followed by their words and modules by their last names, so that too much may be
// touched, not too little; what is used by no name (a module that is handed on, an attribute whose name is computed) counts as used.

// touching is what is touched in the files of a tree.
type touching struct {
	modules map[string]*module // that touched names reach
	quiet   map[string]bool    // files that differ, in nothing that is said
	limited map[string]bool    // files of which only what is touched is checked
}

// module is a Python file that a touched name reaches.
type module struct {
	file    *program.File
	defs    []*program.Definition
	hit     map[*program.Definition]bool
	in, out map[string]bool // touched names of what it imports, and those that it has for who imports it
	handed  map[string]bool // what it calls modules with touched names: others may take these names from it
}

// since compares the files that a run is to check with what they were. Those that say the same are left out; files are those to check,
// and named those of which all is checked, in the files that use them too.
func (opt *Options) since(ctx context.Context, all []string) (named, files, notes []string) {
	before, err := opt.Committed(ctx, all)
	if err != nil {
		return all, all, []string{fmt.Sprintf("files are checked whole, as it is not known what of them changed: %v", err)}
	}
	opt.touching = opt.touched(all, before)
	quiet := 0
	for _, name := range all {
		switch {
		case opt.touching.quiet[name]:
			quiet++
			continue
		case !opt.touching.limited[name]:
			named = append(named, name)
		}
		files = append(files, name)
	}
	if quiet > 0 {
		notes = append(notes, fmt.Sprintf("files with nothing changed but comments, blank lines and docstrings, which are not checked: %d", quiet))
	}
	return named, files, notes
}

// callers adds the files with kernels that touched names reach.
func (t *touching) callers(opt *Options, c *callers, named []string, match func(string) bool) {
	if t == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(t.modules)) {
		lines, concerned := t.modules[name].ranges()
		switch {
		case t.limited[name]:
			c.of[name] = lines
		case concerned && !slices.Contains(named, name) && !slices.Contains(c.files, name) && match(name) && opt.holdsKernel(name):
			c.files = append(c.files, name)
			t.limited[name] = true
		}
	}
}

// limits reports whether of a file only what is touched is checked.
func (t *touching) limits(file string) bool { return t != nil && t.limited[file] }

// selects reports whether a kernel is one of those to check.
func (t *touching) selects(fn *program.Function, file string) bool {
	return !t.limits(file) || t.modules[file].concerns(fn)
}

// findings leaves out what stands in those files elsewhere, of kernels that are not checked.
func (t *touching) findings(fs []finding.Finding) []finding.Finding {
	if t == nil {
		return fs
	}
	lines := map[string][]source.Range{}
	for name := range t.limited {
		lines[name], _ = t.modules[name].ranges()
	}
	return slices.DeleteFunc(fs, func(f finding.Finding) bool {
		return t.limited[f.Path] && len(finding.Changed([]finding.Finding{f}, lines)) == 0
	})
}

// touched compares files with what they were.
func (opt *Options) touched(names []string, before map[string][]byte) *touching {
	t := &touching{modules: map[string]*module{}, quiet: map[string]bool{}, limited: map[string]bool{}}
	for _, name := range names {
		f, err := opt.Tree.Read(name)
		text, known := before[name]
		switch {
		case err != nil:
		case known && bytes.Equal(text, f.Data): // a run over all files, or over a commit that is made
		case known && saysTheSame(f, source.Decode(name, text)):
			t.quiet[name] = true
		case path.Ext(name) == ".py":
			if m := changedModule(f, text, known); m != nil {
				if !m.touched() {
					t.quiet[name] = true
				} else {
					t.modules[name], t.limited[name] = m, true
				}
			}
		}
	}
	if len(t.modules) > 0 {
		t.follow(opt)
	}
	return t
}

// saysTheSame reports whether two versions of a file differ in comments, blank lines and ends of lines alone.
func saysTheSame(a, b *source.File) bool {
	said := func(f *source.File) string {
		text := bytes.ReplaceAll(f.Data, []byte("\r\n"), []byte("\n"))
		switch {
		case path.Ext(f.Name) == ".py":
			return source.WithoutRemarks(text, "#", source.WithinStrings(text))
		case bytes.Contains(text, []byte(`R"`)): // a raw string may hold anything
			return string(text)
		}
		return source.WithoutRemarks(text, "//", withinComments(text))
	}
	return said(a) == said(b)
}

// withinComments are the lines of a text of C++ that a comment of /* goes on over, or that a backslash continues.
func withinComments(text []byte) map[int]bool {
	inside := map[int]bool{}
	number, open := 0, false
	for line := range bytes.Lines(text) {
		number++
		for rest := line; ; {
			mark := "/*"
			if open {
				mark = "*/"
			}
			at := bytes.Index(rest, []byte(mark))
			if slashes := bytes.Index(rest, []byte("//")); !open && slashes >= 0 && (at < 0 || slashes < at) || at < 0 {
				break
			}
			rest, open = rest[at+2:], !open
		}
		if open || bytes.HasSuffix(bytes.TrimRight(line, "\r\n"), []byte("\\")) {
			inside[number+1] = true
		}
	}
	return inside
}

// changedModule is a file with what differs in it from what it was. nil where that cannot be told.
func changedModule(f *source.File, was []byte, known bool) *module {
	now, _ := Read(f)
	m := newModule(now)
	if program.Broken(now) {
		return nil
	}
	if !known {
		m.all()
		return m
	}
	old, _ := Read(source.Decode(f.Name, bytes.ReplaceAll(was, []byte("\r\n"), []byte("\n"))))
	if program.Broken(old) {
		return nil
	}
	before := program.Definitions(old)
	touched, main, all := program.Difference(before, m.defs)
	if all || !maps.Equal(annotated(old), annotated(now)) {
		m.all()
		maps.Copy(m.out, touched)
		return m
	}
	earlier, is := rests(before), rests(m.defs)
	for _, d := range m.defs {
		m.hit[d] = d.Main && main || d.Rest() && !slices.Equal(earlier[d.Class], is[d.Class]) ||
			!d.Rest() && slices.ContainsFunc(d.Names, func(n string) bool { return touched[n] })
	}
	maps.DeleteFunc(touched, func(n string, _ bool) bool { return special(n) })
	m.out = touched
	return m
}

// special reports whether a method is one that nobody calls by its name: the language does (Python Language Reference 3.3).
func special(method string) bool {
	return strings.HasPrefix(method, ".__") && strings.HasSuffix(method, "__")
}

// rests are what classes say besides their methods.
func rests(defs []*program.Definition) map[string][]string {
	out := map[string][]string{}
	for _, d := range defs {
		if d.Rest() {
			out[d.Class] = append(out[d.Class], d.Said)
		}
	}
	return out
}

func newModule(f *program.File) *module {
	return &module{file: f, defs: program.Definitions(f), hit: map[*program.Definition]bool{}, in: map[string]bool{}, out: map[string]bool{}, handed: map[string]bool{}}
}

// annotated are the types that a file's functions declare their parameters with: the evaluator takes a name for the same type in all
// of them.
func annotated(f *program.File) map[string]bool {
	out := map[string]bool{}
	for _, fn := range f.Functions {
		for _, p := range fn.Params {
			out[p.Name+":"+p.Type] = true
		}
	}
	return out
}

// all touches everything that a file defines itself.
func (m *module) all() {
	for _, d := range m.defs {
		if m.hit[d] = !d.Imports; !d.Imports {
			for _, n := range d.Names {
				m.out[n] = true
			}
		}
	}
}

func (m *module) touched() bool {
	for _, hit := range m.hit {
		if hit {
			return true
		}
	}
	return len(m.out) > 0
}

// spread touches what uses what is touched, and reports whether there is more for who imports the file than there was.
func (m *module) spread() bool {
	had := len(m.out)
	for more := true; more; {
		more = false
		words := maps.Clone(m.in)
		maps.Copy(words, m.out)
		for _, d := range m.defs {
			if m.hit[d] || !m.reaches(d, words) {
				continue
			}
			m.hit[d], more = true, true
		}
		for _, d := range m.defs {
			if !m.hit[d] {
				continue
			}
			for _, n := range d.Names {
				if !m.out[n] && !special(n) {
					m.out[n], more = true, true
				}
			}
			if d.Class != "" && !m.out[d.Class] {
				m.out[d.Class], more = true, true
			}
		}
	}
	return len(m.out) > had
}

// reaches reports whether a definition uses one of the words. What a class is called does not say that its parts use each other, but
// all of them stand in what the class says besides its methods.
func (m *module) reaches(d *program.Definition, words map[string]bool) bool {
	if len(words) == 0 {
		return false
	}
	if d.Class != "" {
		if !d.Rest() {
			for _, other := range m.defs {
				if other.Class == d.Class && other.Rest() && m.hit[other] {
					return true
				}
			}
		} else if words[d.Class] {
			words = maps.Clone(words)
			delete(words, d.Class)
		}
	}
	if d.Uses(words) {
		return true
	}
	for name := range m.handed {
		if d.Has(name) && handsOn(d.Said, name) {
			return true
		}
	}
	return computes(d)
}

// computes reports whether a definition may use names of its file that it does not say. An attribute with a computed name needs an
// object, and who made that is followed, or a module that is handed on; modules that are named at run time are none that the evaluator reads.
func computes(d *program.Definition) bool {
	return (d.Has("globals") || d.Has("vars") || d.Has("eval") || d.Has("exec")) && computedNames.MatchString(d.Said)
}

var computedNames = regexp.MustCompile(`(?:^|[^.\w])(?:globals|vars|eval|exec)\(`)

// handsOn reports whether a module's name stands in a text other than before a dot.
func handsOn(text, name string) bool {
	for at := 0; ; {
		k := strings.Index(text[at:], name)
		if k < 0 {
			return false
		}
		from, to := at+k, at+k+len(name)
		at = to
		if (from == 0 || !source.WordByte(text[from-1]) && text[from-1] != '.') && (to == len(text) || !source.WordByte(text[to]) && text[to] != '.') &&
			!importsHere(text[:from]) {
			return true
		}
	}
}

// importsHere reports whether a text ends within an import statement of one line.
func importsHere(text string) bool {
	line := strings.TrimLeft(text[strings.LastIndexByte(text, '\n')+1:], " \t")
	return strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "from ")
}

// follow finds the files that touched names reach, and what they touch there.
func (t *touching) follow(opt *Options) {
	texts, concerned := pythons(opt.Tree)
	edges, seen := map[string][]edge{}, map[string]bool{}
	for _, name := range concerned {
		seen[name] = true
	}
	for ; len(concerned) > 0; concerned = concerned[1:] {
		by := concerned[0]
		for _, i := range importsOf(texts[by]) {
			imported(texts, by, i, func(of string, e edge) {
				if of == by {
					return
				}
				if !slices.Contains(edges[of], e) {
					edges[of] = append(edges[of], e)
				}
				if !seen[of] {
					seen[of], concerned = true, append(concerned, of)
				}
			})
		}
	}
	next := slices.Sorted(maps.Keys(t.modules))
	for _, name := range next {
		t.modules[name].spread()
	}
	for ; len(next) > 0; next = next[1:] {
		of := next[0]
		for _, e := range t.around(edges, of) {
			if t.reach(opt, of, e, texts[e.by]) && !slices.Contains(next[1:], e.by) {
				next = append(next, e.by)
			}
		}
	}
}

// around are the edges to a file: those to the packages that it is in, too, of files that may say its name behind theirs.
func (t *touching) around(edges map[string][]edge, of string) []edge {
	list := edges[of]
	for dir := path.Dir(of); dir != "."; dir = path.Dir(dir) {
		for _, e := range edges[path.Join(dir, "__init__.py")] {
			if e.name == "" && e.by != of {
				list = append(slices.Clip(list), e)
			}
		}
	}
	return list
}

// reach has the names of a module reach a file that imports it. It reports whether that file has more names for others then.
func (t *touching) reach(opt *Options, of string, e edge, text []byte) bool {
	from := t.modules[of]
	words, as := map[string]bool{}, "" // what the importing file may say, and what it calls the module
	if from.handed[e.name] {
		words[e.name] = true
	}
	for n := range from.out {
		switch {
		case n[0] == '.', e.name == "*", n == e.name:
			words[n] = true
		case e.name == "":
			words["."+n] = true
		}
	}
	if e.name == "" {
		as = moduleName(of)
		if !hasWord(text, as) {
			return false
		}
	} else if e.name != "*" && !words[e.name] && !mentions(text, words) {
		return false
	}
	m := t.modules[e.by]
	if m == nil {
		if as == "" && !mentions(text, words) && e.name != "*" {
			return false
		}
		f := opt.load(e.by)
		if f == nil {
			return false
		}
		m = newModule(f)
		t.modules[e.by] = m
	}
	had := len(m.out) + len(m.handed)
	before := len(m.in) + len(m.handed)
	maps.Copy(m.in, words)
	if e.name == "*" {
		for n := range words {
			if n[0] != '.' && n[0] != '_' {
				m.out[n] = true
			}
		}
	}
	if as != "" {
		for _, name := range program.BoundTo(m.file, as) {
			m.handed[name] = true
		}
	}
	if len(m.in)+len(m.handed) > before || len(m.out)+len(m.handed) > had {
		m.spread()
	}
	return len(m.out)+len(m.handed) > had
}

// mentions reports whether a text has one of the words.
func mentions(text []byte, words map[string]bool) bool {
	for w := range words {
		if hasWord(text, strings.TrimPrefix(w, ".")) {
			return true
		}
	}
	return false
}

// concerns reports whether a kernel of a file may not be what it was: it, or what leads to its launch, is touched.
func (m *module) concerns(fn *program.Function) bool {
	leads := map[*program.Definition]bool{}
	words := map[string]bool{}
	enter := func(d *program.Definition) {
		if leads[d] = true; d.Class == "" {
			for _, n := range d.Names {
				words[n] = true
			}
			return
		}
		words[d.Class] = true
		for _, part := range m.defs {
			if part.Class == d.Class {
				leads[part] = true
			}
		}
	}
	for _, d := range m.defs {
		if d.Span.Start <= fn.Span.Start && fn.Span.End <= d.Span.End {
			enter(d)
		}
	}
	for more := true; more; {
		more = false
		for _, d := range m.defs {
			if !leads[d] && d.Uses(words) {
				enter(d)
				more = true
			}
		}
	}
	for d := range leads {
		if m.hit[d] {
			return true
		}
	}
	return len(leads) == 0
}

// ranges are the lines of what is touched in a file and of the kernels that it concerns.
func (m *module) ranges() (out []source.Range, concerned bool) {
	add := func(s source.Span) {
		out = append(out, source.Range{First: m.file.Source.LineAt(s.Start), Last: m.file.Source.LineAt(max(s.End-1, s.Start))})
	}
	for _, d := range m.defs {
		if m.hit[d] {
			add(d.Span)
		}
	}
	for _, fn := range m.file.Functions {
		if fn.Kernel && m.concerns(fn) {
			concerned = true
			add(fn.Span)
		}
	}
	return out, concerned
}
