package cuda

import (
	"bytes"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// preprocessor is what directives left behind.
type preprocessor struct {
	defines  []*define
	macros   []*define // function-like
	includes []include
	perhaps  []Header        // of which it is not known whether the file includes them
	undone   map[string]bool // names that #undef made none
	vague    map[string]bool // names of which it is not known whether the file defines them
	doubts   []doubt
	unset    []named // names that nothing defines and lines hang on
	left     []program.Left
	acting   map[string]bool // macros without parameters that are no constants
	names    map[string]*meanings
	pushed   map[string][]*define
	bodies   []source.Span // of all macros, in order
}

type include struct {
	header  Header
	span    source.Span
	perhaps bool // whether it is compiled is not known
}

// named is a name with a place.
type named struct {
	name string
	span source.Span
}

// group is one open #if: live while its kept branch is being read.
type group struct {
	outer bool // the group itself stands in live text
	taken bool // a branch has been kept
	live  bool
	start int
	from  int      // where its branch at hand begins
	doubt string   // a name that its conditions hang on and that may be defined elsewhere
	unset []string // those that nothing defines
}

// doubt is a place at which what is compiled is not known: lines that hang on a name that may be defined elsewhere, or a macro.
type doubt struct {
	why   string
	span  source.Span
	taken bool   // it is read as it stands here
	macro string // that is used there, and is no constant
	part  bool   // of a declaration
}

func (l *lexer) live() bool {
	return len(l.groups) == 0 || l.groups[len(l.groups)-1].live
}

// directiveEnd is the end of the directive that starts at i, comments that span lines included.
func (l *lexer) directiveEnd(i int) int {
	for i < len(l.src) {
		switch {
		case l.src[i] == '\n' && !continued(l.src, i):
			return i
		case l.src[i] == '/' && i+1 < len(l.src) && l.src[i+1] == '*':
			i = commentEnd(l.src, i)
		case l.src[i] == '/' && i+1 < len(l.src) && l.src[i+1] == '/':
			return lineEnd(l.src, i)
		case l.src[i] == '"':
			i = quoteEnd(l.src, i)
		default:
			i++
		}
	}
	return len(l.src)
}

// directive interprets the directive in [start, end). Only the first branch that can be live is kept: the tool
// reads one configuration, the newest architecture (notes/cuda.md, section 3).
func (l *lexer) directive(start, end int) {
	line := directiveTokens(l.src, start+1, end)
	if len(line) == 0 {
		return
	}
	head := l.text(line[0])
	rest := line[1:]
	switch head {
	case "if", "ifdef", "ifndef":
		g := group{outer: l.live(), start: start, from: end}
		if g.outer {
			if g.live, g.doubt = l.condition(head, rest); !g.live && len(l.lacking) > 0 && l.wraps(end) {
				g.live, l.lacking = true, nil // whoever compiles the file at all gives the name
			}
			if g.doubt != "" && l.guards(rest, end, g.doubt) {
				g.doubt = "" // who has it defined before has read the file before
			}
			first := l.firstBranch(start)
			if !g.live && len(l.lacking) > 0 && first.kernels && first.only {
				g.live, l.lacking = true, nil // whoever compiles these kernels gives the name
			}
			if !g.live && head == "ifdef" && len(rest) > 0 && l.text(rest[0]) == "__HIPCC__" && first.kernels && first.only {
				g.live = true // HIP's headers define it where they compile for CUDA, too
			}
			if g.live && (first.refuses || first.hip && !first.only) {
				g.live, g.doubt, l.lacking = false, "", nil
			}
			if g.doubt != "" && l.library {
				if live := l.without(head, rest); live || l.otherwise(end) {
					g.live, g.doubt = live, l.undefined
				} else {
					l.lacking = nil
				}
			}
			g.taken, g.unset = g.live, l.lacking
		}
		if len(l.groups) < 10000 {
			l.groups = append(l.groups, g)
		}
	case "elif", "elifdef", "elifndef":
		if g := l.top(); g != nil {
			l.leave(g, start)
			g.from = end
			if g.live = g.outer && !g.taken; g.live {
				doubt := ""
				if g.live, doubt = l.condition(strings.TrimPrefix(head, "el"), rest); doubt != "" {
					g.doubt = doubt
				}
				g.unset = append(g.unset, l.lacking...)
			}
			g.taken = g.taken || g.live
		}
	case "else":
		if g := l.top(); g != nil {
			l.leave(g, start)
			g.from = end
			g.live = g.outer && !g.taken
			g.taken = g.taken || g.live
		}
	case "endif":
		if g := l.top(); g != nil {
			l.leave(g, start)
			if (g.doubt != "" || len(g.unset) > 0) && source.HasSync(l.src[g.start:end], "asm", "return", "[") {
				at := source.Span{Start: g.start, End: end}
				if g.doubt != "" {
					l.pre.doubts = append(l.pre.doubts, doubt{g.doubt + " decides here, which another file may define", at, true, "", false})
				}
				for _, name := range g.unset {
					l.pre.unset = append(l.pre.unset, named{name, at})
				}
			}
			l.groups = l.groups[:len(l.groups)-1]
		}
	case "define":
		l.mayChange(rest)
		if l.live() {
			l.define(rest, source.Span{Start: start, End: end})
		}
	case "undef":
		l.mayChange(rest)
		if l.live() && len(rest) > 0 {
			l.pre.undone[l.text(rest[0])] = true
			l.pre.change(l.text(rest[0]), end, nil)
		}
	case "pragma":
		if l.live() {
			l.stack(rest, end)
		}
	case "include":
		l.include(line[0].end, source.Span{Start: start, End: end})
	}
}

// leave notes a branch that ends at a place and is left out for names that nothing defines.
func (l *lexer) leave(g *group, end int) {
	if g.outer && !g.live && !g.taken && len(g.unset) > 0 && end > g.from {
		l.pre.left = append(l.pre.left, program.Left{Names: slices.Clone(g.unset), Span: source.Span{Start: g.from, End: end}})
	}
}

// wraps reports whether the #if that ends at a place is around all that the file has but includes and its guard against being included again, and that is CUDA's:
// for HIP another compiler is asked.
func (l *lexer) wraps(from int) bool {
	has := func(word string) bool { return bytes.Contains(l.src[from:], []byte(word)) }
	if len(l.tokens) > 0 || !has("__global__") && !has("__device__") && !has("cuda") {
		return false
	}
	depth, around := 1, len(l.groups)
	for _, line := range bytes.Split(l.src[from:], []byte("\n")) {
		line = bytes.TrimSpace(line)
		word, is := bytes.CutPrefix(line, []byte("#"))
		if !is {
			if depth <= 0 && len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) {
				return false
			}
			continue
		}
		word = bytes.TrimSpace(word)
		switch {
		case depth == 1 && bytes.HasPrefix(word, []byte("include")) && ofHIP(word):
			return false
		case bytes.HasPrefix(word, []byte("if")) && depth > 0:
			depth++
		case bytes.HasPrefix(word, []byte("endif")):
			depth--
		case depth <= 1 && bytes.HasPrefix(word, []byte("el")) || depth <= 0:
			return false
		}
	}
	return depth == -around
}

