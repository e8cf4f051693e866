package barriers

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/limit"
)

// leastRounds is how many rounds a loop that data end has at least, when it has many: what one of them leaves for a later one, and that for another, comes about.
const leastRounds = 8

// waysOf lists what is tried for a condition of data: first that threads go on, then that they leave; of a loop, how many rounds it has.
func waysOf(c exec.Condition) []int64 {
	switch {
	case c.Loop && c.Sure:
		return []int64{1, 2, 0, 3, max(leastRounds, c.Cycle+1), max(2*leastRounds, 2*c.Cycle+1)}
	case c.Loop:
		return []int64{1, 2, 0}
	case c.Ends[0]:
		return []int64{1, 0}
	}
	return []int64{0, 1}
}

// maxFlipped is how many conditions are tried the other way, all together with each other.
const maxFlipped = 3

// doubtConditions takes back what was found where it was tried which ways branches go: whether data make them go so together is not known. A race
// stays where that makes no difference: with every other choice among the conditions one of the two accesses is not made, or there is the same race.
// That threads go on where else they end, and that all loops have the same number of rounds, needs no such test: nothing else comes to the two accesses.
// Two accesses that are each made as another condition says may exclude each other: that is not told.
func (s *search) doubtConditions(r *Report) error {
	if r.Verdict != engine.Violated || !slices.ContainsFunc(slices.Collect(maps.Keys(r.Execution.Launch.Params)), exec.IsCondition) {
		return nil
	}
	kept, err := s.surely(r)
	if err != nil {
		return err
	}
	for c, v := range r.Checks {
		if v == engine.Violated && !slices.ContainsFunc(kept, func(f order.Finding) bool { return f.Check == order.Check(c) }) {
			r.Checks[c] = engine.Inconclusive
		}
	}
	if r.Findings = kept; kept != nil {
		r.sum()
		return nil
	}
	name := slices.MinFunc(slices.DeleteFunc(slices.Collect(maps.Keys(r.Execution.Launch.Params)), func(name string) bool { return !exec.IsCondition(name) }), strings.Compare)
	r.Verdict = engine.Inconclusive
	r.Reasons = []exec.Halt{{Why: limit.PerhapsWrong.Says("something is wrong if branches that depend on data go as was tried, and whether they go so together is not known: " + name[1:])}}
	return nil
}

// surely are the races of a run that do not depend on how the conditions of data go together; nil: none is known.
func (s *search) surely(r *Report) (kept []order.Finding, err error) {
	e := r.Execution
	if kept = r.leftOut(); kept != nil {
		return kept, nil
	}
	for c, v := range r.Checks {
		if v == engine.Violated && order.Check(c) != order.Race && !order.Check(c).Warning() {
			return nil, nil
		}
	}
	if len(e.Stuck) > 0 || s.whole.Mbarriers() {
		return nil, nil
	}
	var flip, ends []string
	rounds, within := int64(-1), false
	for _, name := range slices.Sorted(maps.Keys(e.Launch.Params)) {
		if !exec.IsCondition(name) {
			continue
		}
		way := e.Launch.Params[name]
		switch c, met := e.Conditions[name]; {
		case !met:
		case c.Unfollowed:
			return nil, nil
		case c.Loop && rounds >= 0 && rounds != way:
			return nil, nil
		case c.Loop:
			rounds = way
		case c.Ends[1-min(way, 1)] && !c.Within: // else threads end
			ends = append(ends, name)
		default:
			flip, within = append(flip, name), within || c.Within
		}
	}
	if len(flip) > maxFlipped {
		return nil, nil
	}
	kept = slices.DeleteFunc(slices.Clone(r.Findings), func(f order.Finding) bool {
		return f.Check != order.Race || f.Benign || len(f.Points) < 2 || r.oneOfThem(&f)
	})
	var others [][]string
	for some := 1; some < 1<<len(flip); some++ {
		var names []string
		for k, name := range flip {
			if some>>k&1 != 0 {
				names = append(names, name)
			}
		}
		others = append(others, names)
	}
	free := len(others)
	alone := slices.Clone(kept) // what one condition that all threads have in common, and memory decides, makes of it
	if len(flip) != 1 || len(ends) > 0 || !e.Conditions[flip[0]].Loaded {
		alone = nil
	}
	for _, name := range ends {
		others = append(others, []string{name})
	}
	type pair [2]uint32
	first, second := map[pair]bool{}, map[pair]bool{} // races without whose one access another choice goes, and whose other
	for k, names := range others {
		if len(kept) == 0 {
			break
		}
		with := e.Launch
		with.Params = maps.Clone(with.Params)
		for _, name := range names {
			with.Params[name] = 1 - with.Params[name]
		}
		other, err := s.otherwise(with)
		if err != nil {
			return nil, err
		}
		if other == nil { // where the others lead is not known
			kept = nil
			break
		}
		kept = slices.DeleteFunc(kept, func(f order.Finding) bool {
			p := pair{f.Points[0].Place, f.Points[1].Place}
			a, b := other.touched[p[0]], other.touched[p[1]]
			first[p], second[p] = first[p] || b && !a, second[p] || a && !b
			if first[p] && second[p] { // each is made as something else says: these may exclude each other
				return true
			}
			return k < free && (within || a && b) && !slices.ContainsFunc(other.Findings, func(o order.Finding) bool { return samePlaces(&f, &o) })
		})
	}
	if len(kept) == 0 && len(alone) > 0 { // there is a way that nobody would have written if data never led to it
		kept, r.Presumed = alone, true
	}
	if len(kept) == 0 {
		return nil, nil
	}
	return kept, nil
}

