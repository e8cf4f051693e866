package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// lean says how an expression goes with the index of the thread in its CTA.
type lean uint8

const (
	crooked lean = iota // cannot be told
	flat                // the same in all threads, memory at such an address included
	rising              // grows with the index
	falling
)

var opposed = map[lean]lean{crooked: crooked, flat: flat, rising: falling, falling: rising}

// leans works out how an expression goes with the index of the thread. Factors are taken to be positive, as strides are.
func leans(x term, depth int) lean {
	if depth > 16 || x.x == nil || x.in == nil || x.in.fn.spent() {
		return crooked
	}
	again := func(e program.Expr) lean { return leans(term{e, x.in}, depth+1) }
	switch e := x.x.(type) {
	case *program.Cast:
		return again(e.X)
	case *program.Unary:
		if e.Op == "-" {
			return opposed[again(e.X)]
		}
	case *program.Binary:
		return leanOf(e.Op, again(e.X), again(e.Y))
	case *program.Name:
		if l, local := nameLeans(e, x.in, depth); local {
			return l
		}
	case *program.Call:
		if integerTypes[lastWord(path(e.Fun))] && len(e.Args) == 1 {
			return again(e.Args[0])
		}
		if sizeOfParameter(e, x.in) {
			return flat
		}
		if placeByName(e) {
			return rising
		}
	case *program.Attr:
		if op, ok := x.in.fn.file.table.Attr(e); ok && op.Kind == dialect.ThreadIdx {
			return rising
		}
	}
	switch x.in.fn.vary(x.x, 0) {
	case perWarp, laneIndex, threadIndex:
		return rising
	}
	if uniformIn(x, 0) || countOfHelper(x) {
		return flat
	}
	return crooked
}

// countOfHelper reports whether an expression is a number that a function which is no kernel is handed: should it differ
// between threads, a comparison of it with the place of the thread divides them all the more.
func countOfHelper(x term) bool {
	n, ok := x.x.(*program.Name)
	if !ok || x.in.fn.fn.Kernel || x.in.env != nil || len(x.in.fn.defs[n.Ident]) > 0 {
		return false
	}
	for _, p := range x.in.fn.fn.Params {
		if p.Name == n.Ident {
			return integerTypes[strings.TrimPrefix(p.Type, "const ")] || p.Type == "size_t" || p.Type == "const size_t"
		}
	}
	return false
}

func leanOf(op string, a, b lean) lean {
	switch op {
	case "-":
		b = opposed[b]
	case "+", "*":
	case "/", "%", ">>", "<<":
		if b != flat {
			return crooked
		}
	default:
		if a == flat && b == flat {
			return flat
		}
		return crooked
	}
	switch {
	case a == flat:
		return b
	case b == flat, a == b && op != "*":
		return a
	}
	return crooked
}

// nameLeans follows a name to the value it was given: an argument, a definition, or where a counter begins that every
// thread moves on alike.
func nameLeans(e *program.Name, in *frame, depth int) (lean, bool) {
	if v, given := in.env[e.Ident]; given {
		return leans(term{v, in.outer}, depth+1), true
	}
	f := in.fn
	if f.bound[e.Ident] || f.active[e.Ident] {
		return crooked, f.active[e.Ident]
	}
	defs := f.visible(e.Ident, e.Span.Start)
	if len(defs) == 0 || len(defs) > 8 {
		return crooked, false
	}
	f.active[e.Ident] = true
	defer delete(f.active, e.Ident)
	var first program.Expr
	for _, d := range defs {
		switch {
		case d.op == "=" && d.value != nil && (first == nil || same(first, d.value)):
			first = d.value
		case d.op == "++", d.op == "--":
		case (d.op == "+=" || d.op == "-=") && stride(term{d.value, in}, depth+1):
		default:
			return crooked, false
		}
	}
	if first == nil {
		return crooked, true
	}
	return leans(term{first, in}, depth+1), true
}

// stride reports whether all threads move a counter on by the same: what functions without arguments return counts as that
// unless they give a thread its place.
func stride(x term, depth int) bool {
	if depth > 16 || x.in == nil {
		return false
	}
	switch e := x.x.(type) {
	case *program.Binary:
		return stride(term{e.X, x.in}, depth+1) && stride(term{e.Y, x.in}, depth+1)
	case *program.Call:
		if len(e.Args) == 0 && leans(x, depth) == crooked {
			return true
		}
	case *program.Name:
		if v := x.in.fn.definition(e); v != nil && x.in.env[e.Ident] == nil {
			return stride(term{v, x.in}, depth+1)
		}
	}
	return uniformIn(x, depth)
}

// placeByName reports whether a function without arguments is called what gives a thread its place: block.thread_rank().
func placeByName(c *program.Call) bool {
	name := lastWord(path(c.Fun))
	if len(c.Args) > 0 || !strings.Contains(name, "thread") {
		return false
	}
	return strings.HasSuffix(name, "_rank") || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_idx") || strings.HasSuffix(name, "_index")
}

// sizeOfParameter reports whether a call asks an argument of the launch for an extent: accessor.size(0).
func sizeOfParameter(c *program.Call, in *frame) bool {
	a, ok := c.Fun.(*program.Attr)
	if !ok || !in.fn.fn.Kernel || in.env != nil || !in.fn.isParam(path(a.X)) {
		return false
	}
	for _, arg := range c.Args {
		if !uniformIn(term{arg, in}, 0) {
			return false
		}
	}
	return strings.Contains(a.Name, "size") || strings.Contains(a.Name, "numel") || strings.Contains(a.Name, "extent")
}

