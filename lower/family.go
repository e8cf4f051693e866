package lower

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// family lowers a kernel for any values of its unknowns, after the sweep has found out all about it.
type family struct {
	l        lowering // as the sweep left it
	fn       *program.Function
	la       *launch
	flags    map[string]bool
	carriers map[string]bool
	depth    int64
	spent    int
	grows    map[string]*growth // by unknown and the values of the others
}

// growth is how instances grow with an unknown.
type growth struct {
	period, least int
	reason        string          // why that is not known
	places        map[string]bool // watcher.grows
	loops         map[program.Stmt]bool
}

// growthFuel bounds the steps for all that is asked of a family: they are counted, so that the answers are the same
// on every machine.
const growthFuel = 4 * kernelFuel

func (w *sweep) family() *family {
	return &family{l: *w.l, fn: w.fn, la: w.la, flags: w.flags, carriers: w.carriers, depth: w.depth, grows: map[string]*growth{}}
}

// Instance lowers the kernel for some values of its unknowns, as one of Instances has them, or of other unknowns, too, whose
// loops' rounds these say. It has Loops and Repeats for the unknowns of Rounds of which it is certain how it grows with
// them; of the others, why says why it is not. It is nil where it cannot be lowered, or the kernel refuses the values.
func (k *Kernel) Instance(values map[string]int64) (p *protocol.Protocol, why map[string]string) {
	f := k.family
	if f == nil {
		return nil, nil
	}
	if p, _ = f.lower(values, nil); p == nil {
		return nil, nil
	}
	why = map[string]string{}
	for _, u := range k.Rounds {
		v, has := values[u]
		if _, asked := p.Values[u]; !has || !asked {
			continue
		}
		g := f.growth(u, values)
		if g.reason == "" && v >= int64(g.least) {
			loops, reason := f.loops(u, values, g, p)
			if reason == "" {
				p.Loops = append(p.Loops, loops...)
				p.Repeats = append(p.Repeats, protocol.Repeat{Unknown: u, Period: g.period, Least: g.least})
			}
			g.reason = reason
		} else if g.reason == "" {
			p.Repeats = append(p.Repeats, protocol.Repeat{Unknown: u, Period: g.period, Least: g.least})
		}
		if g.reason != "" {
			why[u] = g.reason
		}
	}
	return p, why
}

// lower lowers one combination, watched or not. The protocol is nil where that fails or asks for more values.
func (f *family) lower(values map[string]int64, watcher *watcher) (*protocol.Protocol, *instance) {
	if f.spent > growthFuel {
		return nil, nil
	}
	l := f.l
	l.discoveries = f.l.discoveries.clone()
	l.brief, l.fuel = false, kernelFuel
	k := &Kernel{Name: f.fn.Qualified, Function: f.fn, Path: l.file.Source.Name, Line: l.file.Source.Position(f.fn.NameSpan.Start).Line, Bounds: map[string]string{}}
	w := newSweep(&l, k, f.fn, f.la)
	w.flags, w.carriers, w.watcher = maps.Clone(f.flags), maps.Clone(f.carriers), watcher
	complete := true
	in := w.run(func(n need) int64 {
		v, known := values[n.key]
		if !known {
			complete = false
			if watcher != nil {
				watcher.fail("it decides whether %s is asked for", watcher.spelled(&symExpr{atom: n.key}))
			}
		}
		return v
	})
	f.spent += kernelFuel - l.fuel
	if !complete || w.dirty || w.failed || w.none || len(k.Opaque) > 0 || len(k.Instances) != 1 {
		return nil, in
	}
	return k.Instances[0], in
}

// clone copies what runs find out, so that one does not change it for others.
func (d *discoveries) clone() discoveries {
	out := *d
	out.domains, out.scales, out.divisors, out.provided = maps.Clone(d.domains), maps.Clone(d.scales), maps.Clone(d.divisors), maps.Clone(d.provided)
	out.rounds, out.wholes, out.shortNames, out.meanings = maps.Clone(d.rounds), maps.Clone(d.wholes), maps.Clone(d.shortNames), maps.Clone(d.meanings)
	out.walks, out.apart, out.responses = slices.Clone(d.walks), maps.Clone(d.apart), maps.Clone(d.responses)
	out.short, out.followed, out.inputs, out.written = maps.Clone(d.short), maps.Clone(d.followed), maps.Clone(d.inputs), maps.Clone(d.written)
	out.rising, out.read = maps.Clone(d.rising), map[string]map[string]bool{}
	for mode, indices := range d.read {
		out.read[mode] = maps.Clone(indices)
	}
	return out
}

