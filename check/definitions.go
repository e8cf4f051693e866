package check

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// A Python file as what it defines: which names each of its top-level statements binds, what that says, and which words stand in
// it. Two versions of a file are told apart by it, and who uses a name of another file. Words are compared as they stand, those in
// strings included, so that more may seem to be used than is, never less.

// defined is a top-level statement, or a part of a class.
type defined struct {
	names   []string // that it binds: "f"; ".m" for a method, which any object may have been asked for
	class   string   // that it is a part of, "" for a statement
	said    string   // its text without comments and docstrings
	words   map[string]bool
	main    bool // if __name__ == "__main__": nobody who imports the file runs it
	plain   bool // a function, a class or an import: it does not matter after which of the others it stands
	imports bool
	span    source.Span
}

// rest reports whether it is what a class says besides its methods, or a part of that.
func (d *defined) rest() bool { return d.class != "" && d.names[0] == d.class }

// definitions of a file, in order.
func definitions(f *program.File) []*defined {
	var out []*defined
	s := sayer{f.Source.Data, idle(f)}
	add := func(names []string, class string, span source.Span, plain bool) *defined {
		d := &defined{names: names, class: class, said: s.said(span), span: span, plain: plain}
		out = append(out, d)
		return d
	}
	for _, st := range f.Body {
		switch st := st.(type) {
		case *program.FuncDef:
			add([]string{st.Func.Name}, "", st.Where(), true)
		case *program.ClassDef:
			c := st.Class
			from := st.Where().Start
			for _, m := range c.Methods {
				if m.Outer != nil || m.Class != c || m.Span.Start < from {
					continue
				}
				add([]string{c.Name}, c.Name, source.Span{Start: from, End: m.Span.Start}, true)
				add([]string{"." + m.Name}, c.Name, m.Span, true)
				from = m.Span.End
			}
			add([]string{c.Name}, c.Name, source.Span{Start: from, End: max(st.Where().End, from)}, true)
		default:
			if x, ok := st.(*program.ExprStmt); ok {
				if _, ok := x.X.(*program.String); ok {
					continue
				}
			}
			im, imports := st.(*program.Import)
			d := add(bound(st), "", st.Where(), imports)
			if d.imports = imports; imports { // one of several of a statement
				d.said = fmt.Sprintf("from %s import %s as %s", im.From, im.Name, im.Alias)
			}
			if cond, ok := st.(*program.If); ok && guard.MatchString(f.Source.Text(cond.Cond.Where())) {
				d.main, d.names = true, nil
			}
		}
	}
	return out
}

var guard = regexp.MustCompile(`^\(?\s*(__name__\s*==\s*['"]__main__['"]|['"]__main__['"]\s*==\s*__name__)\s*\)?$`)

// bound are the names that a statement binds or changes at the top level.
func bound(st program.Stmt) (names []string) {
	program.WalkStmts([]program.Stmt{st}, func(s program.Stmt) bool {
		switch s := s.(type) {
		case *program.Assign:
			for _, t := range s.Targets {
				program.WalkExprs(t, func(e program.Expr) bool {
					if n, ok := e.(*program.Name); ok {
						names = append(names, n.Ident)
					}
					return true
				})
			}
		case *program.FuncDef:
			names = append(names, s.Func.Name)
		case *program.ClassDef:
			names = append(names, s.Class.Name)
		case *program.Import:
			if s.Name != "*" {
				names = append(names, syntax.BoundName(s))
			}
		}
		return true
	})
	return names
}

// idle are the strings that stand alone as statements: docstrings, and what is written like one.
func idle(f *program.File) (out []source.Span) {
	in := func(body []program.Stmt) {
		program.WalkStmts(body, func(st program.Stmt) bool {
			if x, ok := st.(*program.ExprStmt); ok {
				if _, ok := x.X.(*program.String); ok {
					out = append(out, st.Where())
				}
			}
			return true
		})
	}
	in(f.Body)
	for _, fn := range f.Functions {
		in(fn.Body)
	}
	for _, c := range f.Classes {
		in(c.Body)
	}
	slices.SortFunc(out, func(a, b source.Span) int { return a.Start - b.Start })
	return out
}

