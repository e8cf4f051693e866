package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// writesFlag are operations that can publish a flag.
var writesFlag = map[dialect.Kind]bool{
	dialect.Store: true, plainStore: true, dialect.AtomicAdd: true, dialect.AtomicSub: true, dialect.AtomicMax: true,
	dialect.AtomicExch: true, dialect.AtomicCas: true, dialect.Reduce: true,
}

// flagName is the last word of the address a site works on.
func (p *Pass) flagName(s *site) string { return lastWord(s.barrier().base) }

// polledFlag reports whether the site works on global memory that a spin loop of this file polls. What a kernel writes, and only other kernels poll, is set before these start, unless somebody sees to it that they run together.
func (p *Pass) polledFlag(s *site) bool {
	name := p.flagName(s)
	if name == "" || s.spin != nil || !p.fn.file.polled[name] || !p.global(s) {
		return false
	}
	by := func(by *program.Function) bool { return !by.Kernel || by == p.fn.fn }
	return !p.fn.fn.Kernel || slices.ContainsFunc(p.fn.file.pollers[name], by) && !p.besideFlag(s)
}

// besideFlag reports whether a kernel waits for another word of the array that a site writes, the same one for all CTAs, and writes that with the same index:
// counts may stand beside a flag.
func (p *Pass) besideFlag(s *site) bool {
	at, ok := p.flagOf(s)
	if !ok {
		return false
	}
	is := func(o *site, of program.Expr) bool {
		e, ok := p.flagOf(o)
		return ok && e.name == at.name && same(p.fn.value(e.index), p.fn.value(of))
	}
	beside := false
	for _, c := range p.sites {
		e, takes := p.takes(c)
		if !takes || c.spin == nil || e.name != at.name || e.index == nil {
			continue
		}
		if !p.ofAll(e.index) || is(s, e.index) || !slices.ContainsFunc(p.sites, func(o *site) bool { return writesFlag[o.op.Kind] && o.spin == nil && !p.resets(o) && is(o, e.index) }) {
			return false
		}
		beside = true
	}
	return beside
}

// ofAll reports whether an index is a constant, or a name that a template is given.
func (p *Pass) ofAll(x program.Expr) bool {
	x = p.fn.value(x)
	name := path(x)
	given := slices.ContainsFunc(p.fn.fn.Template, func(t program.Param) bool { return t.Name == name })
	_, known := p.fn.fold(x)
	return known || given && len(p.fn.defs[name]) == 0
}

// global reports whether the address comes from a pointer parameter and not from the CTA's shared memory.
func (p *Pass) global(s *site) bool {
	base := s.barrier().base
	if base == "" || s.op.Text("space", "") == "cta" || p.fn.dims[base] || strings.HasPrefix(base, marked) {
		return false
	}
	first, _, dotted := strings.Cut(base, ".")
	if calledShared(first) {
		return false
	}
	for _, q := range p.fn.fn.Params {
		if q.Name == first {
			return p.File.Language != program.CUDA || (dotted || strings.Contains(q.Type, "*")) && !sharedByName(first, q.Type)
		}
	}
	return s.op.Text("space", "") == "global"
}

// sharedByName reports whether a parameter is called what storage in shared memory is called.
func sharedByName(name, typ string) bool {
	in := func(s *source.Search) bool { return s.In([]byte(name)) || s.In([]byte(typ)) }
	return !strings.Contains(typ, "volatile") && in(sharedWords) && !in(warpWord) // one for each warp
}

var sharedWords, warpWord = source.NewSearch("smem", "shared", "storage"), source.NewSearch("warp")

// releases reports whether a write carries release order itself.
func releases(s *site) bool {
	switch s.op.Text("sem", "") {
	case "release", "acq_rel", "sc":
		return true
	}
	return s.op.Kind != plainStore && s.op.Has("sem") && s.op.Text("sem", "") == "" // an order this file does not spell out
}

// data reports whether a site writes memory that a flag could be about.
func (p *Pass) data(s *site, flag string) bool {
	switch s.op.Kind {
	case plainStore, dialect.Store:
		return p.global(s) && p.flagName(s) != flag && !p.fn.file.polled[p.flagName(s)]
	}
	return false
}

// releaseFence are operations that order earlier writes before a later flag write by the same thread.
func releaseFence(s *site) bool {
	switch s.op.Kind {
	case dialect.Fence:
		return s.op.Text("sem", "acq_rel") != "acquire"
	case dialect.GridSync:
		return true
	case unknownCall:
		return mayFence(s.op.Name)
	}
	return false
}

