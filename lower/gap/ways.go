package gap

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/slice"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// What no combination runs may access memory though it does not synchronize. Whether it does is told by its text, and by what the
// variables hold where it is left out: an element of a tensor in registers is nobody else's.

// Program is what is known of the calls and names of a function's text.
type Program interface {
	slice.Text
	Operation(c *program.Call) (dialect.Kind, bool)
	Harmless(c *program.Call) bool // of a library: it accesses nothing, and what it gives is no way to memory
	Names(name string) bool        // something of the module, or of Python
}

// Ways is which memory may be accessed in a part of some statements, as far as what variables hold tells that: s may be nil.
func Ways(n program.Node, around []program.Stmt, in Program, s *value.Scope, pointer func(value.Value) (value.Pointer, bool)) (w memory.Ways) {
	look := &memory.Looked{Pointer: pointer, Given: syntax.Given(&program.Block{Body: around}), Called: func(c *program.Call) (memory.Ways, bool) {
		if kind, _ := in.Operation(c); kind == dialect.AllocShared {
			return memory.ToShared, false
		}
		return memory.Nowhere, in.Harmless(c)
	}}
	look.Variable = func(name string) (value.Value, bool) {
		if v, ok := s.Lookup(name); ok {
			return v.Get(), true
		}
		return nil, in.Names(name)
	}
	program.Walk(n, func(n program.Node) bool {
		switch n := n.(type) {
		case *program.Index:
			w |= look.In(n.X)
		case *program.Call:
			if accesses(in, n, map[*program.Function]bool{}) {
				w |= look.Through(n)
			}
		case *program.Asm, *program.OpaqueStmt:
			w = memory.Anyhow
		}
		return w != memory.Anyhow
	})
	return w
}

// accesses reports whether a call may access memory.
func accesses(in Program, c *program.Call, seen map[*program.Function]bool) bool {
	if kind, ok := in.Operation(c); ok {
		return kind.Accesses()
	}
	callees := in.Callees(c)
	if len(callees) == 0 {
		return !in.Harmless(c)
	}
	does := false
	for fn, text := range callees {
		if seen[fn] {
			continue
		}
		seen[fn] = true
		program.Walk(&program.Block{Body: fn.Body}, func(n program.Node) bool {
			switch n := n.(type) {
			case *program.Index, *program.Asm:
				does = true
			case *program.Call:
				does = does || accesses(text.(Program), n, seen)
			}
			return !does
		})
	}
	return does
}

// Silence is what accesses nothing by its text alone.
type Silence map[program.Stmt]bool

// Of reports whether a statement is of that kind.
func (s Silence) Of(st program.Stmt, around []program.Stmt, in Program) bool {
	silent, asked := s[st]
	if !asked {
		silent = Ways(st, around, in, nil, nil) == memory.Nowhere
		s[st] = silent
	}
	return silent
}

// Accesses is a text of which it is asked where what is run of it accesses memory, instead of what synchronizes.
type Accesses struct {
	Program
	Ran func(program.Stmt) bool
}

// Synchronizes reports whether memory may be accessed in a piece of it.
func (a Accesses) Synchronizes(n program.Node) (does bool) {
	if st, ok := n.(program.Stmt); ok && !a.Ran(st) {
		return false
	}
	program.Walk(n, func(n program.Node) bool {
		switch n := n.(type) {
		case *program.Index:
			does = true
		case *program.Call:
			does = does || accesses(a.Program, n, map[*program.Function]bool{})
		}
		return !does
	})
	return does
}

// Callees are the functions that a call may mean, of which the same is asked.
func (a Accesses) Callees(c *program.Call) map[*program.Function]slice.Text {
	out := map[*program.Function]slice.Text{}
	for fn, text := range a.Program.Callees(c) {
		out[fn] = Accesses{text.(Program), a.Ran}
	}
	return out
}
