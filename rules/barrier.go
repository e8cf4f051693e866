package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// barrier names an mbarrier as the source does: an array or variable, and the element.
type barrier struct {
	base  string       // "full", "smem.full"; "" when it cannot be told
	index program.Expr // nil for a single barrier
}

// barrierOf takes an mbarrier's address apart.
func (f *function) barrierOf(x program.Expr) barrier { return f.barrierAt(x, 0) }

func (f *function) barrierAt(x program.Expr, depth int) barrier {
	if depth > 8 || x == nil {
		return barrier{}
	}
	switch e := x.(type) {
	case *program.Cast:
		return f.barrierAt(e.X, depth+1)
	case *program.Unary:
		if e.Op == "&" || e.Op == "*" {
			return f.barrierAt(e.X, depth+1)
		}
	case *program.Index:
		b := f.barrierAt(e.X, depth+1)
		if len(e.Args) == 1 && b.base != "" {
			b.index = added("+", b.index, e.Args[0])
		}
		return b
	case *program.Binary:
		if e.Op != "+" && e.Op != "-" {
			return barrier{}
		}
		b := f.barrierAt(e.X, depth+1)
		if b.base != "" {
			b.index = added(e.Op, b.index, e.Y)
		}
		return b
	case *program.Call: // smem_u32(&bar), full.data_ptr(), mapa(bar, peer)
		if a, ok := e.Fun.(*program.Attr); ok && len(e.Args) == 0 {
			return f.barrierAt(a.X, depth+1)
		}
		if len(e.Args) > 0 {
			return f.barrierAt(e.Args[0], depth+1)
		}
	case *program.Attr:
		if e.Name == "iterator" || e.Name == "ptr" || e.Name == "llvm_ptr" { // full.iterator is where the tensor full points
			return f.barrierAt(e.X, depth+1)
		}
		return f.barrierNamed(x, depth)
	case *program.Name:
		return f.barrierNamed(x, depth)
	}
	return barrier{}
}

// barrierNamed follows a local that is an element or an alias of another name.
func (f *function) barrierNamed(x program.Expr, depth int) barrier {
	name := path(x)
	if len(f.defs[name]) > 0 && !f.bound[name] {
		switch v := f.local(name, x.Where().Start).(type) {
		case *program.Index, *program.Binary, *program.Unary, *program.Name, *program.Attr:
			if b := f.barrierAt(v, depth+1); b.base != "" {
				return b
			}
		case *program.Call:
			if op, known := f.call(v); known && op.Has("ptr") {
				return f.barrierAt(op.Expr("ptr"), depth+1)
			}
			if strings.Contains(path(v.Fun), "atomic_ref") && len(v.Args) > 0 { // another name for what it refers to
				return f.barrierAt(v.Args[0], depth+1)
			}
		}
	}
	return barrier{base: name}
}

func added(op string, a, b program.Expr) program.Expr {
	if a == nil && op == "+" {
		return b
	}
	if a == nil {
		return &program.Unary{Place: program.Place{Span: b.Where()}, Op: op, X: b}
	}
	return &program.Binary{Place: program.Place{Span: a.Where().Join(b.Where())}, Op: op, X: a, Y: b}
}

// barrier is the mbarrier a site works on.
func (s *site) barrier() barrier { return s.owner.barrierOf(s.arg("ptr")) }

// repeats reports whether the loop comes back to the same barrier: its address does not change, or its index is kept
// within a ring.
func (l *loop) repeats(b barrier, f *function) bool {
	if b.base == "" || hits(l.assigned(), b.base) { // calls work on the barrier, they do not move it
		return false
	}
	if b.index == nil || !l.varies(b.index) {
		return true
	}
	return f.wraps(b.index, l)
}

// wraps reports whether an index stays within a ring: x % n, or a name that the loop reduces or resets.
func (f *function) wraps(x program.Expr, l *loop) bool {
	found := false
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Binary:
			found = found || e.Op == "%"
		case *program.Name, *program.Attr:
			for _, d := range f.visible(path(e), e.Where().Start) {
				_, constant := f.fold(d.value)
				found = found || reduces(d) || (constant && d.op == "=" && within(d.node, l.stmt) && !f.inits[d.node])
			}
			return false
		}
		return !found
	})
	return found
}

// within reports whether a node stands inside another.
func within(n, outer program.Node) bool {
	return n.Where().Start >= outer.Where().Start && n.Where().End <= outer.Where().End
}

// reduces reports whether a definition keeps a name within a ring.
func reduces(d definition) bool {
	if d.op == "%=" || d.op == "^=" {
		return true
	}
	found := false
	if d.value != nil && d.op == "=" {
		program.WalkExprs(d.value, func(e program.Expr) bool {
			switch e := e.(type) {
			case *program.Binary:
				found = found || e.Op == "%" || e.Op == "^"
			case *program.Cond: // s + 1 == N ? 0 : s + 1
				found = true
			}
			return !found
		})
	}
	return found
}
