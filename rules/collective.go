package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// Collectives of a CTA, as CUB has them: BlockReduce<T, N>(storage).Sum(x). Each writes its storage, meets at barriers of
// its own and reads the storage after the last of them, so that the storage may be used again only behind a barrier.

// collectives are what such classes are called; Load and Store need storage only where they transpose.
var collectives = [...]string{"reduce", "scan", "radixsort", "radixrank", "mergesort", "exchange", "discontinuity", "adjacentdifference", "shuffle", "runlengthdecode"}

// constructs reports whether a call makes an object of a collective; by itself it does nothing.
func (f *function) constructs(c *program.Call) bool {
	return c != nil && len(c.Args) > 0 && (f.collectiveType(c.Fun) != "" || f.anyCollective(c))
}

// anyCollective reports whether a call makes an object of a class that is a parameter of a template, from storage.
func (f *function) anyCollective(c *program.Call) bool {
	n, named := c.Fun.(*program.Name)
	if !named || len(c.Args) != 1 || !f.bound[n.Ident] || f.types[n.Ident] != "typename" || strings.Contains(strings.ToLower(n.Ident), "warp") {
		return false
	}
	if _, element := c.Args[0].(*program.Index); element { // one for each warp
		return false
	}
	return strings.Contains(strings.ToLower(path(c.Args[0])), "storage")
}

// works are the parts of the names of methods by which a collective does its work.
var works = [...]string{"reduce", "scan", "sum", "sort", "rank", "exchange", "striped", "blocked"}

// collectiveType is the text of the class a name stands for, "" if it is no collective of a CTA with storage.
func (f *function) collectiveType(x program.Expr) string {
	text := program.DumpExpr(x)
	for range 4 {
		n, ok := x.(*program.Name)
		if !ok {
			break
		}
		v := f.definition(n)
		if v == nil {
			break
		}
		x, text = v, program.DumpExpr(v)
	}
	lower := strings.ToLower(text)
	at := strings.Index(lower, "block")
	if at < 0 || strings.Contains(lower[:at], "(call") {
		return ""
	}
	for _, c := range collectives {
		if strings.HasPrefix(lower[at+len("block"):], c) {
			return text
		}
	}
	if (strings.HasPrefix(lower[at:], "blockload") || strings.HasPrefix(lower[at:], "blockstore")) && (strings.Contains(lower, "_transpose") || strings.Contains(lower, "algorithm")) {
		return text
	}
	return ""
}

// collective is the storage that a call of a collective works in, nil if the site is none.
func (s *site) collective() program.Expr {
	if s.op.Kind != unknownCall || s.op.Call == nil {
		return nil
	}
	a, ok := s.op.Call.Fun.(*program.Attr)
	if !ok {
		return nil
	}
	made, in := construction(a.X, s.in)
	if made == nil || len(made.Args) != 1 {
		return nil
	}
	works := slices.ContainsFunc(works[:], func(w string) bool { return strings.Contains(strings.ToLower(a.Name), w) })
	if in.fn.collectiveType(made.Fun) == "" && !(works && in.fn.anyCollective(made)) {
		return nil
	}
	return substitute(made.Args[0], place{fn: in.fn, env: in.env})
}

// construction follows an object to the call that made it, and to where that stands.
func construction(x program.Expr, in *frame) (*program.Call, *frame) {
	for range maxInline {
		n, named := x.(*program.Name)
		if !named {
			break
		}
		if v, given := in.env[n.Ident]; given && in.outer != nil {
			x, in = v, in.outer
			continue
		}
		x = in.fn.definition(n)
	}
	made, _ := x.(*program.Call)
	return made, in
}

// collectives reports storage of a collective that is used again, by another call or the next round of a loop, with no
// barrier after the call before.
func (p *Pass) collectives() {
	sites := p.words()
	var calls []*site
	for _, s := range sites {
		if s.collective() != nil {
			calls = append(calls, s)
		}
	}
	for _, b := range calls {
		for _, a := range calls {
			if !same(a.collective(), b.collective()) || p.tired() {
				continue
			}
			ways := routes(a, b, sites, p.runsOnce, (*site).joins)
			if len(ways) == 0 || ways[0].around != nil && ways[0].around.reassigns(b.collective()) {
				continue
			}
			p.about = p.text(a.collective())
			f := p.report(b.op.Span, "%q is used again while slower threads may still read it%s; no barrier in between", p.text(a.collective()), ways[0].when())
			p.label(f, a.op.Span, "used here")
			f.Help = "put a CTA barrier between the two calls"
			break
		}
	}
}
