package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// assignedIn lists what one iteration of a loop may change, as dotted paths: names it assigns, and names it hands to
// calls that may change them (arguments by reference, objects whose methods are called).
func assignedIn(s program.Stmt, f *function) (assigned, touched map[string]bool) {
	a := assignments{f: f, out: map[string]bool{}, touched: map[string]bool{}, seen: map[program.Node]bool{}}
	switch l := s.(type) {
	case *program.For: // the initialisation runs once, before
		if l.Target != nil {
			a.target(l.Target)
		}
		for _, b := range [][]program.Stmt{l.Body, l.Post} {
			for _, st := range b {
				program.Walk(st, a.visit)
			}
		}
		if l.Cond != nil {
			program.Walk(l.Cond, a.visit)
		}
	default:
		program.Walk(s, a.visit)
	}
	return a.out, a.touched
}

// assigned are the names that an iteration assigns, and touched those that it hands to calls that may change them.
func (l *loop) assigned() map[string]bool { l.learn(); return l.names[0] }
func (l *loop) touched() map[string]bool  { l.learn(); return l.names[1] }

// learn looks through the loop for both when one is asked for first.
func (l *loop) learn() {
	if l.in != nil && l.names[0] == nil {
		l.names[0], l.names[1] = assignedIn(l.stmt, l.owner)
	}
}

type assignments struct {
	f       *function
	out     map[string]bool
	touched map[string]bool
	seen    map[program.Node]bool
}

func (a *assignments) touch(x program.Expr) {
	if name := path(x); name != "" {
		a.touched[name] = true
	}
}

func (a *assignments) target(x program.Expr) {
	switch e := x.(type) {
	case *program.Tuple:
		for _, t := range e.Elems {
			a.target(t)
		}
	case *program.List:
		for _, t := range e.Elems {
			a.target(t)
		}
	case *program.Starred:
		a.target(e.X)
	default:
		if name := path(x); name != "" {
			a.out[name] = true
		}
	}
}

func (a *assignments) visit(n program.Node) bool {
	switch n := n.(type) {
	case *program.Assign:
		// A declaration in the body makes a new variable each time: it varies, so it counts.
		for _, t := range n.Targets {
			a.target(t)
		}
	case *program.AssignExpr:
		a.target(n.Target)
	case *program.IncDec:
		a.target(n.X)
	case *program.For:
		if n.Target != nil {
			a.target(n.Target)
		}
	case *program.With:
		for _, item := range n.Items {
			if item.As != nil {
				a.target(item.As)
			}
		}
	case *program.Asm:
		for _, o := range n.Outputs {
			a.target(o.X)
		}
	case *program.Call:
		a.call(n)
	}
	return true
}

func (a *assignments) call(c *program.Call) {
	if _, known := a.f.call(c); known {
		return
	}
	if l := a.f.lams[path(c.Fun)]; l != nil && !a.seen[l] {
		a.seen[l] = true
		for _, s := range l.Body {
			program.Walk(s, a.visit)
		}
	}
	if attr, ok := c.Fun.(*program.Attr); ok {
		a.touch(attr.X)
	}
	if a.f.file.file.Language != program.CUDA {
		return // Python rebinds no caller's name
	}
	callee := a.f.resolve(c)
	for i, x := range c.Args {
		if callee != nil && i < len(callee.Params) && !callee.Params[i].Ref {
			if u, ok := x.(*program.Unary); !ok || u.Op != "&" {
				continue
			}
		}
		switch e := x.(type) {
		case *program.Name, *program.Attr, *program.Index:
			a.touch(x)
		case *program.Unary:
			if e.Op == "&" {
				a.touch(e.X)
			}
		}
	}
}

// changes reports whether an iteration may change the named value: the name itself, the object it is a field of, or a
// field of it.
func (l *loop) changes(name string) bool {
	return hits(l.assigned(), name) || hits(l.touched(), name)
}

// hits reports whether the set holds the name, the object it is a field of, or a field of it.
func hits(set map[string]bool, name string) bool {
	if set[name] {
		return true
	}
	for assigned := range set {
		if fieldOf(assigned, name) || fieldOf(name, assigned) {
			return true
		}
	}
	return false
}

func fieldOf(name, object string) bool {
	return len(name) > len(object) && name[len(object)] == '.' && strings.HasPrefix(name, object)
}

