package lower

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
)

// protocol puts the groups of an instance together: groups that do the same become one class.
func (w *sweep) protocol(in *instance, groups []*machine) *protocol.Protocol {
	w.withoutExited(in, groups)
	w.inWarps(in, groups)
	p := &protocol.Protocol{Kernel: w.k.Name, CTAs: in.ctas, Cluster: in.cluster, Fenced: in.fenced, Mbars: in.mbars, Named: in.nameds, Flags: in.flags,
		Buffers: in.buffers, Sites: in.sites, Across: in.across, Values: map[string]string{}}
	for k, v := range in.values {
		p.Values[k] = strconv.FormatInt(v, 10)
	}
	for i := range p.Mbars {
		if p.Mbars[i].Count == 0 {
			w.k.opaque(Opaque{w.k.Path, w.k.Line, limit.Init.Says("mbarrier " + in.mbarName(i) + " is used but its init was not found")})
			return nil
		}
	}
	if o, missing := in.unaccounted(groups); missing {
		w.k.opaque(o)
		return nil
	}
	pr := w.premise(in, groups)
	for _, m := range groups {
		dropLost(in, m)
	}
	if pr == nil {
		p.Classes, _ = classes(in, groups, nil)
		leaveArmed(p)
	} else {
		premise := *p
		premise.Buffers = pr.buffers
		p.Classes, premise.Classes = classes(in, groups, pr.blocks)
		for i := range premise.Classes {
			bare(&premise.Classes[i])
		}
		leaveArmed(p)
		p.Premise = &premise
	}
	if id, ok := mixedCounts(p, in.blockThreads()); ok && w.l.separate != nil && w.l.separate(p) {
		w.k.separated = true
	} else if ok {
		w.partial(p, nil)
		w.k.opaque(Opaque{w.k.Path, w.k.Line, limit.Undefined.Sayf("named barrier %d is used with several thread counts, not surely one after the other", id)})
		return nil
	}
	countArrivals(p, in.blockThreads())
	w.divergent(p)
	if id, ok := missedCount(p, in.counted); ok && len(in.unknown) == 0 {
		w.k.opaque(Opaque{w.k.Path, w.k.Line, limit.Undefined.Says(missed(id))})
	}
	if name := initTwice(p); name != "" {
		w.k.opaque(Opaque{w.k.Path, w.k.Line, limit.Init.Says("mbarrier " + name + " is initialised by several threads or more than once")})
	}
	if w.outOfTurn(p) {
		w.k.opaque(Opaque{w.k.Path, w.k.Line, limit.Undefined.Says("the cluster barrier is used out of turn, which has no defined meaning")})
		return nil
	}
	if err := p.Validate(); err != nil {
		w.k.opaque(Opaque{w.k.Path, w.k.Line, limit.Undefined.Says("what it does is not defined: " + err.Error())})
		return nil
	}
	if len(in.unknown) > 0 {
		w.partial(p, in.unknown)
		return nil
	}
	return p
}

// classes joins the groups that do the same. Other accesses of the groups, where there are any, make classes with the same
// threads in the same order.
func classes(in *instance, groups []*machine, others map[*machine][][]protocol.Access) (out, twins []protocol.Class) {
	in.settleColumns(groups)
	settleReads(groups)
	byCTA := map[int64][][2]*protocol.Class{}
	for _, m := range groups {
		c := &protocol.Class{CTA: int(m.cta), Count: len(m.threads), Ops: m.ops, Blocks: m.blocks}
		for _, t := range m.threads {
			c.Threads = append(c.Threads, int(t))
		}
		twin := *c
		twin.Threads, twin.Blocks = slices.Clone(c.Threads), others[m]
		same := func(o [2]*protocol.Class) bool {
			return sameProgram(o[0], c) && (others == nil || sameProgram(o[1], &twin))
		}
		if old := slices.IndexFunc(byCTA[m.cta], same); old >= 0 {
			join(byCTA[m.cta][old][0], c)
			join(byCTA[m.cta][old][1], &twin)
		} else {
			byCTA[m.cta] = append(byCTA[m.cta], [2]*protocol.Class{c, &twin})
		}
	}
	for cta := 0; cta < in.ctas; cta++ {
		for _, c := range byCTA[int64(cta)] {
			c[0].Name = className(c[0], in)
			c[1].Name = c[0].Name
			out, twins = append(out, *c[0]), append(twins, *c[1])
		}
	}
	return out, twins
}

// countArrivals gives the CTA-wide barriers at which threads arrive without waiting the count that such an arrive has to
// have (PTX ISA 9.7.13.1): a thread that arrives and ends is one of the count, and must not lower it, too.
func countArrivals(p *protocol.Protocol, blockThreads int) {
	for _, c := range p.Classes {
		for _, o := range c.Ops {
			if o.Kind == protocol.NamedArrive && p.Named[o.Object].Threads == 0 {
				p.Named[o.Object].Threads = blockThreads
			}
		}
	}
}

