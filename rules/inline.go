package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cutedsl"
)

// expr walks an expression for its calls, arguments first. used says whether somebody takes the value.
func (w *walker) expr(x program.Expr, p place, used bool) {
	if x == nil || w.full() {
		return
	}
	if p.nest++; p.nest > maxNest {
		return
	}
	switch e := x.(type) {
	case *program.Call:
		w.callExpr(e, p, used)
	case *program.Binary:
		w.expr(e.X, p, true)
		if e.Op == "&&" || e.Op == "||" {
			w.expr(e.Y, p.under(w.guard(e.X, e.Op == "||", e, p)), used)
			return
		}
		w.expr(e.Y, p, true)
	case *program.Cond:
		w.expr(e.Test, p, true)
		w.expr(e.Then, p.under(w.guard(e.Test, false, e, p)), used)
		w.expr(e.Else, p.under(w.guard(e.Test, true, e, p)), used)
	case *program.Lambda: // walked where it is called
	case *program.Int, *program.Float, *program.String, *program.Bool, *program.None:
	case *program.AssignExpr:
		w.expr(e.Value, p, true)
	case *program.Cast: // (void)f() drops the result on purpose
		w.expr(e.X, p, true)
	case *program.OpaqueExpr:
		for _, part := range e.Parts {
			w.expr(part, p, true)
		}
	case *program.Name:
		for _, a := range e.Template {
			w.expr(a, p, true)
		}
	default:
		w.parts(x, p)
	}
}

// parts walks the direct sub-expressions of x.
func (w *walker) parts(x program.Expr, p place) {
	first := true
	program.WalkExprs(x, func(e program.Expr) bool {
		if first {
			first = false
			return true
		}
		w.expr(e, p, true)
		return false
	})
}

func (w *walker) callExpr(c *program.Call, p place, used bool) {
	var lambdas []*program.Lambda
	for _, a := range c.Args {
		if l, ok := a.(*program.Lambda); ok {
			lambdas = append(lambdas, l)
			continue
		}
		w.expr(a, p, true)
	}
	for _, k := range c.Keywords {
		w.expr(k.Value, p, true)
	}
	if attr, ok := c.Fun.(*program.Attr); ok {
		w.expr(attr.X, p, true)
	}
	if op, ok := p.fn.call(c); ok {
		w.reads(argumentLoad, op.Expr("value"), p)
		if op.Kind != dialect.Pure {
			w.add(op, p, used)
		}
		return
	}
	if p.fn.file.file.Language == program.CuTe {
		if a, ok := cutedsl.InlineCall(c); ok {
			w.asm(a, p)
			return
		}
	}
	name := path(c.Fun)
	if l := p.fn.lams[name]; l != nil {
		lambdas = append(lambdas, l)
	} else if l, ok := c.Fun.(*program.Lambda); ok {
		lambdas = append(lambdas, l)
	} else if callee := p.fn.resolve(c); callee != nil && w.inline(callee, c, p, used) {
		return
	}
	if len(lambdas) > 0 {
		if len(p.via) < 2*maxInline {
			p.via = append(p.via[:len(p.via):len(p.via)], nil)
			for _, l := range lambdas {
				w.block(l.Body, p)
			}
		}
		return
	}
	if op, ok := mnemonic(c); ok {
		w.add(op, p, used).named = true
		return
	}
	for _, a := range c.Args {
		w.reads(argumentLoad, a, p)
	}
	w.add(dialect.Op{Kind: unknownCall, Name: name, Span: c.Span, Call: c}, p, used)
}

// resolve finds the one function of this file that a call can mean.
func (f *function) resolve(c *program.Call) *program.Function {
	name := calledName(c)
	var found, own []*program.Function
	for _, fn := range f.file.byName[name] {
		if len(c.Args)+len(c.Keywords) > len(fn.Params) || fn.Kernel {
			continue
		}
		found = append(found, fn)
		if _, plain := c.Fun.(*program.Name); plain && fn.Class != nil && fn.Class == f.fn.Class {
			own = append(own, fn)
		}
	}
	if len(own) > 0 { // a method hides what other classes call by its name
		found = own
	}
	if len(found) != 1 {
		return nil // overloaded: which one is not known here
	}
	return found[0]
}

