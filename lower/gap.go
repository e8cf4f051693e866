package lower

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/gap"
	"github.com/fencepost-dev/fencepost/lower/iteration"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/provenance"
	"github.com/fencepost-dev/fencepost/lower/slice"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/source"
)

// A proof speaks of what the combinations and configurations run. An arm that synchronizes and that none of them takes, a
// loop that none of them enters, a ring that none of them comes round a second time: there anything may be wrong, so each
// is a gap in the proof, with its line. What is found in the rest of the kernel stays found.

// gaps is what was run of a kernel, in all its configurations.
type gaps struct {
	ran     map[program.Stmt]bool
	entered map[*program.Function]bool
	flags   map[string]bool // global blocks found to be flags
	rings   map[string]turn // by the name of the first mbarrier
	looped  map[waitLoop]seen
	turning map[program.Node]asked // what counters were compared with, where that decides what synchronizes
	called  provenance.Calls       // from where functions are
	made    map[program.Expr]bool  // calls, and arms of x if c else y, that were evaluated
	passed  map[program.Node]memory.Ways
	kinds   map[program.Node]bool // where it was asked of what kind a value is: whether it was always one that threads compute
}

func (g gaps) clone() gaps {
	return gaps{maps.Clone(g.ran), maps.Clone(g.entered), maps.Clone(g.flags), maps.Clone(g.rings), maps.Clone(g.looped), maps.Clone(g.turning), g.called.Clone(), maps.Clone(g.made), maps.Clone(g.passed), maps.Clone(g.kinds)}
}

// ranIn settles what the configurations ran that were lowered since. What is run in one that is not modelled is taken back: nothing
// is searched there. What the others run that was a gap before is one again where they are not decided.
func (l *lowering) ranIn(before gaps, ks ...*Kernel) {
	if slices.ContainsFunc(ks, func(k *Kernel) bool { return len(k.Opaque) > 0 }) {
		before.entered, before.called = l.entered, l.called // what is called there has its gaps, too
		l.gaps = before
		return
	}
	after := l.gaps
	l.gaps = before
	open := l.gap(false)
	l.gaps = after
	if len(open) == 0 {
		return
	}
	left := l.gap(false)
	for _, k := range ks {
		k.Closes = slices.DeleteFunc(slices.Clone(open), func(o Opaque) bool { return slices.Contains(left, o) })
	}
}

// waitLoop is a loop around a wait for a stage of a ring.
type waitLoop struct {
	ring string // the allocation
	loop program.Stmt
}

func newGaps() gaps {
	return gaps{ran: map[program.Stmt]bool{}, entered: map[*program.Function]bool{}, flags: map[string]bool{}, rings: map[string]turn{}, looped: map[waitLoop]seen{}, turning: map[program.Node]asked{}, called: provenance.Calls{}, made: map[program.Expr]bool{}, passed: map[program.Node]memory.Ways{}, kinds: map[program.Node]bool{}}
}

// seen is how a loop around a wait went round: the most rounds, and whether an unknown says how many.
type seen struct {
	rounds int64
	free   bool
}

// running is a loop that is being executed.
type running struct {
	loop program.Stmt
	seen
	round int64                                // the one at hand
	made  map[program.Node]*iteration.Instants // in its rounds (recur.go)
}

// note takes what a sweep found out about a kernel.
func (g *gaps) note(w *sweep) {
	maps.Copy(g.flags, w.flags)
	for name, t := range w.turns {
		t.waits = max(t.waits, g.rings[name].waits)
		g.rings[name] = t
	}
	for e, q := range w.l.compared {
		if q.decides == nil && q.ends == nil || q.other != nil && w.refuses(*q.other) {
			continue
		}
		q := *q
		old := g.turning[e]
		q.answers[0], q.answers[1] = q.answers[0] || old.answers[0], q.answers[1] || old.answers[1]
		g.turning[e] = q
	}
}

// gap lists what keeps a proof of the kernel from being one; with values, arms that only say what something is that synchronization depends
// on, too. One that some configuration runs which is not decided is no gap, as other numbers of the host are none: the bounds name it.
func (l *lowering) gap(values bool) []Opaque {
	return slices.Concat(l.unrun(values), l.unturned(), l.oneSided())
}

