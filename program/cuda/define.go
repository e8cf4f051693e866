package cuda

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// define is `#define name body`; body is the span of its text, with the parameters of a function-like macro.
type define struct {
	name     string
	span     source.Span
	body     source.Span
	text     string
	function bool // it has parameters
}

// meanings is what a name is along a file: macros from a line on (C++17 [cpp.scope]).
type meanings struct {
	changes []change // in order
	several bool     // macros of different texts
	gone    int      // where it is first none again
}

type change struct {
	at  int
	def *define // nil for none
}

// change notes what a name is from a line on.
func (p *preprocessor) change(name string, at int, def *define) {
	m := p.names[name]
	if m == nil {
		if def == nil {
			return
		}
		m = &meanings{gone: math.MaxInt}
		p.names[name] = m
	}
	if def == nil {
		m.gone = min(m.gone, at)
	} else if len(m.changes) > 0 {
		first := m.changes[0].def
		m.several = m.several || first.text != def.text || first.function != def.function
	}
	m.changes = append(m.changes, change{at, def})
}

// varies reports whether a name is not the same macro everywhere behind its first line.
func (m *meanings) varies() bool { return m.several || m.gone < math.MaxInt }

// inForce is the macro that a name is at a place, nil where it is none. In the text of a macro it is the one that it is wherever it is
// one: see settled.
func (p *preprocessor) inForce(name string, at int) *define {
	m := p.names[name]
	if m == nil {
		return nil
	}
	if p.inMacro(at) {
		if m.several {
			return nil
		}
		return m.changes[0].def
	}
	if i := sort.Search(len(m.changes), func(i int) bool { return m.changes[i].at > at }); i > 0 {
		return m.changes[i-1].def
	}
	return nil
}

// inMacro reports whether a place is in the text of a macro.
func (p *preprocessor) inMacro(at int) bool {
	i := sort.Search(len(p.bodies), func(i int) bool { return p.bodies[i].End > at })
	return i < len(p.bodies) && p.bodies[i].Start <= at
}

// now is the macro that a name is at the end of what has been read.
func (p *preprocessor) now(name string) *define { return p.inForce(name, math.MaxInt) }

// stack is #pragma push_macro("name") and pop_macro("name").
func (l *lexer) stack(rest []token, at int) {
	if len(rest) < 3 || rest[2].kind != text || rest[2].end-rest[2].start < 2 {
		return
	}
	name := string(l.src[rest[2].start+1 : rest[2].end-1])
	switch below := l.pre.pushed[name]; l.text(rest[0]) {
	case "push_macro":
		l.pre.pushed[name] = append(below, l.pre.now(name))
	case "pop_macro":
		if n := len(below); n > 0 {
			l.pre.change(name, at, below[n-1])
			l.pre.pushed[name] = below[:n-1]
		}
	}
}

// called is what the tree calls a macro: one that its name is not everywhere has its line in it.
func (r *reader) called(d *define) string {
	if !r.blanker.pre.names[d.name].varies() {
		return d.name
	}
	return fmt.Sprintf("%s of line %d", d.name, r.file.Source.Position(d.span.Start).Line)
}

// part is a part of the file, from a place up to another.
type part struct{ from, to int }

// settled is where the text of a macro, used there, means what the tree has of it: names in it mean what they are at the use, not at its
// own line (C++17 [cpp.rescan]).
func (r *reader) settled(name string, known map[string]part) part {
	if s, ok := known[name]; ok {
		return s
	}
	names := r.blanker.pre.names
	s := part{0, math.MaxInt}
	known[name] = s // a macro within itself is not expanded
	for _, c := range names[name].changes {
		if c.def == nil {
			continue
		}
		for _, t := range directiveTokens(r.src, c.def.body.Start, c.def.body.End) {
			m := names[r.token(t)]
			if m == nil || r.token(t) == name {
				continue
			}
			inner := r.settled(r.token(t), known)
			s = part{max(s.from, inner.from), min(s.to, inner.to)}
			if m.varies() {
				s = part{max(s.from, m.changes[0].at), min(s.to, m.gone)}
			}
			if m.several {
				s.to = 0
			}
		}
	}
	known[name] = s
	return s
}

// resolve gives a name that is not the same macro everywhere that of the one in force where it stands.
func (r *reader) resolve() {
	pre := &r.blanker.pre
	varying := false
	for _, m := range pre.names {
		varying = varying || m.varies()
	}
	if !varying {
		return
	}
	known := map[string]part{}
	r.eachName(func(x *program.Name) {
		at := x.Span.Start
		d := pre.inForce(x.Ident, at)
		if d == nil {
			return
		}
		if s := r.settled(d.name, known); !pre.inMacro(at) && (at < s.from || at >= s.to) {
			x.Ident += " by its tokens"
		} else {
			x.Ident = r.called(d)
		}
	})
}

// eachName visits the names of a file, those of a macro's own parameters left out.
func (r *reader) eachName(visit func(*program.Name)) {
	var own []program.Param
	in := func(n program.Node) {
		program.WalkExprs(n, func(e program.Expr) bool {
			if x, ok := e.(*program.Name); ok && !slices.ContainsFunc(own, func(p program.Param) bool { return p.Name == x.Ident }) {
				visit(x)
			}
			return true
		})
	}
	params := func(ps []program.Param) {
		for _, p := range ps {
			if p.Default != nil {
				in(p.Default)
			}
		}
	}
	for _, f := range slices.Concat(r.file.Functions, r.file.Macros) {
		params(f.Params)
		params(f.Template)
		for _, a := range f.Attributes {
			in(a)
		}
		if own = nil; f.Macro {
			own = f.Params
		}
		for _, st := range f.Body {
			in(st)
		}
	}
	own = nil
	for _, c := range r.file.Classes {
		params(c.Template)
		for _, b := range c.Bases {
			in(b)
		}
		for _, a := range c.Fields {
			in(a)
		}
	}
	for _, st := range r.file.Body {
		in(st)
	}
}
