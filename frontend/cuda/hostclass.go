package cuda

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// A launch may stand in a member of a class template: what the template is given there is what the text makes of it (C++17 [temp.inst]). A path that follows such
// a member has its class by the class's own name, as the text of the class has (C++17 [temp.local]).

// itself is the class that the function which is followed is a member of, with the arguments of its template; nil where these are not known.
func (h *host) itself(p *path) *ctype {
	if p == nil || h.in == nil {
		return nil
	}
	k := h.c.ownerOf(h.in)
	if k == nil {
		return nil
	}
	if v, known := p.find(k.Name); known && v != nil && v.t != nil && v.t.env != nil {
		return v.t
	}
	return nil
}

// explicitClass is what a member has of its class template for each instance that the files name, each once; with nothing known where they name none, or one that is not known.
func (h *host) explicitClass(fn *program.Function) (out []map[string]*cell) {
	if k := h.c.ownerOf(fn); k != nil && len(k.Template) > 0 && len(k.Arguments) == 0 {
		all, open := h.instancesOf(k)
		for _, t := range all {
			out = append(out, h.membership(fn, t))
		}
		if len(out) > 0 && !open {
			return out
		}
	}
	return append(out, map[string]*cell{})
}

// membership is what a member of a class has of it: its template's parameters, by the names that the class has and those that the member has, and the class.
func (h *host) membership(fn *program.Function, t *ctype) map[string]*cell {
	out := map[string]*cell{t.class.Name: {t: t}}
	outside, _ := h.c.ownTemplate(fn) // where the member is defined outside of its class
	for _, params := range [2][]program.Param{t.class.Template, outside} {
		for k, q := range params {
			out[q.Name] = nil
			switch {
			case k >= len(t.args) || q.Star != 0:
			case t.args[k].number != nil:
				out[q.Name] = number(*t.args[k].number)
			case t.args[k].t != nil:
				out[q.Name] = &cell{t: t.args[k].t}
			}
		}
	}
	return out
}

// qualifying is what a function has of the class that its call names before it: runner<2>::run(x), or that a member calls it of.
func (h *host) qualifying(fn *program.Function, call *program.Call, p *path) map[string]*cell {
	k := h.c.ownerOf(fn)
	if k == nil || len(k.Template) == 0 {
		return nil
	}
	var t *ctype
	if scope, _ := program.SplitName(identOf(call.Fun)); scope != "" {
		t = h.typed(scope, p)
	} else if h.c.ownerOf(h.in) == k {
		t = h.itself(p)
	}
	if t == nil || t.class == nil || t.env == nil || t.class.Name != k.Name || !t.sure() {
		return nil
	}
	return h.membership(fn, t)
}

// constantNamed is a constant object of a namespace or of a class whose members are numbers; nil if a name is none, or these are not known.
func (h *host) constantNamed(name string, p *path) *cell {
	members := h.c.objects[name]
	if scope, last := program.SplitName(name); members == nil {
		of := h.itself(p)
		if scope != "" {
			of = h.typed(scope, p)
		} else if k := h.c.ownerOf(h.in); of == nil && k != nil && len(k.Template) == 0 {
			of = h.typed(k.Qualified, p)
		}
		members = h.c.membersOfStatic(of, last)
	}
	if members == nil {
		return nil
	}
	out := &cell{parts: map[string]*cell{}}
	for name, n := range members {
		out.parts[name] = &cell{number: &n}
	}
	return out
}

// instancesOf are the instances of a class template that the files name, each once; open is set where one may be that is not known.
func (h *host) instancesOf(class *program.Class) (all []*ctype, open bool) {
	defer h.within(&path{scopes: []map[string]*cell{{}}})()
	l := &namedInstances{h: h, class: class}
	for _, f := range h.c.files {
		if h.c.modelled(f) || !strings.Contains(string(f.Source.Data), class.Name) {
			continue
		}
		l.file = f
		for _, name := range f.Instances {
			l.expr(name)
		}
		l.body(f.Body)
		for _, k := range f.Classes {
			l.hidden = params(k.Template)
			for _, b := range k.Bases {
				l.expr(b)
			}
			for _, m := range k.Fields {
				l.body([]program.Stmt{m})
			}
		}
		for _, fn := range f.Functions {
			if fn.Kernel {
				continue
			}
			l.hidden = params(fn.Template)
			if k := h.c.ownerOf(fn); k != nil {
				l.hidden = append(l.hidden, params(k.Template)...)
			}
			for name := range h.namesOf(fn) {
				l.hidden = append(l.hidden, name)
			}
			for _, q := range fn.Params {
				l.text(q.Type)
			}
			l.body(fn.Body)
		}
		l.hidden = nil
	}
	return l.all, l.open || len(l.all) > maxExplicit
}

// params are the names of the parameters of a template.
func params(list []program.Param) (out []string) {
	for _, p := range list {
		out = append(out, p.Name)
	}
	return out
}

// namedInstances collects what texts name of a class template.
type namedInstances struct {
	h      *host
	class  *program.Class
	file   *program.File
	hidden []string // names that mean something else here than in a namespace
	all    []*ctype
	open   bool
}

func (l *namedInstances) body(list []program.Stmt) {
	for _, st := range list {
		program.Walk(st, func(n program.Node) bool {
			switch n := n.(type) {
			case *program.Assign:
				l.text(n.Type)
			case *program.Cast:
				l.text(n.Type)
			case program.Expr:
				l.expr(n)
			case *program.OpaqueStmt:
				l.open = l.open || words(l.file.Source.Text(n.Span))[l.class.Name]
			}
			return true
		})
	}
}

func (l *namedInstances) expr(x program.Expr) {
	if id, is := x.(*program.Name); is {
		l.text(l.file.Source.Text(id.Span))
	}
}

// text reads a type, or a name with its scopes.
func (l *namedInstances) text(text string) {
	if !strings.Contains(text, l.class.Name) || !strings.Contains(text, "<") {
		return
	}
	path := l.h.c.spelled(text).path
	for k, s := range path {
		for _, a := range s.args {
			l.text(a)
		}
		if s.name == l.class.Name && s.given {
			l.instance(path[:k+1])
		}
	}
}

func (l *namedInstances) instance(path []segment) {
	args := path[len(path)-1].args
	if slices.Equal(args, params(l.class.Template)) { // the class in its own text
		return
	}
	for _, a := range args {
		for w := range words(a) {
			if slices.Contains(l.hidden, w) {
				l.open = true
				return
			}
		}
	}
	switch t := l.h.c.named(path); {
	case t == nil || t.class == nil || t.env == nil || !t.sure():
		l.open = true
	case t.class.Qualified != l.class.Qualified || slices.Contains(l.all, t):
	default:
		l.all = append(l.all, t)
	}
}

// names reports whether a class, or one that it is derived from, has another name for a type.
func (t *ctype) names(name string) bool {
	return t.env != nil && (t.env.aliases[name] != nil || slices.ContainsFunc(t.env.bases, func(b *ctype) bool { return b.names(name) }))
}
