package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/value"
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
	easiest  int                           // sweep.easiest
	first    int                           // that the first instance took
	places   map[string]bool               // watcher.grows
	loops    map[program.Stmt]string       // watcher.loops
	grows    map[string]*growth            // by unknown; nil as long as nobody has asked
	compared int                           // instances
	records  map[string]*record            // those that find has made
	plainly  map[string]*protocol.Protocol // instances that were lowered without being watched
	leads    repeating                     // as far as it is known
	outer    map[string]bool               // watcher.outer
}

// The steps for all that is asked of a family are bounded: they are counted, so that the answers are the same on every
// machine. Many instances are asked for: where one alone takes more than a part of the steps, none is.
const (
	growthFuel = 8_000_000
	growthPart = 160
	allRounds  = 32 // times as many, where they are asked for
	perState   = 4  // as many for each state that a search is limited to
	dearFind   = 16 // part of them that may be spent before a period is known
)

// visitsPerStep is how many values a survey visits in the time of a step.
const visitsPerStep = 4

const tooDear = "evaluation takes too long to look at more rounds (--all-rounds)"

// fuel is what may be spent.
func (f *family) fuel() int {
	if f.l.allRounds {
		return allRounds * growthFuel
	}
	if f.l.states > 0 {
		return min(growthFuel, perState*f.l.states)
	}
	return growthFuel
}

func (w *sweep) family() *family {
	return &family{l: *w.l, fn: w.fn, la: w.la, flags: w.flags, carriers: w.carriers, depth: w.depth, easiest: w.easiest, places: map[string]bool{}, loops: map[program.Stmt]string{}, records: map[string]*record{}, plainly: map[string]*protocol.Protocol{}, leads: repeating{}, outer: map[string]bool{}}
}

// Instance lowers the kernel for some values of its unknowns: for those of one of Instances, or with others for unknowns of
// Rounds. It has Repeats, which hold together, for the unknowns of Rounds with which it is certain how instances grow, and
// Loops from their Least on; of the others, why says why it is not. It is nil where it cannot be lowered, or the kernel
// refuses the values.
func (k *Kernel) Instance(values map[string]int64) (p *protocol.Protocol, why map[string]string) {
	f := k.family
	if f == nil {
		return nil, nil
	}
	f.find(k)
	r, reason := f.record(k, values)
	if r == nil {
		p = f.plain(values)
	} else {
		p = r.p
	}
	if p == nil {
		return nil, nil
	}
	why = map[string]string{}
	for _, u := range k.Rounds {
		g := f.grows[u]
		_, asked := p.Values[u]
		switch {
		case !asked || g == nil:
		case g.reason != "":
			why[u] = g.reason
		case values[u] < int64(g.least):
			p.Repeats = append(p.Repeats, protocol.Repeat{Unknown: u, Least: g.least})
		case r == nil:
			why[u] = reason
		}
	}
	if r != nil {
		f.certify(r, values, why)
	}
	return p, why
}

// With lowers the kernel for some values of its unknowns, without a word on how it grows; nil where it cannot be lowered, or
// refuses them.
func (k *Kernel) With(values map[string]int64) *protocol.Protocol {
	if k.family == nil {
		return nil
	}
	return k.family.plain(values)
}

// Grows reports whether it is known of some unknown how instances grow with it.
func (k *Kernel) Grows() bool {
	f := k.family
	if f == nil {
		return false
	}
	f.find(k)
	return slices.ContainsFunc(k.Rounds, func(u string) bool { return f.grows[u] != nil && f.grows[u].reason == "" })
}