// valued is a combination with another value of an unknown.
func valued(values map[string]int64, u string, v int64) map[string]int64 {
	out := maps.Clone(values)
	out[u] = v
	return out
}

// growth finds out how the instances with the other values as they are grow with an unknown.
func (f *family) growth(u string, values map[string]int64) *growth {
	key := u
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if name != u {
			key += "\x00" + name + "=" + strconv.FormatInt(values[name], 10)
		}
	}
	g := f.grows[key]
	if g == nil {
		g = &growth{places: map[string]bool{}, loops: map[program.Stmt]bool{}}
		f.grows[key] = g
		f.find(g, u, values)
	}
	return g
}

// mostRounds bounds the rounds that are looked at for a period.
const mostRounds = 96

// find looks for the least period, and the least value from which on each instance grows by it.
func (f *family) find(g *growth, u string, values map[string]int64) {
	far, v, reason := min(2*(2*f.depth+1)+8, mostRounds), (*record)(nil), ""
	for ; ; far = min(2*far, mostRounds) {
		v, reason = f.watched(u, valued(values, u, far), g)
		if g.reason = reason; reason != "" {
			return
		}
		for p := 1; p <= int(far)/2 && g.period == 0; p++ {
			if _, why := v.certified(p); why == "" {
				g.period = p
			} else if p == 1 {
				g.reason = why
			}
		}
		if g.period > 0 || far == mostRounds {
			break
		}
	}
	if g.period == 0 {
		return
	}
	g.reason = ""
	good := 0
	for at := int64(0); at <= 2*far; at++ {
		if v, reason = f.watched(u, valued(values, u, at), g); reason == "" {
			_, reason = v.certified(g.period)
		}
		if good++; reason != "" {
			good = 0
		}
		if good == g.period {
			g.least = int(at) - g.period + 1
			return
		}
	}
	g.reason = reason
}

// watched evaluates a combination with the loops that follow an unknown in view.
func (f *family) watched(u string, values map[string]int64, g *growth) (*record, string) {
	plain, _ := f.lower(values, nil)
	if plain == nil {
		return nil, fmt.Sprintf("it cannot be lowered with %d", values[u])
	}
	for range 6 {
		w := &watcher{unknown: u, grows: g.places, loops: g.loops, means: map[string]*symExpr{}}
		p, in := f.lower(values, w)
		switch {
		case w.reason != "":
			return nil, w.reason
		case w.again || w.growing():
			continue
		case p == nil || p.Digest() != plain.Digest():
			return nil, "its rounds cannot be told without their number"
		case len(in.carriers) > 0:
			return nil, "values travel through shared memory"
		}
		return &record{w, p}, ""
	}
	return nil, "ever more numbers grow from round to round"
}

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

// certified shows that all groups grow by a period of rounds, and gives the round of each loop at which they can be put in.
func (r *record) certified(period int) (leads map[*watch]map[*turns]int, reason string) {
	leads = map[*watch]map[*turns]int{}
	for _, log := range r.logs {
		if leads[log], reason = log.certified(period, nil); reason != "" {
			return nil, reason
		}
	}
	return leads, r.joined()
}

// joined compares how often lanes of a warp meet in a round: ring.go decides by that who meets at all.
func (r *record) joined() string {
	return ""
}

// loops are the loops of an instance that follow an unknown.
func (f *family) loops(u string, values map[string]int64, g *growth, p *protocol.Protocol) ([]protocol.Loop, string) {
	r, reason := f.watched(u, values, g)
	if reason != "" {
		return nil, reason
	}
	leads, reason := r.certified(g.period)
	if reason != "" {
		return nil, reason
	}
	var out []protocol.Loop
	for class := range p.Classes {
		c := &p.Classes[class]
		var first []protocol.Loop
		for _, log := range r.logs {
			if !log.finished || int(log.m.cta) != c.CTA || !slices.Contains(c.Threads, int(log.m.threads[0])) {
				continue
			}
			loops := log.executions(class, leads[log])
			if first != nil && !slices.EqualFunc(first, loops, func(a, b protocol.Loop) bool { return slices.Equal(a.Heads, b.Heads) && a.Lead == b.Lead }) {
				return nil, "threads of one class go through their rounds differently"
			}
			first = loops
		}
		out = append(out, first...)
	}
	return out, ""
}

// executions are the loops of a group, in the order in which they begin.
func (w *watch) executions(class int, leads map[*turns]int) []protocol.Loop {
	out := []protocol.Loop{}
	for _, st := range w.steps {
		if st.head == nil || st.head.index > 0 {
			continue
		}
		t := st.head.of
		l := protocol.Loop{Unknown: w.unknown, Class: class, Lead: leads[t]}
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
