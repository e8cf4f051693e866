package memory

// gathering is the barriers of one CTA that meet: of one instance and, at run time, one number.
type gathering struct {
	cta, gpu int
	label    string
	round    int
	named    bool
	id       int64
}

// group is what gathers, and how many have to.
type group struct {
	gathering
	members []*member
	quorum  int // 0: all threads that mention the instance
}

// member is a barrier of a path.
type member struct {
	*meeting
	thread int
	event  int
	stuck  bool
}

// gather groups the barriers of the skeleton; false where a number is not known yet.
func (s *search) gather() (groups []*group, known bool) {
	index := map[gathering]*group{}
	for t, p := range s.shape.paths {
		for i := range p.meets {
			m := &p.meets[i]
			g := gathering{cta: s.program.threads[t].cta, gpu: s.program.threads[t].gpu, label: m.label, round: m.occurrence}
			if m.id >= 0 {
				v, ok := s.value(t, m.id)
				if !ok {
					return nil, false
				}
				g.named, g.id = true, v
			}
			if index[g] == nil {
				index[g] = &group{gathering: g, quorum: -1}
				groups = append(groups, index[g])
			}
			quorum := int64(0)
			if m.quorum >= 0 {
				v, ok := s.value(t, m.quorum)
				if !ok {
					return nil, false
				}
				quorum = v
			}
			if quorum < 0 || quorum > 1<<20 || index[g].quorum >= 0 && int64(index[g].quorum) != quorum {
				s.doubt = "barriers that meet give different numbers of threads, or impossible ones"
				return nil, false
			}
			index[g].quorum = int(quorum)
			e := s.shape.first[t] + m.event
			index[g].members = append(index[g].members,
				&member{meeting: m, thread: t, event: e, stuck: p.stuckAt(m)})
		}
	}
	return groups, true
}

// together reports whether a path may be chosen beside those of its CTA that are: nobody leaves a barrier that another
// has to come to and does not, and when all are chosen nobody stands at a barrier that all have come to. It saves choices;
// barriers looks at all of them once more.
func (s *search) together(paths []*path, p *path) bool {
	var cta []*path
	complete := true
	for t := range paths {
		if !s.program.sameCTA(t, p.thread) {
			continue
		}
		if paths[t] == nil {
			complete = false
			continue
		}
		cta = append(cta, paths[t])
	}
	for _, q := range cta {
		if s.misses(p, q) || s.misses(q, p) || complete && s.standsAtFull(q, cta) {
			return false
		}
	}
	return true
}

// misses reports whether p leaves a barrier that waits for all who mention it, and q mentions it and never comes.
func (s *search) misses(p, q *path) bool {
	for i := range p.meets {
		g := p.gathers(i)
		if g != nil && !p.meets[i].arrive && !p.stuckAt(&p.meets[i]) && !q.came(g) && s.waitsFor(q.thread, g) {
			return true
		}
	}
	return false
}

// standsAtFull reports whether p stands for ever at a barrier that all paths of its CTA have come to.
func (s *search) standsAtFull(p *path, cta []*path) bool {
	if p.end != blocked {
		return false
	}
	g := p.gathers(len(p.meets) - 1)
	for _, q := range cta {
		if g == nil || !q.came(g) && s.waitsFor(q.thread, g) {
			return false
		}
	}
	return true
}

func (p *path) stuckAt(m *meeting) bool { return p.end == blocked && m.event == len(p.events)-1 }

// gathers is the group of the i-th barrier of a path, without its members; nil where it counts threads or has a number
// that is not written there.
func (p *path) gathers(i int) *group {
	m := &p.meets[i]
	g := &group{gathering: gathering{label: m.label, round: m.occurrence, named: m.id >= 0}}
	if m.quorum >= 0 || g.named && p.nodes[m.id].op != nodeNumber {
		return nil
	}
	if g.named {
		g.id = p.nodes[m.id].imm
	}
	return g
}

