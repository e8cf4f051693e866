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
	Text    string // of a macro without parameters
}

// Included says what a name is behind headers that a file includes, in order; behind none of them, what the build defines.
type Included func(headers []Header, name string) Meaning

// Directives are what the directives of a file leave behind at its end.
type Directives struct{ pre preprocessor }

// ReadDirectives reads the directives of a file alone.
func ReadDirectives(f *source.File, included Included) *Directives {
	l := &lexer{src: f.Data, out: slices.Clone(f.Data), included: included}
	l.pre.names, l.pre.pushed, l.pre.undone = map[string]*meanings{}, map[string][]*define{}, map[string]bool{}
	l.scan()
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

func (d *define) meaning() Meaning {
	m := Meaning{Known: true, Defined: true}
	if !d.function {
		m.Text = d.text
	}
	return m
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
