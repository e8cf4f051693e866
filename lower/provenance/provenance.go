// Package provenance tells what in a program is a constant of its source: nobody who launches a kernel can have it otherwise.
package provenance

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// A helper has arms for what its callers may hand it: a barrier that may be None, a cluster's size, whether to wait at the end. Where each call that
// is run hands it a constant of the source, the arm for anything else is no part of this kernel: nobody who launches it can have it otherwise. A call
// that is not run is a gap of its own where it may synchronize.

// site is where a function is called; call is nil where it is not known what is handed on there.
type site struct {
	call  *program.Call
	bound int // the first parameters, that the call does not spell: self
}

// Calls is from where functions are called.
type Calls map[*program.Function]map[site]bool

// Clone is the calls as of now.
func (c Calls) Clone() Calls {
	out := Calls{}
	for fn, sites := range c {
		out[fn] = maps.Clone(sites)
	}
	return out
}

// Note notes how a function is called. What is spelled there is what it is handed unless something comes in between, as partial and reduce do.
func (c Calls) Note(f *value.Closure, a *value.Arguments, n program.Node) {
	at := site{bound: len(f.Fn.Params) - len(f.Params())}
	if call, ok := n.(*program.Call); ok && spelled(call, f.Fn, a) {
		at.call = call
	}
	if c[f.Fn] == nil {
		c[f.Fn] = map[site]bool{}
	}
	c[f.Fn][at] = true
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

// Source is a function of a program, of which it is asked what is constant.
type Source struct {
	Modules map[string]*value.Module // of the program
	Calls   Calls
	Mod     *value.Module
	Fn      *program.Function
	Kinds   map[program.Node]bool // calls that ask of what kind something is, and whether it was always what the threads compute: which the program says then

	asked map[variable]bool
	held  map[string]bool // attributes that are being asked for
}

// Fixed reports whether a test asks for nothing but constants of the source, names of its modules among them: whoever
// launches the kernel cannot have it otherwise.
func (s *Source) Fixed(cond program.Expr) bool {
	fixed := true
	program.WalkExprs(cond, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Attr:
			if id, ok := e.X.(*program.Name); ok && s.self(id.Ident) {
				fixed = fixed && s.attribute(e.Name)
				return false
			}
		case *program.Name:
			fixed = fixed && (s.global(e.Ident) || s.constant(e.Ident))
		case *program.Call:
			return fixed && !s.Kinds[e]
		}
		return fixed
	})
	return fixed
}

// self reports whether a name in the function is the object whose method it is, and nothing else.
func (s *Source) self(name string) bool {
	return s.Fn.Class != nil && len(s.Fn.Params) > 0 && s.Fn.Params[0].Name == name && len(bindingsOf(s.Fn, name)) == 0 && !s.rebound(s.Fn, name)
}

// attribute reports whether the program gives an attribute of this name, of whatever object, one constant of the source and nothing
// else. An attribute that a class declares may be given where an object is made.
func (s *Source) attribute(name string) bool {
	if s.held[name] {
		return true
	}
	if s.held == nil {
		s.held = map[string]bool{}
		defer func() { s.held = nil }()
	}
	s.held[name] = true
	given, plain := 0, true
	for _, mod := range s.Modules {
		if mod == nil || mod.File == nil || mod.Library {
			continue
		}
		for _, c := range mod.File.Classes {
			plain = plain && !slices.ContainsFunc(c.Fields, func(f *program.Assign) bool {
				return slices.ContainsFunc(f.Targets, func(t program.Expr) bool { return value.LastName(t) == name })
			})
		}
		for _, g := range attributesIn(mod, name) {
			if g.fn == nil { // where a module begins, of an object that it makes
				plain = false
				continue
			}
			given, plain = given+1, plain && g.v != nil && s.inside(mod, g.fn).plain(g.v)
		}
	}
	return given == 1 && plain
}

// attribution is what a function gives an attribute; fn is nil outside of functions.
type attribution struct {
	fn *program.Function
	v  program.Expr
}

// attributesIn lists what a module gives attributes of a name, once: every condition on one asks.
func attributesIn(mod *value.Module, name string) []attribution {
	if known, ok := mod.File.Given.Load(name); ok {
		return known.([]attribution)
	}
	var out []attribution
	for _, v := range attributesOf(mod.File.Body, name) {
		out = append(out, attribution{nil, v})
	}
	for _, fn := range mod.File.Functions {
		for _, v := range attributesOf(fn.Body, name) {
			out = append(out, attribution{fn, v})
		}
	}
	mod.File.Given.Store(name, out)
	return out
}