// full reports whether enough threads have come to a barrier: with a number of threads that many, without one every
// thread of the CTA that mentions the instance, but those that came with another number.
func (s *search) full(g *group) bool {
	if g.quorum > 0 {
		return len(g.members) >= g.quorum
	}
	for t := range s.program.threads {
		th := &s.program.threads[t]
		if th.cta == g.cta && th.gpu == g.gpu && !s.shape.paths[t].came(g) && s.waitsFor(t, g) {
			return false
		}
	}
	return true
}

// waitsFor reports whether a thread mentions a barrier that may be one of the group.
func (s *search) waitsFor(t int, g *group) bool {
	for i := range s.program.threads[t].code {
		in := &s.program.threads[t].code[i]
		if in.op == opBarrier && in.label == g.label && mayBe(in, g) {
			return true
		}
	}
	return false
}

// came reports whether a path has been at a barrier of the group's instance and round.
func (p *path) came(g *group) bool {
	for _, m := range p.meets {
		if m.label == g.label && m.occurrence == g.round {
			return true
		}
	}
	return false
}

// mayBe reports whether a barrier that was not come to may be one of the group.
func mayBe(in *instruction, g *group) bool {
	switch in.args[0].kind {
	case none:
		return !g.named
	case number:
		return g.named && in.args[0].imm == g.id
	}
	return g.named
}

// barriers decides which arrivals each barrier waited for, and goes on with next. A barrier is left when the group is
// full; more may have come than it waited for, so where it counts threads every choice of as many is tried.
func (s *search) barriers(groups []*group, next func()) {
	waits := map[*group][]*member{}
	for _, g := range groups {
		full := s.full(g)
		for _, m := range g.members {
			if !m.arrive && m.stuck == full {
				return // it stands where it would go on, or goes on where it would stand
			}
		}
	}
	var choose func(i int)
	choose = func(i int) {
		if i == len(groups) {
			if s.possible(groups, waits) {
				s.edges(groups, waits, next)
			}
			return
		}
		g := groups[i]
		if !s.full(g) {
			choose(i + 1)
			return
		}
		size := g.quorum
		if size == 0 {
			size = len(g.members)
		}
		subsets(g.members, size, nil, func(list []*member) bool {
			waits[g] = list
			choose(i + 1)
			return !s.done() && s.spend(1)
		})
	}
	choose(0)
}

// subsets calls see with every choice of n of the list, until it says no.
func subsets(list []*member, n int, chosen []*member, see func([]*member) bool) bool {
	if n == 0 {
		return see(chosen)
	}
	for i := 0; i+n <= len(list); i++ {
		if !subsets(list[i+1:], n-1, append(chosen[:len(chosen):len(chosen)], list[i]), see) {
			return false
		}
	}
	return true
}

// possible reports whether the barriers can be left in some order: no thread waits for one that waits for it.
func (s *search) possible(groups []*group, waits map[*group][]*member) bool {
	left := map[*member]bool{}
	var all []*member
	of := map[*member]*group{}
	for _, g := range groups {
		for _, m := range g.members {
			all = append(all, m)
			of[m] = g
		}
	}
	arrived := func(m *member) bool {
		for _, o := range all {
			if o.thread == m.thread && o.event < m.event && !o.arrive && !left[o] {
				return false
			}
		}
		return true
	}
	for changed := true; changed; {
		if changed = false; !s.spend(len(all)) {
			return false
		}
		for _, m := range all {
			if m.arrive || m.stuck || left[m] || !arrived(m) {
				continue
			}
			ready := true
			for _, o := range waits[of[m]] {
				ready = ready && arrived(o)
			}
			if ready {
				left[m], changed = true, true
			}
		}
	}
	for _, m := range all {
		if !arrived(m) || !m.arrive && !m.stuck && !left[m] {
			return false
		}
	}
	return true
}

// edges puts the order of arrivals before departures into the execution, goes on, and takes it out.
func (s *search) edges(groups []*group, waits map[*group][]*member, next func()) {
	bar := s.machine.bases["bar"]
	clear(bar)
	for _, g := range groups {
		for _, a := range waits[g] {
			for _, m := range g.members {
				if !m.arrive && !m.stuck && m.event != a.event {
					s.machine.add(bar, a.event, m.event)
				}
			}
		}
	}
	if s.consistent(read) {
		next()
	}
	clear(bar)
}