// missed says that threads end before a barrier that counts them.
func missed(id int) string {
	return fmt.Sprintf("threads end before barrier %d, which counts them; whether hardware still waits for them is not documented", id)
}

// missedCount finds a barrier with an explicit count of the whole CTA that some threads meet less often than others:
// the exit rule for CTA-wide barriers may not reach it (notes/semantics.md 2.2).
func missedCount(p *protocol.Protocol, counted map[int]bool) (id int, missed bool) {
	for n := range p.Named {
		if !counted[n] {
			continue
		}
		met := -1
		for _, c := range p.Classes {
			if c.CTA != p.Named[n].CTA {
				continue
			}
			k := 0
			for _, o := range c.Ops {
				if (o.Kind == protocol.NamedSync || o.Kind == protocol.NamedArrive) && o.Object == n {
					k++
				}
			}
			if met >= 0 && k != met {
				return p.Named[n].ID, true
			}
			met = k
		}
	}
	return 0, false
}

// initTwice names an mbarrier with more than one init. An init on a live object is undefined (PTX ISA 9.7.13.15.9), and
// one after an inval starts a life that the protocol does not tell from the first.
func initTwice(p *protocol.Protocol) string {
	inits := make([]int, len(p.Mbars))
	for _, c := range p.Classes {
		for _, o := range c.Ops {
			if o.Kind == protocol.Init {
				if inits[o.Object] += c.Count; inits[o.Object] > 1 {
					return p.Mbars[o.Object].Name
				}
			}
		}
	}
	return ""
}

// dropLost removes accesses to buffers that are not wholly tracked.
func dropLost(in *instance, m *machine) {
	keep := func(list []protocol.Access) []protocol.Access {
		return slices.DeleteFunc(list, func(a protocol.Access) bool { return in.lost[in.buffers[a.Buffer].Name] != "" })
	}
	for i := range m.blocks {
		m.blocks[i] = keep(m.blocks[i])
	}
	for i := range m.ops {
		m.ops[i].Access = keep(m.ops[i].Access)
	}
}

// sameProgram reports whether two classes do the same, whichever threads do it.
func sameProgram(a, b *protocol.Class) bool {
	if len(a.Ops) != len(b.Ops) {
		return false
	}
	for i := range a.Ops {
		// Drain waits for the copies of the whole class: threads with groups of their own stay apart.
		if len(a.Ops[i].Drains) > 0 || !a.Ops[i].Equal(&b.Ops[i]) {
			return false
		}
	}
	for i := range a.Blocks {
		if !slices.EqualFunc(a.Blocks[i], b.Blocks[i], sameAccess) {
			return false
		}
	}
	return true
}

// sameAccess ignores elements: threads of one class are told apart by them.
func sameAccess(a, b protocol.Access) bool {
	b.Elements = a.Elements
	return a.Equal(b)
}

// join adds b's threads to a.
func join(a, b *protocol.Class) {
	for i := range a.Blocks {
		for k := range a.Blocks[i] {
			x, y := &a.Blocks[i][k], &b.Blocks[i][k]
			if len(x.Elements) == 1 && len(y.Elements) == 1 && x.Elements[0] == y.Elements[0] {
				continue
			}
			x.Elements = append(spread(x.Elements, a.Count), spread(y.Elements, b.Count)...)
		}
	}
	a.Threads = append(a.Threads, b.Threads...)
	a.Count += b.Count
}

func spread(rs []protocol.Range, n int) []protocol.Range {
	if len(rs) == n {
		return slices.Clone(rs)
	}
	out := make([]protocol.Range, n)
	for i := range out {
		out[i] = rs[0]
	}
	return out
}

// className names a class the way a person would: "thread 0 of CTA 1", "warp 2", "threads 1-127".
func className(c *protocol.Class, in *instance) string {
	t := slices.Clone(c.Threads)
	slices.Sort(t)
	name := ""
	if len(t) == 1 {
		name = fmt.Sprintf("thread %d", t[0])
	} else if len(t) == 32 && t[0]%32 == 0 && t[31] == t[0]+31 {
		name = fmt.Sprintf("warp %d", t[0]/32)
	} else {
		var parts []string
		for i := 0; i < len(t); {
			j := i
			for j+1 < len(t) && t[j+1] == t[j]+1 {
				j++
			}
			if j == i {
				parts = append(parts, strconv.Itoa(t[i]))
			} else {
				parts = append(parts, fmt.Sprintf("%d-%d", t[i], t[j]))
			}
			i = j + 1
		}
		if len(parts) > 4 {
			parts = append(parts[:3], fmt.Sprintf("… %d in all", len(t)))
		}
		name = "threads " + strings.Join(parts, ", ")
	}
	if in.ctas > 1 {
		name += fmt.Sprintf(" of CTA %d", c.CTA)
	}
	return name
}

