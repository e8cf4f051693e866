package lower

import (
	"fmt"
	"github.com/fencepost-dev/fencepost/protocol"
	"slices"
	"strings"
)

// reallocation is a setmaxnreg that changes how many registers the threads of a group have.
type reallocation struct {
	action string // "dec", "inc", or "" where it is not known
	count  int64  // of registers a thread; -1 where it is not known
	at     protocol.Site
}

// reallocates records a setmaxnreg. One that asks for what the warp already has changes nothing: code that several roles
// share may say it once more.
func (m *machine) reallocates(o operands) {
	m.in.assumed["setmaxnreg finds its registers"] = true
	if m.sampling {
		m.met++ // .sync.aligned: the whole warp executes it
		m.reallocated.unclear = true
		return
	}
	r := reallocation{o.op.Text("action", ""), -1, m.bare(o.node)}
	if n, ok := whole(o.value("count")).(integer); ok {
		r.count = int64(n)
	}
	list := m.reallocated.list
	if n := len(list); n > 0 && r.count >= 0 && list[n-1].count == r.count {
		return
	}
	m.reallocated.list = append(list, r)
}

func (r reallocation) String() string { return strings.TrimSuffix("setmaxnreg."+r.action, ".") }

// reallocations are those of a group, in order.
type reallocations struct {
	list    []reallocation
	unclear bool // there may be more
}

// warpgroupThreads is four warps whose first has a rank that four divides (PTX ISA 9.7.15.1).
const warpgroupThreads = 128

// uneven notes a setmaxnreg that some threads of a warpgroup execute and others do not. The registers are the
// warpgroup's: all its warps must execute it (PTX ISA 9.7.19.5).
func (w *sweep) uneven(in *instance, groups []*machine) {
	if w.la.guessed {
		return
	}
	for cta := range int64(in.ctas) {
		for first := int64(0); first < int64(in.blockThreads()); first += warpgroupThreads {
			w.unevenIn(in, cta, first, groups)
		}
	}
}

func (w *sweep) unevenIn(in *instance, cta, first int64, groups []*machine) {
	var most, least *machine
	for _, m := range groups {
		if m.cta != cta || !slices.ContainsFunc(m.threads, func(t int64) bool { return t/warpgroupThreads == first/warpgroupThreads }) {
			continue
		}
		if m.reallocated.unclear {
			return
		}
		if most == nil || len(m.reallocated.list) > len(most.reallocated.list) {
			most = m
		}
		if least == nil || len(m.reallocated.list) < len(least.reallocated.list) {
			least = m
		}
	}
	if most == nil || len(most.reallocated.list) == len(least.reallocated.list) {
		return
	}
	r := most.reallocated.list[len(least.reallocated.list)]
	without := protocol.Class{CTA: int(cta)}
	for _, t := range least.threads {
		if t/warpgroupThreads == first/warpgroupThreads {
			without.Threads = append(without.Threads, int(t))
		}
	}
	w.k.undefined(Undefined{Rule: UnevenRegisters, Site: r.at, Alone: true, What: fmt.Sprintf(
		"some warps of a warpgroup execute %s here, %s never; expected all of them or none", r, className(&without, in))})
}
