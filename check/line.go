package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/protocol"
)

// line is one line of a counterexample: what some threads do at one statement.
type line struct {
	site   protocol.Site
	effect string
	parts  []part
	async  []finding.Party // what is issued or completes
	after  []finding.Standing
}

// part is some threads of one CTA. The indices are nil where the protocol does not say them.
type part struct {
	cta     int
	indices []int
	name    string
}

func (l *line) actor() string {
	slices.SortStableFunc(l.parts, func(a, b part) int { return a.cta - b.cta })
	first := l.parts[0]
	names := make([]string, len(l.parts))
	ctas := make([]int, len(l.parts))
	alike := first.indices != nil
	for i, p := range l.parts {
		names[i], ctas[i] = p.name, p.cta
		alike = alike && slices.Equal(p.indices, first.indices)
	}
	if alike {
		return replay.ThreadNames(first.indices, ctas...)
	}
	return strings.Join(names, " and ")
}

// by is the actor in parts; what completes, nobody does.
func (l *line) by() (out []finding.Party) {
	for _, p := range l.parts {
		if p.indices != nil || len(l.async) == 0 {
			out = append(out, party(p.cta, p.indices, p.name))
		}
	}
	return append(out, l.async...)
}

// party is some threads of a CTA, by their name where they have no indices.
func party(cta int, indices []int, name string) finding.Party {
	p := finding.Party{CTA: cta}
	if len(indices) == 0 {
		p.Name = name
	}
	for _, i := range indices {
		if n := len(p.Threads) - 1; n >= 0 && p.Threads[n][1]+1 == i {
			p.Threads[n][1] = i
			continue
		}
		p.Threads = append(p.Threads, [2]int{i, i})
	}
	return p
}

// flight is what was issued at a place and goes on without the threads of its CTA.
func flight(cta int, site protocol.Site, n int) finding.Party {
	return finding.Party{CTA: cta, Name: fmt.Sprintf("operations issued at line %d", site.Line), Async: true, InFlight: n}
}

// leaves takes in how things stand after a step that is part of the line, and what is in flight then.
func (l *line) leaves(async []finding.Party, after []finding.Standing) {
	for _, p := range async {
		same := func(o finding.Party) bool { return o.CTA == p.CTA && o.Name == p.Name }
		if i := slices.IndexFunc(l.async, same); i >= 0 {
			l.async[i] = p
		} else {
			l.async = append(l.async, p)
		}
	}
	for _, s := range after {
		same := func(o finding.Standing) bool { return o.Object == s.Object }
		if i := slices.IndexFunc(l.after, same); i >= 0 {
			l.after[i] = s
		} else {
			l.after = append(l.after, s)
		}
	}
}

// ends says what a step leaves behind.
func (st *statements) ends(s replay.StepInfo) (async []finding.Party, after []finding.Standing) {
	if st.op(s.Step).Kind == protocol.Issue {
		async = append(async, flight(st.cta(s.Step), s.Site, s.InFlight))
	}
	for _, a := range s.After {
		after = append(after, finding.Standing(a))
	}
	return async, after
}

// add takes threads of the CTA of the last part into it.
func (l *line) add(p part) {
	last := &l.parts[len(l.parts)-1]
	last.indices = append(slices.Clone(last.indices), p.indices...)
	slices.Sort(last.indices)
	last.name = replay.ThreadNames(last.indices, last.cta)
}

// accepts reports whether threads are of the CTA of the last part, and all have names.
func (l *line) accepts(p part) bool {
	last := l.parts[len(l.parts)-1]
	return last.cta == p.cta && last.indices != nil && p.indices != nil
}

