package explore

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
)

// proof is what the frozen runs of M show.
type proof struct {
	*monotone
	*meter
	found   map[protocol.Property]engine.Answer // violations, each run in the real semantics
	differs string                              // why F may differ from M; "" if they are shown equal
	unsure  map[protocol.Property]limit.Reason
	reach   map[engine.Accessor]reach
	firstBy []map[int]int  // by class and mbarrier: the first position at which the class uses it
	strays  map[int]bool   // mbarriers whose arrivals may go to another phase
	ahead   map[place]bool // waits reached while a contribution to the phase before theirs is outstanding
	runs    int

	witness *witness // nil where nothing is written down

	horizons []*horizon // of the unknowns that the proof is for every value of
	beyond   string     // why it is for none but this instance's
}

// What the tables of a proof hold, in bytes about: a reach with its key, and 4 for each class; a world that is kept, and 8
// for each counter.
const (
	reachBytes = 128
	worldBytes = 1024
)

func newProof(meter *meter) *proof {
	return &proof{meter: meter, found: map[protocol.Property]engine.Answer{}, unsure: map[protocol.Property]limit.Reason{}, reach: map[engine.Accessor]reach{},
		strays: map[int]bool{}, ahead: map[place]bool{}}
}

// prove runs the frozen executions of M.
func prove(j *judge, meter *meter, spans ...span) *proof {
	pr := newProof(meter)
	m, err := compile(j)
	if err != nil {
		pr.differs = err.Error()
		return pr
	}
	pr.monotone = m
	pr.attest()
	pr.firstUses()
	for _, s := range spans {
		h, err := pr.lay(s)
		if err != nil {
			pr.beyond = err.Error()
			return pr
		}
		pr.horizons = append(pr.horizons, h)
	}
	twin, of := make([]*exchange, len(j.p.Classes)), []int(nil)
	if len(spans) == 0 { // what a horizon says of a class it does not say of another
		twin, of = pr.twins()
	}
	for c := range j.p.Classes {
		if twin[c] != nil {
			pr.mirror(twin[c], of[c], c)
			continue
		}
		pr.chain(c)
	}
	if pr.differs == "" {
		pr.caps()
	}
	return pr
}

// late reports whether a limit is reached, and notes it.
func (pr *proof) late() bool {
	if !pr.spend(0) {
		return false
	}
	pr.differ("stopped by %s after %s frozen runs", pr.over, number(pr.runs))
	return true
}

// differ notes the first reason why F may differ from M.
func (pr *proof) differ(format string, args ...any) {
	if pr.differs == "" {
		pr.differs = fmt.Sprintf(format, args...)
	}
}

// claim takes a schedule that violates a property in M, and keeps it if it does in the real semantics.
func (pr *proof) claim(prop protocol.Property, steps []engine.Step, pair *engine.Pair, more ...engine.Step) bool {
	if _, ok := pr.found[prop]; ok {
		return true
	}
	t := &engine.Trace{Steps: slices.Concat(steps, more), Pair: pair}
	if prop == protocol.Phase || prop == protocol.Lifetime {
		t.Steps = pr.until(t.Steps, prop)
	}
	object, yes := pr.shows(t, prop)
	if yes {
		pr.found[prop] = engine.Answer{Verdict: engine.Violated, Trace: pr.reduce(t, prop), Object: object}
	}
	return yes
}

// astray claims the first arrival of a schedule that goes to another phase than it should.
func (pr *proof) astray(steps []engine.Step) {
	if _, ok := pr.found[protocol.Attribution]; ok {
		return
	}
	s := pr.judge.m.Start()
	for i, step := range steps {
		if ok, broken := pr.play(s, step); !ok || broken {
			return
		}
		if _, bad, _ := pr.misattributed(step.Class, step.Op); bad {
			rest := step
			rest.N, step.N = step.N-1, 1
			if !pr.claim(protocol.Attribution, steps[:i], nil, step) && rest.N > 0 {
				pr.claim(protocol.Attribution, steps[:i], nil, rest, step)
			}
			return
		}
	}
}

// until cuts a schedule where it first violates a property of single states: who violates it may since have gone on.
func (pr *proof) until(steps []engine.Step, prop protocol.Property) []engine.Step {
	s := pr.judge.m.Start()
	for i, step := range steps {
		if _, yes := pr.violates(s, prop, nil); yes {
			return steps[:i]
		}
		if ok, broken := pr.play(s, step); !ok || broken {
			break
		}
	}
	return steps
}