// mayCut reports whether a value that all threads of a CTA share may be anything: it comes with the launch or from memory,
// and nothing rounds it. What a template or a constant fixes may well fit the CTA.
func mayCut(x term, depth int) bool {
	given, fits := false, false
	origin(x, depth, &given, &fits)
	return given && !fits
}

// origin looks at what a value is made from: something given at run time, and something that may make it a multiple of
// what the CTA takes at once: a remainder, a mask, or a factor that is large or not known here.
func origin(x term, depth int, given, fits *bool) {
	if depth > 8 || x.x == nil || x.in == nil || x.in.fn.spent() {
		*fits = true
		return
	}
	program.WalkExprs(x.x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Index:
			*given = true
			return false
		case *program.Unary:
			*given = *given || e.Op == "*"
			return e.Op != "*"
		case *program.Call:
			*given = *given || sizeOfParameter(e, x.in)
			return false
		case *program.Attr: // a host that fills a structure of parameters has looked at its sizes as a rule
			return false
		case *program.Binary:
			*fits = *fits || e.Op == "%" || e.Op == "&" || e.Op == "*" && (large(term{e.X, x.in}) || large(term{e.Y, x.in}))
		case *program.Name:
			originOfName(e, x.in, depth, given, fits)
		}
		return true
	})
}

// large reports whether a factor may be as large as a warp: it is no small constant, and the launch does not give it.
func large(x term) bool {
	n, known := x.in.fn.fold(x.x)
	given, fits := false, false
	if !known {
		origin(x, 4, &given, &fits)
	}
	return known && n >= 32 || !known && !given
}

func originOfName(e *program.Name, in *frame, depth int, given, fits *bool) {
	if v, ok := in.env[e.Ident]; ok {
		origin(term{v, in.outer}, depth+1, given, fits)
		return
	}
	f := in.fn
	if f.bound[e.Ident] {
		*given = *given || f.isArgument(e.Ident)
		return
	}
	if f.isConstant(e.Ident) || f.active[e.Ident] {
		return
	}
	f.active[e.Ident] = true
	defer delete(f.active, e.Ident)
	for _, d := range f.visible(e.Ident, e.Span.Start) {
		if d.value != nil {
			origin(term{d.value, in}, depth+1, given, fits)
		}
	}
}

// isArgument reports whether a name is a parameter of the function, not one of its template.
func (f *function) isArgument(name string) bool {
	for _, p := range f.fn.Params {
		if p.Name == name {
			return true
		}
	}
	return false
}

// bounded finds in a condition the test that lets a part of a CTA through only: the place of the thread, compared with
// something that is known at run time. nil if there is none.
func bounded(x term, negated bool, depth int) program.Expr {
	if depth > 8 || x.x == nil || x.in == nil {
		return nil
	}
	again := func(e program.Expr, neg bool) program.Expr { return bounded(term{e, x.in}, neg, depth+1) }
	switch e := x.x.(type) {
	case *program.Cast:
		return again(e.X, negated)
	case *program.Unary:
		if e.Op == "!" {
			return again(e.X, !negated)
		}
	case *program.Name:
		if v := x.in.fn.definition(e); v != nil && x.in.env[e.Ident] == nil {
			return again(v, negated)
		}
	case *program.Binary:
		switch e.Op {
		case "&&", "||":
			if (e.Op == "&&") == negated {
				return nil // other threads may come in by the other half
			}
			if found := again(e.X, negated); found != nil {
				return found
			}
			return again(e.Y, negated)
		case "<", "<=", ">", ">=":
			a, b := term{e.X, x.in}, term{e.Y, x.in}
			if la, lb := leans(a, 0), leans(b, 0); la == flat && lb > flat {
				a, b = b, a
			} else if la <= flat || lb != flat {
				return nil
			}
			if mayCut(b, 0) {
				return e
			}
		}
	}
	return nil
}

// ownData reports whether a condition asks for what each thread has read from a place of its own. A CTA may well have no
// second row of threads, so the place is one along x.
func ownData(x term, depth int) (found bool) {
	if depth > 8 || x.x == nil || x.in == nil || x.in.fn.spent() {
		return false
	}
	program.WalkExprs(x.x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Index:
			for _, a := range e.Args {
				found = found || leans(term{a, x.in}, 0) > flat && alongX(term{a, x.in}, 0)
			}
			return false
		case *program.Call:
			return false
		case *program.Name:
			if v := x.in.fn.definition(e); v != nil && x.in.env[e.Ident] == nil {
				found = found || ownData(term{v, x.in}, depth+1)
			}
		}
		return !found
	})
	return found
}

func alongX(x term, depth int) (found bool) {
	if depth > 8 || x.x == nil || x.in == nil || x.in.fn.spent() {
		return false
	}
	program.WalkExprs(x.x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Attr:
			op, ok := x.in.fn.file.table.Attr(e)
			found = found || ok && op.Kind == dialect.ThreadIdx && op.Text("axis", "x") == "x"
			return false
		case *program.Call:
			found = found || placeByName(e)
		case *program.Name:
			if v, given := x.in.env[e.Ident]; given {
				found = found || alongX(term{v, x.in.outer}, depth+1)
				return false
			}
			for _, d := range x.in.fn.visible(e.Ident, e.Span.Start) {
				found = found || d.op == "=" && d.value != nil && alongX(term{d.value, x.in}, depth+1)
			}
		}
		return !found
	})
	return found
}
