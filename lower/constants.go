package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// A helper has arms for what its callers may hand it: a barrier that may be None, a cluster's size, whether to wait at the end. Where each call that
// is run hands it a constant of the source, the arm for anything else is no part of this kernel: nobody who launches it can have it otherwise. A call
// that is not run is a gap of its own where it may synchronize.

// callSite is where a function is called; call is nil where it is not known what is handed on there.
type callSite struct {
	call  *program.Call
	bound int // the first parameters, that the call does not spell: self
}

// calledAt notes how a function is called. What is spelled there is what it is handed unless something comes in between, as partial and reduce do.
func (g *gaps) calledAt(f *value.Closure, a *value.Arguments, n program.Node) {
	at := callSite{bound: len(f.Fn.Params) - len(f.Params())}
	if call, ok := n.(*program.Call); ok && spelled(call, f.Fn, a) {
		at.call = call
	}
	if g.called[f.Fn] == nil {
		g.called[f.Fn] = map[callSite]bool{}
	}
	g.called[f.Fn][at] = true
}

func spelled(call *program.Call, fn *program.Function, a *value.Arguments) bool {
	name := value.LastName(call.Fun)
	made := fn.Class != nil && fn.Name == "__init__" && name == fn.Class.Name
	if name != fn.Name && !made || a.Open || len(call.Args) != len(a.Vals) || len(call.Keywords) != len(a.Names) {
		return false
	}
	for _, k := range call.Keywords {
		if !slices.Contains(a.Names, k.Name) {
			return false
		}
	}
	return !slices.ContainsFunc(call.Args, func(e program.Expr) bool {
		_, star := e.(*program.Starred)
		return star
	})
}

// variable is a parameter or a variable of a function.
type variable struct {
	fn   *program.Function
	name string
}

// constant reports whether a name in the function stands for a constant of the source wherever it is used: a variable that is given one and nothing else, or
// a parameter that every call hands one. Of calls in a circle those count that begin it.
func (g *gapFinder) constant(name string) bool {
	of := g.fn
	for of != nil && !bindsAnyhow(of, name) {
		of = of.Outer
	}
	if of == nil || g.rebound(of, name) {
		return false
	}
	v := variable{of, name}
	if g.asked[v] {
		return true
	}
	if g.asked == nil {
		g.asked = map[variable]bool{}
		defer func() { g.asked = nil }()
	}
	g.asked[v] = true
	i := slices.IndexFunc(of.Params, func(p program.Param) bool { return p.Name == name })
	values := bindingsOf(of, name)
	switch {
	case i < 0:
		return len(values) == 1 && values[0] != nil && g.inside(g.mod, of).plain(values[0])
	case len(values) > 0 || of.Kernel || of.Params[i].Star > 0 || len(g.l.called[of]) == 0:
		return false
	}
	for site := range g.l.called[of] {
		if !g.handed(of, i, site) {
			return false
		}
	}
	return true
}

// handed reports whether a call hands a function a constant for a parameter.
func (g *gapFinder) handed(fn *program.Function, i int, site callSite) bool {
	if site.call == nil || i < site.bound {
		return false
	}
	given := program.Expr(nil)
	if at := i - site.bound; at < len(site.call.Args) {
		given = site.call.Args[at]
	}
	for _, k := range site.call.Keywords {
		if k.Name == fn.Params[i].Name {
			given = k.Value
		}
	}
	if given == nil {
		switch fn.Params[i].Default.(type) {
		case *program.None, *program.Bool, *program.Int, *program.Float, *program.String:
			return true
		}
		return false
	}
	mod, caller := g.l.callerOf(site.call)
	return caller != nil && g.inside(mod, caller).plain(given)
}

// inside is the finder for another function, of the same question.
func (g *gapFinder) inside(mod *value.Module, fn *program.Function) *gapFinder {
	return &gapFinder{l: g.l, mod: mod, fn: fn, asked: g.asked}
}

// plain reports whether an expression is a constant of the source that nothing changes: a number or a name, and what is worked out of these.
func (g *gapFinder) plain(e program.Expr) bool {
	plain := true
	program.WalkExprs(e, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.None, *program.Bool, *program.Int, *program.Float, *program.String, *program.Name, *program.Attr, *program.Unary, *program.Binary, *program.Cond:
		case *program.Call:
			plain = plain && value.LastName(e.Fun) == "const_expr"
		default:
			plain = false
		}
		return plain
	})
	return plain && g.fixed(e)
}

// callerOf is the function that a call stands in.
func (l *lowering) callerOf(call *program.Call) (*value.Module, *program.Function) {
	for _, mod := range l.byFile {
		if mod == nil || mod.File == nil {
			continue
		}
		for _, fn := range mod.File.Functions {
			if at := call.Where(); at.Start < fn.Span.Start || fn.Span.End < at.End {
				continue
			}
			for c := range program.Calls(fn.Body) {
				if c == call {
					return mod, fn
				}
			}
		}
	}
	return nil, nil
}

// bindingsOf lists what a variable of a function is assigned; an entry is nil where it is bound in another way than by name = value.
func bindingsOf(fn *program.Function, name string) (out []program.Expr) {
	named := func(e program.Expr) bool { return e != nil && mentions(nil).of(e)[name] }
	note := func(bound bool, v program.Expr) {
		if bound {
			out = append(out, v)
		}
	}
	for _, st := range fn.Body {
		program.Walk(st, func(n program.Node) bool {
			switch n := n.(type) {
			case *program.Assign:
				for _, t := range n.Targets {
					if id, ok := t.(*program.Name); ok && len(n.Targets) == 1 && n.Op == "=" && n.Value != nil {
						note(id.Ident == name, n.Value)
					} else {
						note(named(t), nil)
					}
				}
			case *program.AssignExpr:
				note(named(n.Target), nil)
			case *program.IncDec:
				note(named(n.X), nil)
			case *program.For:
				note(named(n.Target), nil)
			case *program.With:
				for _, it := range n.Items {
					note(named(it.As), nil)
				}
			case *program.Comp:
				for _, c := range n.Clauses {
					note(named(c.Target), nil)
				}
			case *program.Lambda:
				note(slices.ContainsFunc(n.Params, func(p program.Param) bool { return p.Name == name }), nil)
			case *program.Try:
				for _, h := range n.Handlers {
					note(h.Name == name, nil)
				}
			case *program.FuncDef:
				note(n.Func.Name == name, nil)
			case *program.ClassDef:
				note(n.Class.Name == name, nil)
			case *program.Import:
				note(n.Alias == name || n.Name == name || n.Name == "*", nil)
			case *program.Delete, *program.Outer:
				out = append(out, nil) // of whatever
			}
			return true
		})
	}
	return out
}

// bindsAnyhow reports whether a name is a parameter or a variable of a function.
func bindsAnyhow(fn *program.Function, name string) bool {
	return slices.ContainsFunc(fn.Params, func(p program.Param) bool { return p.Name == name }) || len(bindingsOf(fn, name)) > 0
}

// rebound reports whether a function within another one binds a variable of that one.
func (g *gapFinder) rebound(of *program.Function, name string) bool {
	found := false
	for _, fn := range g.mod.File.Functions {
		within := false
		for f := fn.Outer; f != nil; f = f.Outer {
			within = within || f == of
		}
		if within {
			program.WalkStmts(fn.Body, func(st program.Stmt) bool {
				o, ok := st.(*program.Outer)
				found = found || ok && slices.Contains(o.Names, name)
				return true
			})
		}
	}
	return found
}
