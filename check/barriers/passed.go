package barriers

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
)

// doubtPassed takes into account that calls of which nothing is known may have synchronized: then nothing holds for sure. What was found stands
// where it is a race of accesses with the same calls before both of them: for these to order the two, one thread has to come to a call behind
// its access that the other comes to before its own.
func (r *Report) doubtPassed() {
	e := r.Execution
	var first *exec.Passage
	var passed [2][]uint32
	whole := map[uint32]bool{} // calls that all lanes of some warp come to together: no other one meets other warps at a barrier
	for warp, list := range e.Passed {
		for k := range list {
			p := &list[k]
			if first == nil || p.Place < first.Place {
				first = p
			}
			whole[p.Place] = whole[p.Place] || p.Lanes == e.Program.Warps[warp].Lanes
		}
	}
	if first == nil && len(e.Hidden) == 0 {
		return
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f order.Finding) bool {
		if f.Check == order.Divergence && len(f.Points) == 1 && r.excluded(f.Points[0]) { // whoever else comes there
			return false
		}
		race := f.Check == order.Race && len(f.Points) == 2
		if !race || r.perhapsEqual(f.Points) {
			return race || first != nil
		}
		for k, p := range f.Points {
			passed[k] = r.before(p)
			if f.Points[0].Warp != f.Points[1].Warp {
				passed[k] = slices.DeleteFunc(passed[k], func(place uint32) bool { return !whole[place] })
			}
		}
		return !slices.Equal(passed[0], passed[1])
	})
	for c := range r.Checks {
		if r.Checks[c] == engine.Violated && !slices.ContainsFunc(r.Findings, func(f order.Finding) bool { return f.Check == order.Check(c) && !f.Benign }) {
			r.Checks[c] = engine.Inconclusive
		}
	}
	if first != nil {
		r.weaken(exec.Halt{Place: &e.Kernel.Places[first.Place], Why: first.Why})
	}
}

// excluded reports whether a command is an instruction whose mask of lanes is a constant that leaves out the lane that runs it.
func (r *Report) excluded(p order.Point) bool {
	return slices.ContainsFunc(r.Execution.Kernel.Insts, func(in ir.Inst) bool {
		return in.Place == p.Place && in.Members.Reg == -1 && in.Members != ir.None && uint32(in.Members.Imm)>>p.Lane&1 == 0
	})
}

// perhapsEqual reports whether two commands write what is not known: a value that a call gives may be the same for all threads.
func (r *Report) perhapsEqual(points []order.Point) bool {
	unknown := false
	for _, p := range points {
		w := r.Execution.Program.Warps[p.Warp]
		c := &w.Commands[p.Index]
		if c.Kind != order.Write {
			return false
		}
		v := w.Written(c)
		unknown = unknown || v == (order.Value{}) || r.Execution.Blind(v)
	}
	return unknown
}

// before lists the places of the calls that a thread has come to before one of its commands.
func (r *Report) before(p order.Point) (out []uint32) {
	for _, passed := range r.Execution.Passed[p.Warp] {
		if passed.Index <= p.Index && passed.Lanes>>p.Lane&1 != 0 {
			out = append(out, passed.Place)
		}
	}
	return out
}