// unturned lists the rings whose stages are used once at the most, though whoever launches the kernel may have them used
// more often. Where the rounds are constants of the source there is no more to see.
func (l *lowering) unturned() []Opaque {
	var out []Opaque
	for _, name := range slices.Sorted(maps.Keys(l.rings)) {
		t := l.rings[name]
		if t.waits != 1 {
			continue
		}
		at := Opaque{}
		for w, s := range l.looped {
			if w.ring != t.ring || s.free && s.rounds > t.stages { // what is waited for once then is so in every round
				continue
			}
			g := l.finder(w.loop)
			if g == nil || g.rounds(w.loop) {
				continue
			}
			if line := g.Line(w.loop); at.Line == 0 || g.mod.File.Source.Name < at.Path || g.mod.File.Source.Name == at.Path && line < at.Line {
				at.Path, at.Line = g.mod.File.Source.Name, line
			}
		}
		if at.Line > 0 {
			at.Why = limit.Rounds.Sayf("%s is never waited for twice within the bounds: that its phases are right from round to round is not shown", t.ring)
			if t.stages > 1 {
				at.Why = limit.Rounds.Sayf("the %d stages of %s are never used twice within the bounds: that one is given back in time is not shown", t.stages, t.ring)
			}
			out = append(out, at)
		}
	}
	return out
}

// oneSided lists the tests of unknowns that decide what synchronizes, or how often a loop goes round, and came out one way only.
func (l *lowering) oneSided() []Opaque {
	var out []Opaque
	for _, q := range l.turning {
		if q.ends != nil {
			if o, missed := l.unbent(&q); missed {
				out = append(out, o)
			}
			continue
		}
		if g := l.finder(q.decides); g != nil && q.onesided() && !q.varies && !g.Constant(q.decides.Cond) {
			out = append(out, Opaque{g.mod.File.Source.Name, g.Line(q.decides), limit.Way.Says("this decides what synchronizes" + (&gap.Finder{Run: g}).Under(q.decides.Cond, map[bool]string{true: "not "}[q.answers[1]]))})
		}
	}
	return inOrder(out)
}

// unbent is the line of a loop whose end is worked out in one way only within the bounds.
func (l *lowering) unbent(q *asked) (o Opaque, missed bool) {
	g := l.finder(q.ends)
	if g == nil || q.varies || !q.onesided() {
		return o, false
	}
	missing := value.Value(value.Symbol{Expr: q.test})
	if q.answers[1] {
		missing = value.Unary("!", missing)
	}
	return Opaque{g.mod.File.Source.Name, g.Line(q.ends), limit.Rounds.Says("how often this loop goes round is another sum for numbers that are not tried: no combination has " + clip(value.Canonical(missing)))}, true
}

// finder is a finder for the function of a scanned file that a statement is in; nil where it is in none.
func (l *lowering) finder(st program.Stmt) *gapFinder {
	for _, mod := range l.byFile {
		if mod == nil || mod.File == nil || mod.Library {
			continue
		}
		for _, fn := range mod.File.Functions {
			found := false
			program.WalkStmts(fn.Body, func(s program.Stmt) bool {
				found = found || s == st
				return !found
			})
			if found {
				return &gapFinder{l: l, mod: mod, fn: fn}
			}
		}
	}
	return nil
}

// anyNumber reports whether something else than constants of the source says how often one of the loops goes round.
func (l *lowering) anyNumber(loops []program.Stmt) bool {
	return slices.ContainsFunc(loops, func(loop program.Stmt) bool {
		g := l.finder(loop)
		return g != nil && !g.rounds(loop)
	})
}

// rounds reports whether constants of the source say how often a loop goes round.
func (g *gapFinder) rounds(st program.Stmt) bool {
	switch st := st.(type) {
	case *program.For:
		return g.Constant(st.Iter)
	case *program.While:
		return g.l.polling[st] || g.Constant(st.Cond)
	}
	return true
}

