package explore

import "github.com/fencepost-dev/fencepost/protocol"

// overrun judges a run with a thread frozen at a spin. M takes a spin for one value, == v, to be >= v. The two differ in
// exactly the states in which a thread is there and the flag is past v; the run brings the flag as far as any execution
// with the thread there can. As flags only rise, such a thread never gets on: letting everyone else go on as far as they
// can ends in its being stuck.
func (pr *proof) overrun(w *world, c, l int) {
	o := &pr.p.Classes[c].Ops[l]
	if o.Compare != "==" || w.counters[pr.flagAt[o.Object]] <= o.Count {
		return
	}
	if pr.differs == "" && pr.waived != notOverrun {
		pr.hangs(w)
	}
	pr.breaks(notOverrun, "%s may be past the value %d that a thread still waits for", pr.p.Flags[o.Object].Name, o.Count)
}

// hangs looks for a thread that never gets on after a run of M.
func (pr *proof) hangs(w *world) {
	for _, prop := range []protocol.Property{protocol.Deadlock, protocol.Livelock} {
		if _, known := pr.found[prop]; known {
			return
		}
	}
	s := &scout{judge: pr.judge, clock: pr.clock, hasty: true, found: pr.found,
		open: map[protocol.Property]bool{protocol.Deadlock: true, protocol.Livelock: true}}
	e := s.newExplorer()
	for _, step := range w.trace() {
		if s.step(e, step); e.broken {
			return // F and M part before
		}
	}
	s.run(e, -1, -1, protocol.AtLocation)
	s.rest(e)
	pr.spend(s.work / slotsPerMicro)
}
