package rules

import (
	"slices"

	"github.com/fencepost-dev/fencepost/dialect"
)

// behindFlag finds data that a flag is about and that its writer writes behind the flag, with nothing in between, and nothing that it publishes
// later: those who have seen the flag read them at the same time. Which data a flag is about the waiting side says, that reads an array with the index by
// which it waits for the flag.
func (p *Pass) behindFlag(s *site) (data, read *site) {
	flag, ok := p.publishes(s)
	if !ok || len(s.loops) > 0 || !p.polledFlag(s) {
		return nil, nil
	}
	u := &cutter{Pass: p}
	for _, o := range p.sites[s.order+1:] {
		if exclusive(o, s) {
			continue
		}
		switch o.op.Kind {
		case plainLoad, dialect.Load, dialect.Fence:
			continue
		case plainStore, dialect.Store:
		default:
			return nil, nil
		}
		if o.spin != nil {
			return nil, nil
		}
		e, ok := p.writtenTo(o)
		if !ok || e.name == flag.name || p.fn.file.polled[e.name] || !p.global(o) || len(o.loops) > 0 || !u.alike(s.guards, o.guards) || p.handedOn(s, o) {
			continue
		}
		if r := p.readBehind(s, o); r != nil {
			return o, r
		}
	}
	return nil, nil
}

// handedOn reports whether what is written at o is written before a flag, too, or behind o something else is published.
func (p *Pass) handedOn(s, o *site) bool {
	e, _ := p.writtenTo(o)
	return slices.ContainsFunc(p.sites, func(t *site) bool {
		if t.order < s.order {
			w, ok := p.writtenTo(t)
			return ok && w.name == e.name && !exclusive(t, s)
		}
		_, publishes := p.publishes(t)
		return t.order > o.order && publishes && t.op.Kind != plainStore && !exclusive(t, o) || t.order > o.order && p.polledFlag(t) && !exclusive(t, o)
	})
}

// readBehind is where a thread that has waited for the flag of s reads what is written at o.
func (p *Pass) readBehind(s, o *site) *site {
	flag, _ := p.flagOf(s)
	w, _ := p.writtenTo(o)
	for _, c := range p.sites {
		at, ok := p.takes(c)
		if !ok || c.spin == nil || at.name != flag.name || p.tired() {
			continue
		}
		for _, r := range p.firstReads(c, flag.name) {
			e, _ := p.readFrom(r)
			if e.name != w.name || p.ownElement(o, r) || flag.index == nil || at.index == nil {
				continue
			}
			if w.index != nil && e.index != nil && same(p.fn.value(w.index), p.fn.value(flag.index)) && same(p.fn.value(e.index), p.fn.value(at.index)) {
				return r
			}
		}
	}
	return nil
}
