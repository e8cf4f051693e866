package lower

import (
	"iter"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// syncs reports whether a piece of the kernel holds a synchronization operation, its own or one of a function of the
// file that it calls.
func (m *machine) syncs(n program.Node) bool {
	r := m.in.low.relevance(m.in, m.mod, n)
	return r.syncs || r.asks
}

// onlyAsks reports whether all that a piece does to barriers is to ask them, without waiting.
func (m *machine) onlyAsks(n program.Node) bool { return !m.in.low.relevance(m.in, m.mod, n).syncs }

// touches reports whether it synchronizes or touches memory that is tracked.
func (m *machine) touches(n program.Node) bool {
	r := m.in.low.relevance(m.in, m.mod, n)
	return r.syncs || r.asks || r.touches
}

// surelySyncs reports whether it holds a synchronization operation in what can be told without knowing what variables hold.
func (m *machine) surelySyncs(n program.Node) bool {
	r := m.in.low.relevance(m.in, m.mod, n)
	return r.surely || r.asks
}

// assembles reports whether a test that can be told decides how often lanes of a warp meet in a piece of the kernel. It is
// told then: if it were left out for the lanes that do not know it yet, those that come later and know it would wait for
// them for ever.
func (m *machine) assembles(n program.Node, test value.Value) bool {
	switch test.(type) {
	case value.Symbol, value.Lanes, value.Mixed:
		return !m.host && !m.sampling && m.inquiry == nil && m.in.low.relevance(m.in, m.mod, n).meets
	}
	return false
}

func (l *lowering) relevance(in *instance, mod *value.Module, n program.Node) relevance {
	if l.relevantOf != len(l.byFile) { // a module that came in since may define more of what is called
		l.relevantOf, l.relevant = len(l.byFile), map[relevant]relevance{}
	}
	flags := len(in.flagBlocks) > 0
	at := relevant{n, flags}
	if r, ok := l.relevant[at]; ok {
		return r
	}
	f := mod.File
	l.relevant[at] = relevance{} // a recursive call adds nothing
	var r relevance
	for op := range l.opsIn(f, n) {
		r.touches = r.touches || op.Kind.Tracked()
		switch op.Kind {
		case dialect.AtomicAdd, dialect.AtomicSub, dialect.AtomicMax, dialect.AtomicExch, dialect.AtomicCas, dialect.Reduce, dialect.Store:
			r.surely = r.surely || flags
		case dialect.Load, dialect.GridDepWait, dialect.GridDepLaunch, dialect.SetMaxRegister, dialect.MmaAsync, dialect.WgmmaCommit, dialect.WgmmaWait, dialect.Trap,
			dialect.TmemAlloc, dialect.TmemAddress, dialect.TmemFree, dialect.ClcResponse:
		case dialect.MbarrierTryWait, dialect.MbarrierTestWait:
			r.asks = true
		default:
			r.surely = r.surely || !op.Kind.Query()
		}
	}
	program.Walk(n, func(n program.Node) bool {
		switch n := n.(type) {
		case *program.Index:
			r.touches = true
		case *program.Unary:
			r.touches = r.touches || n.Op == "*" && !syntax.NamedExpr(n.X, "this")
		case *program.While:
			r.surely = r.surely || len(n.Body) == 0 || l.asksIn(in, mod, n.Cond, n.Body) // an empty loop can only be a spin
		case *program.Call:
			r.syncs = r.syncs || hidesMbarrier(n)
			r.meets = r.meets || l.converges(mod, n)
			fns := l.callees(mod, n)
			r.syncs = r.syncs || len(fns) == 0 && l.callsVariable(mod, n)
			for _, fn := range fns {
				for _, st := range fn.fn.Body {
					c := l.relevance(in, fn.mod, st)
					r.syncs, r.surely, r.touches, r.asks = r.syncs || c.syncs, r.surely || c.surely, r.touches || c.touches, r.asks || c.asks
					r.meets = r.meets || c.meets
				}
			}
		}
		return true
	})
	r.syncs = r.syncs || r.surely
	l.relevant[at] = r
	return r
}

// asksIn reports whether a loop asks barriers: one attempt of a wait changes nothing and waits for nothing, a loop of
// them does.
func (l *lowering) asksIn(in *instance, mod *value.Module, test program.Expr, body []program.Stmt) bool {
	if test != nil && l.relevance(in, mod, test).asks {
		return true
	}
	return slices.ContainsFunc(body, func(st program.Stmt) bool { return l.relevance(in, mod, st).asks })
}

// opsIn yields the canonical operations in a piece of a file, calls and inline PTX alike; not those of callees.
func (l *lowering) opsIn(f *program.File, n program.Node) iter.Seq[dialect.Op] {
	return func(yield func(dialect.Op) bool) {
		t, types := l.table, l.typeOf(f)
		more := true
		emit := func(asm *program.Asm) {
			for i := range asm.Instrs {
				for _, op := range t.Instr(&asm.Instrs[i], asm) {
					more = more && yield(op)
				}
			}
		}
		program.Walk(n, func(n program.Node) bool {
			if !more {
				return false
			}
			switch n := n.(type) {
			case *program.Call:
				if op, ok := t.Call(n, types); ok {
					more = yield(op)
				} else if asm, ok := l.inlineCall(n); ok {
					emit(asm)
				}
			case *program.Asm:
				emit(n)
			}
			return more
		})
	}
}

// opsDeep also yields the operations of the functions that are called, each function once.
func (l *lowering) opsDeep(mod *value.Module, n program.Node) iter.Seq[dialect.Op] {
	return func(yield func(dialect.Op) bool) {
		for n, mod := range l.bodiesDeep(mod, n) {
			for op := range l.opsIn(mod.File, n) {
				if !yield(op) {
					return
				}
			}
		}
	}
}

// bodiesDeep yields a piece of a module and the bodies of the functions that it calls, each once, with their modules.
func (l *lowering) bodiesDeep(mod *value.Module, n program.Node) iter.Seq2[program.Node, *value.Module] {
	return func(yield func(program.Node, *value.Module) bool) {
		seen := map[*program.Function]bool{}
		more := true
		var visit func(mod *value.Module, n program.Node)
		visit = func(mod *value.Module, n program.Node) {
			if more = more && yield(n, mod); !more {
				return
			}
			program.Walk(n, func(n program.Node) bool {
				c, ok := n.(*program.Call)
				if !ok || !more {
					return more
				}
				for _, fn := range l.callees(mod, c) {
					if !seen[fn.fn] && more {
						seen[fn.fn] = true
						visit(fn.mod, &program.Block{Body: fn.fn.Body})
					}
				}
				return more
			})
		}
		visit(mod, n)
	}
}

// callee is a function a call may mean.
type callee struct {
	fn  *program.Function
	mod *value.Module
}

// callees are the functions a call may mean. A name is looked up in its module and through its imports; a method may be
// that of any class of the modules at hand.
func (l *lowering) callees(mod *value.Module, c *program.Call) []callee {
	switch fun := c.Fun.(type) {
	case *program.Name:
		return l.namedCallees(mod, fun.Ident)
	case *program.Attr:
		if src, ok := l.moduleOf(mod, fun.X); ok {
			if src == nil {
				return nil // a library that is not modelled: its operations are the dialect's
			}
			return l.namedCallees(src, fun.Name)
		}
		var out []callee
		for _, f := range of(mod, fun.Name) {
			if accepts(f.fn, c) {
				out = append(out, f)
			}
		}
		for _, f := range l.methods[fun.Name] {
			if f.mod != mod && accepts(f.fn, c) {
				out = append(out, f)
			}
		}
		return out
	}
	return nil
}

// computes reports whether all methods of the program that a call x.name(…) may mean only compute: they neither synchronize
// nor touch memory, and call nothing of which that is not known.
func (l *lowering) computes(in *instance, mod *value.Module, c *program.Call) bool {
	only := true
	for _, f := range l.callees(mod, c) {
		body := &program.Block{Body: f.fn.Body}
		r := l.relevance(in, f.mod, body)
		only = only && !r.syncs && !r.asks && !r.touches && !r.meets
		for n, mod := range l.bodiesDeep(f.mod, body) {
			program.Walk(n, func(n program.Node) bool {
				if c, ok := n.(*program.Call); ok && only {
					only = len(l.callees(mod, c)) > 0 || l.effect(l.fullName(mod, c.Fun)) == dialect.Computes
				}
				return only
			})
		}
	}
	return only
}

// accepts reports whether a function can be what a call of x.name(…) means by the number and names of its arguments:
// x may or may not be the first of them.
func accepts(fn *program.Function, c *program.Call) bool {
	if syntax.Spreads(c, fn) {
		return true
	}
	return syntax.Takes(fn.Params, c) || len(fn.Params) > 0 && syntax.Takes(fn.Params[1:], c)
}

// hidesMbarrier reports whether a call is a copy with **arguments, an mbarrier perhaps among them.
func hidesMbarrier(c *program.Call) bool {
	return strings.HasSuffix(value.LastName(c.Fun), "copy") && slices.ContainsFunc(c.Args, func(a program.Expr) bool {
		st, ok := a.(*program.Starred)
		return ok && st.Double
	})
}

// callsVariable reports whether a call's name is neither a definition, an import nor a built-in: it is a variable that may
// hold any function.
func (l *lowering) callsVariable(mod *value.Module, c *program.Call) bool {
	id, ok := c.Fun.(*program.Name)
	if !ok || value.PythonBuiltins[id.Ident] || mod.Classes[id.Ident] != nil {
		return false
	}
	_, exception := value.ExceptionBases[id.Ident]
	return mod.From[id.Ident] == nil && !exception
}

func of(mod *value.Module, name string) []callee {
	var out []callee
	for _, fn := range mod.Names[name] {
		out = append(out, callee{fn, mod})
	}
	return out
}

// namedCallees are the functions a plain name of a module may mean; of a class, what making an object runs.
func (l *lowering) namedCallees(mod *value.Module, name string) []callee {
	return l.calleesFrom(mod, name, 0)
}

// reexports bounds the modules a name may be handed through; imports may go in circles.
const reexports = 16

func (l *lowering) calleesFrom(mod *value.Module, name string, depth int) []callee {
	if out := of(mod, name); out != nil {
		return out
	}
	if c := mod.Classes[name]; c != nil {
		var out []callee
		for _, fn := range c.Methods {
			if fn.Name == "__init__" || fn.Name == "__post_init__" {
				out = append(out, callee{fn, mod})
			}
		}
		return out
	}
	if depth > reexports {
		return nil
	}
	if im := mod.From[name]; im != nil && im.From != "" {
		if src := l.find(mod, im.From); src != nil && src != mod {
			return l.calleesFrom(src, im.Name, depth+1)
		}
	}
	for _, src := range l.starred(mod) {
		if out := of(src, name); out != nil {
			return out
		}
		if src.From[name] != nil || src.Classes[name] != nil {
			return l.calleesFrom(src, name, depth+1)
		}
	}
	return nil
}

// moduleOf resolves an expression that names a module: a chain of attributes from an imported name. ok is true for
// chains that start at an import of something outside, too; then the module is nil.
func (l *lowering) moduleOf(mod *value.Module, e program.Expr) (src *value.Module, ok bool) {
	switch e := e.(type) {
	case *program.Name:
		im := mod.From[e.Ident]
		if im == nil {
			return nil, false
		}
		switch v := l.imported(mod, im).(type) {
		case value.ModuleRef:
			return v.Mod, true
		case value.Path:
			return nil, true
		}
		return nil, false
	case *program.Attr:
		src, ok := l.moduleOf(mod, e.X)
		if !ok || src == nil {
			return nil, ok
		}
		switch v := l.moduleMember(src, e.Name).(type) {
		case value.ModuleRef:
			return v.Mod, true
		case value.Path:
			return nil, true
		}
		return nil, false
	}
	return nil, false
}

// mechanisms says what a kernel synchronizes with, by the text of it and of the functions it mentions. It does not
// depend on what can be evaluated, so that kernels can be counted that cannot be lowered.
func (l *lowering) mechanisms(fn *program.Function) []string {
	used := map[string]bool{}
	seen := map[*program.Function]bool{fn: true}
	queue := []callee{{fn, l.main}}
	follow := func(next []callee) {
		for _, c := range next {
			if !seen[c.fn] && !c.mod.Library {
				seen[c.fn] = true
				queue = append(queue, c)
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		mod, body := queue[0].mod, &program.Block{Body: queue[0].fn.Body}
		for op := range l.opsIn(mod.File, body) {
			if m := op.Mechanism(); m != "" {
				used[m] = true
			}
		}
		program.WalkExprs(body, func(e program.Expr) bool {
			switch e := e.(type) {
			case *program.Name:
				follow(of(mod, value.LastWord(e.Ident)))
			case *program.Attr:
				follow(of(mod, e.Name))
			case *program.Call:
				if syntax.CreatesPipeline(e) {
					used[dialect.Pipelines] = true
				}
				follow(l.callees(mod, e))
			}
			return true
		})
	}
	var out []string
	for _, m := range dialect.Mechanisms {
		if used[m] {
			out = append(out, m)
		}
	}
	return out
}
