package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/litmus"
	"github.com/fencepost-dev/fencepost/program"
)

// Handoff is data that one CTA hands to another through a flag in global memory: who writes and publishes, who waits
// and reads, cut out of a function as the two sides of a litmus test. A side is nil where the function does not show it.
type Handoff struct {
	Function   *program.Function
	Flag, Data string // as the source names them
	Publisher  *litmus.Side
	Consumer   *litmus.Side
	Places     litmus.Places
	Alone      string // of threads of one CTA, whose one side is Publisher: the rule that it is about
	Doubt      string // what the cut takes for granted and the source does not say, "" for nothing
	Excuse     string // why the consumer's side alone may be meant as it is
	Perhaps    string // why it is told as a warning: what of it is not known
}

// A generated file may have thousands of flags: maxHandoffs bounds the handoffs of one function, maxPairs the pairs of
// operations that are looked at for them.
const (
	maxHandoffs = 64
	maxPairs    = 1 << 14
)

// tired counts one pair and reports whether there were too many.
func (p *Pass) tired() bool {
	p.pairs++
	return p.pairs > maxPairs
}

// handoffs cuts the handoffs of all functions: of kernels first, then of those functions that no kernel inlines.
func (f *fileFacts) handoffs(bodies [][]*site) []Handoff {
	if f.file.Language == program.PTX {
		return nil
	}
	var out []Handoff
	inlined := map[*program.Function]bool{}
	for _, kernels := range []bool{true, false} {
		for i, fn := range f.file.Functions {
			if fn.Kernel != kernels || inlined[fn] || len(bodies[i]) == 0 {
				continue
			}
			p := &Pass{File: f.file, Table: f.table, fn: f.function(fn), sites: bodies[i]}
			out = append(out, p.handoffs()...)
			for _, s := range bodies[i] {
				for _, via := range s.via {
					inlined[via] = inlined[via] || kernels
				}
			}
		}
	}
	return out
}

// handoffs cuts the handoffs of a function.
func (p *Pass) handoffs() []Handoff {
	var out []Handoff
	published, taken := map[*site]bool{}, map[*site]bool{}
	writers := map[string][]*site{}
	for _, s := range p.sites {
		if flag, ok := p.publishes(s); ok {
			writers[flag.name] = append(writers[flag.name], s)
		}
	}
	for _, c := range p.sites {
		flag, ok := p.takes(c)
		if !ok {
			continue
		}
		for _, s := range writers[flag.name] {
			if len(out) >= maxHandoffs || p.tired() {
				return out
			}
			if s == c && !p.ticket(c) || otherBuild(s, c) || p.alone(s, c) {
				continue
			}
			for _, h := range p.between(s, c, flag.name) {
				published[s], taken[c] = true, true
				out = append(out, h)
			}
		}
	}
	out = append(out, p.bulkStores()...)
	out = append(out, p.stageReuses()...)
	out = append(out, p.remoteArrivals()...)
	for _, s := range p.sites {
		if len(out) >= maxHandoffs || p.tired() {
			break
		}
		out = append(out, p.oneSided(s, published, taken)...)
	}
	return out
}

// alone reports whether the one CTA of a grid waits in the very thread that counts it with an operation that is for its own device: nobody there waits for that.
func (p *Pass) alone(s, c *site) bool {
	if p.fn.file.grids[p.fn.fn.Name] != 1 || s.op.Kind == plainStore || s.op.Kind == dialect.Store || scopeOf(s) == "sys" {
		return false
	}
	u := &cutter{Pass: p}
	return s.order < c.order && s.threads().single() && u.alike(s.guards, c.guards)
}

// otherBuild reports whether two sites are never in one kernel: what is chosen when it is built keeps one or the other.
func otherBuild(a, b *site) bool {
	for _, g := range a.guards {
		for _, h := range b.guards {
			if g.built && h.built && g.negated != h.negated && same(g.cond(), h.cond()) {
				return true
			}
		}
	}
	return false
}

