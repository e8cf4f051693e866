package lower

import (
	"fmt"
	slash "path"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// dependent notes that a kernel is launched while the kernels before it may still run, and no thread ever waits for them,
// whatever the values of its unknowns: what those kernels write is then seen or not (PTX ISA 9.7.13.13). One wait is
// enough to say nothing, since barriers may order the other threads after it, and what no kernel writes may be read
// before it.
func (w *sweep) dependent() {
	at := w.la.dependent
	if at == nil || w.waitsForGrids {
		return
	}
	whole := len(w.k.Opaque) == 0 && len(w.k.Instances) > 0 && w.wentFar()
	if !whole && w.l.mayWaitForGrids(w.fn) {
		return
	}
	u := Undefined{Rule: NoGridWait, Site: protocol.Site{Path: w.k.Path, Line: w.k.Line}, Alone: true, What: fmt.Sprintf(
		"launched with use_pdl (%s:%d), but no thread waits for the kernels before it", slash.Base(at.Path), at.Line)}
	if reads := w.k.globalReads(); len(reads) > 0 {
		u.Site, u.With = reads[0], reads[1:]
		u.What = fmt.Sprintf("this reads global memory, and no thread waits for the kernels before (use_pdl, %s:%d)", slash.Base(at.Path), at.Line)
	}
	w.k.undefined(u)
}

// readsGlobal is the first place where threads of a group have read global memory so far, or have had it copied; nil: none is.
func (m *machine) readsGlobal() *protocol.Site {
	for _, b := range m.blocks {
		for _, a := range b {
			if !a.Write && m.in.buffers[a.Buffer].CTA < 0 {
				return &m.in.sites[a.Site]
			}
		}
	}
	for _, o := range m.ops {
		if o.Kind == protocol.Issue && slices.ContainsFunc(o.Effects, protocol.Effect.Lands) {
			return &m.in.sites[o.Site]
		}
	}
	return nil
}

// globalReads are the first places where a kernel brings something from global memory, at most three.
func (k *Kernel) globalReads() []protocol.Site {
	var out []protocol.Site
	note := func(p *protocol.Protocol, site int) {
		if len(out) == 3 || site < 0 || site >= len(p.Sites) {
			return
		}
		s := p.Sites[site]
		if s.Text = "this reads global memory too"; !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, p := range k.Instances {
		for _, c := range p.Classes {
			for _, o := range c.Ops {
				if o.Kind == protocol.Issue && slices.ContainsFunc(o.Effects, protocol.Effect.Lands) {
					note(p, o.Site)
				}
			}
			for _, a := range slices.Concat(c.Blocks...) {
				if !a.Write && p.Buffers[a.Buffer].CTA < 0 {
					note(p, a.Site)
				}
			}
		}
	}
	return out
}

// wentFar reports whether the combinations went as far into the kernel as the values of its unknowns allow: each of them
// had each value, or, where they are numbers all, all of them were once as large as they get.
func (w *sweep) wentFar() bool {
	if w.covered == "" || strings.HasPrefix(w.covered, "every") {
		return true
	}
	return w.sampled > leveled && !slices.ContainsFunc(w.order, func(key string) bool { return w.unknowns[key].Boolean })
}

// mayWaitForGrids reports whether the wait stands in the kernel or in a function that it may call, or may stand in one
// that is not at hand.
func (l *lowering) mayWaitForGrids(fn *program.Function) (may bool) {
	body := &program.Block{Body: fn.Body}
	for op := range l.opsDeep(l.main, body) {
		if op.Kind == dialect.GridDepWait {
			return true
		}
	}
	for n, mod := range l.bodiesDeep(l.main, body) {
		program.Walk(n, func(n program.Node) bool {
			c, ok := n.(*program.Call)
			may = may || ok && l.strange(mod, c)
			return !may
		})
	}
	return may
}

// strange reports whether a call runs code that is not at hand, and may wait.
func (l *lowering) strange(mod *value.Module, c *program.Call) bool {
	if _, known := l.table.Call(c, nil); known || len(l.callees(mod, c)) > 0 {
		return false
	}
	if at, ok := c.Fun.(*program.Attr); ok {
		if _, module := l.moduleOf(mod, at.X); !module {
			return l.table.MethodEffect(at.Name) == dialect.Unread
		}
	}
	return l.effect(l.fullName(mod, c.Fun)) == dialect.Unread
}
