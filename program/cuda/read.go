// Package cuda reads CUDA C++ into the kernel tree of package program.
//
// The text is first blanked in place, length for length, where the tree-sitter grammar stumbles (attribute macros,
// launch bounds, dead preprocessor branches: notes/cuda.md, section 3), then parsed, then copied into the tree. Names,
// operators and literals are read from the original text, so spans are exact.
package cuda

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// largeFile is the size from which function bodies that neither synchronize nor launch anything are left unread: generated
// headers of several megabytes hold thousands of them. A file that launches kernels is no such header, up to hugeFile.
const (
	largeFile = 256 << 10
	hugeFile  = 1 << 20
)

// maxSnippets bounds how many attribute arguments and macro bodies are parsed apart from the file.
const maxSnippets = 5000

// maxLost bounds the search for kernels that did not parse.
const maxLost = 10_000

// reader carries one file through the copy from syntax tree to kernel tree.
type reader struct {
	spaces []named // the bodies of namespaces, by their whole names
	*parser
	blanker  *blanker
	src      []byte // the file's own text
	text     []byte // the blanked text
	file     *program.File
	scope    []string // names of the namespaces and classes around
	class    *program.Class
	outer    *program.Function
	holding  map[int]holder // see [blanker]
	welded   map[int]bool   // starts of identifiers made of expressions
	depth    int            // of snippets within snippets
	classes  map[string]*program.Class
	copied   int          // statements repeated for cases that fall through
	claimed  map[int]bool // marks taken by a function, by index
	snippets int
	spliced  map[string]*splice
	launched map[string]bool // names of what is
	instead  []byte          // what the text of the macro that is read is taken for
}

// Read reads a file. It never fails: what does not parse is listed in Skipped and Notes. What its conditions ask for and it does not define is asked
// of elsewhere, if there is one.
func Read(f *source.File, elsewhere *Elsewhere) *program.File {
	file := &program.File{Source: f, Language: program.CUDA}
	p, err := newParser(len(f.Data))
	if err != nil {
		note(file, source.Span{}, "the CUDA grammar does not load: "+err.Error())
		return file
	}
	defer p.Close()
	b := prepare(f.Data, p.memory, elsewhere)
	if made, gone, not := b.made(); len(gone) > 0 {
		makes := b.makes
		f = f.With(made)
		file.Source = f
		b = prepare(f.Data, p.memory, elsewhere)
		b.makes = makes
		for _, s := range gone {
			b.blank(s.Start, s.End)
		}
		for _, m := range not {
			note(file, m.span, "macro "+m.name+" is not expanded, and the kernels that it makes are not read")
		}
	}
	r := &reader{parser: p, blanker: b, src: f.Data, text: b.out, file: file, claimed: map[int]bool{}, classes: map[string]*program.Class{}, welded: b.welded, holding: b.holding, spliced: map[string]*splice{}, launched: map[string]bool{}}
	var descend func(start, end int) bool
	if n := len(f.Data); n > largeFile && (n > hugeFile || !bytes.Contains(f.Data, []byte("<<<"))) {
		descend = r.interesting
	}
	root := p.parse(b.out, 0, source.Span{End: len(f.Data)}, descend)
	if root == nil {
		note(file, source.Span{End: len(f.Data)}, fmt.Sprintf("parsing stopped after %d s", p.seconds))
		return file
	}
	file.Body = r.items(root)
	file.Device = r.deviceMacros()
	file.Left = r.blanker.pre.left
	r.launchedKernels()
	r.leftKernels()
	r.directives()
	r.lost()
	r.limits()
	sort.SliceStable(file.Body, func(i, j int) bool { return file.Body[i].Where().Start < file.Body[j].Where().Start })
	sort.SliceStable(file.Functions, func(i, j int) bool { return file.Functions[i].Span.Start < file.Functions[j].Span.Start })
	sort.SliceStable(file.Classes, func(i, j int) bool { return file.Classes[i].Span.Start < file.Classes[j].Span.Start })
	sort.SliceStable(file.Skipped, func(i, j int) bool { return file.Skipped[i].Span.Start < file.Skipped[j].Span.Start })
	sort.SliceStable(file.Notes, func(i, j int) bool { return file.Notes[i].Span.Start < file.Notes[j].Span.Start })
	return file
}

// launches notes the name of what is launched.
func (r *reader) launches(fun program.Expr) {
	if id, is := fun.(*program.Name); is {
		_, last := program.SplitName(id.Ident)
		r.launched[last] = true
	}
}