// oneSided cuts a side whose other side the function does not show.
func (p *Pass) oneSided(s *site, published, taken map[*site]bool) []Handoff {
	var out []Handoff
	if flag, ok := p.publishes(s); ok && !published[s] && (p.polledFlag(s) || p.announces(s)) {
		for _, o := range p.lastWrites(s, flag.name) {
			if !p.handsOn(s, o) {
				continue
			}
			for _, one := range p.cuts(o, s, p.publisher) {
				h := p.handoff(s, o, one.side, nil)
				h.Doubt = one.doubt
				out = append(out, h)
			}
		}
		return out
	}
	if flag, ok := p.takes(s); ok && s.spin != nil && !s.spin.deep && !taken[s] && p.pollsRelaxed(s) && !s.takesPolledValue() {
		for _, r := range p.firstReads(s, flag.name) {
			for _, one := range p.cuts(r, s, p.consumer) {
				h := p.handoff(s, r, nil, one.side)
				h.Doubt = one.doubt
				out = append(out, h)
			}
		}
	}
	return out
}

// between cuts what is handed on by a write of a flag and a poll of it: each array that is written before the one and
// read after the other.
func (p *Pass) between(s, c *site, flag string) []Handoff {
	var out []Handoff
	for _, o := range p.lastWrites(s, flag) {
		w, _ := p.writtenTo(o)
		for _, r := range p.firstReads(c, flag) {
			if e, _ := p.readFrom(r); e.name != w.name || p.ownElement(o, r) {
				continue
			}
			found := false
			for _, give := range p.cuts(o, s, p.publisher) {
				for _, take := range p.cuts(r, c, p.consumer) {
					h := p.handoff(s, o, give.side, take.side)
					h.Places, h.Doubt, h.Excuse = p.places(s, c), cmp.Or(give.doubt, take.doubt), onTicket(c, r)
					if fenced(give.side) {
						h.Doubt = cmp.Or(h.Doubt, h.Excuse)
					}
					out, found = append(out, h), true
				}
			}
			if found {
				break
			}
		}
	}
	return out
}

// onTicket tells why a ticket's missing acquire is let pass: the programming guide's own sum reads through pointers to
// volatile after its atomicInc and has no fence there.
func onTicket(c, r *site) string {
	if c.spin == nil && volatile(r) {
		return "the last CTA reads through a pointer to volatile, as the programming guide's example does"
	}
	return ""
}

// fenced reports whether a side has a fence of its own: then it is as good as the side of a reader without one is taken to
// be.
func fenced(side *litmus.Side) bool {
	return slices.ContainsFunc(side.Threads, func(t litmus.Thread) bool {
		return slices.ContainsFunc(t.Steps, func(s litmus.Step) bool { return s.Op == "fence" && width(s.Scope) >= width("gpu") })
	})
}

func (p *Pass) handoff(flag, data *site, publisher, consumer *litmus.Side) Handoff {
	e, ok := p.writtenTo(data)
	if !ok {
		e, _ = p.readFrom(data)
	}
	f, _ := p.flagOf(flag)
	return Handoff{Function: p.fn.fn, Flag: f.name, Data: e.name, Publisher: publisher, Consumer: consumer}
}

// takes gives the flag in global memory that a site waits for, or by which it finds out that it is the last.
func (p *Pass) takes(c *site) (element, bool) {
	if c.spin == nil && !p.ticket(c) || c.spin != nil && !polls[c.op.Kind] {
		return element{}, false
	}
	return p.flagOf(c)
}

// publishes gives the flag in global memory that a site writes, if that says more than that it is free again.
func (p *Pass) publishes(s *site) (element, bool) {
	if !writesFlag[s.op.Kind] || s.spin != nil || p.resets(s) {
		return element{}, false
	}
	return p.flagOf(s)
}

