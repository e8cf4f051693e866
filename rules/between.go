package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// route is a way from one site to another: straight on, or round a loop.
type route struct {
	from, to *site
	around   *loop // nil for straight on
	first    mode  // what from does to the memory
}

// routes returns the ways from one site to another on which no site joins the threads: lets those in question wait for each
// other.
// A barrier under a condition counts as one that is always met, and so does a call that may hold one: a finding has to
// be right, and whether both conditions can fail together is not looked at.
func routes(from, to *site, sites []*site, once func(*loop) bool, joins func(*site) bool) []route {
	var out []route
	if from.order < to.order && !exclusive(from, to) && !contrary(from, to) && !joinedStraight(from, to, sites, joins) {
		out = append(out, route{from: from, to: to})
	}
	for i := len(from.loops) - 1; i >= 0; i-- {
		l := from.loops[i]
		if !slices.Contains(to.loops, l) || once(l) || from.last(l) {
			continue
		}
		if !exclusive(from, to) && !contrary(from, to) && !joinedAround(from, to, l, joins) {
			return append(out, route{from: from, to: to, around: l})
		}
	}
	return out
}

// last reports whether the loop ends with the branch that the site stands in.
func (s *site) last(l *loop) bool {
	for _, g := range s.guards {
		i, ok := g.node.(*program.If)
		if !ok || !covers(l.stmt.Where(), i.Span) {
			continue
		}
		body := i.Then
		if g.negated {
			body = i.Else
		}
		if len(body) == 0 || !covers(body[0].Where().Join(body[len(body)-1].Where()), s.span) {
			continue
		}
		switch body[len(body)-1].(type) {
		case *program.Return:
			return true
		case *program.Break:
			return l == s.loop()
		}
	}
	return false
}

func joinedStraight(from, to *site, sites []*site, joins func(*site) bool) bool {
	for _, c := range sites[from.order+1 : to.order] {
		if joins(c) && !exclusive(c, from) && !exclusive(c, to) {
			return true
		}
	}
	for _, l := range from.loops { // the last thing a loop does is to look at its condition
		if slices.Contains(to.loops, l) || l.cond == nil {
			continue
		}
		for _, c := range l.sites {
			if joins(c) && covers(l.cond.Where(), c.op.Span) {
				return true
			}
		}
	}
	return false
}

func joinedAround(from, to *site, l *loop, joins func(*site) bool) bool {
	for _, c := range l.sites {
		if joins(c) && (c.order > from.order && !exclusive(c, from) || c.order < to.order && !exclusive(c, to)) {
			return true
		}
	}
	return false
}

// contrary reports whether two sites are reached under conditions that cannot both be true of one CTA: one thing equal
// to two constants, or a condition and its opposite.
func contrary(a, b *site) bool {
	for _, g := range a.guards {
		for _, h := range b.guards {
			if g.cond() == nil || h.cond() == nil || !uniformIn(term{g.raw, g.in}, 0) || !uniformIn(term{h.raw, h.in}, 0) {
				continue
			}
			x, negX := positive(g.cond(), g.negated)
			y, negY := positive(h.cond(), h.negated)
			if negX != negY && same(x, y) {
				return true
			}
			p, isP := x.(*program.Binary)
			q, isQ := y.(*program.Binary)
			if isP && isQ && !negX && !negY && p.Op == "==" && q.Op == "==" && same(p.X, q.X) && !same(p.Y, q.Y) {
				return true
			}
		}
	}
	return false
}

func positive(x program.Expr, negated bool) (program.Expr, bool) {
	for range 8 {
		u, ok := x.(*program.Unary)
		if !ok || u.Op != "!" {
			break
		}
		x, negated = u.X, !negated
	}
	if b, ok := x.(*program.Binary); ok && b.Op == "!=" {
		return &program.Binary{Place: b.Place, Op: "==", X: b.X, Y: b.Y}, !negated
	}
	return x, negated
}

// joins reports whether the site may hold threads of the CTA until others come, or takes part in a protocol that does.
func (s *site) joins() bool {
	if s.spin != nil {
		return true
	}
	switch s.op.Kind {
	case sharedAccess, plainLoad, plainStore, argumentLoad, dialect.WarpSync, dialect.Fence, dialect.FenceProxy, dialect.Load, dialect.Store,
		dialect.AtomicAdd, dialect.AtomicSub, dialect.AtomicMax, dialect.AtomicExch, dialect.AtomicCas, dialect.Reduce, dialect.CpAsync,
		dialect.CpAsyncCommit, dialect.CpAsyncWait, dialect.GridDepWait, dialect.GridDepLaunch, dialect.Nanosleep, dialect.Trap, dialect.NamedBarrierObject,
		dialect.TmemStore, dialect.TmemStoreWait, dialect.TmemLoad, dialect.TmemLoadWait, dialect.WgmmaFence, dialect.TensormapWrite:
		return false
	case unknownCall:
		return s.mayJoin()
	}
	return !valueKinds[s.op.Kind]
}

// joining are parts of the names of functions that may hold a barrier of the CTA.
var joining = [...]string{
	"sync", "barrier", "wait", "arrive", "pipeline", "setup", "prologue", "join_", "commit", "reduce", "scan", "block", "cta", "sort", "broadcast",
	"exchange", "team", "group", "allgather", "collective", "mma", "tile", "epilogue", "mainloop", "gemm", "kernel", "process", "run", "impl",
}

// protocols are parts of the names of functions in which one thread alone may wait for others.
var protocols = [...]string{"sync", "barrier", "wait", "arrive", "pipeline", "acquire", "commit", "lock"}

// mayJoin reports whether a call that cannot be looked into may hold a barrier of the CTA.
func (s *site) mayJoin() bool {
	name := lastWord(s.op.Name)
	if c := s.op.Call; c != nil && name == "" {
		if a, ok := c.Fun.(*program.Attr); ok {
			name = a.Name
		}
	}
	if s.collective() != nil {
		return true
	}
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "_sync") || strings.Contains(name, "shfl") { // shuffles and votes of a warp
		return false
	}
	if s.in.fn.constructs(s.op.Call) {
		return false
	}
	lower := strings.ToLower(name)
	if s.threads().single() { // the others would never come to a barrier in there
		return slices.ContainsFunc(protocols[:], func(w string) bool { return strings.Contains(lower, w) })
	}
	if strings.Contains(lower, "warp") && !strings.Contains(lower, "block") || strings.Contains(strings.ToLower(s.op.Name), "cp_async") {
		return false // meets the lanes of a warp at most; waits for copies of its own thread
	}
	for _, w := range joining {
		if strings.Contains(lower, w) {
			return true
		}
	}
	// A statement that is a call of a free function does its work elsewhere.
	_, method := s.op.Call.Fun.(*program.Attr)
	return !s.used && !method && !harmless(lower) && !returnsByPointer(s.op.Call)
}

// returnsByPointer reports whether a call is given the address of a variable: it works out a value.
func returnsByPointer(c *program.Call) bool {
	for _, a := range c.Args {
		if u, ok := a.(*program.Unary); ok && u.Op == "&" {
			if _, local := u.X.(*program.Name); local {
				return true
			}
		}
	}
	return false
}

// harmless reports whether a function is called what functions that move data are called.
func harmless(lower string) bool {
	for _, w := range [...]string{"load", "store", "copy", "cp", "ld", "st", "swap", "fill", "print", "assert", "prefetch", "atomic", "cast", "convert", "set", "clear", "memset", "void", "unused", "fma", "update", "write", "shfl", "min", "max"} {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return false
}
