package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/litmus"
	"github.com/fencepost-dev/fencepost/program"
)

// bulkStores cuts what threads write to shared memory for a bulk store to read: through another proxy, so that a
// barrier alone is not enough (PTX ISA 9.7.15.4; notes/semantics.md 4.6, P1).
func (p *Pass) bulkStores() []Handoff {
	var out []Handoff
	for i, t := range p.sites {
		if len(out) >= maxHandoffs {
			break
		}
		source := p.buffers(p.bulkSource(i))
		if len(source) == 0 {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			o := p.sites[j]
			if p.tired() {
				return out
			}
			name := p.written(o, source)
			if name == "" || exclusive(o, t) {
				continue
			}
			if side := p.bulkStore(o, t); side != nil {
				h := Handoff{Function: p.fn.fn, Flag: "", Data: lastWord(name), Publisher: side, Alone: "FP201"}
				if len(source) > 1 || !p.whole(o, t, name) {
					h.Doubt = "the two may work on different parts of " + name
				}
				out = append(out, h)
			}
			break
		}
	}
	return out
}

// whole reports whether a write and a bulk store both name the buffer itself, and not a part that was laid out in it.
func (p *Pass) whole(o, t *site, name string) bool {
	if p.File.Language == program.CuTe {
		return true // an allocated tensor
	}
	src := t.arg("src")
	return p.fn.dims[name] && o.barrier().base == name && src != nil && p.fn.barrierOf(src).index == nil && p.fn.barrierOf(src).base == name
}

// bulkStore cuts the threads that write at o and the one that issues a bulk store at t.
func (p *Pass) bulkStore(o, t *site) *litmus.Side {
	c := &cutter{Pass: p, from: o, to: t, prefix: "1", async: true}
	if !c.group(o, t) {
		return nil
	}
	c.side = &litmus.Side{Location: p.location(t.span), Async: true, Setup: "data @ shared;"}
	c.side.Threads = []litmus.Thread{{Name: "a thread that writes and copies"}}
	if c.two {
		c.side.Threads = []litmus.Thread{{Name: "a thread that writes"}, {Name: "the thread that issues the copy"}}
		c.side.Flag = 1
	}
	c.add(c.side.Data, o, litmus.Step{Op: "st", Sem: "weak", Cell: dataCell, Value: 1})
	c.path()
	c.add(c.side.Flag, t, litmus.Step{Text: "cp.async.bulk.global.shared copy, data"}, litmus.Step{Text: "cp.async.bulk.commit_group"},
		litmus.Step{Text: "cp.async.bulk.wait_group 0"}, litmus.Step{Op: "ld", Sem: "weak", Cell: "copy", Reg: dataReg})
	c.side.Outcome = []litmus.Outcome{{Thread: c.side.Flag, Reg: dataReg, Value: 0}}
	c.bulkRepairs()
	return c.side
}

// bulkRepairs offers a proxy fence by the writers before they meet the issuer, a barrier, and a fence by the issuer.
func (c *cutter) bulkRepairs() {
	const space = ".shared::cta"
	met := -1
	for i, x := range c.sites[0] {
		if x.op.Kind == dialect.CtaSync || x.op.Kind == dialect.NamedBarrierSync {
			met = i
			break
		}
	}
	switch {
	case !c.two:
	case met >= 0:
		x := c.sites[0][met]
		c.proxyAt([]int{0, 1}, []int{met, c.index(1, x)}, c.around(x.span), space, "before the threads meet at line "+c.line(x))
	default:
		if g := c.singled(c.to, c.from); g != nil {
			c.proxyAt([]int{0}, []int{len(c.sites[0])}, c.around(g.Where()), space, "after the writes")
			c.barrierAt(g.Where(), false, "before one thread issues the copy")
		}
	}
	c.proxyAt([]int{c.side.Flag}, []int{c.index(c.side.Flag, c.to)}, c.around(c.to.span), space, "before the copy")
}

// stageReuses cuts stages that threads read with ordinary loads and give back, and that a bulk load fills again: what
// the loads order goes through another proxy than what overwrites them (notes/semantics.md 4.6, P4, which is contested).
func (p *Pass) stageReuses() []Handoff {
	var out []Handoff
	for _, a := range p.sites {
		empty := p.givenBack(a)
		if empty == "" || len(out) >= maxHandoffs {
			continue
		}
		for _, w := range p.sites {
			if p.tired() {
				return out
			}
			if p.acquired(w) != empty {
				continue
			}
			if h, ok := p.stageReuse(a, w, empty); ok {
				out = append(out, h)
				break
			}
		}
	}
	return out
}

// givenBack names the barrier or pipeline by which a site gives a stage back, "" if it does not.
func (p *Pass) givenBack(a *site) string {
	switch {
	case a.op.Kind == dialect.MbarrierArrive && !remote(a):
		return a.barrier().base
	case a.op.Kind == unknownCall && lastWord(a.op.Name) == "consumer_release":
		return receiver(a)
	}
	return ""
}

// acquired names the barrier or pipeline by which a site waits for an empty stage.
func (p *Pass) acquired(w *site) string {
	switch {
	case w.blocks():
		return w.barrier().base
	case w.op.Kind == unknownCall && lastWord(w.op.Name) == "producer_acquire":
		return receiver(w)
	}
	return ""
}