// publishWithoutRelease (FP304) reports a flag write of relaxed, volatile or plain order after data writes with no
// release fence between (AR-02), and one of any order ahead of them.
func publishWithoutRelease(p *Pass) {
	for i, s := range p.sites {
		if !writesFlag[s.op.Kind] || p.resets(s) {
			continue
		}
		flag := p.flagName(s)
		if o, r := p.behindFlag(s); o != nil {
			f := p.report(o.span, "%q is written behind the flag %q that announces it; expected ahead of the flag", p.flagName(o), flag)
			p.label(f, s.span, "the flag")
			p.label(f, r.span, "read by who has waited for the flag")
			f.Help = "write the data first, then the flag with release order"
			continue
		}
		if releases(s) {
			continue
		}
		twin, about := p.fencedTwin(s)
		if !p.polledFlag(s) && twin == nil {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			o := p.sites[j]
			if releaseFence(o) || (writesFlag[o.op.Kind] && p.flagName(o) == flag) {
				break
			}
			if p.data(o, flag) && !exclusive(o, s) && p.handsOn(s, o) && (twin == nil || about[p.flagName(o)]) {
				f := p.report(s.span, "flag %q is written with %s order after data; expected release", flag, order(s))
				p.label(f, o.span, "this write may become visible after the flag")
				if twin != nil {
					p.label(f, twin.span, "the same announcement, with a fence before it")
				}
				f.Help = "write the flag with release order, or put a fence of the polling threads' scope before it"
				break
			}
		}
	}
}

// fencedTwin finds, for a write through a pointer to volatile that no loop of the file is known to poll, another write of
// the array that stands behind a release fence: then the array is one of flags. about are the arrays that are written before
// that fence.
func (p *Pass) fencedTwin(s *site) (twin *site, about map[string]bool) {
	if s.op.Kind != plainStore || p.polledFlag(s) || !p.global(s) || !volatile(s) {
		return nil, nil
	}
	flag := p.flagName(s)
	for i, t := range p.sites {
		if t == s || t.op.Kind != plainStore || p.flagName(t) != flag || p.resets(t) {
			continue
		}
		about, fenced := map[string]bool{}, false
		for j := i - 1; j >= 0 && !p.tired(); j-- {
			o := p.sites[j]
			if writesFlag[o.op.Kind] && p.flagName(o) == flag {
				break
			}
			fenced = fenced || releaseFence(o)
			if fenced && p.data(o, flag) && !exclusive(o, t) {
				about[p.flagName(o)] = true
			}
		}
		if len(about) > 0 {
			return t, about
		}
	}
	return nil, nil
}

// handsOn reports whether a flag may announce what was written at o. Where the threads that write it go on to wait for the
// others' flags, as in a barrier of several CTAs or GPUs, it announces only what they read after the wait.
func (p *Pass) handsOn(s, o *site) bool {
	c := p.waitAfter(s)
	if c == nil {
		return true
	}
	if p.alone(s, c) {
		return false
	}
	w, known := p.writtenTo(o)
	if !known {
		return true
	}
	return slices.ContainsFunc(p.sites[c.order+1:], func(r *site) bool {
		e, ok := p.readFrom(r)
		return ok && e.name == w.name
	})
}

// waitAfter finds the wait by which the threads that write a flag wait for the same flag of others. One that waits for the
// flag to become zero again waits for who has taken it.
func (p *Pass) waitAfter(s *site) *site {
	flag, ok := p.flagOf(s)
	if !ok {
		return nil
	}
	for _, c := range p.sites[s.order+1:] {
		if c.spin == nil || exclusive(s, c) || untilZero(c.spin.cond) {
			continue
		}
		if e, ok := p.takes(c); ok && e.name == flag.name {
			return c
		}
	}
	return nil
}

// untilZero reports whether a loop goes on while a word is not zero.
func untilZero(x program.Expr) bool {
	switch e := x.(type) {
	case *program.Binary:
		n, constant := e.Y.(*program.Int)
		return e.Op == "!=" && constant && n.Value == 0 || e.Op == "==" && constant && n.Value != 0
	case *program.Index, *program.Name, *program.Attr, *program.Call:
		return true
	case *program.Unary:
		return e.Op == "*"
	}
	return false
}

// resets reports whether a flag write only puts the flag back to zero.
func (p *Pass) resets(s *site) bool {
	if s.op.Kind != plainStore && s.op.Kind != dialect.Store && s.op.Kind != dialect.AtomicExch {
		return false
	}
	n, ok := s.owner.fold(s.arg("value"))
	return ok && n == 0
}

// exclusive reports whether two sites stand on different sides of one condition.
func exclusive(a, b *site) bool {
	for _, g := range a.guards {
		for _, h := range b.guards {
			if g.node == h.node && g.negated != h.negated {
				return true
			}
		}
	}
	return false
}

