package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// lanesShare (FP703) reports shared memory that a lane writes and other lanes of its warp read with nothing on the way at
// which they wait for it (DV-05): since Volta the lanes of a warp run on their own, and __syncwarp orders them.
func lanesShare(p *Pass) {
	if p.fn.file.inStep {
		return
	}
	p.spared()
	sites := p.laneWords()
	groups := map[string][]*site{}
	for _, s := range sites {
		if s.slot != nil && s.mode&writes != 0 && !s.slot.flag && (!s.slot.given || p.meets()) {
			groups[s.slot.key] = append(groups[s.slot.key], s)
		}
	}
	told := map[string]bool{}
	for _, b := range sites {
		if b.slot == nil || b.mode&(reads|offered) == 0 || told[b.slot.key] {
			continue
		}
		for _, a := range groups[b.slot.key] {
			if p.tired() {
				return
			}
			if r := p.betweenLanes(a, b, sites); r != nil {
				told[b.slot.key] = true
				f := p.report(b.op.Span, "%q is read by lanes other than those of the warp that wrote it%s; no __syncwarp in between", b.slot.name, r.when())
				p.label(f, a.op.Span, "written here")
				f.Help = "put __syncwarp() between the write and the read: lanes of a warp do not run in step"
				break
			}
		}
	}
}

// laneWords are the sites of the function with its accesses to shared memory, volatile ones among them.
func (p *Pass) laneWords() []*site {
	g := p.fn
	if !g.file.volatile && !slices.ContainsFunc(g.fn.Params, func(q program.Param) bool { return strings.Contains(q.Type, "*") && sharedByName(q.Name, "") }) {
		return p.words()
	}
	return g.laned()
}

const (
	maxLanePairs = 40 // ways between two accesses of a function for which samples are drawn
	twoWarps     = 64 // threads of a sample that are looked at: enough to see lanes meet, and warps
)

// betweenLanes is a way from a write to a read on which no lane waits for another of its warp, where the two surely meet in
// one element and in different lanes. Where they meet in different warps FP702 has it.
func (p *Pass) betweenLanes(a, b *site, sites []*site) *route {
	if ownSlot(a, b) {
		return nil
	}
	for _, r := range routes(a, b, sites, p.runsOnce, func(c *site) bool { return c.joinsLanes(a, b) }) {
		r.first = writes
		if gathered(r) {
			return &r
		}
		if p.sampled++; p.sampled > maxLanePairs {
			return nil
		}
		for round := range int64(1 + min(1, len(a.loops), len(b.loops))) {
			if p.agree(func(m *sample) bool { return m.meetInWarp(r, round) }, r) {
				return &r
			}
		}
	}
	return nil
}

// meetInWarp reports whether the accesses meet in different lanes of one warp, and nowhere in different warps.
func (m *sample) meetInWarp(r route, round int64) bool {
	m.bounded = true
	a, b, ok := m.footprints(r, round)
	if !ok || a.wide() || b.wide() {
		return false
	}
	chosenA, chosenB := m.chosen(r.from), m.chosen(r.to)
	if chosenA && chosenB {
		return false
	}
	found := false
	for at, x := range a {
		y := b[at]
		if !chosenA {
			y = y.without(x)
		}
		if x.meets(y) {
			return false
		}
		found = found || x.sharesWarp(y, chosenA, chosenB)
	}
	return found
}

// sharesWarp reports whether some warp has lanes of both crowds. Of a crowd that is chosen by data one lane is there, which
// may be the only one of the other crowd.
func (c crowd) sharesWarp(d crowd, chosenC, chosenD bool) bool {
	for i := range c {
		for half := range 2 {
			x, y := uint32(c[i]>>(32*half)), uint32(d[i]>>(32*half))
			switch {
			case x == 0 || y == 0:
			case chosenC && y&(y-1) == 0, chosenD && x&(x-1) == 0:
			case x|y != 0 && (x|y)&((x|y)-1) != 0:
				return true
			}
		}
	}
	return false
}

// gathered reports whether lanes put values at places that they work out from the votes of the others, and all lanes then
// read them one after another: the index of the write differs from lane to lane in a way that no sample tells, and that of
// the read is the same in the whole warp.
func gathered(r route) bool {
	a, b := r.from.slot, r.to.slot
	if len(a.index) != len(b.index) || a.offset != nil || b.offset != nil || ranked(r.to) {
		return false
	}
	found := false
	for i := range a.index {
		x, y := partsOf(a.index[i], r.from.loops), partsOf(b.index[i], r.to.loops)
		rank := slices.ContainsFunc(termsOf(a.index[i]), func(t term) bool { return rank(t, 0) })
		for _, part := range y.varying {
			if !slices.Contains(x.varying, part) {
				return false
			}
		}
		found = found || rank && len(x.varying) == len(y.varying)+1
	}
	return found
}

// ranked reports whether an index of the access is worked out from a vote.
func ranked(s *site) bool {
	for _, x := range s.slot.index {
		if slices.ContainsFunc(termsOf(x), func(t term) bool { return rank(t, 0) }) {
			return true
		}
	}
	return false
}

// termsOf are the terms of a sum.
func termsOf(x term) []term {
	if b, ok := x.x.(*program.Binary); ok && b.Op == "+" {
		return append(termsOf(term{b.X, x.in}), termsOf(term{b.Y, x.in})...)
	}
	return []term{x}
}

// rank reports whether an expression is the number of lanes before this one that voted for something: the bits of a vote
// under a mask that is the lane's own, counted.
func rank(x term, depth int) bool {
	if depth > 8 || x.x == nil || x.in == nil {
		return false
	}
	switch e := x.x.(type) {
	case *program.Name:
		if v, given := x.in.env[e.Ident]; given {
			return rank(term{v, x.in.outer}, depth+1)
		}
		return rank(term{x.in.fn.definition(e), x.in}, depth+1)
	case *program.Cast:
		return rank(term{e.X, x.in}, depth+1)
	case *program.Call:
		return strings.Contains(lastWord(path(e.Fun)), "popc") && len(e.Args) == 1 && ownMask(term{e.Args[0], x.in}, 0)
	}
	return false
}

// ownMask reports whether an expression has to do with the index of the lane.
func ownMask(x term, depth int) (found bool) {
	if depth > 8 || x.x == nil || x.in == nil || x.in.fn.spent() {
		return false
	}
	program.WalkExprs(x.x, func(e program.Expr) bool {
		name := lastWord(path(e))
		switch e := e.(type) {
		case *program.Name:
			if v := x.in.fn.definition(e); v != nil && !found {
				found = ownMask(term{v, x.in}, depth+1)
			}
		case *program.Attr:
			found = found || name == "x" && path(e.X) == "threadIdx"
		}
		lower := strings.ToLower(name)
		found = found || strings.Contains(lower, "lane") || strings.Contains(lower, "lt_mask")
		return !found
	})
	return found
}