// record is the record of an instance that grows with some unknown, with what it shows; nil if there is none.
func (f *family) record(k *Kernel, values map[string]int64) (r *record, reason string) {
	if !slices.ContainsFunc(k.Rounds, func(u string) bool { return f.growing(u, values) }) {
		return nil, ""
	}
	key := f.key(values)
	r = f.records[key]
	delete(f.records, key) // it is kept no longer than needed: it has all that evaluation held
	if r == nil && len(f.leads) > 0 {
		r, _ = f.watched(values, f.leads)
	}
	if r != nil && r.certify(f.grown(k, r.p, values)) && f.learn(r) {
		return r, ""
	}
	if r == nil || r.only != nil {
		if r, reason = f.watched(values, nil); r == nil {
			return nil, reason
		}
		if r.certify(f.grown(k, r.p, values)) {
			f.learn(r)
		}
	}
	return r, ""
}

// learn notes where loops repeat: in other instances they will, too. Where only some rounds were looked at, they are to
// repeat where others did, so that those of all groups still do so side by side; it reports whether they do.
func (f *family) learn(r *record) bool {
	for t, at := range r.repeats() {
		list := f.leads[t.of][at.period]
		switch known := slices.Contains(list, at.lead); {
		case known:
		case r.only != nil:
			return false
		case f.leads[t.of] == nil:
			f.leads[t.of] = map[int][]int{}
			fallthrough
		default:
			f.leads[t.of][at.period] = append(list, at.lead)
		}
	}
	return true
}

// growing reports whether the instance for some values is one that may grow with an unknown.
func (f *family) growing(u string, values map[string]int64) bool {
	g := f.grows[u]
	return g != nil && g.reason == "" && values[u] >= int64(g.least)
}

// grown lists the unknowns with which an instance grows.
func (f *family) grown(k *Kernel, p *protocol.Protocol, values map[string]int64) (out []string) {
	for _, u := range k.Rounds {
		if _, asked := p.Values[u]; asked && f.growing(u, values) {
			out = append(out, u)
		}
	}
	return out
}

// certify puts Loops and Repeats into an instance for the unknowns with which it grows. An instance that does not is one
// before the least from which on they do.
func (f *family) certify(r *record, values map[string]int64, why map[string]string) {
	if len(r.periods) == 0 {
		return
	}
	grown, reason := slices.Sorted(maps.Keys(r.periods)), r.refusal
	for _, u := range grown {
		if r.periods[u] == 0 {
			f.grows[u].least = int(values[u]) + 1
		}
	}
	if reason == "" {
		reason = r.loops(r.leads)
	}
	for _, u := range grown {
		switch {
		case r.periods[u] == 0:
			r.p.Repeats = append(r.p.Repeats, protocol.Repeat{Unknown: u, Least: f.grows[u].least})
		case reason != "":
			f.grows[u].reason, why[u] = reason, reason
		default:
			r.p.Repeats = append(r.p.Repeats, protocol.Repeat{Unknown: u, Period: r.periods[u], Least: f.grows[u].least})
		}
	}
	if reason == "" && !f.literal(r.p, values) {
		for _, u := range grown {
			f.grows[u].reason, why[u] = seemed, seemed
		}
	}
}

// plain lowers one combination, once: the same is asked for to compare watched ones with, and as what others grow into.
func (f *family) plain(values map[string]int64) *protocol.Protocol {
	key := fmt.Sprint(values)
	p, known := f.plainly[key]
	if !known {
		p, _ = f.lower(values, nil)
		f.plainly[key] = p
	}
	if p == nil {
		return nil
	}
	out := *p // who asks says in its Repeats how it grows
	return &out
}

