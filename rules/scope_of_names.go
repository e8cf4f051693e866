package rules

import (
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// C++ blocks often declare a name again (const int s = k % STAGES in each role). The definitions of one name are kept
// in one list; what follows picks those that an occurrence can see.

// declaration is a declared local and the block it lives in.
type declaration struct {
	node  program.Node
	scope source.Span
}

// declare notes a declaration with the innermost block around it.
func (g *function) declare(name string, at program.Node) {
	d := declaration{node: at, scope: g.fn.Span}
	open := g.scopes[:0] // the walk goes forward: a block that ended before here stays closed
	for _, s := range g.scopes {
		if s.End > at.Where().Start {
			open = append(open, s)
		}
	}
	g.scopes = open
	for _, s := range g.scopes {
		if covers(s, at.Where()) && size(s) < size(d.scope) {
			d.scope = s
		}
	}
	g.decls[name] = append(g.decls[name], d)
}

func covers(s, t source.Span) bool { return s.Start <= t.Start && t.End <= s.End }

func size(s source.Span) int { return s.End - s.Start }

// enter notes the blocks a statement opens.
func (g *function) enter(n program.Node) {
	body := func(list []program.Stmt) {
		if len(list) > 0 {
			g.scopes = append(g.scopes, list[0].Where().Join(list[len(list)-1].Where()))
		}
	}
	switch s := n.(type) {
	case *program.Block:
		g.scopes = append(g.scopes, s.Span)
	case *program.For:
		g.scopes = append(g.scopes, s.Span)
		body(s.Body)
	case *program.While:
		body(s.Body)
	case *program.If:
		body(s.Then)
		body(s.Else)
	case *program.Lambda:
		body(s.Body)
	}
}

const maxDefinitions = 64 // of one name; beyond that nothing is said about it

// visible returns the definitions of a name that an occurrence at pos can mean.
func (g *function) visible(name string, pos int) []definition {
	defs, decls := g.defs[name], g.decls[name]
	if len(defs) < 2 || len(decls) < 2 || len(defs) > maxDefinitions || len(decls) > maxDefinitions {
		return defs
	}
	scope := g.scopeOf(decls, pos)
	if scope == (source.Span{}) {
		return defs
	}
	var out []definition
	for _, d := range defs {
		if g.scopeOf(decls, d.node.Where().Start) == scope {
			out = append(out, d)
		}
	}
	return out
}

// scopeOf is the scope of the innermost declaration that a position can see.
func (g *function) scopeOf(decls []declaration, pos int) source.Span {
	var best source.Span
	for _, d := range decls {
		if d.scope.Start <= pos && pos < d.scope.End && (best == (source.Span{}) || size(d.scope) < size(best)) {
			best = d.scope
		}
	}
	return best
}
