package lower

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// record is a watched evaluation and what came of it.
type record struct {
	*watcher
	p       *protocol.Protocol
	periods map[string]int            // of the unknowns with which it grows, 0 where none is shown
	leads   map[*watch]map[*turns]int // the round of each loop at which periods can be put in
	refusal string                    // why they cannot
}

// growing finds numbers that grow, or shrink, in every round of a loop, and reports whether there are more than before.
func (w *watcher) growing() (more bool) {
	for _, log := range w.logs {
		for _, st := range log.steps {
			if st.left == nil || len(st.left.heads) < 5 {
				continue
			}
			heads := st.left.heads[1:]
			for place := range heads[0].counts {
				if !w.grows[place] && monotone(heads, place) {
					w.grows[place], more = true, true
					if sum, _, ok := strings.Cut(place, sumMark); ok {
						w.grows[sum+sumMark] = true
					}
				}
			}
		}
	}
	return more
}

func monotone(heads []*head, place string) bool {
	for i := 1; i < len(heads); i++ {
		a, oka := heads[i-1].counts[place]
		b, okb := heads[i].counts[place]
		c := heads[1].counts[place] - heads[0].counts[place]
		if !oka || !okb || a == b || (b > a) != (c > 0) {
			return false
		}
	}
	return true
}

// maxAbsent bounds the periods tried where no loop follows an unknown.
const maxAbsent = 64

// rounds is how often the loops that follow an unknown go round at the most. Where evaluation comes to none of them, as behind
// if (n % 2) return, nothing grows and only what tests ask has to come back: that may be after any number.
func (r *record) rounds(u string) (most int) {
	follows := false
	for _, log := range r.logs {
		for _, st := range log.steps {
			if st.left != nil && r.unknowns[st.left.unknown] == u {
				most, follows = max(most, len(st.left.heads)-1), true
			}
		}
	}
	if !follows {
		return maxAbsent
	}
	return most
}

// repeating is where loops were seen to repeat: by period, the rounds from which on they do.
type repeating map[program.Stmt]map[int][]int

// at reports whether the first round of a loop begins at a head, or what repeats begins or ends there. A loop with others
// in it may repeat sooner, with another number of their rounds.
func (l repeating) at(of program.Stmt, head int, outer bool) bool {
	for period, leads := range l[of] {
		for _, lead := range leads {
			if d := head - lead; d == 0 || d == period || outer && d > 0 && period%d == 0 {
				return true
			}
		}
	}
	return head == 0
}

// period is the least number of rounds by which all loops that follow an unknown grow, 0 where that is not shown.
func (r *record) period(u string) int {
	most := r.rounds(u)
	for p := 1; p <= most; p++ {
		if !r.returns(u, p) {
			continue
		}
		if _, reason := r.certified(map[string]int{u: p}); reason == "" {
			return p
		}
	}
	return 0
}

// certify finds the periods of unknowns, and reports whether the instance grows by all of them together.
func (r *record) certify(unknowns []string) bool {
	r.periods = map[string]int{}
	for _, u := range unknowns {
		most := r.rounds(u)
		r.periods[u] = 0
		for p := 1; p <= most && r.periods[u] == 0; p++ {
			if r.returns(u, p) {
				r.periods[u] = p
			}
		}
	}
	if r.leads, r.refusal = r.certified(r.periods); r.refusal == "" {
		return !slices.Contains(slices.Collect(maps.Values(r.periods)), 0)
	}
	for _, u := range unknowns {
		r.periods[u] = r.period(u)
	}
	r.leads, r.refusal = r.certified(r.periods)
	return r.refusal == "" && !slices.Contains(slices.Collect(maps.Values(r.periods)), 0)
}

// returns reports whether all loops that follow an unknown come back, after so many rounds, to what they held.
func (r *record) returns(u string, period int) bool {
	for _, log := range r.logs {
		for _, st := range log.steps {
			if st.left == nil || !log.finished || r.unknowns[st.left.unknown] != u {
				continue
			}
			heads := st.left.heads
			again := false
			for i := 0; i <= maxLead && i+period < len(heads); i++ {
				again = again || heads[i].seen && heads[i+period].seen && heads[i].state == heads[i+period].state
			}
			if !again {
				return false
			}
		}
	}
	return true
}

