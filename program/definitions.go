package program

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/source"
)

// A Python file as what it defines: which names each of its top-level statements binds, what that says, and which words stand in
// it. Two versions of a file are told apart by it, and who uses a name of another file. Words are compared as they stand, those in
// strings included, so that more may seem to be used than is, never less.

// Definition is a top-level statement, or a part of a class.
type Definition struct {
	Names   []string // that it binds: "f"; ".m" for a method, which any object may have been asked for
	Class   string   // that it is a part of, "" for a statement
	Said    string   // its text without comments and docstrings
	words   map[string]bool
	Main    bool // if __name__ == "__main__": nobody who imports the file runs it
	Plain   bool // a function, a class or an import: it does not matter after which of the others it stands
	Imports bool
	Span    source.Span
}

// Rest reports whether it is what a class says besides its methods, or a part of that.
func (d *Definition) Rest() bool { return d.Class != "" && d.Names[0] == d.Class }

// Definitions of a file of Python, in order.
func Definitions(f *File) []*Definition {
	var out []*Definition
	s := sayer{f.Source.Data, idle(f)}
	add := func(names []string, class string, span source.Span, plain bool) *Definition {
		d := &Definition{Names: names, Class: class, Said: s.said(span), Span: span, Plain: plain}
		out = append(out, d)
		return d
	}
	for _, st := range f.Body {
		switch st := st.(type) {
		case *FuncDef:
			add([]string{st.Func.Name}, "", st.Where(), true)
		case *ClassDef:
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
			if x, ok := st.(*ExprStmt); ok {
				if _, ok := x.X.(*String); ok {
					continue
				}
			}
			im, imports := st.(*Import)
			d := add(bound(st), "", st.Where(), imports)
			if d.Imports = imports; imports { // one of several of a statement
				d.Said = fmt.Sprintf("from %s import %s as %s", im.From, im.Name, im.Alias)
			}
			if cond, ok := st.(*If); ok && guard.MatchString(f.Source.Text(cond.Cond.Where())) {
				d.Main, d.Names = true, nil
			}
		}
	}
	return out
}

var guard = regexp.MustCompile(`^\(?\s*(__name__\s*==\s*['"]__main__['"]|['"]__main__['"]\s*==\s*__name__)\s*\)?$`)

// bound are the names that a statement binds or changes at the top level.
func bound(st Stmt) (names []string) {
	WalkStmts([]Stmt{st}, func(s Stmt) bool {
		switch s := s.(type) {
		case *Assign:
			for _, t := range s.Targets {
				WalkExprs(t, func(e Expr) bool {
					if n, ok := e.(*Name); ok {
						names = append(names, n.Ident)
					}
					return true
				})
			}
		case *FuncDef:
			names = append(names, s.Func.Name)
		case *ClassDef:
			names = append(names, s.Class.Name)
		case *Import:
			if s.Name != "*" {
				names = append(names, s.Bound())
			}
		}
		return true
	})
	return names
}

// idle are the strings that stand alone as statements: docstrings, and what is written like one.
func idle(f *File) (out []source.Span) {
	in := func(body []Stmt) {
		WalkStmts(body, func(st Stmt) bool {
			if x, ok := st.(*ExprStmt); ok {
				if _, ok := x.X.(*String); ok {
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
	return source.WithoutRemarks(whole, "#", source.WithinStrings(whole))
}

// Has looks a word up among those of a definition: they are the words of a definition's text: as they stand, and with a dot before where they are an attribute or may become one,
// in a string.
func (d *Definition) Has(word string) bool {
	if d.words == nil {
		d.words = map[string]bool{}
		last := byte(0) // before the word
		for at := 0; at < len(d.Said); {
			c := d.Said[at]
			if !source.WordByte(c) && c < 0x80 {
				if at++; c > ' ' && c != '\\' {
					last = c
				}
				continue
			}
			from := at
			for at < len(d.Said) && (source.WordByte(d.Said[at]) || d.Said[at] >= 0x80) {
				at++
			}
			w := d.Said[from:at]
			d.words[w] = true
			if last == '.' || last == '"' || last == '\'' {
				d.words["."+w] = true
			}
			last = 'w'
		}
	}
	return d.words[word]
}

// Uses reports whether a definition has one of the words.
func (d *Definition) Uses(words map[string]bool) bool {
	for w := range words {
		if d.Has(w) {
			return true
		}
	}
	return false
}

// Difference is which definitions of a file are not what they were, by their names; all where that cannot be told.
func Difference(before, now []*Definition) (touched map[string]bool, main, all bool) {
	sorted := func(defs []*Definition) (by map[string][]string, order []string) {
		by = map[string][]string{}
		for _, d := range defs {
			key := strings.Join(d.Names, " ")
			if d.Class != "" {
				key = d.Class + " " + key
			}
			if d.Main {
				key = "__main__"
			}
			by[key] = append(by[key], d.Said)
			if !d.Plain {
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

// Broken reports whether something of a file is not read.
func Broken(f *File) bool {
	if len(f.Skipped) > 0 || len(f.Notes) > 0 {
		return true
	}
	found := false
	WalkStmts(f.Body, func(st Stmt) bool {
		_, opaque := st.(*OpaqueStmt)
		found = found || opaque
		return true
	})
	return found
}

// BoundTo are the names that a file's imports give to modules which are called so in the end.
func BoundTo(f *File, module string) (names []string) {
	note := func(st Stmt) bool {
		if im, ok := st.(*Import); ok && im.Name != "*" && im.Name[strings.LastIndexByte(im.Name, '.')+1:] == module {
			if im.From != "" || im.Alias != "" || im.Name == module { // else the name is that of the first of several packages
				names = append(names, im.Bound())
			}
		}
		return true
	}
	WalkStmts(f.Body, note)
	for _, fn := range f.Functions {
		WalkStmts(fn.Body, note)
	}
	return names
}