// joined makes the lines of a counterexample. Neighbouring steps of a statement by threads of one CTA are one line,
// which says what the last of them leads to; a step that completes a barrier ends its line. Warps that meet each at their
// own barrier are one line, and so are inits of several mbarriers in a row, and two CTAs that do the same with the same effect.
func joined(p *protocol.Protocol, steps []replay.StepInfo) []line {
	st := newStatements(p)
	var lines []line
	var last []replay.StepInfo // of each line
	for i := 0; i < len(steps); i++ {
		if l, n := st.warps(steps[i:]); n > 1 {
			for _, s := range steps[i : i+n] {
				l.leaves(st.ends(s))
			}
			i += n - 1
			lines, last = append(lines, l), append(last, steps[i])
			continue
		}
		s := steps[i]
		now := part{st.cta(s.Step), s.Indices, s.Threads}
		if n := len(lines) - 1; n >= 0 && st.together(last[n].Step, s.Step) && lines[n].accepts(now) &&
			st.sameObject(last[n].Step, s.Step) && !strings.HasSuffix(lines[n].effect, "complete") {
			lines[n].add(now)
			lines[n].leaves(st.ends(s))
			lines[n].effect, last[n] = s.Effect, s
			continue
		}
		if n := len(lines) - 1; n >= 0 && st.inits(last[n], s) {
			name, counts, _ := strings.Cut(strings.TrimPrefix(s.Effect, "init of "), ": ")
			if before, ok := strings.CutSuffix(lines[n].effect, ": "+counts); ok {
				lines[n].effect, last[n] = before+", "+name+": "+counts, s
				lines[n].leaves(st.ends(s))
				continue
			}
		}
		l := line{site: s.Site, effect: s.Effect, parts: []part{now}}
		l.leaves(st.ends(s))
		lines, last = append(lines, l), append(last, s)
	}
	var out []line
	for i, l := range lines {
		if n := len(out) - 1; n >= 0 && st.together(last[i-1].Step, last[i].Step) && l.effect == out[n].effect && !out[n].has(l.parts[0].cta) {
			out[n].parts = append(out[n].parts, l.parts...)
			out[n].leaves(l.async, l.after)
			continue
		}
		out = append(out, l)
	}
	return out
}

// inits reports whether two steps are inits by one thread at one line.
func (st *statements) inits(a, b replay.StepInfo) bool {
	return a.Class == b.Class && st.op(a.Step).Kind == protocol.Init && st.op(b.Step).Kind == protocol.Init && a.Site.Path == b.Site.Path &&
		a.Site.Line == b.Site.Line && slices.Equal(a.Indices, b.Indices) && a.Indices != nil
}

// warps makes one line of the first n steps, where these are of one statement, each warp of the CTA meets at its own
// barrier, and all come equally far.
func (st *statements) warps(steps []replay.StepInfo) (l line, n int) {
	effects := map[int]string{} // by warp
	var threads []int
	for _, s := range steps {
		op := st.op(s.Step)
		if op.Kind != protocol.NamedArrive && op.Kind != protocol.NamedSync || st.p.Named[op.Object].ID < protocol.WarpBarrier ||
			s.Indices == nil || !st.together(steps[0].Step, s.Step) || st.cta(steps[0].Step) != st.cta(s.Step) {
			break
		}
		_, effect, _ := strings.Cut(s.Effect, ": ")
		effects[st.p.Named[op.Object].ID-protocol.WarpBarrier] = effect
		threads = append(threads, s.Indices...)
		n++
	}
	if len(effects) < 2 {
		return line{}, 0
	}
	ids := slices.Sorted(maps.Keys(effects))
	for _, w := range ids {
		if effects[w] != effects[ids[0]] {
			return line{}, 0
		}
	}
	slices.Sort(threads)
	cta := st.cta(steps[0].Step)
	effect := fmt.Sprintf("%s on the barriers of warps %s: %s", st.op(steps[0].Step).Kind, replay.Ranges(ids), effects[ids[0]])
	return line{site: steps[0].Site, effect: effect, parts: []part{{cta, threads, replay.ThreadNames(threads, cta)}}}, n
}

// sameObject reports whether the effect of one step says how the object of the other stands too. What an Issue puts in
// flight is counted for each class by itself.
func (st *statements) sameObject(a, b engine.Step) bool {
	x, y := st.op(a), st.op(b)
	return x.Object == y.Object && (x.Kind != protocol.Issue || a.Class == b.Class)
}

func (l *line) has(cta int) bool {
	return slices.ContainsFunc(l.parts, func(p part) bool { return p.cta == cta })
}