// receiver is the object whose method a site calls, by the name it has: the ends of a pipeline are named apart, and are
// one by the words they share.
func receiver(s *site) string {
	name, _ := strings.CutSuffix(s.op.Name, "."+lastWord(s.op.Name))
	return strings.NewReplacer("_producer", "", "_consumer", "", "producer_", "", "consumer_", "").Replace(name)
}

func (p *Pass) stageReuse(a, w *site, empty string) (Handoff, bool) {
	for _, t := range p.sites[w.order+1:] {
		if p.acquired(t) == empty {
			break
		}
		if t.op.Kind != dialect.TmaLoad || exclusive(w, t) {
			continue
		}
		filled := p.buffers(t.arg("dst"))
		if len(filled) == 0 {
			continue
		}
		for i := a.order - 1; i >= 0; i-- {
			r := p.sites[i]
			if p.givenBack(r) == empty {
				break
			}
			name := p.readsOf(r, filled)
			if name == "" || exclusive(r, a) {
				continue
			}
			if side := p.reuse(r, a, w, t); side != nil {
				return Handoff{Function: p.fn.fn, Flag: lastWord(empty), Data: lastWord(name), Publisher: side, Alone: "FP204"}, true
			}
		}
	}
	return Handoff{}, false
}

// readsOf names the buffer of a set that a site reads through the generic proxy, "" if none.
func (p *Pass) readsOf(r *site, set map[string]bool) string {
	var src program.Expr
	switch r.op.Kind {
	case plainLoad, argumentLoad, dialect.Load:
		if p.File.Language == program.CUDA { // in CuTe DSL an index makes a view, which multiplications read in their own way
			src = r.arg("ptr")
		}
	case unknownCall:
		if x := copied(r, 1); x != nil && p.File.Language == program.CuTe && p.inRegisters(x, 0) {
			src = copied(r, 0)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.buffers(src))) {
		if set[name] {
			return name
		}
	}
	return ""
}

// inRegisters reports whether a CuTe tensor is made of registers: only then a copy to it is one by ordinary loads.
func (p *Pass) inRegisters(x program.Expr, depth int) bool {
	if depth > 8 {
		return false
	}
	switch e := x.(type) {
	case *program.Index:
		return p.inRegisters(e.X, depth+1)
	case *program.Call:
		name := strings.ToLower(lastWord(path(e.Fun)))
		if strings.Contains(name, "fragment") || strings.Contains(name, "rmem") {
			return true
		}
		return len(e.Args) > 0 && p.inRegisters(e.Args[0], depth+1)
	case *program.Name:
		if p.isRegisterParam(e.Ident) {
			return true
		}
		for _, d := range p.fn.defs[e.Ident] {
			if d.value != nil && p.inRegisters(d.value, depth+1) {
				return true
			}
		}
	}
	return false
}

// isRegisterParam reports whether a parameter is called registers, or after them.
func (p *Pass) isRegisterParam(name string) bool {
	return p.fn.bound[name] && (strings.Contains(name, "register") || strings.Contains(name, "rmem") || strings.Contains(name, "frag"))
}

// reuse cuts the threads that read a stage at r and give it back at a, and the one that waits at w and fills it at t.
func (p *Pass) reuse(r, a, w, t *site) *litmus.Side {
	c := &cutter{Pass: p, from: r, to: a, prefix: "1", async: true}
	fill := &cutter{Pass: p, from: w, to: t, prefix: "2", async: true}
	if !c.group(r, a) || !fill.alike(w.guards, t.guards) {
		return nil
	}
	c.side = &litmus.Side{Location: p.location(a.span), Async: true, Setup: "fresh=1; data @ shared; empty @ mbarrier 1; full @ mbarrier 1;"}
	c.side.Threads = []litmus.Thread{{Name: "a thread that reads the stage"}}
	if c.two {
		c.side.Threads = append(c.side.Threads, litmus.Thread{Name: "the thread that gives it back"})
		c.side.Flag = 1
	}
	c.add(0, r, litmus.Step{Op: "ld", Sem: "weak", Cell: dataCell, Reg: dataReg})
	c.path()
	at := len(c.sites[c.side.Flag])
	c.add(c.side.Flag, a, litmus.Step{Op: "mbarrier.arrive", Sem: "release", Scope: "cta", Cell: "empty"})
	fill.side = &litmus.Side{Threads: []litmus.Thread{{Name: "the thread that fills it again"}}}
	fill.add(0, w, litmus.Step{Op: "mbarrier.try_wait.parity", Sem: "acquire", Scope: "cta", Cell: "empty"})
	fill.path()
	fill.add(0, t, litmus.Step{Text: "mbarrier.arrive.expect_tx full, 16"}, litmus.Step{Text: "cp.async.bulk.shared.global data, fresh, 16, full"})
	c.side.Threads = append(c.side.Threads, fill.side.Threads...)
	c.side.Outcome = []litmus.Outcome{{Thread: 0, Reg: dataReg, Value: 1}}
	if !c.two {
		c.proxyAt([]int{0}, []int{at}, c.around(a.span), ".shared::cta", "before the stage is given back")
		return c.side
	}
	for i, x := range c.sites[0] {
		if x.op.Kind == dialect.CtaSync || x.op.Kind == dialect.WarpSync || x.op.Kind == dialect.NamedBarrierSync {
			c.proxyAt([]int{0}, []int{i}, c.around(x.span), ".shared::cta", "before the threads meet at line "+c.line(x))
			break
		}
	}
	return c.side
}
