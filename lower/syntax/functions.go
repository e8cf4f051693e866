package syntax

import (
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// Spreads reports whether a call passes a sequence or mapping as several arguments, or several as one.
func Spreads(c *program.Call, fn *program.Function) bool {
	if slices.ContainsFunc(fn.Params, func(p program.Param) bool { return p.Star > 0 }) {
		return true
	}
	for _, a := range c.Args {
		if _, ok := a.(*program.Starred); ok {
			return true
		}
	}
	return slices.ContainsFunc(c.Keywords, func(k program.Keyword) bool { return k.Name == "" })
}

// Takes reports whether a function with such parameters can be called as the call does, by how many arguments it has and their names.
func Takes(params []program.Param, c *program.Call) bool {
	if len(c.Args) > len(params) {
		return false
	}
	for _, k := range c.Keywords {
		if !slices.ContainsFunc(params, func(p program.Param) bool { return p.Name == k.Name }) {
			return false
		}
	}
	for _, p := range params[len(c.Args):] {
		if p.Default == nil && !slices.ContainsFunc(c.Keywords, func(k program.Keyword) bool { return k.Name == p.Name }) {
			return false
		}
	}
	return true
}

// Jit reports whether a function is traced when it is called from Python.
func Jit(fn *program.Function) bool {
	for _, a := range fn.Attributes {
		if c, ok := a.(*program.Call); ok {
			a = c.Fun
		}
		switch a := a.(type) {
		case *program.Attr:
			if a.Name == "jit" {
				return true
			}
		case *program.Name:
			if a.Ident == "jit" {
				return true
			}
		}
	}
	return false
}

// Wrapper reports whether a function only dresses up an operation: a few statements, no control flow.
func Wrapper(fn *program.Function) bool {
	for _, st := range fn.Body {
		switch st.(type) {
		case *program.Asm, *program.Assign, *program.ExprStmt, *program.Return:
		default:
			return false
		}
	}
	return len(fn.Body) <= 5
}

// Outermost is the function at the top level in which one is defined.
func Outermost(f *program.Function) *program.Function {
	for f.Outer != nil {
		f = f.Outer
	}
	return f
}

// Traced reports whether the DSL rewrites a function: a kernel, one that is compiled, and those defined in it.
func Traced(fn *program.Function) bool {
	return fn != nil && (fn.Kernel || Jit(fn) || Traced(fn.Outer))
}