// insertions goes through the executions of loops in which rounds can be put in, in the order in which they begin, with where.
func (w *watch) insertions(leads map[*turns]int) iter.Seq2[*turns, int] {
	return func(yield func(*turns, int) bool) {
		for _, st := range w.steps {
			if st.head == nil || st.head.index > 0 {
				continue
			}
			if lead, grows := leads[st.head.of]; grows && !yield(st.head.of, lead) {
				return
			}
		}
	}
}

// recurrence is where an execution of a loop repeats.
type recurrence struct{ lead, period int }

// repeats goes through the executions of loops in which periods can be put in.
func (r *record) repeats() iter.Seq2[*turns, recurrence] {
	return func(yield func(*turns, recurrence) bool) {
		for _, log := range r.logs {
			for t, lead := range log.insertions(r.leads[log]) {
				if !yield(t, recurrence{lead, r.periods[r.unknowns[t.unknown]]}) {
					return
				}
			}
		}
	}
}

// meetings says in which loops the lanes of a warp are taken to meet, how often in the rounds that are put in. Whether lanes
// meet at all at a place is decided by whether all of a warp are there equally often (ring.go): they still are if these are
// the same.
func (w *watch) meetings(leads map[*turns]int, periods map[string]int) (out []string) {
	for t, lead := range w.insertions(leads) {
		from, to := t.heads[lead].joints, t.heads[lead+periods[w.unknowns[t.unknown]]].joints
		var places []string
		for j, n := range to {
			if n != from[j] {
				places = append(places, fmt.Sprint(j, n-from[j]))
			}
		}
		if slices.Sort(places); len(places) > 0 {
			out = append(out, fmt.Sprint(t.unknown, places))
		}
	}
	return out
}

// apart reports whether lanes of a warp that meet do so in different ways.
func (r *record) apart(leads map[*watch]map[*turns]int, periods map[string]int) bool {
	type warp struct{ cta, index int64 }
	known := map[warp][]string{}
	for _, log := range r.logs {
		if !log.finished {
			continue
		}
		meetings := log.meetings(leads[log], periods)
		for _, t := range log.m.threads {
			at := warp{log.m.cta, t / 32}
			if old, ok := known[at]; ok && !slices.Equal(old, meetings) {
				return true
			}
			known[at] = meetings
		}
	}
	return false
}

// certified shows that all groups grow by periods of rounds, and gives the round of each loop at which they can be put in.
func (r *record) certified(periods map[string]int) (leads map[*watch]map[*turns]int, reason string) {
	leads = map[*watch]map[*turns]int{}
	for _, log := range r.logs {
		if leads[log], reason = log.certified(periods); reason != "" {
			return nil, reason
		}
	}
	if r.apart(leads, periods) {
		return nil, "lanes of a warp meet more often than others from round to round"
	}
	return leads, ""
}

// loops puts the loops in which rounds can be put in into the instance.
func (r *record) loops(leads map[*watch]map[*turns]int) string {
	for class := range r.p.Classes {
		c := &r.p.Classes[class]
		var first []protocol.Loop
		for _, log := range r.logs {
			if !log.finished || int(log.m.cta) != c.CTA || !slices.Contains(c.Threads, int(log.m.threads[0])) {
				continue
			}
			loops := log.executions(class, leads[log])
			if first != nil && !slices.EqualFunc(first, loops, func(a, b protocol.Loop) bool {
				return a.Unknown == b.Unknown && slices.Equal(a.Heads, b.Heads) && a.Lead == b.Lead
			}) {
				return "threads of one class go through their rounds differently"
			}
			first = loops
		}
		r.p.Loops = append(r.p.Loops, first...)
	}
	return ""
}

// executions are the loops of a group, in the order in which they begin.
func (w *watch) executions(class int, leads map[*turns]int) []protocol.Loop {
	out := []protocol.Loop{}
	for t, lead := range w.insertions(leads) {
		l := protocol.Loop{Unknown: w.unknowns[t.unknown], Class: class, Lead: lead}
		for _, h := range t.heads {
			l.Heads = append(l.Heads, h.at)
		}
		if end := len(l.Heads) - 1; l.Heads[end] < t.end { // left in the middle of a round
			l.Heads = append(l.Heads, t.end)
		}
		if l.Heads[0] < l.Heads[len(l.Heads)-1] { // one without operations is none
			out = append(out, l)
		}
	}
	return out
}
