package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// reallocation is a setmaxnreg that threads of a group execute.
type reallocation struct {
	action string        // "dec", "inc", or "" where it is not known
	count  int64         // of registers a thread; -1 where it is not known
	by     []value.Lanes // each 1 for those that do; none for the whole group
	at     protocol.Site
}

// reallocations are those of a group, in order.
type reallocations struct {
	list    []reallocation
	unclear bool // who executes them
}

func (m *machine) reallocates(o operands) {
	m.in.assumed["setmaxnreg finds its registers"] = inWords
	if m.sampling && (len(m.takers) == 0 || slices.ContainsFunc(m.takers, func(t value.Lanes) bool { return t == nil })) {
		m.reallocated.unclear = true
		return
	}
	r := reallocation{o.op.Text("action", ""), -1, slices.Clone(m.takers), m.bare(o.node)}
	if n, ok := value.Whole(o.value("count")).(value.Int); ok {
		r.count = int64(n)
	}
	m.reallocated.list = append(m.reallocated.list, r)
}

// takersOf tells who takes a branch and who does not, where the threads' own numbers decide it.
func (m *machine) takersOf(test value.Value) (yes, no value.Lanes) {
	each, ok := value.TruthValue(test).(value.Lanes)
	if !ok || m.sampling && len(m.takers) == 0 { // what is around may not happen
		return nil, nil
	}
	no = make(value.Lanes, len(each))
	for i, x := range each {
		no[i] = 1 - x
	}
	return each, no
}

// armOf runs an arm of a branch that is taken both ways.
func (m *machine) armOf(who value.Lanes, arm []program.Stmt, s *value.Scope) (control, value.Value) {
	old := m.takers
	m.takers = append(slices.Clone(old), who)
	defer func() { m.takers = old }()
	return m.arm(arm, s)
}

// of lists what the i-th thread of the group executes. A setmaxnreg that asks for what the warp already has changes
// nothing: code that several roles share may say it once more.
func (rs reallocations) of(i int) []reallocation {
	var out []reallocation
	for _, r := range rs.list {
		n := len(out)
		again := n > 0 && r.count >= 0 && out[n-1].count == r.count
		if !again && !slices.ContainsFunc(r.by, func(who value.Lanes) bool { return who[i] == 0 }) {
			out = append(out, r)
		}
	}
	return out
}

// warpgroupThreads is four warps whose first has a rank that four divides (PTX ISA 9.7.15.1).
const warpgroupThreads = 128

// uneven notes what CTAs do wrong with their registers: a setmaxnreg that some threads of a warpgroup execute and others
// do not, as all its warps must (PTX ISA 9.7.19.5), or an increase that cannot be had.
func (w *sweep) uneven(in *instance, groups []*machine) {
	if w.la.guessed || !slices.ContainsFunc(groups, func(m *machine) bool { return len(m.reallocated.list) > 0 }) {
		return
	}
	for cta := range in.ctas {
		for first := 0; first < in.blockThreads(); first += warpgroupThreads {
			w.unevenIn(in, cta, first, groups)
		}
		if w.la.limit == "" {
			w.overdrawn(in, cta, groups)
		}
	}
}

// registersOfSM is how many there are, and registerStep how finely they are given out (CUDA Programming Guide, compute
// capabilities 9.0 to 12.0; PTX ISA 9.7.19.5).
const (
	registersOfSM = 65536
	registerStep  = 8
)

// overdrawn notes an increase that cannot be had: the registers of a CTA are those that it was launched with, as many for each
// thread, and threads that give none back keep theirs. So what the others end up with is at most what they were launched with.
func (w *sweep) overdrawn(in *instance, cta int, groups []*machine) {
	var sum, threads, keep int64
	var most reallocation
	for _, m := range groups {
		if m.cta != int64(cta) {
			continue
		}
		for i := range m.threads {
			list := m.reallocated.of(i)
			if m.reallocated.unclear || len(list) > 0 && list[len(list)-1].count < 0 {
				return
			}
			if len(list) == 0 {
				keep++
				continue
			}
			threads++
			last := list[len(list)-1]
			sum += last.count
			if last.action == "inc" && last.count > most.count {
				most = last
			}
		}
	}
	each := registersOfSM / int64(in.blockThreads()) / registerStep * registerStep
	if pool := each * threads; most.count > 0 && sum > pool {
		what := fmt.Sprintf("all threads of the CTA together want %d registers; expected at most %d", sum, pool)
		if keep > 0 {
			what = fmt.Sprintf("%d threads want %d registers, %d keep theirs; expected at most %d", threads, sum, keep, pool)
		}
		w.k.undefined(Undefined{Rule: Overdrawn, Site: most.at, Alone: true, What: fmt.Sprintf("%s asks for what cannot be had: %s", most, what)})
	}
}

func (w *sweep) unevenIn(in *instance, cta, first int, groups []*machine) {
	lists := make([][]reallocation, min(warpgroupThreads, in.blockThreads()-first))
	for _, m := range groups {
		for i, t := range m.threads {
			if at := int(t) - first; m.cta == int64(cta) && at >= 0 && at < len(lists) {
				if lists[at] = m.reallocated.of(i); m.reallocated.unclear {
					return
				}
			}
		}
	}
	fewer := func(a, b []reallocation) int { return len(a) - len(b) }
	least, most := slices.MinFunc(lists, fewer), slices.MaxFunc(lists, fewer)
	if len(least) == len(most) {
		return
	}
	without := protocol.Class{CTA: cta}
	for at, list := range lists {
		if len(list) == len(least) {
			without.Threads = append(without.Threads, first+at)
		}
	}
	r := most[len(least)]
	w.k.undefined(Undefined{Rule: UnevenRegisters, Site: r.at, Alone: true, What: fmt.Sprintf(
		"some warps of a warpgroup execute %s here, %s never; expected all of them or none", r, className(&without, in))})
}

func (r reallocation) String() string { return strings.TrimSuffix("setmaxnreg."+r.action, ".") }
