package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// share says how many of a set take a path.
type share uint8

const (
	unknownShare share = iota // cannot be told
	allOf
	someOf // a proper part, of unknown size
	oneOf
)

// threads is the set of threads of a CTA that a condition lets through: which lanes of a warp, and which warps.
type threads struct{ lanes, warps share }

var everyone = threads{allOf, allOf}

func (t threads) single() bool { return t.lanes == oneOf && t.warps == oneOf }

// both intersects two sets. A set that is one lane stays at most one lane whatever else is asked.
func (t threads) both(u threads) threads {
	return threads{meet(t.lanes, u.lanes), meet(t.warps, u.warps)}
}

func meet(a, b share) share {
	switch {
	case a == oneOf || b == oneOf:
		return oneOf
	case a == unknownShare || b == unknownShare:
		return unknownShare
	case a == someOf || b == someOf:
		return someOf
	}
	return allOf
}

// guard is a condition on the way to a site.
type guard struct {
	rooted  program.Expr // see cond
	negated bool
	elect   bool      // with elect_one():
	exit    bool      // left behind by an earlier `if (…) break;` or return
	built   bool      // chosen when the kernel is built (if constexpr): it divides no threads
	fn      *function // whose names cond uses
	node    program.Node
	raw     program.Expr // as it is written, in terms of the names of in
	in      *frame
	asked   bool // whether set is known
	set     threads
}

// cond is the condition in terms of the root's names, nil where there is none.
func (g *guard) cond() program.Expr {
	if g.rooted == nil && g.raw != nil {
		g.rooted = substitute(g.raw, place{fn: g.in.fn, env: g.in.env})
	}
	return g.rooted
}

// threadsOf classifies the set of threads that all guards let through.
func threadsOf(guards []*guard) threads {
	set := everyone
	for _, g := range guards {
		set = set.both(g.threads())
	}
	return set
}

func (g *guard) threads() threads {
	if g.built {
		return everyone
	}
	if g.elect {
		return threads{oneOf, allOf}
	}
	if !g.asked {
		g.asked, g.set = true, g.fn.condition(g.cond(), g.negated, 0)
	}
	return g.set
}

// variation says how an expression differs between the threads of a CTA.
type variation uint8

const (
	uniform     variation = iota // the same in the whole CTA
	perWarp                      // the same in a warp
	laneIndex                    // the lane index itself
	threadIndex                  // the x thread index itself
	perLane                      // differs within a warp
	anyhow                       // cannot be told
)

// condition returns the threads for which x holds (or does not, when negated).
func (f *function) condition(x program.Expr, negated bool, depth int) threads {
	if depth > maxFold || x == nil || f.spent() {
		return threads{}
	}
	switch e := x.(type) {
	case *program.Unary:
		if e.Op == "!" {
			return f.condition(e.X, !negated, depth+1)
		}
	case *program.Cast:
		return f.condition(e.X, negated, depth+1)
	case *program.Binary:
		switch {
		case e.Op == "&&" && !negated, e.Op == "||" && negated:
			return f.condition(e.X, negated, depth+1).both(f.condition(e.Y, negated, depth+1))
		case e.Op == "&&", e.Op == "||":
			return union(f.condition(e.X, negated, depth+1), f.condition(e.Y, negated, depth+1))
		case comparison[e.Op]:
			return f.comparison(e, negated, depth)
		}
	case *program.Call:
		op, ok := f.call(e)
		if ok && op.Kind == dialect.Uniform {
			return f.condition(op.Expr("x"), negated, depth+1)
		}
		if ok && op.Kind == dialect.ElectOne {
			if negated {
				return threads{someOf, allOf}
			}
			return threads{oneOf, allOf}
		}
	case *program.Name, *program.Attr:
		name := path(x)
		if strings.Contains(strings.ToLower(name), "elect") && len(f.defs[name]) == 0 {
			break
		}
		if v := f.definition(x); v != nil {
			return f.condition(v, negated, depth+1)
		}
	}
	switch f.vary(x, depth+1) {
	case uniform:
		return everyone
	case perWarp:
		return threads{allOf, someOf}
	case laneIndex: // `if (lane)`: lanes other than 0
		return truth(negated, threads{oneOf, allOf}, threads{someOf, allOf})
	case threadIndex:
		return truth(negated, threads{oneOf, oneOf}, threads{unknownShare, allOf})
	}
	return threads{}
}