// varies reports whether an expression may differ between iterations of the loop.
func (l *loop) varies(x program.Expr) bool {
	found := false
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Name, *program.Attr:
			name := path(e)
			if name == "" {
				return true // a field of a call's result: look inside
			}
			if l.changes(name) || strings.HasPrefix(name, marked) {
				found = true
			}
			return false
		case *program.Call:
			if op, ok := l.owner.call(e); ok && valueKinds[op.Kind] {
				return false
			}
			for _, arg := range e.Args {
				found = found || l.varies(arg)
			}
			for _, k := range e.Keywords {
				found = found || l.varies(k.Value)
			}
			if a, ok := e.Fun.(*program.Attr); ok {
				found = found || l.varies(a.X)
			}
			return false
		}
		return true
	})
	return found
}

// valueKinds are operations that only deliver a value.
var valueKinds = map[dialect.Kind]bool{
	dialect.ThreadIdx: true, dialect.BlockIdx: true, dialect.BlockDim: true, dialect.GridDim: true, dialect.LaneIdx: true,
	dialect.WarpIdx: true, dialect.WarpGroupIdx: true, dialect.ClusterRank: true, dialect.ClusterSize: true, dialect.Uniform: true,
	dialect.ElectOne: true, dialect.MapaShared: true, dialect.Pure: true, dialect.AllocMbarrier: true, dialect.AllocShared: true,
}

// polls are operations that a spin loop repeats until their answer changes.
var polls = map[dialect.Kind]bool{
	dialect.MbarrierTryWait: true, dialect.MbarrierTestWait: true, dialect.Load: true, dialect.AtomicCas: true, dialect.AtomicAdd: true,
	dialect.AtomicExch: true, plainLoad: true,
}

// spins reports whether the loop does nothing but poll: it has no counter and no operation that does work.
func (l *loop) spins() bool {
	if l.counted {
		return false
	}
	polling := false
	for _, s := range l.sites {
		switch {
		case s.op.Kind == plainLoad && l.varies(s.arg("ptr")): // follows data
		case polls[s.op.Kind]:
			polling = true
		case valueKinds[s.op.Kind], s.op.Kind == argumentLoad, s.op.Kind == dialect.Nanosleep, s.op.Kind == dialect.Trap, s.op.Kind == unknownCall, s.op.Kind == dialect.WarpSync:
		case s.op.Kind == dialect.Fence:
		default:
			return false
		}
	}
	return polling && l.endsOnPoll()
}

// endsOnPoll reports whether a poll decides the end of the loop: it stands in the condition, or in a test that leaves.
func (l *loop) endsOnPoll() bool {
	if w, ok := l.stmt.(*program.While); ok {
		if l.mentionsPoll(w.Cond) {
			return true
		}
		return l.leavesOnPoll(w.Body)
	}
	if f, ok := l.stmt.(*program.For); ok {
		return f.Cond != nil && l.mentionsPoll(f.Cond) || l.leavesOnPoll(f.Body)
	}
	return false
}

// mentionsPoll reports whether an expression polls, or uses a name that the body sets from a poll.
func (l *loop) mentionsPoll(x program.Expr) bool {
	if x == nil {
		return false
	}
	found := false
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Name, *program.Attr:
			found = found || l.setByPoll(path(e)) || l.pollsIn(e)
		case *program.Call, *program.Index, *program.Unary:
			found = found || l.pollsIn(e)
		}
		return !found
	})
	return found
}

// pollsIn reports whether an expression has a poll in it.
func (l *loop) pollsIn(e program.Expr) (found bool) {
	for _, s := range l.sites {
		if polls[s.op.Kind] && l.holds(e.Where(), s) {
			found = true
		}
	}
	return found
}

// holds reports whether a site, or a call by which a helper with it was inlined, stands in a region of the loop.
func (l *loop) holds(at source.Span, s *site) bool {
	if covers(at, s.span) {
		return true
	}
	if s.op.Kind == dialect.MbarrierTryWait || s.op.Kind == dialect.MbarrierTestWait {
		return false
	}
	if !covers(at, s.op.Span) && !slices.ContainsFunc(s.calls, func(c source.Span) bool { return covers(at, c) }) {
		return false
	}
	l.deep = true
	return true
}

func (l *loop) setByPoll(name string) bool {
	if name == "" || !l.assigned()[name] {
		return false
	}
	for _, d := range l.owner.defs[name] {
		at := d.node.Where()
		for _, s := range l.sites {
			if polls[s.op.Kind] && l.holds(at, s) {
				return true
			}
		}
	}
	return false
}

func (l *loop) leavesOnPoll(body []program.Stmt) bool {
	for _, s := range body {
		if i, ok := s.(*program.If); ok && (leaves(i.Then) || leaves(i.Else)) && l.mentionsPoll(i.Cond) {
			return true
		}
	}
	return false
}
