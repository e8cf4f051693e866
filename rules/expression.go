package rules

import "github.com/fencepost-dev/fencepost/program"

// same reports whether two expressions are spelt alike.
func same(a, b program.Expr) bool {
	return a != nil && b != nil && program.DumpExpr(a) == program.DumpExpr(b)
}

// value follows a name with one definition to its value; other expressions stay.
func (f *function) value(x program.Expr) program.Expr {
	for range 8 {
		switch e := x.(type) {
		case *program.Cast:
			x = e.X
			continue
		case *program.Call:
			if integerTypes[lastWord(path(e.Fun))] && len(e.Args) == 1 {
				x = e.Args[0]
				continue
			}
		case *program.Name, *program.Attr:
			if v := f.definition(x); v != nil {
				x = v
				continue
			}
		}
		return x
	}
	return x
}

// modulo takes `x % n`, or `x & (2^k - 1)`, apart. n is 0 when it is no constant.
func (f *function) modulo(x program.Expr) (counter program.Expr, n int64, ok bool) {
	b, isBinary := f.value(x).(*program.Binary)
	if !isBinary {
		return nil, 0, false
	}
	v, known := f.fold(b.Y)
	switch {
	case b.Op == "%" && known:
		return b.X, v, true
	case b.Op == "%":
		return b.X, 0, true
	case b.Op == "&" && known && v > 0 && v&(v+1) == 0:
		return b.X, v + 1, true
	}
	return nil, 0, false
}

// parity takes a phase `(x / n) & 1`, possibly flipped by a constant, apart; n is 1 for `x & 1`.
func (f *function) parity(x program.Expr) (counter program.Expr, n int64, ok bool) {
	v := f.value(x)
	if b, isBinary := v.(*program.Binary); isBinary && b.Op == "^" {
		if _, constant := f.fold(b.Y); constant {
			v = f.value(b.X)
		}
	}
	counter, two, ok := f.modulo(v)
	if !ok || two != 2 {
		return nil, 0, false
	}
	if d, isBinary := f.value(counter).(*program.Binary); isBinary {
		m, known := f.fold(d.Y)
		switch {
		case (d.Op == "/" || d.Op == "//") && known && m > 0:
			return d.X, m, true
		case d.Op == ">>" && known && m >= 0 && m < 30:
			return d.X, 1 << m, true
		case d.Op == "/" || d.Op == "//" || d.Op == ">>":
			return d.X, 0, true
		}
	}
	return counter, 1, true
}

// first evaluates an expression for the first time a site is reached: loop variables at their start, locals at their
// value before the loops.
func (f *function) first(x program.Expr, s *site) (int64, bool) {
	env := map[string]program.Expr{}
	f.starts(x, s, env, 0)
	return f.fold(rewrite(x, place{fn: f, env: env}, 0))
}

// starts collects the first values of the names in x and in their definitions.
func (f *function) starts(x program.Expr, s *site, env map[string]program.Expr, depth int) {
	if depth > 4 || x == nil {
		return
	}
	program.WalkExprs(x, func(e program.Expr) bool {
		n, ok := e.(*program.Name)
		if !ok || env[n.Ident] != nil {
			return true
		}
		if v, known := f.start(n.Ident, n.Span.Start, s); known {
			env[n.Ident] = &program.Int{Place: n.Place, Value: v}
		} else if v := f.definition(n); v != nil {
			f.starts(v, s, env, depth+1)
		}
		return true
	})
}

// start is the value a name has when the site's outermost loop begins.
func (f *function) start(name string, pos int, s *site) (int64, bool) {
	for _, l := range s.loops {
		if v := initial(l, name); v != nil {
			return f.fold(v)
		}
		if loop, ok := l.stmt.(*program.For); ok && path(loop.Target) == name && name != "" {
			if c, isCall := loop.Iter.(*program.Call); isCall && len(c.Args) == 1 {
				return 0, true
			} else if isCall && len(c.Args) > 1 {
				return f.fold(c.Args[0])
			}
			return 0, false
		}
	}
	var value program.Expr
	for _, d := range f.visible(name, pos) {
		inLoop := len(s.loops) > 0 && within(d.node, s.loops[0].stmt)
		if d.node.Where().Start > s.span.Start || inLoop || s.otherBranch(d.node) {
			continue
		}
		if d.op != "=" || value != nil {
			return 0, false
		}
		value = d.value
	}
	if value == nil {
		return 0, false
	}
	return f.fold(value)
}

// otherBranch reports whether a node stands on the side of a condition that the site's threads do not take.
func (s *site) otherBranch(n program.Node) bool {
	for _, g := range s.guards {
		i, ok := g.node.(*program.If)
		if !ok {
			continue
		}
		side := i.Else
		if g.negated {
			side = i.Then
		}
		for _, st := range side {
			if within(n, st) {
				return true
			}
		}
	}
	return false
}

// initial is the value a C-style loop gives a name before its first iteration, or nil.
func initial(l *loop, name string) program.Expr {
	s, ok := l.stmt.(*program.For)
	if !ok {
		return nil
	}
	for _, i := range s.Init {
		a, ok := i.(*program.Assign)
		if ok && len(a.Targets) == 1 && path(a.Targets[0]) == name && (a.Op == "=" || a.Op == "") {
			return a.Value
		}
	}
	return nil
}
