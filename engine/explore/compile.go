package explore

import "github.com/fencepost-dev/fencepost/protocol"

// compiler turns the operations of one class into micros.
type compiler struct {
	*monotone
	c       int
	flags   []flagUse
	syncs   []int // registrations so far, by named barrier
	cluster int   // cluster arrivals so far
}

// program compiles class c up to where the canonical execution leaves it. That execution is the maximal one of M, so
// nothing beyond is reached in any run.
func (m *monotone) program(c int, end final, flags []flagUse) program {
	class := &m.p.Classes[c]
	k := compiler{monotone: m, c: c, flags: flags, syncs: make([]int, len(m.p.Named))}
	p := program{first: make([]int, len(class.Ops)+1), end: end.loc == len(class.Ops)}
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
		u := k.micro(l)
		p.micros = append(p.micros, u)
		if o.Kind != protocol.NamedSync {
			continue
		}
		g := u.now[0].counter
		u = micro{op: l, silent: true, counter: g, least: m.need[g]}
		if l == end.loc {
			u.least = never
		}
		p.micros = append(p.micros, u)
	}
	for l := end.loc + 1; l < len(p.first); l++ {
		p.first[l] = len(p.micros) + 1
	}
	if p.end {
		p.first[end.loc] = len(p.micros)
		k.exit(&p)
	}
	return p
}

// micro compiles the operation at l, of a NamedSync the registration.
func (k *compiler) micro(l int) micro {
	o := &k.p.Classes[k.c].Ops[l]
	u := micro{op: l, counter: -1}
	switch o.Kind {
	case protocol.Wait:
		u.counter, u.least = k.threshold(o.Object, k.canon.WaitPhase(k.c, l))
	case protocol.NamedArrive, protocol.NamedSync:
		u.now = []bump{{k.generation(k.c, l, k.syncs[o.Object]), 1, false}}
		k.syncs[o.Object]++
	case protocol.ClusterArrive:
		u.now = []bump{{k.monotone.cluster.first + k.cluster, 1, false}}
		k.cluster++
	case protocol.ClusterWait:
		u.counter = k.monotone.cluster.first + k.cluster - 1
		u.least = k.need[u.counter]
	case protocol.FlagAdd:
		u.now = []bump{{k.flags[o.Object].counter, o.Count, false}}
	case protocol.FlagStore:
		u.now = []bump{{k.flags[o.Object].counter, o.Count, true}}
	case protocol.Spin:
		u.counter = k.flags[o.Object].counter
		u.least, _ = k.flags[o.Object].threshold(o)
	case protocol.FlagSwap:
		u.counter = k.flags[o.Object].counter
		u.least, _ = k.flags[o.Object].threshold(o)
		u.now = []bump{{u.counter, o.Value, true}}
	case protocol.Issue:
		u.issue, u.complete = true, k.bumps(k.c, l)
	case protocol.Drain:
		u.drains = o.Drains
	default:
		u.now = k.bumps(k.c, l)
	}
	return u
}

// exit lets the last operation of a class raise what an exit makes superfluous: the generations of CTA-wide barriers
// and of the cluster barrier that the thread takes no part in.
func (k *compiler) exit(p *program) {
	if len(p.micros) == 0 {
		return
	}
	last := &p.micros[len(p.micros)-1]
	for i, n := range k.p.Named {
		if n.Threads > 0 || n.CTA != k.p.Classes[k.c].CTA {
			continue
		}
		for g := k.syncs[i]; g < k.named[i].phases; g++ {
			last.now = append(last.now, bump{k.named[i].first + g, 1, false})
		}
	}
	for g := k.cluster; g < k.monotone.cluster.phases; g++ {
		last.now = append(last.now, bump{k.monotone.cluster.first + g, 1, false})
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
