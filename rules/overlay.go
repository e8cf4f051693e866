package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// Storage of several stages of a kernel is often a union: what one stage left behind, the next one overwrites through
// another member. CUB's agents are written so.

// unions are the members of the unions of a file, with a number for each; those of a structure without a name have the same.
func (f *fileFacts) unions() []map[string]int {
	if f.overlaid != nil {
		return f.overlaid
	}
	f.overlaid = []map[string]int{}
	for _, c := range f.file.Classes {
		members := map[string]int{}
		for _, in := range f.file.Classes {
			if in == c || strings.HasPrefix(in.Name, "unnamed_") && f.innermost(in) == c {
				for _, field := range in.Fields {
					for _, t := range field.Targets {
						members[path(t)] = in.Span.Start
						if in == c {
							members[path(t)] = field.Span.Start
						}
					}
				}
			}
		}
		if f.isUnion(c) && len(members) > 1 {
			f.overlaid = append(f.overlaid, members)
		}
	}
	return f.overlaid
}

func (f *fileFacts) isUnion(c *program.Class) bool {
	return strings.HasPrefix(f.file.Source.Text(c.Span), "union")
}

// innermost is the innermost class around a class.
func (f *fileFacts) innermost(in *program.Class) (best *program.Class) {
	for _, c := range f.file.Classes {
		if c != in && covers(c.Span, in.Span) && (best == nil || size(c.Span) < size(best.Span)) {
			best = c
		}
	}
	return best
}

// overlay reports whether two dotted paths name parts of one object that share their place in it: they part at members of
// a union, or one is part of the other.
func (f *fileFacts) overlay(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	if x[0] != y[0] || x[0] == "" {
		return false
	}
	for i := 1; i < len(x) && i < len(y); i++ {
		if x[i] == y[i] {
			continue
		}
		for _, members := range f.unions() {
			first, a := members[x[i]]
			second, b := members[y[i]]
			if a && b && first != second {
				return true
			}
		}
		return false
	}
	return false
}

// overlaidStorage reports storage of a collective that lies where threads still read something else, or where they write
// something else while the collective may still read it.
func (p *Pass) overlaidStorage() {
	sites := p.words()
	if len(p.fn.file.unions()) == 0 || !slices.ContainsFunc(sites, func(s *site) bool { return s.collective() != nil }) {
		return
	}
	var users []*site
	for _, s := range sites {
		if name, _ := s.storage(); strings.Contains(name, ".") {
			users = append(users, s)
		}
	}
	for _, b := range users {
		for _, a := range users {
			x, first := a.storage()
			y, second := b.storage()
			if x == "" || y == "" || first == second && !first || !p.fn.file.overlay(x, y) || p.tired() {
				continue
			}
			if !first && (a.mode&reads == 0 || a.threads().single()) || !second && (b.mode&writes == 0 || len(b.slot.index) == 0) {
				continue // the thread that has the result may put it there
			}
			ways := routes(a, b, sites, p.runsOnce, (*site).joins)
			if len(ways) == 0 {
				continue
			}
			p.about = y
			f := p.report(b.op.Span, "%q lies where slower threads may still read %q%s; no barrier in between", y, x, ways[0].when())
			p.label(f, a.op.Span, "read here")
			f.Help = "put a CTA barrier between the two"
			break
		}
	}
}

// storage is the dotted path of the storage that a site uses, and whether the site is a collective.
func (s *site) storage() (name string, collective bool) {
	if s.slot != nil {
		return s.slot.name, false
	}
	if x := s.collective(); x != nil {
		return strings.TrimPrefix(path(x), marked), true
	}
	return "", false
}

// field is the member of the class around a method that a plain name means, where that is storage for the CTA.
func (g *function) field(name string) (typ string, ok bool) {
	c := g.fn.Class
	if c == nil || g.bound[name] || len(g.defs[name]) > 0 || len(g.decls[name]) > 0 {
		return "", false
	}
	for _, field := range c.Fields {
		for _, t := range field.Targets {
			if path(t) == name && sharedByName("", field.Type) {
				return field.Type, true
			}
		}
	}
	return "", false
}

// overloads are the functions of the file that a call may mean, by their number of parameters, where there are several.
func (f *function) overloads(c *program.Call) []*program.Function {
	name := calledName(c)
	var out []*program.Function
	for _, fn := range f.file.byName[name] {
		needed := 0
		for _, q := range fn.Params {
			if q.Default == nil {
				needed++
			}
		}
		if len(c.Args) < needed || len(c.Args) > len(fn.Params) || fn.Kernel {
			continue
		}
		out = append(out, fn)
	}
	return out
}

const maxOverloads = 6

// alternatives walks the bodies of all overloads that a call may mean, each as if it were chosen: which one is, types
// decide that are not looked at.
func (w *walker) alternatives(c *program.Call, p place, used bool) bool {
	if !w.words || p.fn.fn.Class == nil || len(p.fn.file.unions()) == 0 {
		return false // it is for stages with storage in a union that the cost is worth it
	}
	list := p.fn.overloads(c)
	if len(list) < 2 || len(list) > maxOverloads || len(p.via) >= maxInline {
		return false
	}
	for _, fn := range list {
		node := &program.Bool{Place: c.Place}
		if len(fn.Body) > 0 {
			w.inline(fn, c, p.under(&guard{built: true, fn: p.fn, node: node, in: p.in}), used)
		}
		p = p.under(&guard{built: true, negated: true, fn: p.fn, node: node, in: p.in})
	}
	return true
}
