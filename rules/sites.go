package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// Kinds of site that are no operation of the dialect.
const (
	plainStore   dialect.Kind = "plain store"  // an assignment to memory; Args: ptr
	plainLoad    dialect.Kind = "plain load"   // a read of memory in a loop condition; Args: ptr
	argumentLoad dialect.Kind = "argument"     // a read of memory in what a call is given or a function returns; Args: ptr
	unknownCall  dialect.Kind = "unknown call" // a call that neither the dialect nor this file explains
	namedOnly    dialect.Kind = "named only"   // an operation that a statement names, and does not call
)

// loop is a loop around a site.
type loop struct {
	stmt    program.Stmt
	owner   *function
	header  source.Span
	cond    program.Expr
	counted bool               // has a counter: for … in range, for (;;++i)
	names   [2]map[string]bool // see assigned
	sites   []*site
	in      *frame
	spin    bool // only polls; see spins
	deep    bool // and stands in a helper: only what is handed on is asked of it, not what a pattern makes of it
}

// site is one operation of a function, with what encloses it.
type site struct {
	*surroundings
	op     dialect.Op
	order  int
	span   source.Span     // in the function being looked at: the call of the helper for inlined sites
	used   bool            // the result is used
	assign *program.Assign // plainStore
	ptr    program.Expr    // of accesses to memory that are no calls
	args   map[string]program.Expr
	named  bool // known by its name only (mnemonic)
}

// surroundings are what encloses a site, and those beside it.
type surroundings struct {
	loops  []*loop // outermost first, spin loops left out once known
	spin   *loop   // the spin loop it polls in
	guards []*guard
	owner  *function           // whose names the arguments use
	via    []*program.Function // helpers it was inlined through, outermost first
	calls  []source.Span       // the calls of these
	in     *frame              // whose names the guards use
}

// surround are what encloses a place: what the last site has, where that is the same.
func (w *walker) surround(p place) *surroundings {
	if s := w.last; s != nil && s.in == p.in && oneList(s.loops, p.loops) && oneList(s.guards, p.guards) && oneList(s.via, p.via) && oneList(s.calls, p.calls) {
		return s
	}
	w.last = &surroundings{loops: p.loops, guards: p.guards, owner: w.names(p), via: p.via, calls: p.calls, in: p.in}
	return w.last
}

