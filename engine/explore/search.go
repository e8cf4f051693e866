package explore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
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
	cur     protocol.State
	next    protocol.State // cur, but while a step is looked at
	occ     []int32        // occupied slots of cur
	slots   []int32        // those that may be occupied in next
	touched []int32        // those that the step to next changed
	answers map[protocol.Property]engine.Answer
	open    map[protocol.Property]bool // neither violated nor impossible
	race    bool                       // open[Race], for the hot loop; likewise the others
	phase   bool
	life    bool
	attrib  bool
	unsure  map[protocol.Property]string // why a property cannot be said to hold
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
		r.Properties[prop] = engine.Answer{Reason: err.Error(), Object: -1}
	}
	return r
}

// newSearch prepares a search for the properties that known does not decide.
func newSearch(c clock, j *judge, lim engine.Limits, known map[protocol.Property]engine.Answer) *search {
	lim = withDefaults(lim)
	s := &search{judge: j, clock: c, lim: lim, store: newStore(j.m),
		answers: map[protocol.Property]engine.Answer{}, open: map[protocol.Property]bool{}, unsure: map[protocol.Property]string{}}
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
			s.unsure[protocol.Race] = why
		}
	}
	s.store.limit = lim.Memory - clashBytes*int64(j.clashes)
	s.steps = steps(j.p)
	s.refresh()
	s.cur, s.next = j.m.Start(), j.m.Start()
	return s
}

func (s *search) refresh() {
	s.race, s.phase, s.life, s.attrib = s.open[protocol.Race], s.open[protocol.Phase], s.open[protocol.Lifetime], s.open[protocol.Attribution]
}

// timeCheck is how many states pass between two looks at the clock.
const timeCheck = 1024

func (s *search) run() *engine.Result {
	limit, levels := "", []int(nil)
	s.occ = s.occupied(s.next)
	s.store.add(s.next, s.occ, -1, 0)
	s.inspect(0)
	levelEnd := 1
	i := 0
	for ; i < s.store.len() && len(s.open) > 0; i++ {
		if i == levelEnd {
			s.depth++
			levelEnd = s.store.len()
			if levels = append(levels, levelEnd); s.hopeless(levels, fairTrial) {
				limit = fmt.Sprintf("the prospect of far more than %s states", number(s.lim.States))
				break
			}
		}
		if limit = s.exceeded(i); limit != "" {
			break
		}
		s.expand(i)
	}
	return s.result(limit)
}

func (s *search) exceeded(i int) string {
	if s.store.len() >= s.lim.States {
		return fmt.Sprintf("the limit of %s states", number(s.lim.States))
	}
	if s.store.full {
		return memoryLimit(s.lim.Memory)
	}
	if i%timeCheck != 0 && len(s.cur) < 4*timeCheck {
		return ""
	}
	if s.store.bytes() > s.store.limit {
		return memoryLimit(s.lim.Memory)
	}
	return s.ended()
}

// expand visits every successor of state i.
func (s *search) expand(i int) {
	s.load(i)
	moved := false
	for _, slot := range s.occ {
		at := &s.m.Slots[slot]
		switch at.Where {
		case protocol.AtLocation:
			if at.Op == len(s.p.Classes[at.Class].Ops) || !s.m.Enabled(s.cur, at.Class, at.Op) {
				continue
			}
			moved = true
			s.arrive(i, slot, at, s.m.Step(s.next, at.Class, at.Op, 1))
			s.restore()
		case protocol.InFlight:
			moved = true
			s.arrive(i, slot, at, s.m.Complete(s.next, at.Class, at.Op, 1))
			s.restore()
		}
	}
	if !moved {
		s.settle(i)
	}
}

// load makes state i the current one.
func (s *search) load(i int) {
	for _, k := range s.occ {
		s.next[k] = 0
	}
	s.store.decode(i, s.cur, s.occ)
	s.occ = append(s.occ[:0], s.store.occ...)
	for _, k := range s.occ {
		s.next[k] = s.cur[k]
	}
	copy(s.next[len(s.m.Slots):], s.cur[len(s.m.Slots):])
}

// restore takes the last step back.
func (s *search) restore() {
	for _, k := range s.touched {
		s.next[k] = s.cur[k]
	}
	copy(s.next[len(s.m.Slots):], s.cur[len(s.m.Slots):])
}

// occupiable lists, in order, the slots that were occupied before the last step or were touched by it.
func (s *search) occupiable() []int32 {
	slices.Sort(s.touched)
	out, k := s.slots[:0], 0
	for _, i := range s.occ {
		for ; k < len(s.touched) && s.touched[k] < i; k++ {
			out = append(out, s.touched[k])
		}
		out = append(out, i)
	}
	s.slots = append(out, s.touched[k:]...)
	return s.slots
}

// arrive looks at the step from state i to next, and keeps next if it is new.
func (s *search) arrive(i int, slot int32, at *protocol.Slot, ok bool) {
	s.touched = append(s.touched[:0], s.m.Touched...) // what is found is run again, on the same machine
	if s.attrib && len(s.m.Credits) > 0 {
		object, bad, unsure := s.misattributed(at.Class, at.Op)
		if bad && ok {
			s.violated(protocol.Attribution, object, i, slot, nil)
		}
		if unsure {
			s.unsure[protocol.Attribution] = spans
		}
	}
	if !ok {
		if s.open[protocol.Arrivals] {
			s.violated(protocol.Arrivals, s.m.Credits[len(s.m.Credits)-1].Mbar, i, slot, nil)
		}
		return // what the hardware does now is undefined; nothing beyond means anything
	}
	if s.store.add(s.next, s.occupiable(), i, move(slot)) {
		s.inspect(s.store.len() - 1)
	}
}

// spans is why Attribution is not decided.
const spans = "threads of one class arrive for several phases with one operation"

// inspect checks the properties of single states on next, which is state i.
func (s *search) inspect(i int) {
	occ := s.store.occ
	if s.phase {
		if object, bad := s.judge.phase(s.next, occ); bad {
			s.violated(protocol.Phase, object, i, -1, nil)
		}
	}
	if s.life {
		if object, bad := s.lifetime(s.next, occ); bad {
			s.violated(protocol.Lifetime, object, i, -1, nil)
		}
	}
	if s.race {
		pair, unsure := s.judge.race(s.next, occ)
		if pair != nil {
			s.violated(protocol.Race, access(s.p, pair.First).Buffer, i, -1, pair)
		} else if unsure {
			s.unsure[protocol.Race] = "whose operation is in flight is not modelled"
		}
	}
}

// settle judges state i, from which no step is possible.
func (s *search) settle(i int) {
	r := s.stuck(s.occ)
	switch {
	case r.done:
		for _, prop := range []protocol.Property{protocol.Bytes, protocol.Quiet} {
			if object, bad := s.leftover(s.cur, prop); bad && s.open[prop] {
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

func (s *search) result(limit string) *engine.Result {
	r := &engine.Result{Engine: Name, Properties: s.answers, States: s.store.len(), Depth: s.depth, Complete: limit == ""}
	for prop := range s.open {
		switch {
		case limit != "":
			r.Properties[prop] = engine.Answer{Object: -1, Reason: fmt.Sprintf("stopped by %s after %s states, complete to depth %s of %s", limit, number(r.States), number(max(0, s.depth-1)), number(s.steps))}
		case s.unsure[prop] != "":
			r.Properties[prop] = engine.Answer{Object: -1, Reason: s.unsure[prop]}
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
	if !seen[protocol.Spin] {
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