// unrun lists the places that synchronize and that no combination of any configuration runs, the outermost of each.
func (l *lowering) unrun(values bool) (out []Opaque) {
	l.eachUnrun(func(g *gapFinder, f *gap.Finder) {
		for _, p := range f.Places {
			says := "this synchronizes"
			if p.Gives {
				says = "what synchronizes depends on what is assigned here"
			}
			if p.Syncs || p.Gives && values {
				out = append(out, Opaque{g.mod.File.Source.Name, g.Line(p.At), limit.Way.Says(says + " and is not run within the bounds" + p.Under)})
			}
		}
	})
	return out
}

// leave leaves open what may be wrong where memory is accessed that no combination runs: whether a barrier is missing around that.
func (l *lowering) leave(k *Kernel) {
	l.eachUnrun(func(g *gapFinder, f *gap.Finder) {
		for _, p := range f.Places {
			open := map[string]bool{string(protocol.Race): p.To != 0 || p.Leads, finding.Order: p.To != 0, finding.RaceGrid: p.To&memory.ToGlobal != 0 || p.Leads, finding.Proxy: p.To&memory.ToShared != 0}
			for _, property := range slices.Sorted(maps.Keys(open)) {
				if says := map[bool]string{true: "where memory is accessed depends on what is assigned here", false: "memory is accessed here"}[p.Leads]; open[property] {
					k.leave(finding.Open{Property: property, Path: g.mod.File.Source.Name, Line: g.Line(p.At), Why: says + ", and this is not run within the bounds" + p.Under})
				}
			}
		}
	})
}

// eachUnrun looks through the functions that some combination runs for what none does.
func (l *lowering) eachUnrun(seen func(*gapFinder, *gap.Finder)) {
	in := l.newInstance(nil, &launch{})
	in.flagBlocks = l.flags
	needed, leading := slice.Needed{}, slice.Needed{}
	for _, name := range slices.Sorted(maps.Keys(l.byFile)) {
		mod := l.byFile[name]
		if mod == nil || mod.File == nil || mod.Library {
			continue
		}
		for _, fn := range mod.File.Functions {
			if l.entered[fn] {
				g := &gapFinder{l: l, in: in, mod: mod, fn: fn, needed: needed, leading: leading}
				f := &gap.Finder{Run: g}
				f.Body(fn.Body, "")
				seen(g, f)
			}
		}
	}
}

// gapFinder is one function, of which it is asked what was not run.
type gapFinder struct {
	l               *lowering
	in              *instance
	mod             *value.Module
	fn              *program.Function
	needed, leading slice.Needed // for synchronization, and for where memory is accessed
}

// Operation is the kind of operation that a call is.
func (g *gapFinder) Operation(c *program.Call) (dialect.Kind, bool) {
	op, ok := g.l.table.Call(c, g.l.typeOf(g.mod.File))
	return op.Kind, ok
}

// Harmless reports whether a call is of a library's function that accesses nothing and gives no way to memory.
func (g *gapFinder) Harmless(c *program.Call) bool {
	if at, method := c.Fun.(*program.Attr); method && g.l.table.MethodEffect(at.Name) == dialect.Computes {
		return true
	}
	return g.Computes(c.Fun) || g.l.converges(g.mod, c)
}

// Computes reports whether an expression is a function of a library that only computes.
func (g *gapFinder) Computes(fun program.Expr) bool {
	name, _ := fun.(*program.Name)
	return g.l.effect(g.l.fullName(g.mod, fun)) == dialect.Computes || name != nil && value.PythonBuiltins[name.Ident]
}

func (g *gapFinder) Names(name string) bool {
	return g.mod.From[name] != nil || value.PythonBuiltins[name] || g.mod.Names[name] != nil || g.mod.Classes[name] != nil
}

func (g *gapFinder) Source() *source.File           { return g.mod.File.Source }
func (g *gapFinder) Ran(st program.Stmt) bool       { return g.l.ran[st] }
func (g *gapFinder) Made(e program.Expr) bool       { return g.l.made[e] }
func (g *gapFinder) Polls(loop *program.While) bool { return g.l.polling[loop] }
func (g *gapFinder) Ways(n program.Node) memory.Ways {
	if w, seen := g.l.passed[n]; seen {
		return w
	}
	return gap.Ways(n, g.fn.Body, g, nil, nil)
}
func (g *gapFinder) Synchronizes(n program.Node) bool {
	r := g.l.relevance(g.in, g.mod, n)
	return r.surely || r.asks
}
func (g *gapFinder) Spelled(n program.Node) (text string) {
	return clip(string(g.mod.File.Source.Data[n.Where().Start:n.Where().End]))
}

