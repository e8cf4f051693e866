package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// arrives are operations that advance an mbarrier.
var arrives = map[dialect.Kind]bool{
	dialect.MbarrierArrive: true, dialect.MbarrierArriveExpectTx: true, dialect.MbarrierArriveDrop: true, dialect.MbarrierCompleteTx: true,
	dialect.CpAsyncMbarrierArrive: true, dialect.TmaLoad: true, dialect.StoreAsync: true, dialect.Tcgen05Commit: true, dialect.ClcTryCancel: true,
}

// gather notes what the whole file does with each barrier and flag, by the last word of its name: roles of one kernel
// often stand in different functions.
func (f *fileFacts) gather(bodies [][]*site) {
	f.bodies = bodies
	f.arrivals, f.polled, f.pollScope = map[string]int{}, map[string]bool{}, map[string]int{}
	f.pollers = map[string][]*program.Function{}
	inlined := map[*program.Function]bool{}
	for _, sites := range bodies {
		for _, s := range sites {
			for _, fn := range s.via {
				inlined[fn] = true
			}
		}
	}
	for k, sites := range bodies {
		for _, s := range sites {
			if arrives[s.op.Kind] {
				if name := lastWord(s.barrier().base); name != "" {
					f.arrivals[name] = max(f.arrivals[name], 1+len(s.loops))
				}
			}
			if s.spin != nil && !s.spin.deep && polls[s.op.Kind] && !s.named && !s.takesPolledValue() {
				if name := lastWord(s.barrier().base); name != "" {
					f.polled[name] = true
					if fn := f.file.Functions[k]; !inlined[fn] {
						f.pollers[name] = append(f.pollers[name], fn)
					}
					if s.op.Has("scope") {
						f.pollScope[name] = max(f.pollScope[name], width(s.op.Text("scope", "")))
					}
				}
			}
		}
	}
}

// again reports whether the file shows the barrier completing again and again: some arrival on it stands in at least
// as many loops as the wait. A barrier that completes once may be waited on for the same phase many times.
func (p *Pass) again(b barrier, wait *site) bool {
	return p.fn.file.arrivals[lastWord(b.base)] >= 1+len(wait.loops)
}

// repeatedWait returns the loop in which a wait meets the same barrier in one phase after another, or nil when that
// is not certain: the exclusions of notes/cuda.md 4.1.
func (p *Pass) repeatedWait(s *site) (*loop, barrier) {
	l := s.loop()
	if !s.blocks() || l == nil || l.owner != p.fn {
		return nil, barrier{}
	}
	b := s.barrier()
	if !l.repeats(b, p.fn) || !p.again(b, s) || p.runsOnce(l) || s.conditionalIn(l) {
		return nil, barrier{}
	}
	for _, other := range l.sites {
		if other.op.Kind == dialect.MbarrierInit || other.op.Kind == dialect.MbarrierInval {
			return nil, barrier{} // a fresh barrier every iteration
		}
	}
	return l, b
}

// conditionalIn reports whether a condition that changes from iteration to iteration guards the site.
func (s *site) conditionalIn(l *loop) bool {
	for _, g := range s.guards {
		if !g.exit && !g.elect && within(g.node, l.stmt) && l.varies(g.cond()) {
			return true
		}
	}
	return false
}

// runsOnce reports whether the loop's body is known to run at most once.
func (p *Pass) runsOnce(l *loop) bool {
	if n, ok := p.trips(l); ok && n <= 1 {
		return true
	}
	var body []program.Stmt
	switch s := l.stmt.(type) {
	case *program.For:
		body = s.Body
	case *program.While:
		body = s.Body
	}
	if len(body) == 0 {
		return false
	}
	switch body[len(body)-1].(type) {
	case *program.Break, *program.Return:
		return true
	}
	return false
}

// trips is the constant trip count of `for … in range(…)` and `for (i = a; i < b; ++i)`.
func (p *Pass) trips(l *loop) (int64, bool) {
	s, ok := l.stmt.(*program.For)
	if !ok {
		return 0, false
	}
	if c, isCall := s.Iter.(*program.Call); isCall && strings.Contains(lastWord(path(c.Fun)), "range") {
		switch len(c.Args) {
		case 1:
			return p.fn.fold(c.Args[0])
		case 2:
			a, okA := p.fn.fold(c.Args[0])
			b, okB := p.fn.fold(c.Args[1])
			return b - a, okA && okB
		}
		return 0, false
	}
	cond, isCompare := s.Cond.(*program.Binary)
	if s.Iter != nil || !isCompare || len(s.Init) != 1 || len(s.Post) != 1 || !plusOne(s.Post[0]) {
		return 0, false
	}
	init, isAssign := s.Init[0].(*program.Assign)
	if !isAssign || (cond.Op != "<" && cond.Op != "<=") {
		return 0, false
	}
	a, okA := p.fn.fold(init.Value)
	b, okB := p.fn.fold(cond.Y)
	if cond.Op == "<=" {
		b++
	}
	return b - a, okA && okB
}

func plusOne(s program.Stmt) bool {
	switch s := s.(type) {
	case *program.ExprStmt:
		inc, ok := s.X.(*program.IncDec)
		return ok && inc.Op == "++"
	case *program.Assign:
		one, ok := s.Value.(*program.Int)
		return s.Op == "+=" && ok && one.Value == 1
	}
	return false
}

// mayFence reports whether a call that cannot be looked into may hold a fence or a barrier.
func mayFence(name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "async", "") // what is asynchronous does not synchronize by that
	for _, w := range [...]string{"fence", "sync", "barrier", "init", "pipeline", "setup", "prologue", "wait", "arrive", "commit", "flush"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}
