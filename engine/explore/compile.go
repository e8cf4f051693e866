package explore

import "github.com/fencepost-dev/fencepost/protocol"

// program compiles class c up to where the canonical execution leaves it. That execution is the maximal one of M, so
// nothing beyond is reached in any run.
func (m *monotone) program(c int, end final, flags []flagUse) program {
	class := &m.p.Classes[c]
	p := program{first: make([]int, len(class.Ops)+1), end: end.loc == len(class.Ops)}
	syncs, cluster := make([]int, len(m.p.Named)), 0
	for l := 0; l < len(class.Ops) && l <= end.loc; l++ {
		o := &class.Ops[l]
		p.first[l] = len(p.micros)
		if o.Kind == protocol.Wait {
			m.waits[o.Object] = append(m.waits[o.Object], place{c, l, m.canon.WaitPhase(c, l)})
		}
		if l == end.loc && !end.registered {
			p.micros = append(p.micros, micro{op: l, counter: 0, least: never})
			break
		}
		u := micro{op: l, counter: -1}
		switch o.Kind {
		case protocol.Wait:
			u.counter, u.least = m.threshold(o.Object, m.canon.WaitPhase(c, l))
		case protocol.NamedArrive, protocol.NamedSync:
			g := m.generation(c, l, syncs[o.Object])
			syncs[o.Object]++
			u.now = []bump{{g, 1, false}}
			if o.Kind == protocol.NamedSync {
				p.micros = append(p.micros, u)
				u = micro{op: l, silent: true, counter: g, least: m.need[g]}
				if l == end.loc {
					u.least = never
				}
			}
		case protocol.ClusterArrive:
			u.now = []bump{{m.cluster.first + cluster, 1, false}}
			cluster++
		case protocol.ClusterWait:
			u.counter = m.cluster.first + cluster - 1
			u.least = m.need[u.counter]
		case protocol.FlagAdd:
			u.now = []bump{{flags[o.Object].counter, o.Count, false}}
		case protocol.FlagStore:
			u.now = []bump{{flags[o.Object].counter, o.Count, true}}
		case protocol.Spin:
			u.counter = flags[o.Object].counter
			u.least, _ = flags[o.Object].threshold(o)
		case protocol.Issue:
			u.issue, u.complete = true, m.bumps(c, l)
		case protocol.Drain:
			u.drains = o.Drains
		default:
			u.now = m.bumps(c, l)
		}
		p.micros = append(p.micros, u)
	}
	for l := end.loc + 1; l < len(p.first); l++ {
		p.first[l] = len(p.micros) + 1
	}
	if p.end {
		p.first[end.loc] = len(p.micros)
		m.exit(&p, class, syncs, cluster)
	}
	return p
}

// exit lets the last operation of a class raise what an exit makes superfluous: the generations of CTA-wide barriers
// and of the cluster barrier that the thread takes no part in.
func (m *monotone) exit(p *program, class *protocol.Class, syncs []int, cluster int) {
	if len(p.micros) == 0 {
		return
	}
	last := &p.micros[len(p.micros)-1]
	for i, n := range m.p.Named {
		if n.Threads > 0 || n.CTA != class.CTA {
			continue
		}
		for g := syncs[i]; g < m.named[i].phases; g++ {
			last.now = append(last.now, bump{m.named[i].first + g, 1, false})
		}
	}
	for g := cluster; g < m.cluster.phases; g++ {
		last.now = append(last.now, bump{m.cluster.first + g, 1, false})
	}
}

// generation is the counter of the generation in which class c registers at l, its nth use of the barrier.
func (m *monotone) generation(c, l, nth int) int {
	i := m.p.Classes[c].Ops[l].Object
	if m.p.Named[i].Threads > 0 {
		nth = m.registers[[2]int{c, l}]
	}
	return m.named[i].first + nth
}

// threshold is the counter and its value that mean: mbarrier o is past phase k.
func (m *monotone) threshold(o, k int) (counter, least int) {
	if k < 0 {
		return -1, 0
	}
	if m.sum[o] >= 0 {
		return m.sum[o], m.p.Mbars[o].Count * (k + 1)
	}
	g := m.gates[o].first + k
	return g, m.need[g]
}

func (m *monotone) bumps(c, l int) []bump {
	var out []bump
	for _, k := range m.contributions(c, l) {
		if m.sum[k.mbar] >= 0 {
			out = append(out, bump{m.sum[k.mbar], k.arrivals, false})
			continue
		}
		out = append(out, bump{m.gates[k.mbar].first + k.phase, 1, false})
		if k.arrivals > 0 {
			out = append(out, bump{m.arrivals[k.mbar].first + k.phase, 1, false})
		}
	}
	return out
}
