package rules

import (
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
	Doubt      string // what the cut takes for granted and the source does not say, "" for nothing
}

// maxHandoffs bounds the handoffs of one function: a generated file may have thousands of flags.
const maxHandoffs = 64

// handoffs cuts the handoffs of a function.
func (p *Pass) handoffs() []Handoff {
	var out []Handoff
	published, taken := map[*site]bool{}, map[*site]bool{}
	for _, c := range p.sites {
		if !p.takes(c) {
			continue
		}
		for _, s := range p.sites {
			if len(out) < maxHandoffs && s != c && p.publishes(s) && p.flagName(s) == p.flagName(c) || s == c && p.ticket(c) {
				for _, h := range p.between(s, c) {
					published[s], taken[c] = true, true
					out = append(out, h)
				}
			}
		}
	}
	for _, s := range p.sites {
		if len(out) >= maxHandoffs {
			break
		}
		switch {
		case p.publishes(s) && !published[s] && (p.polledFlag(s) || p.announces(s)):
			for _, o := range p.lastWrites(s) {
				if side := p.publisher(o, s); side != nil {
					out = append(out, p.handoff(s, o, side, nil))
				}
			}
		case s.spin != nil && p.takes(s) && !taken[s] && p.pollsRelaxed(s) && !s.takesPolledValue():
			for _, r := range p.firstReads(s) {
				if side := p.consumer(s, r); side != nil {
					out = append(out, p.handoff(s, r, nil, side))
				}
			}
		}
	}
	return out
}

// between cuts what is handed on by a write of a flag and a poll of it: each array that is written before the one and
// read after the other.
func (p *Pass) between(s, c *site) []Handoff {
	var out []Handoff
	for _, o := range p.lastWrites(s) {
		for _, r := range p.firstReads(c) {
			if p.flagName(o) != p.flagName(r) || p.ownElement(o, r) {
				continue
			}
			publisher, consumer := p.publisher(o, s), p.consumer(c, r)
			if publisher == nil || consumer == nil {
				continue
			}
			h := p.handoff(s, o, publisher, consumer)
			h.Places, h.Doubt = p.places(s, c)
			out = append(out, h)
		}
	}
	return out
}

func (p *Pass) handoff(flag, data *site, publisher, consumer *litmus.Side) Handoff {
	return Handoff{Function: p.fn.fn, Flag: p.flagName(flag), Data: p.flagName(data), Publisher: publisher, Consumer: consumer}
}

// takes reports whether a site waits for a flag in global memory, or finds out by a ticket that it is the last.
func (p *Pass) takes(c *site) bool {
	if p.flagName(c) == "" || p.shared(c) || c.named {
		return false
	}
	if c.spin == nil {
		return p.ticket(c)
	}
	wide := c.op.Kind == dialect.Load && width(c.op.Text("scope", "cta")) >= width("gpu") && c.op.Has("scope")
	return polls[c.op.Kind] && (p.global(c) || p.pointed(c) || wide)
}

// publishes reports whether a site writes a flag in global memory that says more than that it is free again.
func (p *Pass) publishes(s *site) bool {
	return writesFlag[s.op.Kind] && s.spin == nil && !s.named && p.flagName(s) != "" && !p.shared(s) && (p.global(s) || p.pointed(s)) && !p.resets(s)
}

// lastWrites are the last writes of each array of global memory before a flag is written.
func (p *Pass) lastWrites(s *site) []*site {
	flag := p.flagName(s)
	var out []*site
	for i := s.order - 1; i >= 0; i-- {
		o := p.sites[i]
		if o.spin == nil && writesFlag[o.op.Kind] && p.flagName(o) == flag && !exclusive(o, s) && !p.resets(o) {
			break // what stands before belongs to that one
		}
		if p.writesData(o, flag) && !exclusive(o, s) && !slices.ContainsFunc(out, func(q *site) bool { return p.flagName(q) == p.flagName(o) }) {
			out = append(out, o)
		}
	}
	return out
}

func (p *Pass) writesData(o *site, flag string) bool {
	switch o.op.Kind {
	case plainStore, dialect.Store, dialect.AtomicAdd, dialect.AtomicMax, dialect.Reduce, dialect.AtomicExch:
	default:
		return false
	}
	name := p.flagName(o)
	return name != "" && name != flag && !p.fn.file.polled[name] && !o.named && o.spin == nil && !p.shared(o) && (p.global(o) || p.pointed(o))
}

// firstReads are the first reads of each array of global memory after a flag was seen.
func (p *Pass) firstReads(c *site) []*site {
	flag := p.flagName(c)
	var out []*site
	for _, r := range p.sites[c.order+1:] {
		if r.spin != nil && r.spin == c.spin {
			continue
		}
		if p.readsData(r, flag) && !exclusive(c, r) && !slices.ContainsFunc(out, func(q *site) bool { return p.flagName(q) == p.flagName(r) }) {
			out = append(out, r)
		}
	}
	return out
}

func (p *Pass) readsData(r *site, flag string) bool {
	switch {
	case r.op.Kind == plainLoad, r.op.Kind == dialect.Load, r.op.Kind == argumentLoad:
	case r.op.Kind == plainStore && r.assign != nil && r.assign.Op != "=" && r.assign.Op != "":
	default:
		return false
	}
	name := p.flagName(r)
	return name != "" && name != flag && r.spin == nil && !r.named && !p.shared(r) && (p.global(r) || p.pointed(r))
}

// ownElement reports whether a thread reads only what it has written itself: both indices are spelt alike, and the
// two are no roles of different threads.
func (p *Pass) ownElement(o, r *site) bool {
	if exclusive(o, r) {
		return false
	}
	a, b := o.barrier().index, r.barrier().index
	if a == nil || b == nil || !p.byBlock(a) {
		return false
	}
	return same(a, b)
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
func (p *Pass) places(s, c *site) (litmus.Places, string) {
	var at litmus.Places
	a, b := s.barrier().index, c.barrier().index
	at.SameCTA = a != nil && b != nil && p.byBlock(a) && same(a, b) || p.fn.file.grids[p.fn.fn.Name] == 1
	if p.ofOtherGPU(s) || p.ofOtherGPU(c) {
		at.OtherGPU, at.SameCTA = true, false
		return at, ""
	}
	return at, ""
}

// ofOtherGPU reports whether a flag is one of an array of pointers, one for each GPU, or is called after its being
// elsewhere.
func (p *Pass) ofOtherGPU(s *site) bool {
	base := s.barrier().base
	typ := strings.ReplaceAll(s.owner.types[base], "const", "")
	if strings.Contains(strings.ReplaceAll(typ, " ", ""), "**") {
		return true
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(lastWord(base)), func(r rune) bool { return r == '_' }) {
		switch w {
		case "peer", "peers", "remote", "rank", "ranks", "symm", "nvl", "ipc", "multimem", "mc":
			return true
		}
	}
	return false
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
			if fn.Kernel != kernels || inlined[fn] {
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