// leaveArmed marks the mbarriers that the program leaves armed at its end: a producer that waits until its last stage is
// free by acquiring it announces the bytes of a tile that is not to come (notes/cutedsl.md 1.4, tails before release
// 4.6). Nobody waits for that phase, or there is a deadlock. Where the copies of a stage precede the announcement, the
// last one belongs to them.
func leaveArmed(p *protocol.Protocol) {
	copied := make([]bool, len(p.Mbars))
	for _, c := range p.Classes {
		for _, o := range c.Ops {
			for _, e := range o.Effects {
				copied[e.Mbar] = copied[e.Mbar] || e.Bytes > 0
			}
		}
	}
	for i := range p.Classes {
		for o, a := range armings(&p.Classes[i]) {
			if a.expects && a.announcedFirst && a.announcedLast && (a.copies || !copied[o]) {
				p.Mbars[o].Armed = true
			}
		}
	}
}

// arming is how a class announces the bytes of an mbarrier and copies them.
type arming struct{ expects, copies, announcedFirst, announcedLast bool }

func armings(c *protocol.Class) map[int]arming {
	out := map[int]arming{}
	for _, o := range c.Ops {
		switch o.Kind {
		case protocol.ArriveExpectTx, protocol.ExpectTx:
			a := out[o.Object]
			a.announcedFirst = a.announcedFirst || !a.copies
			a.expects, a.announcedLast = true, true
			out[o.Object] = a
		case protocol.Issue:
			for _, e := range o.Effects {
				if e.Bytes > 0 {
					a := out[e.Mbar]
					a.copies, a.announcedLast = true, false
					out[e.Mbar] = a
				}
			}
		}
	}
	return out
}

// tracked names the buffers whose accesses the model knows, and those of them of which some accesses are of parts whose
// place is not known. Memory that is reached in ways the evaluator does not follow, such as tensors handed to library
// copies, is in none of the models, and the bound says so by leaving it out.
func (k *Kernel) tracked() (all, parts string) {
	seen, unplaced := map[string]bool{}, map[string]bool{}
	note := func(p *protocol.Protocol, list []protocol.Access) {
		for _, a := range list {
			name := p.Buffers[a.Buffer].Name
			if seen[name] = true; a.Parts == protocol.Somewhere {
				unplaced[name] = true
			}
		}
	}
	for _, p := range k.Instances {
		for _, c := range p.Classes {
			for _, b := range c.Blocks {
				note(p, b)
			}
			for _, o := range c.Ops {
				note(p, o.Access)
			}
		}
	}
	if len(seen) == 0 {
		return "no buffer", ""
	}
	names := func(set map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(set)), ", ") }
	return names(seen), names(unplaced)
}

func sortedLost(lost map[string]string) []string {
	var out []string
	for name, why := range lost {
		out = append(out, name+" ("+why+")")
	}
	sort.Strings(out)
	return out
}

// started leaves lifetime open where a thread accesses shared memory of another CTA of its cluster and nothing shows that this
// one has begun: a barrier of the cluster, or an arrival of it that the thread has waited for (CUDA C++ Programming Guide,
// distributed shared memory: all thread blocks have to have started executing).
func (w *sweep) started(in *instance, groups []*machine) {
	for _, m := range groups {
		known := map[int]bool{int(m.cta): true}
		for l, block := range m.blocks {
			accesses := block
			if l < len(m.ops) {
				accesses = slices.Concat(block, m.ops[l].Access)
			}
			for _, a := range accesses {
				b := in.buffers[a.Buffer]
				if b.CTA < 0 || known[b.CTA] {
					continue
				}
				at := in.sites[a.Site]
				w.k.leave(finding.Open{Property: string(protocol.Lifetime), Path: at.Path, Line: at.Line, Why: "shared memory of another CTA is accessed here, and nothing shows that it has begun"})
				return
			}
			if l == len(m.ops) {
				break
			}
			switch o := &m.ops[l]; o.Kind {
			case protocol.ClusterWait:
				for _, other := range groups {
					known[int(other.cta)] = true
				}
			case protocol.Wait:
				if o.Parity != 0 { // the first of these passes by itself
					continue
				}
				for _, other := range groups {
					known[int(other.cta)] = known[int(other.cta)] || slices.ContainsFunc(other.ops, func(by protocol.Op) bool {
						return by.Object == o.Object && (by.Kind == protocol.Arrive || by.Kind == protocol.ArriveExpectTx)
					})
				}
			}
		}
	}
}
