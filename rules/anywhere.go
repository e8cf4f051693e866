package rules

import (
	"math"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// everyElement stands in a footprint for an index that memory decides: it may be any.
const everyElement = math.MinInt64

// overlap reports whether two places in an object may be one. Of two that memory decides nothing is known.
func overlap(a, b [4]int64) bool {
	decided := false
	for i := range a { // those beyond the last index are 0 in all but what a function of another file touches
		switch {
		case a[i] == everyElement && b[i] == everyElement:
		case a[i] == everyElement || b[i] == everyElement:
			decided = true
		case a[i] != b[i]:
			return false
		}
	}
	return decided || a == b
}

// wide reports whether memory decides one of the indices.
func (f footprint) wide() bool {
	for at := range f {
		for _, i := range at {
			if i == everyElement {
				return true
			}
		}
	}
	return false
}

// scattered reports whether memory decides what an expression is, whichever thread looks: it is made from values that are
// loaded and from others that all threads have in common.
func scattered(x term) bool {
	if x.x == nil || x.in == nil {
		return false
	}
	known, seen := x.in.loaded[x.x]
	if !seen {
		budget := maxFromMemory
		all, loads := fromMemory(x, &budget)
		known = all && loads
		if x.in.loaded == nil {
			x.in.loaded = map[program.Expr]bool{}
		}
		x.in.loaded[x.x] = known
	}
	return known
}

const maxFromMemory = 200 // expressions looked at to tell whether memory decides one

// fromMemory reports whether an expression is made from loaded and from common values alone, and whether any is loaded.
func fromMemory(x term, budget *int) (all, loads bool) {
	if *budget--; *budget < 0 || x.x == nil || x.in == nil {
		return false, false
	}
	parts := func(list ...program.Expr) (bool, bool) {
		some := false
		for _, e := range list {
			one, loads := fromMemory(term{e, x.in}, budget)
			if !one {
				return false, false
			}
			some = some || loads
		}
		return true, some
	}
	switch e := x.x.(type) {
	case *program.Int, *program.Float, *program.Bool:
		return true, false
	case *program.Name:
		return nameFromMemory(e, x.in, budget)
	case *program.Index:
		if n, named := e.X.(*program.Name); named && !x.in.fn.pointsToMemory(n.Ident) {
			return x.in.fn.elementsFromMemory(n, x.in, budget)
		}
		return true, true
	case *program.Unary:
		if e.Op == "*" {
			return true, true
		}
		return parts(e.X)
	case *program.Binary:
		return parts(e.X, e.Y)
	case *program.Cast:
		return parts(e.X)
	case *program.Cond:
		return parts(e.Test, e.Then, e.Else)
	case *program.Call:
		if op, known := x.in.fn.call(e); known {
			loads := atomics[op.Kind] || op.Kind == dialect.Load
			return loads || uniformIn(x, 1), loads
		}
		if lastWord(path(e.Fun)) == "__ldg" {
			return true, true
		}
		if all, loads := parts(e.Args...); loads {
			return all, true
		}
	}
	return uniformIn(x, 1), false
}

// atomics are the operations that read and write a word in one step.
var atomics = map[dialect.Kind]bool{
	dialect.AtomicAdd: true, dialect.AtomicSub: true, dialect.AtomicMax: true, dialect.AtomicExch: true, dialect.AtomicCas: true, dialect.Reduce: true,
}

func nameFromMemory(e *program.Name, in *frame, budget *int) (all, loads bool) {
	if v, given := in.env[e.Ident]; given {
		return fromMemory(term{v, in.outer}, budget)
	}
	f := in.fn
	if f.isWord(e.Ident) {
		return true, true
	}
	if f.active[e.Ident] { // x = f(x): the other definitions decide
		return true, false
	}
	defs := f.visible(e.Ident, e.Span.Start)
	if len(defs) == 0 || len(defs) > 8 || f.bound[e.Ident] {
		return uniformIn(term{e, in}, 1), false
	}
	return f.eachFromMemory(e.Ident, defs, in, budget)
}

// isWord reports whether a name is a variable in shared memory that is no array: all threads read the same there, and
// what it holds no single assignment tells.
func (f *function) isWord(name string) bool { return f.dims[name] && f.rankOf(name) == 0 }

// elementsFromMemory is fromMemory for an array of registers.
func (f *function) elementsFromMemory(e *program.Name, in *frame, budget *int) (all, loads bool) {
	defs := f.defs[e.Ident+"[]"]
	if len(defs) == 0 || len(defs) > 8 || f.active[e.Ident] {
		return false, false
	}
	return f.eachFromMemory(e.Ident, defs, in, budget)
}

func (f *function) eachFromMemory(name string, defs []definition, in *frame, budget *int) (all, loads bool) {
	f.active[name] = true
	defer delete(f.active, name)
	for _, d := range defs {
		if d.value == nil { // ++
			continue
		}
		one, some := fromMemory(term{d.value, in}, budget)
		if !one {
			return false, false
		}
		loads = loads || some
	}
	return true, loads
}

// pointsToMemory reports whether an index of the name reads global or shared memory.
func (f *function) pointsToMemory(name string) bool {
	if _, global := f.file.globals[name]; global {
		return true
	}
	return f.dims[name] || strings.Contains(f.types[name], "*")
}

// loads reports whether memory decides an index of one of the accesses that all threads have in common.
func (r route) loads() bool {
	for _, s := range []*site{r.from, r.to} {
		for _, x := range s.slot.index {
			if uniformIn(x, 0) && scattered(x) {
				return true
			}
		}
	}
	return false
}

// loading is the sample with such indices left open.
func (m *sample) loading() *sample {
	return &sample{fn: m.fn, shape: m.shape, numbers: map[string]int64{}, scale: m.scale, moved: m.moved, loaded: true}
}

// anywhere reports whether memory decides an index of the access.
func (s *site) anywhere() bool { return slices.ContainsFunc(s.slot.index, scattered) }

// counted reports whether two accesses work on a counter: both are atomic, or one is and the other decides whether a loop
// goes on, for which an old value does.
func counted(a, b *site) bool {
	decides := func(s *site) bool {
		l := s.loop()
		return l != nil && l.cond != nil && covers(l.cond.Where(), s.op.Span)
	}
	return a.mode&b.mode&atomically != 0 || a.mode&atomically != 0 && decides(b) || b.mode&atomically != 0 && decides(a)
}

// narrow reports whether a guard lets threads below a number of whole warps through: the CTA has more than these.
func (s *site) narrow() bool {
	for _, g := range s.guards {
		b, ok := g.raw.(*program.Binary)
		if !ok || g.negated || b.Op != "<" || uniformIn(term{b.X, g.in}, 0) {
			continue
		}
		if n, known := g.in.fn.fold(b.Y); known && n >= 32 && n%32 == 0 {
			return true
		}
	}
	return false
}