// sayer cuts what says nothing out of a Python text.
type sayer struct {
	text []byte
	idle []source.Span // in order
}

func (s sayer) said(span source.Span) string {
	var whole []byte
	from := span.Start
	for _, i := range s.idle {
		if i.Start >= from && i.End <= span.End {
			whole = append(whole, s.text[from:i.Start]...)
			from = i.End
		}
	}
	whole = append(whole, s.text[min(from, span.End):span.End]...)
	return withoutRemarks(whole, "#", withinStrings(whole))
}

// withoutRemarks cuts comments, blank lines and blanks at the ends of lines. A comment that may not be one stays: behind a quote on its
// line; so does one that says something to fencepost. On lines that a string goes on over nothing is cut.
func withoutRemarks(text []byte, begin string, inside map[int]bool) string {
	var out strings.Builder
	number := 0
	for line := range bytes.Lines(text) {
		if number++; !inside[number] && !inside[number+1] {
			if at := bytes.Index(line, []byte(begin)); at >= 0 && !bytes.ContainsAny(line[:at], "\"'") && !comment.Match(line) &&
				!bytes.HasSuffix(bytes.TrimRight(line, "\r\n"), []byte("\\")) {
				line = line[:at]
			}
			if line = bytes.TrimRight(line, " \t\r\n"); len(line) == 0 {
				continue
			}
		}
		out.Write(bytes.TrimRight(line, "\r\n"))
		out.WriteByte('\n')
	}
	return out.String()
}

// comment is what keeps a line whole: what is said to fencepost, and a comment that may end on the line.
var comment = regexp.MustCompile(`fencepost|/\*|\*/`)

// has looks a word up among those of a definition: they are the words of a definition's text: as they stand, and with a dot before where they are an attribute or may become one,
// in a string.
func (d *defined) has(word string) bool {
	if d.words == nil {
		d.words = map[string]bool{}
		last := byte(0) // before the word
		for at := 0; at < len(d.said); {
			c := d.said[at]
			if !wordByte(c) && c < 0x80 {
				if at++; c > ' ' && c != '\\' {
					last = c
				}
				continue
			}
			from := at
			for at < len(d.said) && (wordByte(d.said[at]) || d.said[at] >= 0x80) {
				at++
			}
			w := d.said[from:at]
			d.words[w] = true
			if last == '.' || last == '"' || last == '\'' {
				d.words["."+w] = true
			}
			last = 'w'
		}
	}
	return d.words[word]
}

// uses reports whether a definition has one of the words.
func (d *defined) uses(words map[string]bool) bool {
	for w := range words {
		if d.has(w) {
			return true
		}
	}
	return false
}

// difference is which definitions of a file are not what they were, by their names; all where that cannot be told.
func difference(before, now []*defined) (touched map[string]bool, main, all bool) {
	sorted := func(defs []*defined) (by map[string][]string, order []string) {
		by = map[string][]string{}
		for _, d := range defs {
			key := strings.Join(d.names, " ")
			if d.class != "" {
				key = d.class + " " + key
			}
			if d.main {
				key = "__main__"
			}
			by[key] = append(by[key], d.said)
			if !d.plain {
				order = append(order, key)
			}
		}
		return by, order
	}
	was, wasOrder := sorted(before)
	is, isOrder := sorted(now)
	touched = map[string]bool{}
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	for key := range keys {
		switch {
		case slices.Equal(was[key], is[key]):
		case key == "__main__":
			main = true
		case key == "":
			all = true
		default:
			for _, name := range strings.Fields(key) {
				touched[name] = true
			}
		}
	}
	same := func(order []string, other map[string][]string) []string {
		return slices.DeleteFunc(slices.Clone(order), func(key string) bool { return other[key] == nil })
	}
	if !slices.Equal(same(wasOrder, is), same(isOrder, was)) {
		all = true
	}
	return touched, main, all
}