// launchedKernels finds the kernels that are marked by a macro of another file: what is launched is a kernel, and no name of one means another function.
func (r *reader) launchedKernels() {
	for _, fn := range r.file.Functions {
		if fn.Kernel {
			delete(r.launched, fn.Name)
		}
	}
	for _, fn := range r.file.Functions {
		marked := slices.ContainsFunc(fn.Qualifiers, capitals) && !slices.ContainsFunc(fn.Qualifiers, func(q string) bool { return words[q] })
		if r.launched[fn.Name] && marked && fn.Class == nil && !fn.Macro && fn.Result == "void" && len(fn.Body) > 0 {
			fn.Kernel = true
		}
	}
}

// leftKernels says where kernels are left out of a file that has no others: that none is checked is no answer to whoever asks about these.
func (r *reader) leftKernels() {
	if slices.ContainsFunc(r.file.Functions, func(fn *program.Function) bool { return fn.Kernel }) {
		return
	}
	for _, l := range r.file.Left {
		n := 0
		for from := l.Span.Start; from < l.Span.End; { // line by line, of each what is before a comment
			to := l.Span.End
			if k := bytes.IndexByte(r.src[from:to], '\n'); k >= 0 {
				to = from + k + 1
			}
			for _, t := range directiveTokens(r.src, from, to) {
				if t.kind == word && r.blanker.text(t) == "__global__" {
					n++
				}
			}
			from = to
		}
		if n > 0 {
			note(r.file, source.Span{Start: l.Span.Start, End: l.Span.Start}, fmt.Sprintf("kernels from here on, %d of them, are compiled where %s is defined, and nothing that is read defines that: they are not checked", n, strings.Join(l.Names, " or ")))
		}
	}
}

// deviceMacros are the macros without parameters whose text has __device__, or another such macro that is defined before.
func (r *reader) deviceMacros() map[string]bool {
	out := map[string]bool{}
	for _, d := range r.blanker.pre.defines {
		if d.function || out[d.name] {
			continue
		}
		for _, t := range directiveTokens(r.src, d.body.Start, d.body.End) {
			if s := r.blanker.text(t); t.kind == word && (s == "__device__" || out[s]) {
				out[d.name] = true
				break
			}
		}
	}
	return out
}

func note(f *program.File, at source.Span, text string) {
	f.Notes = append(f.Notes, program.Note{Span: at, Text: text})
}

// interesting reports whether a function body may synchronize, or launches a kernel.
func (r *reader) interesting(start, end int) bool {
	return source.HasSync(r.text[start:end], "asm", "<<<")
}

// lost lists the kernels whose definition did not survive parsing: a __global__ that no function claimed and that is
// followed by a body, or by nothing that ends a declaration.
func (r *reader) lost() {
	marks := r.blanker.marks[:min(len(r.blanker.marks), maxLost)]
	for i, m := range marks {
		if m.word != "__global__" || r.claimed[i] {
			continue
		}
		name, end, ok := definition(r.text, m.span.End)
		if !ok {
			continue
		}
		r.file.Skipped = append(r.file.Skipped, program.Skipped{Name: name, Span: source.Span{Start: m.span.Start, End: end}})
	}
	if at := r.blanker.unclosed; at > 0 {
		note(r.file, source.Span{Start: at - 1, End: len(r.src)}, "the comment that begins here has no end: what follows is not read")
	}
}

// definition scans a declaration: its name is the last word before its first parenthesis, and a brace before any
// semicolon makes it a definition. So does the end of the text, or of what is looked through, before either.
func definition(text []byte, i int) (name string, end int, ok bool) {
	depth := 0
	last := ""
	l := lexer{src: text}
	for n := 0; i < len(text) && n < 4000; n++ {
		if c := text[i]; c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		t := l.token(i)
		i = t.end
		before := last
		last = l.text(t)
		switch {
		case t.kind == punct && text[t.start] == '(':
			if depth == 0 && name == "" {
				name = before
			}
			depth++
		case t.kind == punct && text[t.start] == ')':
			depth--
		case t.kind == punct && text[t.start] == ';' && depth <= 0:
			return name, i, false
		case t.kind == punct && text[t.start] == '{' && (depth <= 0 || before != "="):
			return name, i, name != ""
		}
	}
	return name, i, true
}

func (r *reader) limits() {
	whole := source.Span{End: len(r.src)}
	if r.full {
		note(r.file, whole, fmt.Sprintf("only the first %d syntax nodes were read", maxNodes))
	}
	if r.deep {
		note(r.file, whole, fmt.Sprintf("text nested deeper than %d syntax levels was not read", maxDepth))
	}
	if r.snippets > maxSnippets {
		note(r.file, whole, fmt.Sprintf("only the first %d macros and attributes were read", maxSnippets))
	}
}

func span(n *node) source.Span { return source.Span{Start: n.start, End: n.end} }

func place(n *node) program.Place { return program.Place{Span: span(n)} }

// own is the node's text in the file.
func (r *reader) own(n *node) string {
	if n == nil || n.start < 0 || n.end > len(r.src) || n.start > n.end {
		return ""
	}
	return string(r.src[n.start:n.end])
}
