package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/iteration"
	"github.com/fencepost-dev/fencepost/lower/provenance"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
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
	kinds   map[program.Node]bool  // where it was asked of what kind a value is: whether it was always one that threads compute
}

func (g gaps) clone() gaps {
	return gaps{maps.Clone(g.ran), maps.Clone(g.entered), maps.Clone(g.flags), maps.Clone(g.rings), maps.Clone(g.looped), maps.Clone(g.turning), g.called.Clone(), maps.Clone(g.kinds)}
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
	open := l.gap()
	l.gaps = after
	if len(open) == 0 {
		return
	}
	left := l.gap()
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
	return gaps{ran: map[program.Stmt]bool{}, entered: map[*program.Function]bool{}, flags: map[string]bool{}, rings: map[string]turn{}, looped: map[waitLoop]seen{}, turning: map[program.Node]asked{}, called: provenance.Calls{}, kinds: map[program.Node]bool{}}
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

// gap lists what keeps a proof of the kernel from being one.
func (l *lowering) gap() []Opaque {
	return slices.Concat(l.unrun(), l.unturned(), l.oneSided())
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
			if line := g.line(w.loop); at.Line == 0 || g.mod.File.Source.Name < at.Path || g.mod.File.Source.Name == at.Path && line < at.Line {
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
		if g := l.finder(q.decides); g != nil && q.onesided() && !q.varies && !g.fixed(q.decides.Cond) {
			out = append(out, Opaque{g.mod.File.Source.Name, g.line(q.decides), limit.Way.Says("this decides what synchronizes" + g.arm(q.decides.Cond, map[bool]string{true: "not "}[q.answers[1]]))})
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
	return Opaque{g.mod.File.Source.Name, g.line(q.ends), limit.Rounds.Says("how often this loop goes round is another sum for numbers that are not tried: no combination has " + clip(value.Canonical(missing)))}, true
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
		return g.fixed(st.Iter)
	case *program.While:
		return g.l.polling[st] || g.fixed(st.Cond)
	}
	return true
}

// unrun lists the places that synchronize and that no combination of any configuration runs, the outermost of each.
func (l *lowering) unrun() (out []Opaque) {
	l.eachUnrun(func(g *gapFinder) { out = append(out, g.found...) })
	return out
}

// eachUnrun looks through the functions that some combination runs for what none does.
func (l *lowering) eachUnrun(seen func(*gapFinder)) {
	in := l.newInstance(nil, &launch{})
	in.flagBlocks = l.flags
	for _, name := range slices.Sorted(maps.Keys(l.byFile)) {
		mod := l.byFile[name]
		if mod == nil || mod.File == nil || mod.Library {
			continue
		}
		for _, fn := range mod.File.Functions {
			if l.entered[fn] {
				g := &gapFinder{l: l, in: in, mod: mod, fn: fn}
				g.body(fn.Body, "")
				seen(g)
			}
		}
	}
}

// gapFinder looks for what was not run in one function.
type gapFinder struct {
	l     *lowering
	in    *instance
	mod   *value.Module
	fn    *program.Function
	found []Opaque
	first []program.Stmt // the statements that found are about
	tests []program.Expr // that leave them out
}

// body looks through statements that are run one after another; under says what decides whether they are.
func (g *gapFinder) body(body []program.Stmt, under string) {
	for _, st := range body {
		if g.l.ran[st] {
			g.below(st)
			continue
		}
		if r := g.l.relevance(g.in, g.mod, st); r.surely || r.asks {
			g.found = append(g.found, Opaque{g.mod.File.Source.Name, g.line(st), limit.Way.Says("this synchronizes and is not run within the bounds" + under)})
			g.first = append(g.first, st)
			return // nor is what comes after it
		}
	}
}

// below looks through the parts of a statement that was run.
func (g *gapFinder) below(st program.Stmt) {
	switch st := st.(type) {
	case *program.If:
		if g.fixed(st.Cond) || g.ofComputed(st.Cond) {
			g.taken(st.Then)
			g.taken(st.Else)
			return
		}
		n := len(g.found)
		g.body(st.Then, g.arm(st.Cond, ""))
		g.body(st.Else, g.arm(st.Cond, "not "))
		g.decides(n, st.Cond)
	case *program.For:
		n := len(g.found)
		defer func() {
			g.decides(n, st.Iter)
		}()
		g.body(st.Body, fmt.Sprintf(": the loop at line %d goes round zero times", g.line(st)))
		g.body(st.Else, "")
	case *program.While:
		if !g.l.polling[st] {
			g.body(st.Body, fmt.Sprintf(": the loop at line %d goes round zero times", g.line(st)))
			g.body(st.Else, "")
		}
	case *program.With:
		g.body(st.Body, "")
	case *program.Try:
		g.body(st.Body, "")
		g.body(st.Else, "")
		g.body(st.Finally, "")
	}
}

// taken looks through an arm if it was run: one that constants of the source leave out is not part of the kernel.
func (g *gapFinder) taken(body []program.Stmt) {
	if len(body) > 0 && g.l.ran[body[0]] {
		g.body(body, "")
	}
}

// decides notes what decides whether something is run, if anything has been found since there were n.
func (g *gapFinder) decides(n int, test program.Expr) {
	if len(g.found) > n {
		g.tests = append(g.tests, test)
	}
}

func (g *gapFinder) arm(cond program.Expr, not string) string {
	text := g.mod.File.Source.Data[cond.Where().Start:cond.Where().End]
	return fmt.Sprintf(": no combination has %s%q", not, clip(string(text)))
}

func (g *gapFinder) line(n program.Node) int {
	return g.mod.File.Source.Position(n.Where().Start).Line
}

// fixed reports whether a test asks for nothing but constants of the source: whoever launches the kernel cannot have it otherwise.
func (g *gapFinder) fixed(cond program.Expr) bool {
	return (&provenance.Source{Modules: g.l.byFile, Calls: g.l.called, Mod: g.mod, Fn: g.fn}).Fixed(cond)
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

// ofComputed reports whether a test asks for nothing but the kind of what the threads compute.
func (g *gapFinder) ofComputed(cond program.Expr) bool {
	switch e := cond.(type) {
	case *program.Unary:
		return g.ofComputed(e.X)
	case *program.Call:
		if value.LastName(e.Fun) == "const_expr" && len(e.Args) == 1 {
			return g.ofComputed(e.Args[0])
		}
		return g.l.kinds[e]
	}
	return false
}
