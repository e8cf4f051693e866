package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/litmus"
	"github.com/fencepost-dev/fencepost/program"
)

// remoteArrivals cuts data that a CTA hands to another of its cluster by an arrival on that one's mbarrier. What an absent
// scope means there is disputed (notes/cuda.md, fact 7), so it counts as the one that reaches far enough.
func (p *Pass) remoteArrivals() []Handoff {
	var out []Handoff
	for _, a := range p.sites {
		if a.op.Kind != dialect.MbarrierArrive || !remote(a) || len(out) >= maxHandoffs {
			continue
		}
		bar := a.barrier().base
		for _, w := range p.sites {
			if p.tired() {
				return out
			}
			if bar == "" || !w.blocks() || w.barrier().base != bar {
				continue
			}
			if h, ok := p.remoteArrival(a, w, lastWord(bar)); ok {
				out = append(out, h)
				break
			}
		}
	}
	return out
}

// remoteArrival finds data that are written before the arrival and read after the wait.
func (p *Pass) remoteArrival(a, w *site, bar string) (Handoff, bool) {
	for i := a.order - 1; i >= 0; i-- {
		o := p.sites[i]
		name := p.anyElement(o, true)
		if name == "" || exclusive(o, a) {
			continue
		}
		for _, r := range p.sites[w.order+1:] {
			if p.anyElement(r, false) != name || exclusive(w, r) {
				continue
			}
			if side := p.clusterSide(o, a, w, r); side != nil {
				return Handoff{Function: p.fn.fn, Flag: bar, Data: name, Publisher: side, Alone: "FP301"}, true
			}
		}
	}
	return Handoff{}, false
}

// anyElement names the memory that a site writes or reads, shared or global.
func (p *Pass) anyElement(s *site, write bool) string {
	e, ok := element{}, false
	if write {
		e, ok = p.writtenTo(s)
	} else {
		e, ok = p.readFrom(s)
	}
	if ok {
		return e.name
	}
	switch {
	case write && (s.op.Kind == plainStore || s.op.Kind == dialect.Store), !write && (s.op.Kind == plainLoad || s.op.Kind == argumentLoad || s.op.Kind == dialect.Load):
		x := s.arg("ptr")
		if base := s.owner.barrierOf(x).base; base != "" && (p.fn.dims[base] || p.File.Language == program.CuTe && p.allocated(base)) {
			return lastWord(base)
		}
	}
	return ""
}

// clusterSide cuts the threads that write at o and arrive at a, and those that wait at w and read at r.
func (p *Pass) clusterSide(o, a, w, r *site) *litmus.Side {
	c := &cutter{Pass: p, from: o, to: a, prefix: "1", async: true}
	take := &cutter{Pass: p, from: w, to: r, prefix: "2", async: true}
	if !c.group(o, a) || !take.group(r, w) || take.two {
		return nil
	}
	c.side = &litmus.Side{Location: p.location(a.span), Async: true, Setup: "flag @ mbarrier 1;"}
	c.side.Threads = []litmus.Thread{{Name: "a thread that writes and arrives"}}
	if c.two {
		c.side.Threads = []litmus.Thread{{Name: "a thread that writes"}, {Name: "the thread that arrives"}}
		c.side.Flag = 1
	}
	c.add(0, o, litmus.Step{Op: "st", Sem: "weak", Cell: dataCell, Value: 1})
	c.path()
	c.add(c.side.Flag, a, litmus.Step{Op: "mbarrier.arrive", Sem: a.op.Text("sem", "release"), Scope: a.op.Text("scope", "cluster"), Cell: flagCell})
	c.widen("cluster")
	take.side = &litmus.Side{Threads: []litmus.Thread{{Name: "a thread of the other CTA, which waits and reads", CTA: 1}}}
	take.add(0, w, litmus.Step{Op: "mbarrier.try_wait.parity", Sem: w.op.Text("sem", "acquire"), Scope: w.op.Text("scope", "cluster"), Cell: flagCell})
	take.path()
	take.add(0, r, litmus.Step{Op: "ld", Sem: "weak", Cell: dataCell, Reg: dataReg})
	take.widen("cluster")
	for _, repair := range take.side.Repairs {
		for i := range repair.Changes {
			repair.Changes[i].Thread += len(c.side.Threads)
		}
		c.side.Repairs = append(c.side.Repairs, repair)
	}
	if g := c.singled(a, o); c.two && g != nil {
		c.barrierAt(g.Where(), false, "before one thread arrives for its CTA")
	}
	c.side.Threads = append(c.side.Threads, take.side.Threads...)
	for i := range c.side.Threads {
		c.side.Threads[i].Cluster = true
	}
	c.side.Outcome = []litmus.Outcome{{Thread: len(c.side.Threads) - 1, Reg: dataReg, Value: 0}}
	return c.side
}