// guards reports whether the #if that ends at a place, and asks for one name, is a guard against the file being included again: it defines the name first, and is around all that the file has.
func (l *lexer) guards(rest []token, from int, name string) bool {
	names := 0
	for _, t := range rest {
		if t.kind == word && l.text(t) != "defined" {
			names++
		}
	}
	if len(l.tokens) > 0 || names != 1 || l.text(rest[0]) == "defined" || len(rest) > 1 && l.text(rest[0]) != "!" {
		return false
	}
	depth, first := 1, true
	for i := from; i < len(l.src); {
		switch c := l.src[i]; {
		case c == '/' && i+1 < len(l.src) && l.src[i+1] == '/':
			i = lineEnd(l.src, i)
		case c == '/' && i+1 < len(l.src) && l.src[i+1] == '*':
			i = commentEnd(l.src, i)
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v':
			i++
		case depth == 0:
			return false
		case c == '#':
			end := l.directiveEnd(i)
			line := directiveTokens(l.src, i+1, end)
			i = end
			if len(line) == 0 {
				continue
			}
			head := l.text(line[0])
			if first && (head != "define" || len(line) != 2 || l.text(line[1]) != name) {
				return false
			}
			first = false
			switch {
			case strings.HasPrefix(head, "if"):
				depth++
			case head == "endif":
				depth--
			case depth == 1 && strings.HasPrefix(head, "el"):
				return false
			}
		case first:
			return false
		default: // the rest of a line of text: what stands in quotes there is not looked at
			for i < len(l.src) && l.src[i] != '\n' {
				if l.src[i] == '/' && i+1 < len(l.src) && (l.src[i+1] == '*' || l.src[i+1] == '/') {
					break
				}
				if l.src[i] == '"' {
					i = quoteEnd(l.src, i)
					continue
				}
				i++
			}
		}
	}
	return depth == 0 && !first
}

