package rules

import (
	"regexp"
	"slices"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// unfinishedGrid (FP308) reports a read of global memory that other CTAs of the grid write in the same kernel, with nothing
// in between that makes the reading CTA wait for them: a total that all CTAs add to, or a value that one CTA stores for all
// (notes/semantics.md 3: a barrier of the CTA orders nothing for the others).
func unfinishedGrid(p *Pass) {
	if !p.fn.fn.Kernel || p.fn.file.grids[p.fn.fn.Name] == 1 || !p.fn.dividesGrid() {
		return
	}
	for _, w := range p.sites {
		e, ok := p.sharedByGrid(w)
		if !ok {
			continue
		}
		r := p.readInGrid(w, e)
		if r == nil {
			continue
		}
		if _, one := w.ofOneBlock(); one {
			f := p.report(r.span, "%q is read here by CTAs that nothing makes wait for the one that writes it", e.name)
			p.label(f, w.span, "one CTA writes it for all; the others may be ahead of it")
			f.Help = "let every CTA compute the value itself, or write it in a kernel before this one"
			continue
		}
		f := p.report(r.span, "%q is read here while other CTAs may still add to it; nothing in the kernel waits for them", e.name)
		p.label(f, w.span, "every CTA adds to it; a barrier of the CTA does not wait for the others")
		f.Help = "read it in a kernel after this one, in the last CTA that counts itself as done, or after a barrier of the grid"
	}
}

// dividesGrid reports whether a kernel asks which CTA it is, or of how many: one that does not is made for a single CTA.
func (f *function) dividesGrid() bool {
	for x := range program.Exprs(f.fn.Body) {
		switch e := x.(type) {
		case *program.Attr:
			if op, ok := f.file.table.Attr(e); ok && (op.Kind == dialect.BlockIdx || op.Kind == dialect.GridDim) {
				return true
			}
		case *program.Call:
			if op, ok := f.call(e); ok && (op.Kind == dialect.BlockIdx || op.Kind == dialect.GridDim) {
				return true
			}
		}
	}
	return false
}

// sharedByGrid gives the element of global memory that a site writes for the whole grid: the same one in every CTA, and
// either all CTAs add to it or one CTA stores it.
func (p *Pass) sharedByGrid(w *site) (element, bool) {
	switch w.op.Kind {
	case dialect.AtomicAdd, dialect.AtomicSub, dialect.AtomicMax, dialect.Reduce:
		if w.used {
			return element{}, false
		}
		if _, one := w.ofOneBlock(); one {
			return element{}, false
		}
	case plainStore, dialect.Store:
		if len(w.guards) == 0 || releases(w) && w.op.Kind == dialect.Store {
			return element{}, false
		}
		if _, one := w.ofOneBlock(); !one {
			return element{}, false
		}
	default:
		return element{}, false
	}
	e, ok := p.writtenTo(w)
	if !ok || w.owner != p.fn || !p.onDevice(w) && !p.fn.isParamName(w.barrier().base) || p.polledHere(e.name) {
		return element{}, false
	}
	return e, e.index == nil || p.fn.sameInGrid(e.index, false, 0)
}

// isParamName reports whether a name is a parameter, or a field of one.
func (f *function) isParamName(name string) bool {
	root := name
	for i := range name {
		if name[i] == '.' {
			root = name[:i]
			break
		}
	}
	return slices.ContainsFunc(f.fn.Params, func(q program.Param) bool { return q.Name == root }) && len(f.defs[root]) == 0
}

// readInGrid finds the first read of an element after it was written, by threads that wait for no other CTA on the way.
func (p *Pass) readInGrid(w *site, e element) *site {
	for _, r := range p.sites {
		if p.tired() || p.meetsGrid(r) {
			return nil
		}
		if r.order <= w.order {
			continue
		}
		got, ok := p.readFrom(r)
		if !ok || p.strong(r) || got.name != e.name || r.owner != p.fn || r.barrier().base != w.barrier().base {
			continue
		}
		if meet, _ := p.sameElement(got, e); !meet {
			continue
		}
		if p.inCommonLoop(w, r) || !p.reachedAnyway(r) || p.addedLater(r, e) {
			return nil
		}
		wrote, one := w.ofOneBlock()
		reads, only := r.ofOneBlock()
		if one && only && wrote == reads {
			return nil
		}
		return r
	}
	return nil
}

// sameElement reports whether two accesses of one array surely meet, and apart whether they surely do not.
func (p *Pass) sameElement(a, b element) (meet, apart bool) {
	x, knownX := p.constantIndex(a)
	y, knownY := p.constantIndex(b)
	if knownX && knownY {
		return x == y, x != y
	}
	return a.index != nil && b.index != nil && same(p.fn.value(a.index), p.fn.value(b.index)), false
}

// constantIndex is the constant index of an element; a name without one is that of the first.
func (p *Pass) constantIndex(e element) (int64, bool) {
	if e.index == nil {
		return 0, true
	}
	return p.fn.fold(e.index)
}

// meetsGrid reports whether a site may make its CTA wait for others of the grid.
func (p *Pass) meetsGrid(s *site) bool {
	switch s.op.Kind {
	case dialect.GridSync, dialect.ClusterSync, dialect.ClusterWait:
		return true
	case unknownCall:
		return mayFence(s.op.Name)
	}
	return s.spin != nil && !p.shared(s) || len(s.loops) > 0 && s.op.Text("sem", "") == "acquire" || p.ticket(s)
}

// strong reports whether a read says that it looks at what others change: with an order, or volatile.
func (p *Pass) strong(r *site) bool {
	sem, _ := orderOf(r, false)
	return sem != "weak"
}

// polledHere reports whether a loop of the kernel polls the array: then a first look at it is part of the wait.
func (p *Pass) polledHere(name string) bool {
	return slices.ContainsFunc(p.sites, func(s *site) bool {
		if s.spin == nil {
			return false
		}
		f, ok := p.flagOf(s)
		return ok && f.name == name
	})
}

// inCommonLoop reports whether a loop comes back to both sites: then the read may belong to what an earlier kernel left.
func (p *Pass) inCommonLoop(a, b *site) bool {
	return slices.ContainsFunc(a.loops, func(l *loop) bool { return slices.Contains(b.loops, l) })
}

// reachedAnyway reports whether what leads to a site tells nothing of other CTAs: no condition on it is on memory.
func (p *Pass) reachedAnyway(r *site) bool {
	for _, g := range r.guards {
		if !g.built && !g.elect && !g.fn.sameInGrid(g.cond(), true, 0) {
			return false
		}
	}
	return true
}

// addedLater reports whether an atomic works on the element after the read: then the read is a guess that the atomic
// corrects, as in a loop of compare-and-swap.
func (p *Pass) addedLater(r *site, e element) bool {
	return slices.ContainsFunc(p.sites[r.order+1:], func(o *site) bool {
		f, ok := p.flagOf(o)
		if !ok || o.op.Kind == plainStore || !writesFlag[o.op.Kind] || f.name != e.name {
			return false
		}
		_, apart := p.sameElement(f, e)
		return !apart
	})
}

// sameInGrid reports whether an expression is made of launch arguments, constants and indices of threads; with blocks, of
// indices of CTAs too. Such an expression does not know what another CTA has done.
func (f *function) sameInGrid(x program.Expr, blocks bool, depth int) bool {
	if x == nil || depth > 8 || f.spent() {
		return false
	}
	again := func(e program.Expr) bool { return f.sameInGrid(e, blocks, depth+1) }
	switch e := x.(type) {
	case *program.Int, *program.Float, *program.Bool:
		return true
	case *program.Cast:
		return again(e.X)
	case *program.Unary:
		return e.Op != "*" && e.Op != "&" && again(e.X)
	case *program.Binary:
		return again(e.X) && again(e.Y)
	case *program.Call:
		op, ok := f.call(e)
		return ok && ownIndex(op.Kind, blocks)
	case *program.Index: // bidx, _, _ = cute.arch.block_idx()
		c, ok := e.X.(*program.Call)
		return ok && again(c)
	case *program.Attr:
		if op, ok := f.file.table.Attr(e); ok {
			return ownIndex(op.Kind, blocks)
		}
		return false
	case *program.Name:
		if f.bound[e.Ident] {
			return f.isParam(e.Ident) && len(f.defs[e.Ident]) == 0
		}
		if v := f.definition(e); v != nil {
			return again(v)
		}
		_, variable := f.file.globals[e.Ident]
		return len(f.defs[e.Ident]) == 0 && !variable && constantName.MatchString(e.Ident) // of a header
	}
	return false
}

// constantName are names of constants by the usual conventions: WARP_SIZE, kWarpSize.
var constantName = regexp.MustCompile(`^([A-Z][A-Z0-9_]*|k[A-Z]\w*)$`)

// ownIndex reports whether a value is an index or an extent of the launch.
func ownIndex(k dialect.Kind, blocks bool) bool {
	switch k {
	case dialect.ThreadIdx, dialect.LaneIdx, dialect.WarpIdx, dialect.BlockDim, dialect.GridDim:
		return true
	}
	return blocks && k == dialect.BlockIdx
}
