package slice

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// Text is the text of a function: what in it synchronizes, and which functions of the program a call may mean.
type Text interface {
	Source() *source.File
	Synchronizes(n program.Node) bool
	Callees(c *program.Call) map[*program.Function]Text
	Operands(c *program.Call) ([]program.Expr, bool) // of a call that is an operation
}

// Needed is what synchronization depends on, in functions and what they call: of a call of a function that synchronizes only what
// it does that with.
type Needed map[*program.Function]*Needs

// Needs is what of a function synchronization depends on: statements and names.
type Needs struct {
	Statements map[program.Stmt]bool // that assign such names
	Names      map[string]string
}

// Of is what of a function synchronization depends on.
func (n Needed) Of(fn *program.Function, text Text) *Needs {
	if out := n[fn]; out != nil {
		return out
	}
	out := &Needs{Statements: map[program.Stmt]bool{}, Names: map[string]string{}}
	n[fn] = out // one that calls itself needs no more
	s := &slicer{file: text.Source(), needed: out.Names, seed: func(st program.Stmt) string {
		return map[bool]string{true: "synchronizes"}[text.Synchronizes(st)]
	}}
	s.reads = func(st program.Stmt) []program.Expr {
		parts := []program.Expr{}
		program.Walk(st, func(x program.Node) bool {
			switch x := x.(type) {
			case *program.Index:
				if text.Synchronizes(x) {
					parts = append(append(parts, x.X), x.Args...)
				}
			case *program.Call:
				if operands, ok := text.Operands(x); ok && text.Synchronizes(x) {
					parts = append(parts, operands...)
				} else if text.Synchronizes(x) {
					parts = append(parts, n.operands(x, text.Callees(x))...)
				}
			}
			return true
		})
		return parts
	}
	s.close(fn)
	for _, l := range s.lines {
		out.Statements[l.stmt] = slices.ContainsFunc(syntax.Defines(l.stmt), func(name string) bool { return out.Names[name] != "" })
	}
	return out
}

// Assign reports whether something that is needed is assigned in a piece of the function.
func (n *Needs) Assign(piece program.Node) (some bool) {
	program.Walk(piece, func(x program.Node) bool {
		st, ok := x.(program.Stmt)
		some = some || ok && n.Statements[st]
		return !some
	})
	return some
}

// operands are what a call that synchronizes does that with.
func (n Needed) operands(c *program.Call, callees map[*program.Function]Text) (out []program.Expr) {
	at, method := c.Fun.(*program.Attr)
	if method {
		out = append(out, at.X)
	}
	for i, a := range c.Args {
		if n.used(callees, func(fn *program.Function) int {
			if method && fn.Class != nil {
				return i + 1
			}
			return i
		}) {
			out = append(out, a)
		}
	}
	for _, k := range c.Keywords {
		if n.used(callees, func(fn *program.Function) int {
			return slices.IndexFunc(fn.Params, func(p program.Param) bool { return p.Name == k.Name })
		}) {
			out = append(out, k.Value)
		}
	}
	return out
}

// used reports whether one of the functions that a call may mean synchronizes with a parameter; which they are is not known where there are none.
func (n Needed) used(callees map[*program.Function]Text, parameter func(*program.Function) int) bool {
	for fn, text := range callees {
		i := parameter(fn)
		if i < 0 || i >= len(fn.Params) || fn.Params[i].Star > 0 || n.Of(fn, text).Names[fn.Params[i].Name] != "" {
			return true
		}
	}
	return len(callees) == 0
}
