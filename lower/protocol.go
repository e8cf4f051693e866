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
	"github.com/fencepost-dev/fencepost/lower/build"
	"github.com/fencepost-dev/fencepost/protocol"
)

// protocol puts the groups of an instance together: groups that do the same become one class.
func (w *sweep) protocol(in *instance, groups []*machine) *protocol.Protocol {
	if !w.initialisedApart(in, groups) {
		return nil
	}
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
		build.LeaveArmed(p)
	} else {
		premise := *p
		premise.Buffers = pr.buffers
		p.Classes, premise.Classes = classes(in, groups, pr.blocks)
		for i := range premise.Classes {
			bare(&premise.Classes[i])
		}
		build.LeaveArmed(p)
		p.Premise = &premise
	}
	if name := build.SetOutside(p); name != "" {
		w.k.opaque(Opaque{w.k.Path, w.k.Line, limit.Memory.Says(name + " is waited for with the scope of the system, and nothing in the kernel writes it: another device or the host does")})
		return nil
	}
	if id, ok := build.MixedCounts(p, in.blockThreads()); !ok {
	} else if apart, met := w.apart(p); apart {
		w.k.separated = true
	} else {
		if w.partial(p, nil); met != nil && !w.k.tells(MixedCounts) {
			w.k.undefined(*met)
		}
		w.k.opaque(Opaque{w.k.Path, w.k.Line, limit.Undefined.Sayf("named barrier %d is used with several thread counts, not surely one after the other", id)})
		return nil
	}
	build.CountArrivals(p, in.blockThreads())
	w.divergent(p)
	if len(in.unknown) == 0 {
		w.missed(p, in, groups)
	}
	if name := build.InitTwice(p); name != "" {
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

// initialisedApart reports whether mbarriers that several warps initialise are used behind all of that only, and tells of them.
func (w *sweep) initialisedApart(in *instance, groups []*machine) bool {
	programs := make([]build.Program, len(groups))
	for i, m := range groups {
		programs[i] = build.Program{CTA: int(m.cta), Ops: m.ops, Reinits: m.reinits}
		for _, r := range m.reinits {
			w.k.undefined(Undefined{Rule: InitByMany, Site: r.Site, Doubt: true, Whole: true, What: fmt.Sprintf(
				"mbarrier %q is initialised here by several warps; expected one thread", in.mbarName(r.Mbar))})
		}
	}
	r, early := build.Early(programs, in.nameds, in.mbars, in.blockThreads())
	if early {
		w.k.opaque(Opaque{r.Site.Path, r.Site.Line, limit.Init.Says("mbarrier " + in.mbarName(r.Mbar) + " is initialised by several threads, and may be used before all of them have")})
	}
	return !early
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
			return build.SameProgram(o[0], c) && (others == nil || build.SameProgram(o[1], &twin))
		}
		if old := slices.IndexFunc(byCTA[m.cta], same); old >= 0 {
			build.Join(byCTA[m.cta][old][0], c)
			build.Join(byCTA[m.cta][old][1], &twin)
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

// dropLost removes accesses to buffers that are not wholly tracked.
func dropLost(in *instance, m *machine) {
	drop := func(a protocol.Access) bool { return in.lost[in.buffers[a.Buffer].Name] != "" }
	build.Without(m.blocks, drop)
	for i := range m.ops {
		m.ops[i].Access = slices.DeleteFunc(m.ops[i].Access, drop)
	}
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
		known, waited := map[int]bool{int(m.cta): true}, false
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
				if !waited {
					w.k.undefined(Undefined{Rule: Lifetime, Site: at, Whole: true, Doubt: true, What: "shared memory of another CTA is accessed here, which may not have begun: nothing is waited for before"})
				}
				return
			}
			if l == len(m.ops) {
				break
			}
			switch o := &m.ops[l]; o.Kind {
			case protocol.NamedSync, protocol.Spin:
				waited = true
			case protocol.ClusterWait:
				waited = true
				for _, other := range groups {
					known[int(other.cta)] = true
				}
			case protocol.Wait:
				if waited = true; o.Parity != 0 { // the first of these passes by itself
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
