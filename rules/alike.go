package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// uniformIn reports whether an expression is the same in all threads of a CTA, memory at such an address included.
func uniformIn(x term, depth int) bool {
	if depth > 16 || x.x == nil || x.in == nil || x.in.fn.spent() {
		return false
	}
	known, seen := x.in.alike[x.x]
	if !seen {
		known = alike(x, depth)
		if depth == 0 {
			if x.in.alike == nil {
				x.in.alike = map[program.Expr]bool{}
			}
			x.in.alike[x.x] = known
		}
	}
	return known
}

func alike(x term, depth int) bool {
	again := func(e program.Expr) bool { return uniformIn(term{e, x.in}, depth+1) }
	switch e := x.x.(type) {
	case *program.Int, *program.Float, *program.Bool, *program.None, *program.String:
		return true
	case *program.Name:
		return nameAlike(e, x.in, depth)
	case *program.Call:
		if name := path(e.Fun); name == "sizeof" || name == "alignof" {
			return true
		}
	case *program.Index:
		for _, a := range e.Args {
			if !again(a) {
				return false
			}
		}
		return again(e.X)
	case *program.Binary:
		return again(e.X) && again(e.Y)
	case *program.Unary:
		return again(e.X)
	case *program.Cast:
		return again(e.X)
	case *program.Cond:
		return again(e.Test) && again(e.Then) && again(e.Else)
	}
	return x.in.fn.vary(x.x, 0) == uniform
}

func nameAlike(e *program.Name, in *frame, depth int) bool {
	if v, given := in.env[e.Ident]; given {
		return uniformIn(term{v, in.outer}, depth+1)
	}
	if in.fn.isWord(e.Ident) || strings.Contains(e.Ident, "::") || in.fn.isPointer(e.Ident) || in.fn.isConstant(e.Ident) { // a constant of a class; an address
		return true
	}
	if v := in.fn.definition(e); v != nil {
		return uniformIn(term{v, in}, depth+1)
	}
	if all, local := in.fn.eachUniform(e, in, depth); local {
		return all
	}
	if _, local := in.fn.defs[e.Ident]; !local && !in.fn.bound[e.Ident] && strings.ToUpper(e.Ident) == e.Ident {
		return true // a macro for a constant
	}
	return in.fn.vary(e, 0) == uniform
}

// eachUniform reports whether every value that a local is given is the same in all threads, and whether it is a local with
// several.
func (f *function) eachUniform(e *program.Name, in *frame, depth int) (all, local bool) {
	defs := f.visible(e.Ident, e.Span.Start)
	if len(defs) < 2 || len(defs) > 8 || f.bound[e.Ident] || f.spent() {
		return false, false
	}
	if f.active[e.Ident] { // x = f(x): the other definitions decide
		return true, true
	}
	f.active[e.Ident] = true
	defer delete(f.active, e.Ident)
	for _, d := range defs {
		if d.value != nil && !uniformIn(term{d.value, in}, depth+1) {
			return false, true
		}
	}
	return true, true
}

// isConstant reports whether a local is declared constexpr.
func (f *function) isConstant(name string) bool {
	for _, d := range f.defs[name] {
		if a, ok := d.node.(*program.Assign); !ok || !a.Const {
			return false
		}
	}
	return len(f.defs[name]) > 0
}

// isPointer reports whether a name is a pointer that every thread of a kernel gets the same.
func (f *function) isPointer(name string) bool {
	for _, p := range f.fn.Params {
		if p.Name == name && f.fn.Kernel {
			return strings.Contains(p.Type, "*")
		}
	}
	return false
}
