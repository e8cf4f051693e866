package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// What Python calls by itself, or not when it is called, and is not evaluated: its results are not known, and what synchronizes in it
// stops the kernel.

// generates reports whether a function is a generator: calling it runs none of its body (reference 6.2.9).
func (m *machine) generates(body []program.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	yields, known := m.in.low.generators[body[0]]
	if !known {
		yields = suspends(body)
		m.in.low.generators[body[0]] = yields
	}
	return yields
}

func suspends(body []program.Stmt) bool {
	for e := range program.Exprs(body) {
		if o, ok := e.(*program.OpaqueExpr); ok && o.Why == "yield" {
			return true
		}
	}
	return false
}

// suspended is the generator that a call gives. Who goes through it, and when, is not followed.
func (m *machine) suspended(body []program.Stmt, s *Scope) Value {
	for _, st := range body {
		if !m.host && m.syncs(st) {
			m.stop(st, limit.Source, "this synchronizes in a generator, whose statements run when something iterates over it")
		}
	}
	m.havoc(&program.Block{Body: body}, s)
	return Data{}
}

// Remembers reports whether a decorator keeps what a function gave.
func Remembers(decorator Path) bool {
	return decorator == "functools.lru_cache" || decorator == "functools.cache"
}

// Replaces reports whether a decorator of functools puts another function in the place of one: wraps copies its name only.
func Replaces(decorator Path) bool {
	module, name, _ := strings.Cut(string(decorator), ".")
	return module == "functools" && name != "wraps" && !Remembers(decorator)
}

// Derives loses what the classes hold that a new class is derived from, where one of them is told of it (reference 3.3.3.1).
func (c *Class) Derives() {
	for i, k := range c.Mro {
		if _, told := k.Attrs["__init_subclass__"]; !told || i == 0 {
			continue
		}
		for _, up := range c.Mro {
			for name, v := range up.Attrs {
				if !Callable(v) {
					up.Attrs[name] = Data{}
				}
			}
		}
	}
}

// hasEffects reports whether it matters how often a function runs: it synchronizes, assigns to what is not its own, or calls something
// for what it does. A call of a method of a variable of its own is none.
func (m *machine) hasEffects(fn *program.Function) bool {
	own, effects := map[string]bool{}, false
	root := func(e program.Expr) string {
		for {
			switch x := e.(type) {
			case *program.Attr:
				e = x.X
			case *program.Index:
				e = x.X
			case *program.Name:
				return x.Ident
			default:
				return ""
			}
		}
	}
	program.WalkStmts(fn.Body, func(st program.Stmt) bool {
		switch st := st.(type) {
		case *program.Assign:
			for _, t := range st.Targets {
				if id, ok := t.(*program.Name); ok {
					own[id.Ident] = true
				} else if _, tuple := t.(*program.Tuple); !tuple {
					effects = effects || !own[root(t)]
				}
			}
		case *program.Outer, *program.Delete:
			effects = true
		case *program.ExprStmt:
			if call, ok := st.X.(*program.Call); ok {
				at, method := call.Fun.(*program.Attr)
				effects = effects || !(method && own[root(at)]) && !unevaluated(LastName(call.Fun))
			}
		}
		return true
	})
	return effects || m.syncs(&program.Block{Body: fn.Body})
}

// Hooked reports whether a class says itself what assigning or reading an attribute does, or one of its bases what deriving from it
// does (reference 3.3.2, 3.3.3): its objects are not known.
func Hooked(c *Class) bool {
	for i, k := range c.Mro {
		for _, name := range []string{"__setattr__", "__delattr__", "__getattribute__"} {
			if _, ok := k.Attrs[name]; ok {
				return true
			}
		}
		if _, ok := k.Attrs["__init_subclass__"]; ok && i > 0 {
			return true
		}
		for _, v := range k.Attrs {
			if o, ok := v.(*Object); ok && o.Class != nil && descriptor(o.Class) {
				return true
			}
		}
	}
	return false
}

// descriptor reports whether reading or assigning an attribute that holds an object of the class calls it (reference 3.3.2.2).
func descriptor(c *Class) bool {
	for _, name := range []string{"__get__", "__set__", "__delete__"} {
		if _, _, ok := c.Find(name); ok {
			return true
		}
	}
	return false
}