func order(s *site) string {
	if s.op.Kind == plainStore {
		return "plain"
	}
	if w := s.op.Text("sem", ""); w != "" {
		return w
	}
	if s.op.Kind == dialect.Store {
		return "weak"
	}
	return "relaxed"
}

// spinWithoutAcquire (FP303) reports a spin on a flag that reads it without acquire order, and then uses data
// (AR-01).
func spinWithoutAcquire(p *Pass) {
	for i, s := range p.sites {
		if s.spin == nil || s.spin.deep || !p.pollsRelaxed(s) || p.acquiresInside(s.spin) || s.takesPolledValue() {
			continue
		}
		for _, o := range p.sites[i+1:] {
			if o.spin == s.spin || exclusive(o, s) {
				continue
			}
			if (o.op.Kind == dialect.Fence && o.op.Text("sem", "acq_rel") != "release") || o.op.Kind == dialect.GridSync ||
				(o.op.Kind == unknownCall && mayFence(o.op.Name)) {
				break
			}
			if s.threads().lanes == oneOf && s.op.Kind == dialect.Load && (o.op.Kind == dialect.CtaSync || o.op.Kind == dialect.NamedBarrierSync) {
				// The other threads wait for this one only to read what the flag announces.
				f := p.report(s.span, "one thread spins on %q with %s order and then releases the others; expected acquire", p.flagName(s), spinOrder(s))
				p.label(f, o.span, "the other threads go on from here and may see data from before the flag was set")
				f.Help = "read the flag with acquire order, or put an acquire fence after the loop"
				break
			}
			if usesData[o.op.Kind] && !p.fn.file.polled[p.flagName(o)] && p.flagName(o) != p.flagName(s) && !p.shared(o) {
				f := p.report(s.span, "spin on %q reads with %s order and then uses data; expected acquire", p.flagName(s), spinOrder(s))
				p.label(f, o.span, "may see the value from before the flag was set")
				f.Help = "read the flag with acquire order, or put an acquire fence after the loop"
				break
			}
		}
	}
}

var usesData = map[dialect.Kind]bool{dialect.Load: true, plainLoad: true, dialect.TmaLoad: true, dialect.CpAsync: true}

func (p *Pass) shared(s *site) bool {
	return s.op.Text("space", "") == "cta" || p.fn.dims[s.barrier().base]
}

func (p *Pass) pollsRelaxed(s *site) bool {
	// A poll of gpu or sys scope is of memory that other CTAs write, wherever its address comes from.
	wide := s.op.Kind == dialect.Load && (s.op.Text("scope", "") == "gpu" || s.op.Text("scope", "") == "sys")
	if !wide && !p.global(s) {
		return false
	}
	switch s.op.Kind {
	case plainLoad:
		return flagLike(p.flagName(s))
	case dialect.Load:
		switch s.op.Text("sem", "") {
		case "weak", "relaxed", "volatile":
			return flagLike(p.flagName(s)) || s.op.Call != nil && len(s.via) == 0
		}
	}
	return false
}

// flagLike reports whether a name is what flags are called: a loop that follows data to its end is no spin.
func flagLike(name string) bool {
	name = strings.ToLower(name)
	for _, w := range [...]string{"flag", "sem", "lock", "counter", "ctr", "cnt", "ready", "done", "signal", "barrier", "sync", "arrived", "ticket", "epoch", "turn"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

func spinOrder(s *site) string {
	if s.op.Kind == plainLoad {
		return "plain or volatile"
	}
	return s.op.Text("sem", "relaxed")
}

// acquiresInside reports whether the loop itself fences or synchronizes after each read.
func (p *Pass) acquiresInside(l *loop) bool {
	for _, s := range l.sites {
		if s.op.Kind == dialect.Fence || (s.op.Kind == unknownCall && mayFence(s.op.Name)) {
			return true
		}
	}
	return false
}

// takesPolledValue reports whether the value read in the loop is used after it: then the word carries its own data.
func (s *site) takesPolledValue() bool {
	end := s.spin.stmt.Where().End
	for name := range s.spin.assigned() {
		if s.spin.setByPoll(name) && s.spin.owner.usedAfter(name, end) {
			return true
		}
	}
	return false
}

// usedAfter reports whether a name is read after a place, before it gets a new value.
func (g *function) usedAfter(name string, at int) bool {
	next := g.fn.Span.End
	var fresh definition
	for _, d := range g.defs[name] {
		if start := d.node.Where().Start; d.op == "=" && d.value != nil && start >= at && start < next {
			next, fresh = start, d
		}
	}
	for _, u := range g.uses[name] {
		if u >= at && (u < next || fresh.value != nil && u >= fresh.value.Where().Start && u < fresh.value.Where().End) {
			return true
		}
	}
	return false
}
