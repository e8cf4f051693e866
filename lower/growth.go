package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/iteration"
	"github.com/fencepost-dev/fencepost/lower/value"
)

// growth is how instances grow with an unknown.
type growth struct {
	least  int    // the value from which on they do
	reason string // why they are not known to
}

// often is a number of rounds after which most loops that go round anything are where they were.
const often = 12

// firstRounds and mostRounds bound the rounds that are looked at for a period.
const firstRounds, mostRounds = 8, 96

// find looks for the least value of each unknown from which on instances grow with it, with the others as in the largest
// of the combinations that were swept.
func (f *family) find(k *Kernel) {
	if f.grows != nil {
		return
	}
	f.grows = map[string]*growth{}
	rounds := k.Rounds[:min(len(k.Rounds), iteration.MaxUnknowns)]
	for _, u := range rounds {
		f.grows[u] = &growth{}
	}
	for _, u := range rounds {
		var largest map[string]int64
		for _, p := range k.Instances {
			if values := p.Numbers(); largest == nil || values[u] >= largest[u] && len(values) >= len(largest) {
				largest = values
			}
		}
		f.grows[u].find(f, u, largest)
	}
}

// find looks for the least period, and the least value from which on each instance grows by it.
func (g *growth) find(f *family, u string, values map[string]int64) {
	far, period := max(firstRounds, min(3*f.depth+2, mostRounds)), 0 // a ring of that depth is where it was after twice as many
	r, reason := (*record)(nil), ""
	for ; ; far = min(2*far, mostRounds) {
		if r, reason = f.twice(valued(values, u, far), nil); reason != "" {
			g.reason = reason
			return
		}
		if f.spent > f.fuel()/dearFind {
			g.reason = tooDear
			return
		}
		if period = r.period(u); period > 0 || far == mostRounds {
			break
		}
	}
	if period == 0 {
		_, g.reason = r.certified(map[string]int{u: often})
		return
	}
	good := 0
	for at := int64(0); at <= 2*far+int64(period); at++ {
		reason = f.repeats(valued(values, u, at), u, period, good > 0)
		if good++; reason != "" {
			good = 0
		}
		if good == period {
			g.least = int(at) - period + 1
			return
		}
	}
	g.reason = reason
}

// repeats says why an instance does not grow by periods of an unknown; "" if it does. If the one before did, it is likely to
// do so where that did.
func (f *family) repeats(values map[string]int64, u string, period int, before bool) (reason string) {
	for _, only := range []repeating{f.leads, nil} {
		if only != nil && !before {
			continue
		}
		r, why := f.twice(values, only)
		if reason = why; reason == "" {
			r.periods = map[string]int{u: period}
			if r.leads, reason = r.certified(r.periods); reason == "" && f.learn(r) {
				return ""
			}
		}
	}
	return reason
}

// key is what a record depends on.
func (f *family) key(values map[string]int64) string {
	return fmt.Sprint(values, len(f.places), len(f.loops))
}

// twice is watched, where the instance is the one that is lowered without.
func (f *family) twice(values map[string]int64, only repeating) (*record, string) {
	r, reason := f.watched(values, only)
	if reason != "" {
		return nil, reason
	}
	f.records[f.key(values)] = r
	if p := f.plain(values); p == nil || p.Digest() != r.p.Digest() {
		return nil, "its rounds cannot be told without their number"
	}
	return r, ""
}

// watched evaluates a combination with the loops that follow unknowns in view, with a survey at the heads of some of their
// rounds only, if these are given.
func (f *family) watched(values map[string]int64, only repeating) (*record, string) {
	for range 6 {
		if max(f.first, f.easiest) > f.fuel()/growthPart {
			return nil, tooDear
		}
		w := &watcher{unknowns: slices.Sorted(maps.Keys(f.grows)), grows: f.places, loops: f.loops, only: only, outer: f.outer, seen: map[any]int{}, means: map[string]*value.Expr{}}
		p, in := f.lower(values, w)
		switch {
		case w.reason != "":
			return nil, w.reason
		case w.again || w.growing():
			continue
		case f.l.clock.over:
			return nil, timeIsUp
		case p == nil:
			return nil, fmt.Sprint("it cannot be lowered with ", values)
		case len(in.carriers) > 0:
			return nil, "values travel through shared memory"
		}
		maps.DeleteFunc(p.Values, func(key, _ string) bool { return madeNames.MatchString(key) })
		return &record{watcher: w, p: p}, ""
	}
	return nil, "ever more numbers grow from round to round"
}