// oneList reports whether two lists that nothing is changed in are one.
func oneList[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// arg returns an argument's expression in terms of the root's names, nil if absent.
func (s *site) arg(name string) program.Expr {
	x := s.op.Expr(name)
	switch {
	case s.ptr != nil && name == "ptr":
		x = s.ptr
	case s.assign != nil && name == "value":
		x = s.assign.Value
	}
	if x == nil || s.in.env == nil {
		return x
	}
	y, known := s.args[name]
	if !known {
		if s.args == nil {
			s.args = map[string]program.Expr{}
		}
		y = substitute(x, place{fn: s.in.fn, env: s.in.env})
		s.args[name] = y
	}
	return y
}

// until is the condition of the loop that it polls in, in terms of the root's names.
func (s *site) until() program.Expr {
	if s.in.env == nil {
		return s.spin.cond
	}
	return substitute(s.spin.cond, place{fn: s.in.fn, env: s.in.env})
}

// threads is the set of threads that reach the site.
func (s *site) threads() threads { return threadsOf(s.guards) }

// loop returns the innermost loop, or nil.
func (s *site) loop() *loop {
	if len(s.loops) == 0 {
		return nil
	}
	return s.loops[len(s.loops)-1]
}

// blocks reports whether the site waits on an mbarrier until its phase completes.
func (s *site) blocks() bool {
	switch s.op.Kind {
	case dialect.MbarrierWait:
		return true
	case dialect.MbarrierTryWait, dialect.MbarrierTestWait:
		return s.spin != nil
	}
	return false
}

const (
	maxSites  = 20000  // a function of a generated file
	maxNodes  = 400000 // visited, inlined helpers counted each time
	maxInline = 4
	maxNest   = 256
)

// walker collects the sites of one function.
type walker struct {
	root  *function
	sites []*site
	room  []site // for those that come next
	last  *surroundings
	all   []*loop
	nodes int
}

// place is where the walker stands.
type place struct {
	fn     *function
	env    map[string]program.Expr // arguments of the helper being inlined
	loops  []*loop
	guards []*guard
	via    []*program.Function
	calls  []source.Span
	span   *source.Span // the call in the root function while inlining
	nest   int
	in     *frame
}

func (p place) under(g *guard) place {
	p.guards = append(p.guards[:len(p.guards):len(p.guards)], g)
	return p
}

// sitesOf returns the sites of a function in order.
func (g *function) sitesOf() []*site {
	w := &walker{root: g}
	w.block(g.fn.Body, place{fn: g, in: &frame{fn: g}})
	for _, l := range w.all {
		l.spin = l.spins()
	}
	var done *surroundings
	for _, s := range w.sites {
		if s.surroundings == done {
			continue
		}
		done = s.surroundings
		kept := s.loops[:0:0]
		for _, l := range s.loops {
			if !l.spin {
				kept = append(kept, l)
			} else {
				s.spin = l
			}
		}
		s.loops = kept
	}
	return w.sites
}

// full counts one node and reports whether the function is too large to go on.
func (w *walker) full() bool {
	w.nodes++
	return len(w.sites) >= maxSites || w.nodes > maxNodes
}

// block walks statements; after `if (c) return;` the rest runs under not c.
func (w *walker) block(body []program.Stmt, p place) {
	if p.nest++; p.nest > maxNest {
		return
	}
	for _, s := range body {
		if w.full() {
			return
		}
		w.stmt(s, p)
		i, ok := s.(*program.If)
		if ok && i.Const {
			if body, known := w.built(i, p); known && leaves(body) {
				return
			}
		} else if ok {
			switch {
			case leaves(i.Then) && len(i.Else) == 0:
				p = p.under(w.exit(i.Cond, true, i.Then, i, p))
			case leaves(i.Else) && !leaves(i.Then):
				p = p.under(w.exit(i.Cond, false, i.Else, i, p))
			}
		}
	}
}

// leaves reports whether a body always ends by leaving its surroundings.
func leaves(body []program.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch s := body[len(body)-1].(type) {
	case *program.Return, *program.Break, *program.Continue:
		return true
	case *program.Block:
		return leaves(s.Body)
	case *program.If:
		return leaves(s.Then) && leaves(s.Else)
	}
	return false
}

func (w *walker) guard(cond program.Expr, negated bool, at program.Node, p place) *guard {
	return &guard{negated: negated, fn: w.names(p), node: at, raw: cond, in: p.in}
}

// exit is the guard that an `if` leaves behind. After continue the loop goes on, so what follows is conditional; after
// break or return it is just what the loop does until it ends.
func (w *walker) exit(cond program.Expr, negated bool, body []program.Stmt, at program.Node, p place) *guard {
	g := w.guard(cond, negated, at, p)
	_, again := body[len(body)-1].(*program.Continue)
	g.exit = !again
	return g
}

// names is the function whose definitions expressions at p use: after substitution an inlined helper's arguments are
// names of the root, its own locals are marked (substitute) and have no definitions there.
func (w *walker) names(p place) *function {
	if p.env == nil {
		return p.fn
	}
	return w.root
}

func (w *walker) stmt(s program.Stmt, p place) {
	switch s := s.(type) {
	case *program.ExprStmt:
		w.named(s.X, p)
		w.expr(s.X, p, false)
	case *program.OpaqueStmt:
		if name, ended := s.Bare(p.fn.file.file.Source); ended { // in C++ a name may stand for a macro, whatever follows
			w.named(&program.Name{Place: s.Place, Ident: name}, p)
		}
	case *program.Assign:
		w.assign(s, p)
	case *program.If:
		w.expr(s.Cond, p, true)
		if body, known := w.built(s, p); known {
			w.block(body, p)
			return
		}
		then, other := w.guard(s.Cond, false, s, p), w.guard(s.Cond, true, s, p)
		then.built, other.built = s.Const, s.Const
		w.block(s.Then, p.under(then))
		w.block(s.Else, p.under(other))
	case *program.For:
		w.forLoop(s, p)
	case *program.While:
		q := w.enter(&loop{stmt: s, owner: p.fn, header: s.Header, cond: s.Cond}, p)
		w.condition(s.Cond, q)
		w.block(s.Body, q)
		w.block(s.Else, p)
	case *program.Try: // what runs when nothing is raised
		w.block(s.Body, p)
		w.block(s.Else, p)
		w.block(s.Finally, p)
	case *program.With:
		w.with(s, p)
	case *program.Return:
		w.expr(s.Value, p, true)
		w.reads(argumentLoad, s.Value, p)
	case *program.Block:
		w.block(s.Body, p)
	case *program.Asm:
		w.asm(s, p)
	}
}

func (w *walker) with(s *program.With, p place) {
	for _, item := range s.Items {
		if c, ok := item.X.(*program.Call); ok {
			if op, known := p.fn.call(c); known && op.Kind == dialect.ElectOne {
				p = p.under(&guard{elect: true, fn: p.fn, node: s})
				continue
			}
		}
		w.expr(item.X, p, true)
	}
	w.block(s.Body, p)
}

func (w *walker) forLoop(s *program.For, p place) {
	for _, i := range s.Init {
		w.stmt(i, p)
	}
	if s.Iter != nil {
		w.expr(s.Iter, p, true)
	}
	l := &loop{stmt: s, owner: p.fn, header: s.Header, cond: s.Cond, counted: s.Iter != nil || len(s.Post) > 0}
	q := w.enter(l, p)
	if s.Cond != nil {
		w.condition(s.Cond, q)
	}
	w.block(s.Body, q)
	for _, st := range s.Post {
		w.stmt(st, q)
	}
	w.block(s.Else, p)
}

func (w *walker) enter(l *loop, p place) place {
	l.in = p.in
	w.all = append(w.all, l)
	p.loops = append(p.loops[:len(p.loops):len(p.loops)], l)
	return p
}

// condition walks a loop's condition; memory it reads is polled.
func (w *walker) condition(x program.Expr, p place) {
	w.expr(x, p, true)
	w.reads(plainLoad, x, p)
}

// reads records the memory an expression reads.
func (w *walker) reads(k dialect.Kind, x program.Expr, p place) {
	switch x.(type) {
	case nil, *program.Call, *program.Lambda:
		return
	}
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Call, *program.Lambda:
			return false
		case *program.Index:
			if !p.fn.holdsPointer(e) {
				w.memory(k, e, nil, p)
			}
		case *program.Unary:
			if e.Op == "*" {
				w.memory(k, e.X, nil, p)
			}
		case *program.Name:
			if _, device := p.fn.file.globals[e.Ident]; device && k == plainLoad && p.fn.types[e.Ident] == "" {
				w.memory(k, e, nil, p)
			}
		}
		return true
	})
}

