package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// ownPoll (FP413) reports a word that other threads change and every lane of a warp reads for itself, where the value read
// decides whether the lane comes to a collective of the whole warp: the lanes may see different values.
func ownPoll(p *Pass) {
	for i, s := range p.sites {
		name := p.readAlone(s)
		if name == "" {
			continue
		}
		for _, c := range p.sites[i+1:] {
			if s.loop() != c.loop() || !c.wholeWarp() {
				continue
			}
			g := decidedBy(s, c, name)
			if g == nil {
				continue
			}
			f := p.report(s.span, "each lane reads this word for itself, and may see another value than those it meets at line %d", p.location(c.span).Line)
			p.label(f, g.cond().Where(), "this decides which lanes go on")
			p.label(f, c.span, "all lanes of the warp are expected here")
			f.Help = "let one lane read it and hand the value on with __shfl_sync"
			break
		}
	}
}

// readAlone is the local that gets what the lanes of a warp each read of one and the same word that others change, "" if the
// site is no such read.
func (p *Pass) readAlone(s *site) string {
	if s.op.Kind != dialect.Load || s.spin != nil || len(s.via) > 0 || len(s.loops) == 0 || s.threads().lanes == oneOf || ownMask(term{s.arg("ptr"), s.in}, 0) {
		return ""
	}
	switch s.op.Text("sem", "") {
	case "acquire", "relaxed", "volatile":
	default:
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(p.fn.defs)) {
		if defs := p.fn.defs[name]; len(defs) == 1 && defs[0].value != nil && plainly(defs[0].value) == s.op.Call && s.op.Call != nil {
			return name
		}
	}
	return ""
}

// plainly is an expression without the casts around it.
func plainly(x program.Expr) *program.Call {
	for range 4 {
		c, ok := x.(*program.Cast)
		if !ok {
			break
		}
		x = c.X
	}
	c, _ := x.(*program.Call)
	return c
}

// wholeWarp reports whether a site is a collective that all lanes of the warp are expected at.
func (s *site) wholeWarp() bool {
	if mask, known := s.members(); known {
		return mask == fullWarp
	}
	return s.op.Kind == unknownCall && strings.HasSuffix(strings.ToLower(lastWord(s.op.Name)), "_warp")
}

// decidedBy is a condition on the way to c, but not to s, that the local decides.
func decidedBy(s, c *site, name string) *guard {
	for _, g := range c.guards {
		if !g.exit && !g.built && g.cond() != nil && !hasGuard(s.guards, g) && g.fn.madeFrom(g.cond(), name, 0) {
			return g
		}
	}
	return nil
}

// madeFrom reports whether a local has to do with what an expression is, other than through a collective of the warp.
func (f *function) madeFrom(x program.Expr, name string, depth int) (found bool) {
	if depth > 4 || f.spent() {
		return false
	}
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Call:
			called := lastWord(path(e.Fun))
			return !found && !strings.HasSuffix(called, "_sync") && !strings.Contains(called, "shfl")
		case *program.Name:
			if found = found || e.Ident == name; !found {
				if v := f.definition(e); v != nil {
					found = f.madeFrom(v, name, depth+1)
				}
			}
		}
		return !found
	})
	return found
}

// ownMask reports whether an expression has to do with the index of the lane.
func ownMask(x term, depth int) (found bool) {
	if depth > 8 || x.x == nil || x.in == nil || x.in.fn.spent() {
		return false
	}
	program.WalkExprs(x.x, func(e program.Expr) bool {
		name := lastWord(path(e))
		switch e := e.(type) {
		case *program.Name:
			if v := x.in.fn.definition(e); v != nil && !found {
				found = ownMask(term{v, x.in}, depth+1)
			}
		case *program.Attr:
			found = found || name == "x" && path(e.X) == "threadIdx"
		}
		lower := strings.ToLower(name)
		found = found || strings.Contains(lower, "lane") || strings.Contains(lower, "lt_mask")
		return !found
	})
	return found
}

const fullWarp = 1<<32 - 1

// members is the constant mask of a warp collective.
func (s *site) members() (uint32, bool) {
	x := s.arg("mask")
	if s.op.Kind == unknownCall && s.votes() && len(s.op.Call.Args) > 0 {
		x = s.op.Call.Args[0]
	} else if s.op.Kind != dialect.WarpSync {
		return 0, false
	}
	if x == nil {
		return fullWarp, s.op.Kind == dialect.WarpSync
	}
	f := s.owner
	if s.op.Kind == unknownCall {
		f = s.in.fn
	}
	n, known := f.fold(x)
	if n < 0 && n >= -1<<31 {
		n &= fullWarp
	}
	return uint32(n), known && n >= 0 && n <= fullWarp
}

// votes reports whether a call is a shuffle, vote, match or reduction of a warp that takes a mask.
func (s *site) votes() bool {
	return strings.HasPrefix(s.op.Name, "__") && strings.HasSuffix(s.op.Name, "_sync")
}
