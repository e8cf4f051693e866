package rules

import (
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