func truth(cond bool, a, b threads) threads {
	if cond {
		return a
	}
	return b
}

// union joins two sets; two different parts may add up to anything.
func union(a, b threads) threads {
	if a == everyone || b == everyone {
		return everyone
	}
	if a.lanes == allOf && b.lanes == allOf {
		return threads{allOf, someOf}
	}
	return threads{}
}

var comparison = map[string]bool{"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true}

// comparison classifies `index op bound` for a thread, lane or warp index.
func (f *function) comparison(e *program.Binary, negated bool, depth int) threads {
	x, y, op := e.X, e.Y, e.Op
	vx, vy := f.vary(x, depth+1), f.vary(y, depth+1)
	if vx == uniform && vy != uniform {
		x, y, vx, vy, op = y, x, vy, vx, mirrored[op]
	}
	if vx == uniform && vy == uniform {
		return everyone
	}
	if vy != uniform {
		if vx <= perWarp && vy <= perWarp {
			return threads{allOf, someOf}
		}
		return threads{}
	}
	if negated {
		op = opposite[op]
	}
	bound, known := f.fold(y)
	switch vx {
	case perWarp:
		if op == "==" && !f.ofSeveralWarps(x) {
			return threads{allOf, oneOf}
		}
		return threads{allOf, someOf}
	case laneIndex:
		return laneSet(op, bound, known)
	case threadIndex:
		return threadSet(op, bound, known)
	}
	return threads{}
}

// ofSeveralWarps reports whether what a warp has alike others may have as well: it is computed, and not the thread's index over 32.
func (f *function) ofSeveralWarps(x program.Expr) bool {
	for range 8 {
		v := f.value(x)
		if c, is := v.(*program.Call); is {
			op, known := f.call(c)
			if !known || op.Kind != dialect.Uniform {
				return false
			}
			x = op.Expr("x")
			continue
		}
		b, is := v.(*program.Binary)
		if !is {
			return false
		}
		n, known := f.fold(b.Y)
		return !(known && (n == 32 && (b.Op == "/" || b.Op == "//") || n == 5 && b.Op == ">>"))
	}
	return true
}

var (
	mirrored = map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
	opposite = map[string]string{"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
)

func laneSet(op string, bound int64, known bool) threads {
	switch {
	case op == "==" || (op == "<" && known && bound == 1) || (op == "<=" && known && bound == 0):
		return threads{oneOf, allOf}
	case op == "!=":
		return threads{someOf, allOf}
	case !known:
		return threads{unknownShare, allOf}
	case (op == "<" && bound >= 32) || (op == "<=" && bound >= 31) || (op == ">=" && bound <= 0):
		return everyone
	}
	return threads{someOf, allOf}
}

func threadSet(op string, bound int64, known bool) threads {
	if op == "==" {
		return threads{oneOf, oneOf}
	}
	if !known || op == "!=" {
		return threads{} // `tid < n`: n may be a multiple of the warp size
	}
	if op == "<=" || op == ">" {
		bound++ // tid <= 31 is tid < 32
	}
	below := op == "<" || op == "<="
	switch {
	case below && bound == 1:
		return threads{oneOf, oneOf}
	case below && bound == 32:
		return threads{allOf, oneOf}
	case bound%32 == 0:
		return threads{allOf, someOf}
	case below && bound < 32:
		return threads{someOf, oneOf}
	}
	return threads{someOf, someOf}
}