// leftOut are the instructions whose masks leave out lanes that run them, unless data choose the lanes by their numbers. That data alone choose just those of a mask is
// possible, but not what a mask that names its lanes is written for.
func (r *Report) leftOut() (out []order.Finding) {
	for _, f := range r.Findings {
		if f.Check != order.Divergence || len(f.Points) != 1 || !r.excluded(f.Points[0]) {
			continue
		}
		presumed, chosen := false, false
		for name, c := range r.Execution.Conditions {
			if _, given := r.Execution.Launch.Params[name]; given && !c.Alike && (c.Apart == nil || c.Apart[f.Points[0].Place]) {
				presumed, chosen = true, chosen || c.Laned
			}
		}
		if !chosen {
			out, r.Presumed = append(out, f), r.Presumed || presumed
		}
	}
	return out
}

// LeavesOut reports whether all that is wrong is that masks leave out lanes that run their instructions.
func (r *Report) LeavesOut() bool {
	return r.Verdict == engine.Violated && !slices.ContainsFunc(r.Findings, func(f order.Finding) bool {
		return !f.Benign && !(f.Check == order.Divergence && len(f.Points) == 1 && r.excluded(f.Points[0]))
	})
}

// oneOfThem reports whether a race is one of threads of which data may let only some come there.
func (r *Report) oneOfThem(f *order.Finding) bool {
	a, b := f.Points[0].Place, f.Points[1].Place
	for name, c := range r.Execution.Conditions {
		if _, given := r.Execution.Launch.Params[name]; given && !c.Sure && (a == b || !c.Loop && c.Apart[a] && c.Apart[b]) {
			return true
		}
	}
	return false
}

// otherwise is a run that goes other ways, to its end: conditions that it is in want of have the first of their ways. nil: there is none.
func (s *search) otherwise(with exec.Launch) (*Report, error) {
	for asked := 0; asked < maxInputs && !s.over(); asked++ {
		r, err := s.once(with, true, false)
		if err != nil || r.Result != nil {
			return r, err
		}
		want, list := s.ask(r)
		if !exec.IsCondition(want) {
			return nil, nil
		}
		with = given(with, want, list[0])
	}
	return nil, nil
}

func samePlaces(f, g *order.Finding) bool {
	if g.Check != order.Race || g.Benign || len(g.Points) < 2 {
		return false
	}
	a, b, c, d := f.Points[0].Place, f.Points[1].Place, g.Points[0].Place, g.Points[1].Place
	return a == c && b == d || a == d && b == c
}

// makes reports whether a run makes both accesses of a race, or comes to where a mask leaves out lanes; of what is neither, whether it makes any access.
func (r *Report) makes(f *order.Finding) bool {
	switch {
	case f.Check == order.Divergence && len(f.Points) == 1 && r.excluded(f.Points[0]):
		return r.comesTo(f.Points[0].Place)
	case f.Check != order.Race || len(f.Points) < 2:
		return !r.idle
	}
	return r.touched[f.Points[0].Place] && r.touched[f.Points[1].Place]
}

// comesTo reports whether some thread has a command of a place.
func (r *Report) comesTo(place uint32) bool {
	return slices.ContainsFunc(r.Execution.Program.Warps, func(w *order.Warp) bool {
		return slices.ContainsFunc(w.Commands, func(c order.Command) bool { return c.Place == place })
	})
}

// spare counts the runs that do not show what was found although they make the accesses of it, and leaves out what is found where that is so of some
// findings alone and the kernel has guesses.
func (s *search) spare(r *Report, runs []*Report) {
	spared := make([]int, len(r.Findings))
	for _, run := range runs {
		if run.Result == nil || run.Verdict == engine.Violated {
			continue
		}
		c := s.contactsOf(run)
		for k := range r.Findings {
			if f := &r.Findings[k]; run.makes(f) && !c.confirm(r, f) {
				spared[k]++
			}
		}
	}
	least := -1
	for k, n := range spared {
		if f := &r.Findings[k]; !f.Benign && !f.Check.Warning() && (least < 0 || n < least) {
			least = n
		}
	}
	if r.Spared = max(least, 0); !s.whole.Guessed() {
		return
	}
	kept := r.Findings[:0:0]
	for k, f := range r.Findings {
		if f.Benign || spared[k] <= r.Spared {
			kept = append(kept, f)
		}
	}
	r.Findings = kept
}
