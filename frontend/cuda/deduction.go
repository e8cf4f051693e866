package cuda

import (
	"regexp"
	"slices"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// deduced is the instance of a class template that is named without arguments where an object of it is made: what its parameters are follows from the constructor's
// arguments, or from the members that these initialise (C++17 [over.match.class.deduct], C++20 for aggregates). It is the type itself where nothing is deduced. The
// arguments are given back as they are once they were evaluated.
func (c *compiler) deduced(t *ctype, given []program.Expr, at source.Span) (*ctype, []program.Expr) {
	if t == nil || t.class == nil || len(given) == 0 || !c.undetermined(t) || slices.ContainsFunc(given, isList) || c.guided(t.class) {
		return t, given
	}
	var args []value
	for _, x := range given {
		args = append(args, c.typed(x))
	}
	return c.instanceFor(t, args), c.evaluated(&program.Call{Place: program.Place{Span: at}, Args: given}, args).Args
}

// typed is a value of which the type alone is asked: an object that has a name is not read for it.
func (c *compiler) typed(x program.Expr) value {
	if id, is := x.(*program.Name); is {
		if v := c.lookup(id.Ident); v != nil && v.memory != nil && v.t.class != nil && v.t.fields != nil {
			return c.unread(c.placeOf(v))
		}
	}
	return c.value(x)
}

// instanceFor is the instance of a class template that values are for.
func (c *compiler) instanceFor(t *ctype, args []value) *ctype {
	constructors, _ := c.methods(t, func(m *program.Function) bool { return m.Name == t.class.Name && c.ownerOf(m) == t.class })
	var out *ctype
	for _, fn := range constructors {
		var types []string
		fits := true
		for k, p := range fn.Params {
			types = append(types, p.Type)
			fits = fits && (k < len(args) || p.Default != nil)
		}
		if !fits {
			continue
		}
		switch made := c.deducedFrom(t, types, args); {
		case made == nil:
		case out != nil && out != made: // which constructor it is, is not known
			return t
		default:
			out = made
		}
	}
	if out != nil {
		return out
	}
	if len(constructors) > 0 || len(t.class.Bases) > 0 {
		return t
	}
	var types []string
	for _, f := range t.class.Fields {
		if !f.Static {
			types = append(types, f.Type)
		}
	}
	if out := c.deducedFrom(t, types, args); out != nil {
		return out
	}
	return t
}

// guide is a deduction guide of a class (C++17 [temp.deduct.guide]), as far as its arrow.
var guide = regexp.MustCompile(`(\w+)\s*\([^;{}()]*\)\s*->`)

// guided reports whether its file has a deduction guide for a class template: what is deduced then is not followed.
func (c *compiler) guided(class *program.Class) bool {
	f := c.in[class]
	return f == nil || slices.ContainsFunc(guide.FindAllSubmatch(f.Source.Data, -1), func(m [][]byte) bool { return string(m[1]) == class.Name })
}

// undetermined reports whether parameters of a class template are not known that have no default.
func (c *compiler) undetermined(t *ctype) bool {
	for k, p := range t.class.Template {
		if p.Default == nil && p.Star == 0 && (k >= len(t.args) || t.args[k].number == nil && (t.args[k].t == nil || t.args[k].t.opaque)) {
			return true
		}
	}
	return false
}

// deducedFrom is the instance of a class template that values of some types, as they are written, say; nil where they do not say all of it.
func (c *compiler) deducedFrom(t *ctype, types []string, args []value) *ctype {
	if len(types) < len(args) {
		return nil
	}
	found := map[string]argument{}
	for k, a := range args {
		if a.t != nil {
			c.deduce(t.class.Template, c.spelled(types[k]), a.t, found)
		}
	}
	var out []argument
	for _, p := range t.class.Template {
		a, is := found[p.Name]
		switch {
		case p.Star != 0:
			return nil
		case !is && p.Default == nil:
			return nil
		case !is: // and those behind it
			return c.instance(t.class, out, c.scopeAround(t.class))
		}
		out = append(out, a)
	}
	return c.instance(t.class, out, c.scopeAround(t.class))
}