// attributesOf lists what statements give attributes of a name; an entry is nil where that is not known.
func attributesOf(body []program.Stmt, name string) (out []program.Expr) {
	sets := func(target program.Expr, v program.Expr) {
		if target == nil {
			return
		}
		if at, ok := target.(*program.Attr); ok {
			if at.Name == name {
				out = append(out, v)
			}
			return
		}
		program.WalkExprs(target, func(e program.Expr) bool {
			if at, ok := e.(*program.Attr); ok && at.Name == name {
				out = append(out, nil)
			}
			return true
		})
	}
	for _, st := range body {
		program.Walk(st, func(n program.Node) bool {
			switch n := n.(type) {
			case *program.Assign:
				for _, t := range n.Targets {
					if n.Op == "=" {
						sets(t, n.Value)
					} else {
						sets(t, nil)
					}
				}
			case *program.IncDec:
				sets(n.X, nil)
			case *program.For:
				sets(n.Target, nil)
			case *program.With:
				for _, it := range n.Items {
					sets(it.As, nil)
				}
			case *program.Comp:
				for _, c := range n.Clauses {
					sets(c.Target, nil)
				}
			case *program.Delete:
				out = append(out, nil)
			case *program.Attr:
				if n.Name == "__dict__" || n.Name == "__setattr__" {
					out = append(out, nil)
				}
			case *program.Call:
				switch value.LastName(n.Fun) {
				case "vars":
					out = append(out, nil)
				case "setattr":
					if len(n.Args) < 2 {
						out = append(out, nil)
					} else if text, ok := n.Args[1].(*program.String); !ok || text.Value == name {
						out = append(out, nil)
					}
				}
			}
			return true
		})
	}
	return out
}

// global reports whether a name in the function is one of the module's.
func (s *Source) global(name string) bool {
	for f := s.Fn; f != nil; f = f.Outer {
		params := slices.Clone(f.Params)
		if slices.ContainsFunc(params, func(p program.Param) bool { return p.Name == name }) || syntax.Binds(f.Body, name) {
			return false
		}
	}
	return syntax.Binds(s.Mod.File.Body, name) || len(s.Mod.Names[name]) > 0 || s.Mod.Classes[name] != nil || s.Mod.From[name] != nil || value.PythonBuiltins[name]
}

// constant reports whether a name in the function stands for a constant of the source wherever it is used: a variable that is given one and nothing else, or
// a parameter that every call hands one. Of calls in a circle those count that begin it.
func (s *Source) constant(name string) bool {
	of := s.Fn
	for of != nil && !bindsAnyhow(of, name) {
		of = of.Outer
	}
	if of == nil || s.rebound(of, name) {
		return false
	}
	v := variable{of, name}
	if s.asked[v] {
		return true
	}
	if s.asked == nil {
		s.asked = map[variable]bool{}
		defer func() { s.asked = nil }()
	}
	s.asked[v] = true
	i := slices.IndexFunc(of.Params, func(p program.Param) bool { return p.Name == name })
	values := bindingsOf(of, name)
	switch {
	case i < 0:
		return len(values) == 1 && values[0] != nil && s.inside(s.Mod, of).plain(values[0])
	case len(values) > 0 || of.Kernel || of.Params[i].Star > 0 || len(s.Calls[of]) == 0:
		return false
	}
	for at := range s.Calls[of] {
		if !s.handed(of, i, at) {
			return false
		}
	}
	return true
}

// handed reports whether a call hands a function a constant for a parameter.
func (s *Source) handed(fn *program.Function, i int, by site) bool {
	if by.call == nil || i < by.bound {
		return false
	}
	given := program.Expr(nil)
	if at := i - by.bound; at < len(by.call.Args) {
		given = by.call.Args[at]
	}
	for _, k := range by.call.Keywords {
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
	mod, caller := s.callerOf(by.call)
	return caller != nil && s.inside(mod, caller).plain(given)
}

// inside is the finder for another function, of the same question.
func (s *Source) inside(mod *value.Module, fn *program.Function) *Source {
	return &Source{Modules: s.Modules, Calls: s.Calls, Mod: mod, Fn: fn, Kinds: s.Kinds, asked: s.asked, held: s.held}
}

// plain reports whether an expression is a constant of the source that nothing changes: a number or a name, and what is worked out of these.
func (s *Source) plain(e program.Expr) bool {
	plain := true
	program.WalkExprs(e, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.None, *program.Bool, *program.Int, *program.Float, *program.String, *program.Name, *program.Attr, *program.Unary, *program.Binary, *program.Cond, *program.Tuple, *program.Index, *program.Starred:
		case *program.Call:
			if s.Kinds[e] {
				return false
			}
			plain = plain && value.LastName(e.Fun) == "const_expr"
		default:
			plain = false
		}
		return plain
	})
	return plain && s.Fixed(e)
}

// callerOf is the function that a call stands in.
func (s *Source) callerOf(call *program.Call) (*value.Module, *program.Function) {
	for _, mod := range s.Modules {
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
	named := func(e program.Expr) (found bool) {
		if e != nil {
			program.WalkExprs(e, func(e program.Expr) bool {
				id, ok := e.(*program.Name)
				found = found || ok && id.Ident == name
				return !found
			})
		}
		return found
	}
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
func (s *Source) rebound(of *program.Function, name string) bool {
	found := false
	for _, fn := range s.Mod.File.Functions {
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