func (l *lexer) top() *group {
	if len(l.groups) == 0 {
		return nil
	}
	return &l.groups[len(l.groups)-1]
}

func (l *lexer) text(t token) string {
	if l.words != "" {
		return l.words[t.start:t.end]
	}
	return string(l.src[t.start:t.end])
}

func (l *lexer) define(rest []token, span source.Span) {
	if len(rest) == 0 || rest[0].kind != word {
		return
	}
	d := &define{name: l.text(rest[0]), span: span}
	if len(rest) > 1 {
		d.body = source.Span{Start: rest[1].start, End: rest[len(rest)-1].end}
		d.text = string(l.src[d.body.Start:d.body.End])
		d.function = rest[1].start == rest[0].end && l.src[rest[1].start] == '('
		l.pre.bodies = append(l.pre.bodies, d.body)
	}
	l.pre.change(d.name, span.End, d)
	delete(l.pre.undone, d.name)
	if d.function {
		l.pre.macros = append(l.pre.macros, d)
		return
	}
	l.pre.defines = append(l.pre.defines, d)
}

func (l *lexer) include(from int, span source.Span) {
	s := strings.TrimSpace(string(l.src[from:span.End]))
	if len(s) < 2 {
		return
	}
	closing := map[byte]byte{'<': '>', '"': '"'}[s[0]]
	if closing == 0 {
		return
	}
	if n := strings.IndexByte(s[1:], closing); n > 0 {
		h := Header{s[1 : n+1], s[0] == '"'}
		perhaps := l.doubtful()
		if l.live() {
			l.pre.includes = append(l.pre.includes, include{h, span, perhaps})
		}
		if perhaps && !system(h.Name) {
			l.pre.perhaps = append(l.pre.perhaps, h)
		}
	}
}

// doubtful reports whether it is not known that lines are, or are not, compiled.
func (l *lexer) doubtful() bool {
	return slices.ContainsFunc(l.groups, func(g group) bool { return g.doubt != "" })
}

// mayChange notes a name that a directive changes of which it is not known whether it is compiled.
func (l *lexer) mayChange(rest []token) {
	if len(rest) > 0 && l.doubtful() {
		if l.pre.vague == nil {
			l.pre.vague = map[string]bool{}
		}
		l.pre.vague[l.text(rest[0])] = true
	}
}

// directiveTokens lexes a directive's text without comments and continuations.
func directiveTokens(src []byte, start, end int) []token {
	l := lexer{src: src[:end]}
	var out []token
	for i := start; i < end; {
		c := src[i]
		switch {
		case c == '/' && i+1 < end && src[i+1] == '/':
			return out
		case c == '/' && i+1 < end && src[i+1] == '*':
			i = commentEnd(src[:end], i)
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\\' || c == '\f' || c == '\v':
			i++
		default:
			t := l.token(i)
			out = append(out, t)
			i = t.end
		}
	}
	return out
}