func (g *gapFinder) Needed(n program.Node) bool { return g.needed.Of(g.fn, g).Assign(n) }
func (g *gapFinder) Leads(n program.Node) bool {
	return g.leading.Of(g.fn, gap.Accesses{Program: g, Ran: g.Ran}).Assign(n)
}

// Operands are what an operation does something with.
func (g *gapFinder) Operands(c *program.Call) (out []program.Expr, is bool) {
	_, is = g.l.inlineCall(c)
	if _, ok := g.Operation(c); !ok && !is {
		return nil, false
	}
	for op := range g.l.opsIn(g.mod.File, c) {
		for name, a := range op.Args {
			if name != "src" { // where a copy comes from: what it brings shows in where it goes to
				out = append(out, a.Expr)
			}
		}
	}
	return slices.DeleteFunc(out, func(e program.Expr) bool { return e == nil }), true
}

// Callees are the functions of the program that a call may mean; none where it may mean one of a library.
func (g *gapFinder) Callees(c *program.Call) map[*program.Function]slice.Text {
	out := map[*program.Function]slice.Text{}
	for _, f := range g.l.callees(g.mod, c) {
		if f.mod.Library {
			return nil
		}
		out[f.fn] = &gapFinder{l: g.l, in: g.in, mod: f.mod, fn: f.fn}
	}
	return out
}

func (g *gapFinder) Line(n program.Node) int { return g.mod.File.Source.Position(n.Where().Start).Line }

// Constant reports whether a test asks for nothing but constants of the source: whoever launches the kernel cannot have it otherwise.
func (g *gapFinder) Constant(cond program.Expr) bool {
	return (&provenance.Source{Modules: g.l.byFile, Calls: g.l.called, Mod: g.mod, Fn: g.fn, Kinds: g.l.kinds}).Fixed(cond)
}

// within notes that a loop is being executed, until leave.
func (m *machine) within(loop program.Stmt) (leave func()) {
	n := len(m.around)
	m.around = append(m.around, &running{loop: loop})
	return func() { m.around = m.around[:n] }
}

// goesRound notes how often the loop at hand goes round, as far as is known, and whether an unknown says so.
func (m *machine) goesRound(rounds int64, free bool) {
	if n := len(m.around); n > 0 {
		l := m.around[n-1]
		l.free = l.free || free
		l.rounds = max(l.rounds, rounds)
	}
}

// nextRound begins a round of the loop at hand.
func (m *machine) nextRound() {
	if n := len(m.around); n > 0 {
		m.around[n-1].round++
	}
}

// turned notes the loops around a wait for an mbarrier.
func (m *machine) turned(mbar int) {
	for _, l := range m.around {
		w := waitLoop{m.in.ringOf[mbar].b.Name, l.loop}
		s := m.in.low.looped[w]
		m.in.low.looped[w] = seen{max(s.rounds, l.rounds), s.free || l.free}
	}
}

// A helper has arms for several kinds of values: isinstance(value, tuple). Which it is called with here is the program's, not an
// option's, where the value is one that the threads compute: nobody who launches the kernel hands it in. The arm for another
// kind is then no part of this kernel.

// asksKind notes that it is asked of what kind a value is.
func (g *gaps) asksKind(n program.Node, v value.Value) {
	_, computed := v.(value.Register)
	before, again := g.kinds[n]
	g.kinds[n] = computed && (before || !again)
}

// leavesOut notes which memory may be accessed in statements that are left out.
func (m *machine) leavesOut(body []program.Stmt, s *value.Scope) {
	l := m.in.low
	for _, st := range body {
		if l.ran[st] || m.host || m.mod.Library {
			return
		}
		if g := (&gapFinder{l: l, in: m.in, mod: m.mod}); l.passed[st] != memory.Anyhow && !l.silence.Of(st, body, g) {
			l.passed[st] |= gap.Ways(st, body, g, s, m.pointerOf)
		}
	}
}
