package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// storeToTma (FP201) reports shared memory that is written by ordinary stores and then read by a bulk store, with no
// proxy fence anywhere between (PX-01). A fence on either side of the barrier is accepted.
func storeToTma(p *Pass) {
	for i, t := range p.sites {
		source := p.buffers(p.bulkSource(i))
		if len(source) == 0 {
			continue
		}
		joined := false
		for j := i - 1; j >= 0; j-- {
			s := p.sites[j]
			if s.op.Kind == dialect.FenceProxy || (s.op.Kind == unknownCall && mayFence(s.op.Name)) {
				break
			}
			name := p.written(s, source)
			if joined && name == "" {
				name = p.handed(s, source)
			}
			joined = joined || s.op.Kind == dialect.CtaSync
			if name == "" || exclusive(s, t) {
				continue
			}
			f := p.report(t.span, "bulk store reads %q right after ordinary writes to it; expected fence.proxy.async between", name)
			p.label(f, s.span, "written here through the generic proxy")
			f.Help = "after the writes, each writer executes fence.proxy.async (fence_view_async_shared, tma_store_fence), then the barrier"
			break
		}
	}
}

// bulkSource is what the bulk store at site i reads, nil if the site is none. CuTe spells it as a copy whose kind only
// its atom's type tells; a copy that the same thread commits as a bulk group is one.
func (p *Pass) bulkSource(i int) program.Expr {
	t := p.sites[i]
	if t.op.Kind == dialect.TmaStore {
		return t.arg("src")
	}
	c := t.op.Call
	if t.op.Kind != unknownCall || p.File.Language != program.CUDA || lastWord(t.op.Name) != "copy" || len(c.Args) != 3 {
		return nil
	}
	if i+1 < len(p.sites) && p.sites[i+1].op.Kind == dialect.BulkCommit && len(p.sites[i+1].guards) == len(t.guards) {
		return c.Args[1]
	}
	return nil
}

// handed names the buffer of the set that all threads hand to a function of another file. Before a barrier and a bulk
// store of that buffer, the function can only have been called to write it.
func (p *Pass) handed(s *site, set map[string]bool) string {
	if s.op.Kind != unknownCall || s.op.Call == nil || s.used || s.threads() != everyone || len(s.op.Call.Args) < 2 {
		return ""
	}
	for _, a := range s.op.Call.Args {
		cast, ok := a.(*program.Cast)
		if !ok || strings.Contains(cast.Type, "const") {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(p.buffers(cast))) {
			if set[name] {
				return name
			}
		}
	}
	return ""
}

// written names the buffer of the set that a site writes, "" if none.
func (p *Pass) written(s *site, set map[string]bool) string {
	for _, name := range slices.Sorted(maps.Keys(p.buffers(destination(s)))) {
		if set[name] {
			return name
		}
	}
	return ""
}

// destination is the address that a site writes to through the generic proxy, nil if it does not write.
func destination(s *site) program.Expr {
	switch s.op.Kind {
	case plainStore, dialect.Store:
		return s.arg("ptr")
	case unknownCall: // cute.copy(atom, registers, shared), cute.autovec_copy(registers, shared)
		c := s.op.Call
		if name := lastWord(s.op.Name); c == nil || (name != "copy" && name != "autovec_copy" && name != "basic_copy") || len(c.Args) < 2 {
			return nil
		}
		return c.Args[len(c.Args)-1]
	}
	return nil
}

// buffers are the shared-memory arrays an expression is made from.
func (p *Pass) buffers(x program.Expr) map[string]bool {
	out := map[string]bool{}
	p.addBuffers(x, out, map[string]bool{}, 0)
	return out
}

func (p *Pass) addBuffers(x program.Expr, out, seen map[string]bool, depth int) {
	if x == nil || depth > 6 {
		return
	}
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Call:
			for _, a := range e.Args {
				p.addBuffers(a, out, seen, depth+1)
			}
			if a, ok := e.Fun.(*program.Attr); ok {
				p.addBuffers(a.X, out, seen, depth+1)
			}
			return false
		case *program.Index:
			p.addBuffers(e.X, out, seen, depth)
			return false
		case *program.Name, *program.Attr:
			name := path(e)
			if name == "" || seen[name] {
				return false
			}
			seen[name] = true
			if p.fn.dims[name] || p.allocated(name) || p.inShared(name) {
				out[name] = true
				return false
			}
			for _, d := range p.fn.defs[name] {
				p.addBuffers(d.value, out, seen, depth+1)
			}
			return false
		}
		return true
	})
}

// inShared reports whether a name is a member of an object that lies in a __shared__ array:
// auto& storage = *reinterpret_cast<Storage*>(bytes).
func (p *Pass) inShared(name string) bool {
	root, _, member := strings.Cut(name, ".")
	if !member || len(p.fn.defs[root]) != 1 {
		return false
	}
	x := p.fn.defs[root][0].value
	for range 4 {
		switch e := x.(type) {
		case *program.Cast:
			x = e.X
		case *program.Unary:
			x = e.X
		}
	}
	return x != nil && p.fn.dims[path(x)]
}

// allocated reports whether a name is defined by a call that hands out shared memory.
func (p *Pass) allocated(name string) bool {
	for _, d := range p.fn.defs[name] {
		c, ok := d.value.(*program.Call)
		if !ok {
			continue
		}
		if op, known := p.fn.call(c); known && op.Kind == dialect.AllocShared {
			return true
		}
		if a, isMethod := c.Fun.(*program.Attr); isMethod && a.Name == "get_tensor" {
			return true
		}
	}
	return false
}
