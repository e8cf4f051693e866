package cuda

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/source"
)

// Header is what an include names. One in quotes is looked for beside the file first (C++17 [cpp.include]).
type Header struct {
	Name   string
	Quoted bool
}

// Meaning is what is known of a name: that no file defines it, or the text of the macro that it is.
type Meaning struct {
	Known   bool
	Defined bool
	Foreign bool   // it is not known only for headers in angle brackets that are not at hand, those of a library of others
	Text    string // of a macro without parameters
	Head    bool   // it is a macro with parameters whose text is the head of a loop
}

// Elsewhere says what others make of a name.
type Elsewhere struct {
	Built  func(name string) Meaning                   // the build
	Behind func(headers []Header, name string) Meaning // headers that the file includes, in order
	Above  func(name string) Meaning                   // files that include the file, before they do; nil: that is not looked for
}

// Directives are what the directives of a file leave behind at its end.
type Directives struct{ pre preprocessor }

// Outline is where the directives of a file stand, whatever is defined.
type Outline struct {
	text  []byte
	lines []directiveLine
}

// directiveLine is one of them.
type directiveLine struct {
	start, end int
	behind     bool // text stands between the one before and this one
}

// OutlineOf looks for the directives of a file.
func OutlineOf(f *source.File) *Outline {
	o := &Outline{text: f.Data}
	l := &lexer{src: f.Data}
	l.met = func(start, end int) {
		o.lines = append(o.lines, directiveLine{start, end, len(l.tokens) > 0})
		l.tokens = l.tokens[:0]
	}
	l.scan()
	return o
}

// Size is how many bytes the file has.
func (o *Outline) Size() int { return len(o.text) }

// Directives reads them, as they are where so much is known of other files.
func (o *Outline) Directives(elsewhere *Elsewhere) *Directives {
	l := &lexer{src: o.text, elsewhere: elsewhere}
	l.pre.names, l.pre.pushed, l.pre.undone = map[string]*meanings{}, map[string][]*define{}, map[string]bool{}
	for _, d := range o.lines {
		if d.behind && l.live() && len(l.tokens) == 0 {
			l.tokens = append(l.tokens, token{})
		}
		l.directive(d.start, d.end)
	}
	return &Directives{l.pre}
}

// Macro is what the file itself makes of a name, if it makes anything of it.
func (d *Directives) Macro(name string) (m Meaning, found bool) {
	if d.pre.vague[name] {
		return m, true
	}
	if def := d.pre.now(name); def != nil {
		return def.meaning(), true
	}
	return Meaning{Known: true}, d.pre.undone[name]
}

// Headers are those that the file includes, and those of which it is not known whether it does.
func (d *Directives) Headers() (sure, perhaps []Header) {
	return d.pre.headers(), d.pre.perhaps
}

// Before is what the file itself makes of a name where it first includes a header that is asked for, if it makes anything of it, and what it includes before.
func (d *Directives) Before(header func(Header) bool, name string) (m Meaning, found bool, headers []Header) {
	for _, i := range d.pre.includes {
		if header(i.header) {
			if def := d.pre.inForce(name, i.span.Start); def != nil {
				m, found = def.meaning(), true
			}
			return m, found || d.pre.vague[name], headers
		}
		if !system(i.header.Name) {
			headers = append(headers, i.header)
		}
	}
	return m, false, headers
}

func (d *define) meaning() Meaning {
	m := Meaning{Known: true, Defined: true}
	if !d.function {
		m.Text = d.text
	}
	m.Head = d.head()
	return m
}

// head reports whether the text of a macro with parameters is the head of a loop.
func (d *define) head() bool {
	if !d.function {
		return false
	}
	text := func(t token) string { return d.text[t.start:t.end] }
	tokens := directiveTokens([]byte(d.text), 0, len(d.text))
	k := slices.IndexFunc(tokens, func(t token) bool { return text(t) == ")" }) + 1
	return k > 0 && k < len(tokens) && (text(tokens[k]) == "for" || text(tokens[k]) == "while") && text(tokens[len(tokens)-1]) == ")"
}

// headers are those included that may define what a program asks for.
func (p *preprocessor) headers() (out []Header) {
	for _, i := range p.includes {
		if !i.perhaps && !system(i.header.Name) {
			out = append(out, i.header)
		}
	}
	return out
}

// number is what a macro without parameters is, if that is an integer.
func (m Meaning) number() (int64, bool) {
	return parseInt(strings.Trim(m.Text, "() "))
}