// lower lowers one combination, watched or not. The protocol is nil where that fails or asks for more values.
func (f *family) lower(values map[string]int64, watcher *watcher) (*protocol.Protocol, *instance) {
	if f.spent > f.fuel() || f.l.clock.over {
		return nil, nil
	}
	l := f.l
	l.discoveries = f.l.discoveries.clone()
	l.brief, l.fuel = false, kernelFuel
	k := &Kernel{Name: f.fn.Qualified, Function: f.fn, Path: l.file.Source.Name, Line: l.file.Source.Position(f.fn.NameSpan.Start).Line, Bounds: map[string]string{}}
	w := newSweep(&l, k, f.fn, f.la)
	w.flags, w.carriers, w.watcher = maps.Clone(f.flags), maps.Clone(f.carriers), watcher
	complete := true
	in := w.run(func(n combination.Need) int64 {
		v, known := values[n.Key]
		if !known {
			complete = false
			if watcher != nil {
				watcher.fail("it decides whether %s is asked for", watcher.spelled(&value.Expr{Atom: n.Key}))
			}
		}
		return v
	})
	f.spent += kernelFuel - l.fuel
	f.l.clock = l.clock
	if watcher != nil {
		f.spent += watcher.surveyed / visitsPerStep
	}
	if f.first == 0 {
		f.first = f.spent
	}
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
	out.rows, out.inquiries = maps.Clone(d.rows), maps.Clone(d.inquiries)
	out.strides, out.varied, out.reach, out.tested, out.compared = maps.Clone(d.strides), maps.Clone(d.varied), d.reach, d.tested, map[program.Node]*asked{}
	out.recurring, out.divided, out.bits = newRecurring(), maps.Clone(d.divided), maps.Clone(d.bits)
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

// compares is how many instances are compared with what is lowered for the values.
const compares = 8

const seemed = "instances do not grow as they seemed to"

// literal compares instances with one period more of the unknowns an instance grows with, of each and of all, by its own
// account, with those that are lowered. It is a last defence, that looks at nothing but operations. It also shows what is
// decided of an instance as a whole, by counts (missedCount, settleBytes): these are sums of products of the numbers of
// periods, one of each unknown at most, so that two that are equal in all of these are in all others.
func (f *family) literal(p *protocol.Protocol, values map[string]int64) bool {
	if f.compared++; f.compared > compares {
		return true
	}
	var grows []protocol.Repeat
	for _, r := range p.Repeats {
		if values[r.Unknown] >= int64(r.Least) {
			grows = append(grows, r)
		}
	}
	for some := 1; some < 1<<min(len(grows), 3); some++ {
		larger, q := maps.Clone(values), p
		for i, r := range grows {
			if some&(1<<min(i, 2)) != 0 {
				larger[r.Unknown] += int64(r.Period)
				if q = q.Grow(r.Unknown, r.Period); q == nil {
					return false
				}
			}
		}
		if plain := f.plain(larger); plain == nil || plain.Digest() != q.Digest() {
			return false
		}
	}
	return true
}

// Regrown looks again at how an instance is said to grow: it lowers, without a watcher, the instance with so many periods more of
// each unknown that it has Repeats for, and compares that with what it grows into. It gives those that were lowered. What
// lowering is too short of steps for is not compared.
func (k *Kernel) Regrown(values map[string]int64, periods ...int) (larger []*protocol.Protocol, err error) {
	p, _ := k.Instance(values)
	if p == nil {
		return nil, nil
	}
	f := *k.family
	for _, r := range p.Repeats {
		if r.Period < 1 || values[r.Unknown] < int64(r.Least) {
			continue
		}
		for _, n := range periods {
			q := p
			for i := 0; i < n && q != nil; i++ {
				q = q.Grow(r.Unknown, r.Period)
			}
			if q == nil {
				return larger, fmt.Errorf("the instance with %v does not grow by %d rounds of %s", values, r.Period, r.Unknown)
			}
			f.spent = 0
			plain, _ := f.lower(valued(values, r.Unknown, values[r.Unknown]+int64(n*r.Period)), nil)
			if plain == nil {
				continue
			}
			if plain.Digest() != q.Digest() {
				return larger, fmt.Errorf("the instance with %v is not, with %d periods of %d more rounds of %s, what it is said to grow into", values, n, r.Period, r.Unknown)
			}
			larger = append(larger, plain)
		}
	}
	return larger, nil
}
