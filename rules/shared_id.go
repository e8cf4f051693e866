package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// sharedID (FP414) reports two names of named barriers, of one enumeration, that are one barrier: an index runs from one
// enumerator into the next.
func sharedID(p *Pass) {
	type use struct {
		s *site
		barrierID
	}
	var uses []use
	told := map[string]bool{}
	for _, s := range p.sites {
		if s.op.Kind == dialect.CtaSync || s.op.Kind == dialect.GridSync {
			uses = nil // what comes before it is over
		}
		if s.op.Kind != dialect.NamedBarrierSync && s.op.Kind != dialect.NamedBarrierArrive {
			continue
		}
		for _, id := range p.barrierIDs(s) {
			for _, u := range uses {
				pair := u.name + " " + id.name
				if u.name == id.name || u.value != id.value || u.indexed == id.indexed || told[pair] {
					continue
				}
				told[pair], told[id.name+" "+u.name] = true, true
				f := p.report(s.op.Span, "this barrier may be %q and %q: both names are %d", id.name, u.name, id.value)
				p.label(f, u.s.op.Span, "%q here", u.name)
				f.Help = "leave room in the enumeration for all that is added to a name, or keep the uses apart by a CTA barrier"
			}
			uses = append(uses, use{s, id})
		}
	}
}

// barrierID is an id made of an enumerator: its value, and whether an index is added to it, which starts at 0.
type barrierID struct {
	name    string
	value   int64
	indexed bool
}

// barrierIDs are the ids that a site may have, as far as they are made of an enumerator and something added to it.
func (p *Pass) barrierIDs(s *site) []barrierID {
	x := s.arg("id")
	if x == nil || s.owner != p.fn {
		return nil
	}
	var choices []program.Expr
	if b, ok := x.(*program.Binary); ok && b.Op == "+" { // CUTLASS's offset
		if c, ok := p.fn.value(b.X).(*program.Cond); ok {
			choices = []program.Expr{c.Then, c.Else}
		}
	}
	if choices == nil {
		choices = []program.Expr{x}
	}
	var out []barrierID
	for _, c := range choices {
		var id barrierID
		if p.sum(c, &id, 0) && id.name != "" {
			if c != x {
				offset, _ := p.fn.fold(x.(*program.Binary).Y)
				id.value += offset
			}
			out = append(out, id)
		}
	}
	return out
}

// sum adds the terms of an id up. It fails where something is taken away, or two enumerators meet.
func (p *Pass) sum(x program.Expr, id *barrierID, depth int) bool {
	if depth > 8 || x == nil {
		return false
	}
	if n, ok := p.fn.fold(x); ok {
		id.value += n
		return n >= 0
	}
	switch e := x.(type) {
	case *program.Cast:
		return p.sum(e.X, id, depth+1)
	case *program.Binary:
		if e.Op == "+" {
			return p.sum(e.X, id, depth+1) && p.sum(e.Y, id, depth+1)
		}
		id.indexed = true
		return e.Op == "*"
	case *program.Name:
		enum, member, scoped := strings.Cut(e.Ident, "::")
		if !scoped || strings.Contains(member, "::") {
			if v, isSum := p.fn.value(e).(*program.Binary); isSum && v.Op == "+" {
				return p.sum(v, id, depth+1)
			}
			id.indexed = true
			return true
		}
		n, ok := p.fn.file.enum(enum)[member]
		if !ok || id.name != "" {
			return false
		}
		id.name, id.value = e.Ident, id.value+n
		return true
	}
	return false
}
