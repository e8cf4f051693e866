package program

import (
	"bytes"
	"strings"

	"github.com/fencepost-dev/fencepost/source"
)

// SplitName cuts a qualified name of C++ at its last :: outside of template arguments.
func SplitName(name string) (scope, last string) {
	depth := 0
	for k := len(name) - 1; k > 0; k-- {
		switch {
		case name[k] == '>' && name[k-1] != '-' && name[k-1] != '>' || name[k] == '>' && depth > 0:
			depth++
		case name[k] == '<' && depth > 0:
			depth--
		case depth == 0 && name[k] == ':' && name[k-1] == ':':
			return name[:k-1], name[k+1:]
		}
	}
	return "", name
}

// Naming are the functions of a file of C++ that name something in their bodies, by its last name, or may, in a statement that was not read. Every kernel of
// a file asks who leads to it, so all bodies are looked through once.
func (f *File) Naming(name string) []*Function {
	f.once.Do(func() {
		f.naming = map[string][]*Function{}
		for _, fn := range f.Functions {
			note := func(name string) {
				if list := f.naming[name]; len(list) == 0 || list[len(list)-1] != fn {
					f.naming[name] = append(list, fn)
				}
			}
			for _, st := range fn.Body {
				Walk(st, func(n Node) bool {
					switch n := n.(type) {
					case *Name:
						_, last := SplitName(n.Ident)
						note(last)
					case *OpaqueStmt:
						for _, w := range Words(f.Source.Text(n.Span)) {
							note(w)
						}
					}
					return true
				})
			}
		}
	})
	return f.naming[name]
}

// Words are the identifiers of a text.
func Words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// EndsIn reports whether a qualified name is another one, or ends in it as names may be shortened.
func EndsIn(whole, short string) bool {
	if global, is := strings.CutPrefix(short, "::"); is {
		return whole == global
	}
	return whole == short || strings.HasSuffix(whole, "::"+short)
}

// Bare is the text of a statement without the semicolon that ends it, in the statement or behind it; ended says that there is one.
func (st *OpaqueStmt) Bare(in *source.File) (text string, ended bool) {
	text, ended = strings.CutSuffix(strings.TrimSpace(in.Text(st.Where())), ";")
	rest := bytes.TrimLeft(in.Data[min(st.Where().End, len(in.Data)):], " \t\r\n")
	return strings.TrimSpace(text), ended || bytes.HasPrefix(rest, []byte(";"))
}

// Bound is the name that an import binds.
func (im *Import) Bound() string {
	switch {
	case im.Alias != "":
		return im.Alias
	case im.From == "":
		top, _, _ := strings.Cut(im.Name, ".")
		return top
	}
	return im.Name
}
