package explore

import (
	"context"
	"fmt"
	"hash/maphash"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Name is what results of this engine are signed with.
const Name = "explore"

// Defaults are the limits that stand for zero ones. The clock is there for whoever asks for it: states end a search.
var Defaults = engine.Limits{States: 1 << 20, Memory: 256 << 20, Time: time.Hour}

func withDefaults(lim engine.Limits) engine.Limits {
	if lim.States <= 0 {
		lim.States = Defaults.States
	}
	if lim.Proof <= 0 {
		lim.Proof = lim.States
	}
	if lim.Memory <= 0 {
		lim.Memory = Defaults.Memory
	}
	// Offsets in the state store have 32 bits.
	lim.Memory = min(lim.Memory, 3<<30)
	lim.States = min(lim.States, 1<<30)
	if lim.Time <= 0 {
		lim.Time = Defaults.Time
	}
	return lim
}

// search is one breadth-first search.
type search struct {
	*judge
	clock
	lim     engine.Limits
	store   *store
	walker  *walker
	answers map[protocol.Property]engine.Answer
	open    map[protocol.Property]bool // neither violated nor impossible
	race    bool                       // open[Race], for the hot loop; likewise the others
	phase   bool
	life    bool
	attrib  bool
	unsure  map[protocol.Property]limit.Reason // why a property cannot be said to hold
	depth   int
	steps   int // of an execution to the end
}

// Search decides every property of p by visiting every reachable counted state, breadth first: the reference, and
// what Check falls back on. Counting threads is an exact quotient (notes/semantics.md 7.4).
func Search(ctx context.Context, p *protocol.Protocol, lim engine.Limits) *engine.Result {
	start := time.Now()
	if err := p.Validate(); err != nil {
		return refused(err)
	}
	r := newSearch(clockFor(ctx, lim), newJudge(p), lim, nil).run()
	r.Elapsed = time.Since(start)
	return r
}

// refused is the result for a protocol that means nothing.
func refused(err error) *engine.Result {
	r := &engine.Result{Engine: Name, Properties: map[protocol.Property]engine.Answer{}}
	for _, prop := range protocol.Properties {
		r.Properties[prop] = engine.Undecided(limit.Internal.Says(err.Error()))
	}
	return r
}

// newSearch prepares a search for the properties that known does not decide.
func newSearch(c clock, j *judge, lim engine.Limits, known map[protocol.Property]engine.Answer) *search {
	lim = withDefaults(lim)
	s := &search{judge: j, clock: c, lim: lim, store: newStore(),
		answers: map[protocol.Property]engine.Answer{}, open: map[protocol.Property]bool{}, unsure: map[protocol.Property]limit.Reason{}}
	for prop, why := range impossible(j.p) {
		s.answers[prop] = engine.Answer{Verdict: engine.Holds, Reason: why, Object: -1}
	}
	for prop, a := range known {
		s.answers[prop] = a
	}
	for _, prop := range protocol.Properties {
		if _, ok := s.answers[prop]; !ok {
			s.open[prop] = true
		}
	}
	if s.open[protocol.Race] {
		if why := j.tabulate(lim.Memory); why != "" {
			s.unsure[protocol.Race] = limit.Size.Says(why)
		}
	}
	s.store.limit = lim.Memory - clashBytes*int64(j.clashes)
	s.steps = steps(j.p)
	s.refresh()
	s.walker = s.newWalker()
	return s
}

func (s *search) refresh() {
	s.race, s.phase, s.life, s.attrib = s.open[protocol.Race], s.open[protocol.Phase], s.open[protocol.Lifetime], s.open[protocol.Attribution]
}

// timeCheck is how many states pass between two looks at the clock.
const timeCheck = 1024

func (s *search) run() *engine.Result {
	over, levels, levelEnd := limit.Reason{}, []int(nil), 1
	s.begin()
	for i := 0; i < s.store.len() && len(s.open) > 0; i++ {
		if i == levelEnd {
			s.depth++
			levelEnd = s.store.len()
			if levels = append(levels, levelEnd); s.hopeless(levels, fairTrial) {
				over = limit.States.Sayf("the limit of %s states, which it would go far beyond,", number(s.lim.States))
			}
		}
		if over.Code == 0 {
			over = s.exceeded(i)
		}
		if over.Code != 0 {
			return s.result(over)
		}
		s.walker.walk(i)
		s.take(i)
		if i == s.store.len()-1 {
			s.certify()
		}
	}
	return s.result(over)
}

// begin stores the initial state.
func (s *search) begin() {
	w := s.walker
	w.arena = w.code.encode(w.arena, w.next, w.occ)
	s.store.add(maphash.Bytes(s.store.seed, w.arena), w.arena, -1, 0)
	w.inspect(0)
	for i := range w.news {
		s.note(&w.news[i], 0)
	}
}

// take does what the walker has found of state i.
func (s *search) take(i int) {
	w := s.walker
	steps, news := w.steps, w.news
	for k := 0; ; k++ {
		for ; len(steps) > 0 && steps[0].at == k; steps = steps[1:] {
			s.note(&steps[0], i)
		}
		if k == len(w.successors) {
			return
		}
		x := &w.successors[k]
		isNew := s.store.add(x.hash, w.arena[x.start:x.end], i, x.move)
		for ; len(news) > 0 && news[0].at == k; news = news[1:] {
			if isNew {
				s.note(&news[0], s.store.len()-1)
			}
		}
	}
}

// note does what a note says of state i or of a step from it.
func (s *search) note(n *note, i int) {
	switch {
	case n.stuck:
		s.settle(i)
	case n.unsure.Code != 0:
		s.unsure[n.prop] = n.unsure
	case s.open[n.prop]:
		s.violated(n.prop, n.object, i, n.slot, n.pair)
	}
}

func (s *search) exceeded(i int) limit.Reason {
	if s.store.len() >= s.lim.States {
		return limit.States.Sayf("the limit of %s states", number(s.lim.States))
	}
	if s.store.full {
		return limit.Size.Says(memoryLimit(s.lim.Memory))
	}
	if i%timeCheck != 0 && len(s.walker.cur) < 4*timeCheck {
		return limit.Reason{}
	}
	if s.store.bytes() > s.store.limit {
		return limit.Size.Says(memoryLimit(s.lim.Memory))
	}
	if why := s.ended(); why != "" {
		return limit.Time.Says(why)
	}
	return limit.Reason{}
}

// settle judges state i, from which no step is possible.
func (s *search) settle(i int) {
	w := s.walker
	w.load(i)
	r := s.stuck(w.occ)
	switch {
	case r.done:
		for _, prop := range []protocol.Property{protocol.Bytes, protocol.Quiet} {
			if object, bad := s.leftover(w.cur, prop); bad && s.open[prop] {
				s.violated(prop, object, i, -1, nil)
			}
		}
	case r.spins && s.open[protocol.Livelock]:
		s.violated(protocol.Livelock, r.object, i, -1, nil)
	case !r.spins && s.open[protocol.Deadlock]:
		s.violated(protocol.Deadlock, r.object, i, -1, nil)
	}
}

// violated records a violation shown by the path to state i, and one more step if slot is not -1.
func (s *search) violated(prop protocol.Property, object, i int, slot int32, pair *engine.Pair) {
	moves := s.store.path(i)
	if slot >= 0 {
		moves = append(moves, move(slot))
	}
	t := &engine.Trace{Pair: pair}
	for _, mv := range moves {
		at := s.m.Slots[mv]
		t.Steps = append(t.Steps, engine.Step{Class: at.Class, Op: at.Op, N: 1, Completion: at.Where == protocol.InFlight})
	}
	s.answers[prop] = engine.Answer{Verdict: engine.Violated, Trace: s.reduce(t, prop), Object: object,
		Reason: fmt.Sprintf("found after %s states", number(s.store.len()))}
	delete(s.open, prop)
	s.refresh()
}

func (s *search) result(over limit.Reason) *engine.Result {
	r := &engine.Result{Engine: Name, Properties: s.answers, States: s.store.len(), Depth: s.depth, Complete: over.Code == 0}
	for prop := range s.open {
		switch {
		case over.Code != 0:
			r.Properties[prop] = engine.Undecided(over.Code.Sayf("stopped by %s after %s states of the ways in which its threads may interleave", over.Text, number(r.States)))
		case s.unsure[prop].Code != 0:
			r.Properties[prop] = engine.Undecided(s.unsure[prop])
		default:
			r.Properties[prop] = engine.Answer{Verdict: engine.Holds, Object: -1, Reason: fmt.Sprintf("searched %s states", number(r.States))}
		}
	}
	return r
}

// number prints 4312 as 4,312.
func number(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", number(n/1000), n%1000)
}

func access(p *protocol.Protocol, a engine.Accessor) *protocol.Access {
	if a.InFlight {
		return &p.Classes[a.Class].Ops[a.Location].Access[a.Index]
	}
	return &p.Classes[a.Class].Blocks[a.Location][a.Index]
}

// impossible lists the properties that nothing in p could violate, and why.
func impossible(p *protocol.Protocol) map[protocol.Property]string {
	seen := map[protocol.Kind]bool{}
	bytes, reads := false, false
	for c := range p.Classes {
		for l := range p.Classes[c].Ops {
			o := &p.Classes[c].Ops[l]
			seen[o.Kind] = true
			switch o.Kind {
			case protocol.ArriveExpectTx, protocol.ExpectTx, protocol.CompleteTx:
				bytes = true
			case protocol.ArriveDrop:
				bytes = bytes || o.Bytes > 0
			}
			for _, e := range o.Effects {
				bytes = bytes || e.Bytes > 0
			}
			reads = reads || len(o.Access) > 0
		}
		for _, b := range p.Classes[c].Blocks {
			reads = reads || len(b) > 0
		}
	}
	out := map[protocol.Property]string{}
	if !seen[protocol.Spin] && !seen[protocol.FlagSwap] {
		out[protocol.Livelock] = "nothing spins"
	}
	if !seen[protocol.Wait] {
		out[protocol.Phase] = "nothing waits for a phase"
	}
	if !reads {
		out[protocol.Race] = "no access is modelled"
	}
	if !bytes {
		out[protocol.Bytes] = "no transaction bytes"
	}
	if len(p.Mbars) == 0 {
		out[protocol.Quiet], out[protocol.Attribution] = "no mbarrier", "no mbarrier"
	}
	exact, counts := true, arrivalCounts(p, "")
	for o := range p.Mbars {
		exact = exact && counts[o] >= 0 && (counts[o] == 0 || p.Mbars[o].Count%counts[o] == 0)
	}
	if exact {
		out[protocol.Arrivals] = "every arrival count divides the expected count"
	}
	return out
}
