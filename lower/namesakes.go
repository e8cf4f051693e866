package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// Several functions of C++ may have one name (C++17 [over]). Which of them a call means is decided here by the number of
// arguments, and by their types where all of them are those of one candidate. Of any other call it is not known what it runs.

// namesakes are the definitions that the name of a function may mean where it is called.
func namesakes(f *closure) []*program.Function {

	return nil

}

// chosen is the function that a call runs, out of those that have its name; not ok where that is not known.
func (m *machine) chosen(f *closure, e *program.Call, s *scope) (*closure, bool) {
	all := namesakes(f)
	if len(all) < 2 || slices.ContainsFunc(e.Args, func(x program.Expr) bool { _, pack := x.(*program.Starred); return pack }) {
		return f, len(all) < 2
	}
	fits := slices.DeleteFunc(all, func(g *program.Function) bool { return !takesCount(g, len(e.Args)) })
	if len(fits) > 1 {
		if exact := slices.DeleteFunc(slices.Clone(fits), func(g *program.Function) bool { return !m.takesExactly(g, e, s) }); len(exact) == 1 {
			fits = exact
		}
	}
	if len(fits) == 0 || slices.ContainsFunc(fits, func(g *program.Function) bool { return !sameText(f.mod.file, g, fits[0]) }) {
		return f, false
	}
	g := *f
	g.fn = fits[0]
	return &g, true
}

// takesCount reports whether a function can be called with so many arguments.
func takesCount(g *program.Function, args int) bool {
	least, most := 0, len(g.Params)
	for _, p := range g.Params {
		switch {
		case p.Star > 0:
			most = args
		case p.Default == nil:
			least++
		}
	}
	return least <= args && args <= most
}

// takesExactly reports whether the arguments of a call have the very types of a function's parameters. Of several candidates
// no other is a better match, and a template is a worse one (C++17 [over.match.best]).
func (m *machine) takesExactly(g *program.Function, e *program.Call, s *scope) bool {
	if len(g.Params) != len(e.Args) || len(g.Template) > 0 || len(e.Template) > 0 {
		return false
	}
	for i, p := range g.Params {
		if t := m.typeName(e.Args[i], s); t == "" || t != m.writtenType(p.Type, s) {
			return false
		}
	}
	return true
}

// typeName is the type of an expression of which it shows; "" of any other.
func (m *machine) typeName(x program.Expr, s *scope) string {
	switch x := x.(type) {
	case *program.Int:
		if w, ok := literal(x).(word); ok {
			return fmt.Sprint(w.t)
		}
		return m.writtenType("int", s)
	case *program.Float:
		switch x.Text[len(x.Text)-1] {
		case 'f', 'F':
			return "float"
		case 'l', 'L':
			return "long double"
		}
		return "double"
	case *program.Cast:
		return m.writtenType(x.Type, s)
	case *program.Name:
		if l, ok := s.lookup(x.Ident); ok {
			if c, ok := l.(*cell); ok && c.as != nil && c.as.t.Known() {
				return fmt.Sprint(c.as.t)
			}
		}
	}
	return ""
}

// writtenType is a type as it is written, of a parameter that takes a value of it or a reference to one.
func (m *machine) writtenType(typ string, s *scope) string {
	if d := m.declares(typ, s); d != nil && d.t.Known() {
		return fmt.Sprint(d.t)
	}
	if !strings.Contains(typ, "*") {
		return plainType(strings.TrimRight(typ, " &"))
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(typ, "*", " * ")), " ")
}

// sameText reports whether two functions take the same and do the same, as two operators [] do of which one is const.
func sameText(f *program.File, g, h *program.Function) bool {
	types := func(g *program.Function) (out []string) {
		for _, p := range g.Params {
			out = append(out, p.Type)
		}
		return out
	}
	text := func(g *program.Function) string {
		if len(g.Body) == 0 {
			return ""
		}
		return string(f.Source.Data[g.Body[0].Where().Start:g.Span.End])
	}
	return slices.Equal(types(g), types(h)) && len(g.Template) == len(h.Template) && text(g) == text(h)
}

// undecided is a call of which it is not known which function of a name it runs: any of them.
func (m *machine) undecided(f *closure, e *program.Call, s *scope) value {
	effect := dialect.Effect(dialect.Assigns)
	for _, g := range namesakes(f) {
		if slices.ContainsFunc(g.Body, func(st program.Stmt) bool { return m.touches(st) }) {
			effect = dialect.Unread
		}
	}
	a := m.arguments(e, nil, s)
	m.handByReference(effect, e, s)
	m.handOver(effect, "one of several functions "+f.fn.Name, append(a.all(), f.self), e)
	return data{}
}
