package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// givenBackUnfenced (FP204) reports a stage that threads read with ordinary loads and give back through an mbarrier, that a
// bulk load then fills again, with no proxy fence on either side (notes/semantics.md 4.6, P4, which is contested). Where all of
// it is spelt out, a litmus test is cut (stageReuses); this is for wrappers of other files, which are known by their names.
func givenBackUnfenced(p *Pass) {
	if p.File.Language != program.CUDA {
		return
	}
	for _, a := range p.sites {
		empty, named := p.arrivesOn(a)
		if empty == "" {
			continue
		}
		for _, w := range p.sites {
			on, wrapped := p.waitsOn(w)
			if on != empty || !(named || wrapped) {
				continue
			}
			if r, t := p.refilled(a, w, empty); r != nil {
				f := p.report(a.span, "a stage read with ordinary loads is given back without a proxy fence; expected fence.proxy.async before this")
				p.label(f, r.span, "read here through the generic proxy")
				p.label(f, t.span, "filled again here through the async proxy")
				f.Help = "after the reads, each reader executes fence.proxy.async.shared::cta, then the arrival"
				break
			}
		}
	}
}

// refilled is a read of a stage before it is given back at a, and the copy that fills it behind the wait w, if there is no
// proxy fence between the read and a or between w and the copy.
func (p *Pass) refilled(a, w *site, empty string) (read, fill *site) {
	for _, t := range p.sites[w.order+1:] {
		if on, _ := p.waitsOn(t); on == empty || t.op.Kind == dialect.FenceProxy || p.tired() {
			return nil, nil
		}
		if !p.fills(t) || exclusive(w, t) {
			continue
		}
		for i := a.order - 1; i >= 0; i-- {
			r := p.sites[i]
			if on, _ := p.waitsOn(r); on == empty || r.op.Kind == dialect.FenceProxy || p.tired() {
				return nil, nil
			}
			if from := p.buffer(loadedFrom(r), nil); from != "" && !exclusive(r, a) && slices.Contains(p.buffersOf(t, nil), from) {
				return r, t
			}
		}
	}
	return nil, nil
}

// arrivesOn names the mbarrier that a site arrives on, "" if it does not; wrapped says that the name of a function of
// another file is all that tells.
func (p *Pass) arrivesOn(s *site) (base string, wrapped bool) {
	switch {
	case s.op.Kind == dialect.MbarrierArrive && !remote(s):
		return s.barrier().base, false
	case s.op.Kind == unknownCall && s.op.Call != nil && lastWord(s.op.Name) == "mbarrier_arrive" && len(s.op.Call.Args) == 1:
		return p.fn.barrierOf(s.op.Call.Args[0]).base, true
	}
	return "", false
}

// waitsOn names the mbarrier that a site waits for, "" if it does not.
func (p *Pass) waitsOn(s *site) (base string, wrapped bool) {
	if s.blocks() {
		return s.barrier().base, false
	}
	return p.fn.barrierOf(waitedMbarrier(s)).base, true
}

// fills reports whether a site is a bulk load, or a call that is named after one.
func (p *Pass) fills(s *site) bool {
	if s.op.Kind != unknownCall {
		return s.op.Kind == dialect.TmaLoad
	}
	name := strings.ToLower(lastWord(s.op.Name))
	return strings.HasPrefix(name, "tma_load") || strings.HasPrefix(name, "cp_async_bulk") && strings.Contains(name, "to_shared") ||
		strings.HasPrefix(name, "copy_") && strings.Contains(name, "_to_shared")
}

// buffersOf names the buffers that a copy is handed; of one that is known by its name, any argument may be the target.
func (p *Pass) buffersOf(t *site, l *loop) []string {
	args := []program.Expr{t.arg("dst")}
	if t.op.Kind == unknownCall && t.op.Call != nil {
		args = t.op.Call.Args
	}
	var out []string
	for _, a := range args {
		if name := p.buffer(a, l); name != "" && !p.waitedFor(p.fn.barrierOf(a).base) {
			out = append(out, name)
		}
	}
	return out
}

// waitedFor reports whether a name is that of an mbarrier which the function waits for.
func (p *Pass) waitedFor(base string) bool {
	return base != "" && slices.ContainsFunc(p.sites, func(s *site) bool {
		on, _ := p.waitsOn(s)
		return on == base
	})
}

// loadedFrom is the address that a site reads from through the generic proxy, nil if it reads nothing.
func loadedFrom(r *site) program.Expr {
	switch r.op.Kind {
	case plainLoad, argumentLoad, dialect.Load:
		return r.arg("ptr")
	case unknownCall: // ldmatrix_x4(a, b, c, d, tile + offset)
		if c := r.op.Call; c != nil && len(c.Args) > 0 && strings.HasPrefix(lastWord(r.op.Name), "ldmatrix") {
			return c.Args[len(c.Args)-1]
		}
	}
	return nil
}

// fenceAheadOfReads (FP207) reports a loop that fills one stage by a bulk load, executes a proxy fence and then reads another
// stage, where the fence ought to stand between these reads and the bulk load that overwrites them in the next round: the
// reads before the barrier are ordered against threads, but not against the other proxy.
func fenceAheadOfReads(p *Pass) {
	for _, f := range p.sites {
		l := f.loop()
		if f.op.Kind != dialect.FenceProxy || l == nil || p.storesIn(l) {
			continue
		}
		for _, t := range l.sites {
			if t.order > f.order || !p.fills(t) || exclusive(t, f) || p.tired() {
				continue
			}
			if r := p.readAfter(f, t, l); r != nil {
				fd := p.report(f.span, "the proxy fence stands ahead of the reads of a stage; expected it between them and the bulk load that refills it")
				p.label(fd, r.span, "read here through the generic proxy, and overwritten in a later round")
				p.label(fd, t.span, "filled again here through the async proxy")
				fd.Help = "move the fence behind the last read, before the barrier at which the threads meet the one that issues the load"
				break
			}
		}
	}
}

// storesIn reports whether a loop issues bulk stores: its fences may be for these.
func (p *Pass) storesIn(l *loop) bool {
	return slices.ContainsFunc(l.sites, func(s *site) bool { return p.bulkSource(s.order) != nil || s.op.Kind == dialect.MmaAsync })
}

// readAfter is a read behind the fence f of what t fills, given back at a barrier with no fence until t comes round again.
func (p *Pass) readAfter(f, t *site, l *loop) *site {
	into := p.buffersOf(t, l)
	var read *site
	met := false
	for _, s := range l.sites {
		switch {
		case s == f, s.order > t.order && s.order < f.order:
		case s.op.Kind == dialect.FenceProxy, s.op.Kind == unknownCall && strings.Contains(strings.ToLower(s.op.Name), "fence"):
			return nil
		case s.order > f.order && slices.Contains(into, p.buffer(loadedFrom(s), l)):
			read, met = s, false
		case s.op.Kind == dialect.CtaSync && s.order > f.order:
			met = true
		}
	}
	if !met {
		return nil
	}
	return read
}