// lastWrites are the last writes of each array of global memory before a flag is written. What stands before an earlier
// write of the flag belongs to that one.
func (p *Pass) lastWrites(s *site, flag string) []*site {
	var out []*site
	seen := map[string]bool{flag: true}
	for i := s.order - 1; i >= 0; i-- {
		o := p.sites[i]
		if exclusive(o, s) {
			continue
		}
		if f, ok := p.publishes(o); ok && f.name == flag {
			break
		}
		if e, ok := p.writtenTo(o); ok && !seen[e.name] && !p.fn.file.polled[e.name] {
			seen[e.name] = true
			out = append(out, o)
		}
	}
	return out
}

// firstReads are the first reads of each array of global memory after a flag was seen.
func (p *Pass) firstReads(c *site, flag string) []*site {
	var out []*site
	seen := map[string]bool{flag: true}
	for _, r := range p.sites[c.order+1:] {
		if r.spin != nil && r.spin == c.spin || exclusive(c, r) {
			continue
		}
		if e, ok := p.readFrom(r); ok && !seen[e.name] {
			seen[e.name] = true
			out = append(out, r)
		}
	}
	return out
}

// ownElement reports whether a thread reads only what it has written itself: both indices are spelt alike and differ
// between CTAs, and the two are no roles of different threads.
func (p *Pass) ownElement(o, r *site) bool {
	if exclusive(o, r) {
		return false
	}
	w, _ := p.writtenTo(o)
	e, _ := p.readFrom(r)
	return w.index != nil && e.index != nil && p.byBlock(w.index) && same(p.fn.value(w.index), p.fn.value(e.index))
}

// byBlock reports whether an index depends on the CTA.
func (p *Pass) byBlock(x program.Expr) bool { return p.mentions(x, dialect.BlockIdx, 0) }

func (p *Pass) mentions(x program.Expr, kind dialect.Kind, depth int) bool {
	if x == nil || depth > 4 {
		return false
	}
	found := false
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Attr:
			op, ok := p.fn.file.table.Attr(e)
			found = found || ok && op.Kind == kind
		case *program.Call:
			op, ok := p.fn.call(e)
			found = found || ok && op.Kind == kind
		case *program.Name:
			if v := p.fn.definition(e); v != nil {
				found = found || p.mentions(v, kind, depth+1)
			}
		}
		return !found
	})
	return found
}

// places tells where the two sides of a handoff run. Both name the flag by the same word; where each CTA has a flag of
// its own, and both sides mean that, no other CTA is concerned.
func (p *Pass) places(s, c *site) litmus.Places {
	if p.ofOtherGPU(s) || p.ofOtherGPU(c) {
		return litmus.Places{OtherGPU: true}
	}
	a, _ := p.flagOf(s)
	b, _ := p.flagOf(c)
	own := a.index != nil && b.index != nil && p.byBlock(a.index) && same(p.fn.value(a.index), p.fn.value(b.index))
	return litmus.Places{SameCTA: own || p.fn.file.grids[p.fn.fn.Name] == 1}
}

// ofOtherGPU reports whether a flag is one of an array of pointers that ranks or peers index, or is called after its being
// elsewhere.
func (p *Pass) ofOtherGPU(s *site) bool {
	base := s.barrier().base
	root, _, _ := strings.Cut(base, ".")
	typ := strings.NewReplacer("const", "", " ", "").Replace(s.owner.types[base] + ";" + s.owner.types[root])
	if called(root+"_"+lastWord(base), "peer", "peers", "remote", "rank", "ranks", "symm", "nvl", "ipc", "multimem", "mc") {
		return true
	}
	if ptr := s.arg("ptr"); ptr != nil && (strings.Contains(typ, "**") || p.fn.file.pointers[lastWord(base)]) {
		found := false
		program.WalkExprs(ptr, func(e program.Expr) bool {
			n, ok := e.(*program.Name)
			found = found || ok && called(n.Ident, "peer", "rank", "gpu", "dev", "device")
			return !found
		})
		return found
	}
	return false
}

// called reports whether one of the words of a name is in a list.
func called(name string, words ...string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r >= '0' && r <= '9' }), func(w string) bool {
		return slices.Contains(words, w)
	})
}
