package lower

import (
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/provenance"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// Kernels that decode or convert numbers call the same small functions for every element of a fragment, thousands of times with
// operands of which nothing is known. A function that only computes of its arguments gives for such arguments what it gave before:
// it is evaluated once for a group of threads, which may ask for their own place by a register of PTX. Where a watched evaluation asks
// what numbers are worth, each round has to ask for itself.

// computed is a call of a function with arguments that are numbers, types and texts.
type computed struct {
	fn   *program.Function
	args string
}

// asBefore runs the body of a function that only computes, or gives what it was worth with these arguments.
func (m *machine) asBefore(f *value.Closure, inner *value.Scope, work func() value.Value) value.Value {
	if m.host || m.watch != nil || m.inquiry != nil || f.Fn == nil || f.Self != nil || f.Owner != nil || f.Env == nil || f.Env.Parent != nil || !m.in.low.onlyComputes(f) {
		return work()
	}
	var args strings.Builder
	args.WriteString(strconv.FormatBool(m.sampling))
	for _, p := range f.Fn.Params {
		l, ok := inner.Vars[p.Name]
		if !ok || !provenance.SpellPlain(l.Get(), &args) {
			return work()
		}
	}
	call := computed{f.Fn, args.String()}
	if v, ok := m.computed[call]; ok {
		return v
	}
	effects, opaque := m.effects, len(m.in.opaques)
	v := work()
	if m.effects == effects && len(m.in.opaques) == opaque && provenance.SpellPlain(v, &args) {
		if m.computed == nil {
			m.computed = map[computed]value.Value{}
		}
		m.computed[call] = v
	}
	return v
}

// onlyComputes reports whether a function, and all that it calls, only computes of its arguments and of constants.
func (l *lowering) onlyComputes(f *value.Closure) bool {
	if l.computingOf != len(l.byFile) { // a module that came in since may define more of what is called
		l.computingOf, l.computing = len(l.byFile), map[*program.Function]bool{}
	}
	only, known := l.computing[f.Fn]
	if !known {
		only = l.computesAlone(f)
		l.computing[f.Fn] = only
	}
	return only
}

func (l *lowering) computesAlone(f *value.Closure) bool {
	body := &program.Block{Body: f.Fn.Body}
	only := true
	for n, mod := range l.bodiesDeep(f.Mod, body) {
		for op := range l.opsIn(mod.File, n) {
			only = only && op.Kind == dialect.Pure
		}
		program.Walk(n, func(n program.Node) bool {
			switch n := n.(type) {
			case *program.Outer, *program.Delete, *program.With, *program.Try, *program.Raise, *program.FuncDef, *program.ClassDef, *program.Import, *program.OpaqueStmt, *program.OpaqueExpr, *program.While:
				only = false
			case *program.Assign:
				for _, t := range n.Targets {
					if _, attribute := t.(*program.Attr); attribute {
						only = false
					}
				}
			case *program.Name:
				only = only && l.constantName(mod, n.Ident)
			case *program.Attr:
				if of, _ := l.moduleOf(mod, n.X); of != nil {
					only = only && l.constantName(of, n.Name)
				}
			case *program.Call:
				only = only && l.computesCall(mod, n)
			}
			return only
		})
		if !only {
			return false
		}
	}
	return only
}

// constantName reports whether a name, if it is one of the module's own, stands for what nothing changes: a function, a class, a module
// or a number.
func (l *lowering) constantName(mod *value.Module, name string) bool {
	at, ok := mod.Globals.Vars[name]
	if !ok {
		return true
	}
	switch v := at.Get().(type) {
	case *value.Class:
		return v.Enum
	case *value.Closure, value.ModuleRef, value.Path, value.Int, value.Float, value.Text, value.None, value.Data, value.Symbol:
		return true
	case *value.Sequence:
		return !v.List && !v.Lost
	}
	return false
}

// computesCall reports whether a call is of a function whose body is read, or of one that is known to compute.
func (l *lowering) computesCall(mod *value.Module, c *program.Call) bool {
	if _, ok := l.inlineCall(c); ok || len(l.callees(mod, c)) > 0 {
		return true // their operations and bodies are looked at; those of a text that is put together show where they are performed
	}
	if id, ok := c.Fun.(*program.Name); ok && value.PythonBuiltins[id.Ident] {
		return !reflects[id.Ident]
	}
	name := l.fullName(mod, c.Fun)
	if value.NumberType(value.LastWord(name)) != nil || l.effect(name) == dialect.Computes {
		return true
	}
	at, ok := c.Fun.(*program.Attr)
	if !ok {
		return false
	}
	_, module := l.moduleOf(mod, at.X)
	return !module && l.table.MethodEffect(at.Name) == dialect.Computes
}

// reflects are the built-in functions that reach names and attributes by their spelling.
var reflects = value.Words("setattr delattr globals locals vars exec eval next iter input open __import__")