func (pr *proof) firstUses() {
	for c := range pr.p.Classes {
		uses := map[int]int{}
		note := func(o, pos int) {
			if old, ok := uses[o]; !ok || pos < old {
				uses[o] = pos
			}
		}
		prog := &pr.progs[c]
		for l := range pr.p.Classes[c].Ops {
			for _, o := range pr.judge.uses[pr.slotAt[c][l]] {
				note(o, prog.first[l])
			}
			if pr.p.Classes[c].Ops[l].Kind == protocol.Issue {
				for _, o := range pr.judge.uses[pr.slotFly[c][l]] {
					note(o, prog.first[l]+1)
				}
			}
		}
		pr.firstBy = append(pr.firstBy, uses)
	}
}

// chain freezes one thread f of class c at each location in turn. The maximal run with f at one location is the
// beginning of the maximal run with f at the next, so one world serves them all.
func (pr *proof) chain(c int) {
	prog := &pr.progs[c]
	w := pr.newWorld(group{c, 1, 0, 0})
	f := &w.groups[len(w.groups)-1]
	for l := range pr.p.Classes[c].Blocks {
		if pr.late() {
			return
		}
		f.limit = prog.first[l]
		w.run()
		pr.local(w, c, l)
		if f.pos < f.limit {
			pr.unreached(w, c, l)
			return
		}
		pr.runs++
		pr.atLocation(w, c, l)
		if l < len(pr.p.Classes[c].Ops) && pr.p.Classes[c].Ops[l].Kind == protocol.Issue && f.pos < len(prog.micros) {
			pr.inFlight(w.clone(), c, l)
		}
	}
}

// unreached judges the inits that thread f never gets to, from location l on.
func (pr *proof) unreached(w *world, c, l int) {
	for _, o := range pr.p.Classes[c].Ops[min(l, len(pr.p.Classes[c].Ops)):] {
		if o.Kind == protocol.Init {
			pr.initialises(w, o.Object)
		}
	}
}

// initialises judges a run in which the init of an mbarrier is outstanding.
func (pr *proof) initialises(w *world, o int) {
	for i := range w.groups {
		g := &w.groups[i]
		if pos, ok := pr.firstBy[g.class][o]; ok && g.n > 0 && g.pos >= pos {
			pr.claim(protocol.Lifetime, w.trace(), nil)
		}
	}
}

// atLocation judges the maximal run with one thread of c frozen at l.
func (pr *proof) atLocation(w *world, c, l int) {
	pr.noteReach(w, c, l, false)
	pr.witness.single(w, c, l, false)
	pr.peers(w, int(pr.slotAt[c][l]))
	if l == len(pr.p.Classes[c].Ops) {
		return
	}
	switch o := &pr.p.Classes[c].Ops[l]; o.Kind {
	case protocol.Wait:
		if k := pr.canon.WaitPhase(c, l); w.phase(o.Object) >= k+2 {
			pr.claim(protocol.Phase, w.trace(), nil)
			pr.breaks(notLate, "a thread at %s may fall two phases behind", pr.p.Mbars[o.Object].Name)
		}
	case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ExpectTx, protocol.CompleteTx:
		pr.contributes(w, c, l, engine.Step{Class: c, Op: l, N: 1})
	case protocol.NamedArrive, protocol.NamedSync:
		pr.registersAt(w, c, l)
	case protocol.Init:
		pr.initialises(w, o.Object)
	case protocol.Spin, protocol.FlagSwap:
		pr.overrun(w, c, l)
	}
}

// inFlight judges the maximal run in which an operation that c issued at l does not complete.
func (pr *proof) inFlight(w *world, c, l int) {
	f := len(w.groups) - 1
	w.groups[f].limit = free
	w.advance(f, false)
	w.run()
	pr.runs++
	pr.local(w, c, l)
	pr.noteReach(w, c, l, true)
	pr.witness.single(w, c, l, true)
	done := engine.Step{Class: c, Op: l, N: 1, Completion: true}
	pr.peers(w, int(pr.slotFly[c][l]))
	pr.contributes(w, c, l, done)
}

// peers looks for objects in the shared memory of a CTA that is gone.
func (pr *proof) peers(w *world, slot int) {
	for _, r := range pr.foreign[slot] {
		if w.ended(r.cta) {
			pr.claim(protocol.Lifetime, w.trace(), nil)
			return
		}
	}
}

