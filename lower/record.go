package lower

import (
	"slices"
	"strconv"

	"github.com/fencepost-dev/fencepost/protocol"
)

// record is a watched evaluation and what came of it.
type record struct {
	*watcher
	p *protocol.Protocol
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

// period is the least number of rounds by which all loops that follow an unknown grow, 0 where that is not shown.
func (r *record) period(u string) int {
	most := 0
	for _, log := range r.logs {
		for _, st := range log.steps {
			if st.left != nil && r.unknowns[st.left.unknown] == u {
				most = max(most, len(st.left.heads)-1)
			}
		}
	}
	for p := 1; p <= most; p++ {
		if _, reason := r.certified(map[string]int{u: p}); reason == "" {
			return p
		}
	}
	return 0
}

// certified shows that all groups grow by periods of rounds, and gives the round of each loop at which they can be put in.
func (r *record) certified(periods map[string]int) (leads map[*watch]map[*turns]int, reason string) {
	leads = map[*watch]map[*turns]int{}
	for _, log := range r.logs {
		if leads[log], reason = log.certified(periods); reason != "" {
			return nil, reason
		}
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
	for _, st := range w.steps {
		if st.head == nil || st.head.index > 0 {
			continue
		}
		t := st.head.of
		lead, grows := leads[t]
		if !grows {
			continue
		}
		l := protocol.Loop{Unknown: w.unknowns[t.unknown], Class: class, Lead: lead}
		for _, h := range t.heads {
			l.Heads = append(l.Heads, h.at)
		}
		if end := len(l.Heads) - 1; l.Heads[end] < t.end { // left in the middle of a round
			l.Heads = append(l.Heads, t.end)
		}
		out = append(out, l)
	}
	return out
}

// valuesOf are the values that an instance was lowered with.
func valuesOf(p *protocol.Protocol) map[string]int64 {
	out := map[string]int64{}
	for u, v := range p.Values {
		out[u], _ = strconv.ParseInt(v, 10, 64)
	}
	return out
}