func (w *walker) assign(s *program.Assign, p place) {
	w.expr(s.Value, p, true)
	w.reads(plainLoad, s.Value, p)
	for _, t := range s.Targets {
		for _, d := range s.Dims {
			w.expr(d, p, true)
		}
		if s.Decl {
			continue
		}
		switch t := t.(type) {
		case *program.Index:
			if !p.fn.holdsPointer(t) {
				w.memory(plainStore, t, s, p)
			}
		case *program.Attr:
			if t.Arrow { // a field of what a pointer points to
				w.memory(plainStore, t, s, p)
			}
		case *program.Unary:
			if t.Op == "*" {
				w.memory(plainStore, t.X, s, p)
			}
		}
	}
}

func (w *walker) memory(k dialect.Kind, ptr program.Expr, at *program.Assign, p place) {
	s := w.add(dialect.Op{Kind: k, Span: ptr.Where()}, p, true)
	s.ptr, s.assign = ptr, at
}

func (w *walker) asm(a *program.Asm, p place) {
	for i := range a.Instrs {
		for _, op := range p.fn.file.table.Instr(&a.Instrs[i], a) {
			if op.Span == (source.Span{}) {
				op.Span = a.Span
			}
			w.add(op, p, len(a.Outputs) > 0)
		}
	}
}

// add records one operation.
func (w *walker) add(op dialect.Op, p place, used bool) *site {
	if len(w.room) == cap(w.room) { // a site at a time costs twice as much
		w.room = make([]site, 0, min(max(8, len(w.sites)), 128))
	}
	w.room = append(w.room, site{surroundings: w.surround(p), op: op, order: len(w.sites), span: op.Span, used: used})
	s := &w.room[len(w.room)-1]
	if p.span != nil {
		s.span = *p.span
	}
	w.sites = append(w.sites, s)
	for _, l := range p.loops {
		l.sites = append(l.sites, s)
	}
	return s
}