// contributes judges a run in which a contribution to mbarriers is outstanding.
func (pr *proof) contributes(w *world, c, l int, step engine.Step) {
	list := pr.contributions(c, l)
	for i, k := range list {
		name := pr.p.Mbars[k.mbar].Name
		pr.early(w, k)
		if n := pr.sum[k.mbar]; n >= 0 {
			before := 0 // effects of the same completion on the same object come first
			for _, b := range list[:i] {
				if b.mbar == k.mbar {
					before += b.arrivals
				}
			}
			switch {
			case !k.known:
				pr.strays[k.mbar] = true
				pr.unsure[protocol.Attribution] = limit.Unshown.Says(spans)
			case (w.counters[n]+before)/pr.p.Mbars[k.mbar].Count > k.phase:
				pr.strays[k.mbar] = true
				if !pr.claim(protocol.Attribution, w.trace(), nil, step) {
					pr.unsure[protocol.Attribution] = limit.Unshown.Says("an arrival may be late, but no run shows it")
				}
			}
			continue
		}
		g := pr.gates[k.mbar]
		if k.phase+1 < g.phases && w.counters[g.first+k.phase+1] > 0 {
			// The next phase is contributed to before this one is complete: phases are not what M takes them for.
			pr.claim(protocol.Arrivals, w.trace(), nil, step)
			pr.astray(w.trace())
			pr.breaks(nextPhase, "contributions to %s may go to another phase", name)
		}
		if a := pr.arrivals[k.mbar].first + k.phase; k.expects && w.counters[a] >= pr.need[a] {
			pr.breaks(expectFirst, "the phase of %s may complete before its bytes are expected", name)
		}
	}
}

// early looks for a wait that passes for the phase before its own while a contribution to that phase is outstanding.
func (pr *proof) early(w *world, k contribution) {
	for _, at := range pr.waits[k.mbar] {
		if pr.sum[k.mbar] < 0 && at.k != k.phase+1 {
			continue
		}
		for _, g := range []group{w.groups[at.class], w.groups[len(w.groups)-1]} {
			if g.class != at.class || g.n == 0 || g.pos < pr.progs[g.class].first[at.loc] {
				continue
			}
			if at.k == k.phase+1 {
				pr.ahead[at] = true
			}
			if pr.sum[k.mbar] < 0 {
				pr.claim(protocol.Phase, w.trace(), nil)
				pr.breaks(notEarly, "a thread may wait on %s a phase early", pr.p.Mbars[k.mbar].Name)
			} else if g.pos == pr.progs[g.class].first[at.loc] && pr.phaseOff(at.class, at.loc, w.phase(k.mbar)) {
				pr.claim(protocol.Phase, w.trace(), nil)
			}
		}
	}
}

// registersAt judges a run in which a registration in a counted named barrier is outstanding.
func (pr *proof) registersAt(w *world, c, l int) {
	i := pr.p.Classes[c].Ops[l].Object
	if pr.p.Named[i].Threads == 0 {
		return
	}
	g := pr.registers[[2]int{c, l}]
	if g+1 < pr.named[i].phases && w.counters[pr.named[i].first+g+1] > 0 {
		pr.breaks(nextGeneration, "threads may register in another generation of named barrier %d of CTA %d", pr.p.Named[i].ID, pr.p.Named[i].CTA)
	}
}

// caps shows, for mbarriers whose phase is a sum, that no wait is reached a phase early: with the object kept from
// passing phase k-1 no class reaches a wait for phase k. A class that waited for phase k-1 before needs no run, and
// neither does one that no run reached with an arrival for phase k-1 outstanding, if no arrival of the object strays:
// while the object is not past phase k-1, some arrival for that phase is outstanding.
func (pr *proof) caps() {
	for o, list := range pr.waits {
		if pr.sum[o] < 0 {
			continue
		}
		done := map[int]*world{}
		for _, at := range list {
			if at.k < 1 || pr.waitedBefore(list, at) && pr.waitedInCopies(list, at) || (!pr.strays[o] || pr.waived == noStrays) && !pr.ahead[at] {
				continue
			}
			if pr.late() {
				return
			}
			w := done[at.k]
			if w == nil {
				if !pr.hold(worldBytes + 8*len(pr.start)) {
					pr.differ("stopped by %s after %s frozen runs", pr.full(), number(pr.runs))
					return
				}
				w = pr.newWorld()
				w.cap, w.capAt = pr.sum[o], pr.p.Mbars[o].Count*at.k
				w.run()
				pr.runs++
				pr.capped(w, list, at.k-1)
				pr.witness.capped(w, o, at.k-1)
				done[at.k] = w
			}
			if w.bulk(at.class) >= pr.progs[at.class].first[at.loc] {
				pr.breaks(notEarlySum, "a thread may reach its wait for phase %d of %s a phase early", at.k, pr.p.Mbars[o].Name)
			}
		}
	}
}

func (pr *proof) waitedBefore(list []place, at place) bool {
	for _, b := range list {
		if b.class == at.class && b.loc < at.loc && b.k >= at.k-1 {
			return true
		}
	}
	return false
}
