package barriers

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
)

// doubtPassed takes into account that calls of which nothing is known may have synchronized: then nothing holds for sure. What was found stands
// where it is a race of accesses with the same calls before both of them, or where neither thread comes to a call behind its access while the other comes to one before its own: so
// alone calls order the two.
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
	outside := map[uint32]bool{} // what a call does may be up to another one by one thread alone, as a copy is to a wait before it
	for _, in := range e.Kernel.Insts {
		outside[in.Place] = outside[in.Place] || in.Op == ir.Outside && in.Flags&ir.MayMeet != 0
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f order.Finding) bool {
		if f.Check == order.Divergence && len(f.Points) == 1 && r.excluded(f.Points[0]) { // whoever else comes there
			return false
		}
		race := f.Check == order.Race && len(f.Points) == 2
		if !race || r.perhapsEqual(f.Points) {
			return race || first != nil
		}
		var left [2]bool // calls that are still to come
		for k, p := range f.Points {
			var after []uint32
			passed[k], after = r.around(p)
			if f.Points[0].Warp != f.Points[1].Warp && !outside[f.Points[0].Place] && !outside[f.Points[1].Place] {
				alone := func(place uint32) bool { return !whole[place] }
				passed[k], after = slices.DeleteFunc(passed[k], alone), slices.DeleteFunc(after, alone)
			}
			left[k] = len(after) > 0
		}
		ordered := len(e.Stuck) > 0 || left[0] && len(passed[1]) > 0 || left[1] && len(passed[0]) > 0 // what has ended early may have more to come
		return ordered && !slices.Equal(passed[0], passed[1])
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

// around lists the places of the calls that a thread comes to before one of its commands, and behind it.
func (r *Report) around(p order.Point) (before, after []uint32) {
	for _, passed := range r.Execution.Passed[p.Warp] {
		switch {
		case passed.Lanes>>p.Lane&1 == 0:
		case passed.Index <= p.Index:
			before = append(before, passed.Place)
		default:
			after = append(after, passed.Place)
		}
	}
	return before, after
}