// inline walks a helper's body in place of its call. It fails for recursion and beyond the depth limit.
func (w *walker) inline(callee *program.Function, c *program.Call, p place, used bool) bool {
	if len(callee.Body) == 0 {
		return w.root.file.defines(callee) // a helper that does nothing
	}
	if len(p.via) >= maxInline || callee == w.root.fn {
		return false
	}
	for _, f := range p.via {
		if f == callee {
			return false
		}
	}
	params := callee.Params
	if len(params) > 0 && (params[0].Name == "self" || params[0].Name == "cls") {
		params = params[1:]
	}
	env := map[string]program.Expr{}
	for i, a := range c.Args {
		if i < len(params) {
			env[params[i].Name] = substitute(a, p)
		}
	}
	for _, k := range c.Keywords {
		env[k.Name] = substitute(k.Value, p)
	}
	for _, q := range params {
		if env[q.Name] == nil && q.Default != nil {
			env[q.Name] = q.Default
		}
	}
	for i, t := range callee.Template {
		if i < len(c.Template) {
			env[t.Name] = substitute(c.Template[i], p)
		} else if t.Default != nil && !deduced(t.Name, callee) {
			env[t.Name] = t.Default
		}
	}
	q := p
	q.fn, q.env = p.fn.file.function(callee), env
	q.in = &frame{fn: q.fn, env: env}
	q.via = append(p.via[:len(p.via):len(p.via)], callee)
	q.calls = append(p.calls[:len(p.calls):len(p.calls)], c.Span)
	if q.span == nil {
		q.span = &c.Span
	}
	before := len(w.sites)
	w.block(callee.Body, q)
	// The caller's use decides whether a helper that only returns a poll's result drops it.
	for _, s := range w.sites[before:] {
		if len(s.via) == len(q.via) && s.used && !used && returnsOnly(callee, s.op) {
			s.used = false
		}
	}
	return true
}

// returnsOnly reports whether the helper's body is one statement, or an asm statement and a return.
func returnsOnly(fn *program.Function, op dialect.Op) bool {
	if op.Kind != dialect.MbarrierTryWait && op.Kind != dialect.MbarrierTestWait {
		return false
	}
	returns := false
	for _, s := range fn.Body {
		switch s := s.(type) {
		case *program.Return:
			returns = s.Value != nil
		case *program.Asm, *program.Assign:
		default:
			return false
		}
	}
	return returns
}

// marked prefixes a helper's own local, so that it is not taken for the root's name of the same spelling.
const marked = "helper·"

// substitute rewrites an expression of an inlined helper in terms of the root function.
func substitute(x program.Expr, p place) program.Expr {
	if p.env == nil || x == nil {
		return x
	}
	return rewrite(x, p, 0)
}

func rewrite(x program.Expr, p place, depth int) program.Expr {
	if depth > 64 || x == nil {
		return x
	}
	list := func(in []program.Expr) []program.Expr {
		out := make([]program.Expr, len(in))
		for i, e := range in {
			out[i] = rewrite(e, p, depth+1)
		}
		return out
	}
	switch e := x.(type) {
	case *program.Name:
		if v, ok := p.env[e.Ident]; ok {
			return v
		}
		if _, local := p.fn.defs[e.Ident]; local || p.fn.bound[e.Ident] {
			if v := p.fn.definition(e); v != nil && depth < 8 {
				return rewrite(v, p, depth+8)
			}
			return &program.Name{Place: e.Place, Ident: marked + strings.TrimPrefix(e.Ident, marked)}
		}
	case *program.Attr:
		return &program.Attr{Place: e.Place, X: rewrite(e.X, p, depth+1), Name: e.Name, Arrow: e.Arrow}
	case *program.Index:
		return &program.Index{Place: e.Place, X: rewrite(e.X, p, depth+1), Args: list(e.Args)}
	case *program.Unary:
		return &program.Unary{Place: e.Place, Op: e.Op, X: rewrite(e.X, p, depth+1)}
	case *program.Binary:
		return &program.Binary{Place: e.Place, Op: e.Op, X: rewrite(e.X, p, depth+1), Y: rewrite(e.Y, p, depth+1)}
	case *program.Cond:
		return &program.Cond{Place: e.Place, Test: rewrite(e.Test, p, depth+1), Then: rewrite(e.Then, p, depth+1), Else: rewrite(e.Else, p, depth+1)}
	case *program.Cast:
		return &program.Cast{Place: e.Place, Type: e.Type, X: rewrite(e.X, p, depth+1)}
	case *program.Call:
		keywords := slices.Clone(e.Keywords)
		for i, k := range keywords {
			keywords[i].Value = rewrite(k.Value, p, depth+1)
		}
		return &program.Call{Place: e.Place, Fun: rewriteFun(e.Fun, p, depth+1), Args: list(e.Args), Keywords: keywords, Template: e.Template}
	}
	return x
}

// rewriteFun keeps a function's name and rewrites a method's receiver.
func rewriteFun(x program.Expr, p place, depth int) program.Expr {
	if a, ok := x.(*program.Attr); ok {
		return &program.Attr{Place: a.Place, X: rewrite(a.X, p, depth), Name: a.Name, Arrow: a.Arrow}
	}
	return x
}
