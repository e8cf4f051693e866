package barriers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/limit"
)

// launches is the answer for a kernel of which the host's text says with what shapes it is launched: the worst of them. What the caller says
// of the launch comes before what the text does.
func (s *search) launches(l exec.Launch) (*Report, error) {
	var best *Report
	missed := false
	for k, at := range s.whole.Launches {
		if k > 0 && s.over() {
			missed = true
			break
		}
		params := s.fixed(at.Params)
		at.Params = params
		r, err := s.numbers(with(l, at))
		if err != nil {
			return nil, err
		}
		r.Execution.Assumed = append(slices.Clone(r.Execution.Assumed), launchText(s.whole, k, params))
		r.Chosen = at.Chosen
		if best == nil || worse(r, best) {
			best, r = r, best
		}
		r.strip(best)
	}
	if missed && best.Verdict == engine.Holds {
		best.Verdict = engine.Inconclusive
		best.Reasons = append(best.Reasons, exec.Halt{Why: limit.Time.Sayf("not all launches of it were looked at within the work of %v; --block names one", s.clock.most)})
	}
	return best, nil
}

// with is a launch with what the host's text says of it.
func with(l exec.Launch, at ir.Launched) exec.Launch {
	l.Block = at.Block
	if l.Cluster[0] == 0 {
		l.Cluster = at.Cluster
	}
	if l.Grid[0] == 0 {
		l.Grid = at.Grid
	}
	params := maps.Clone(at.Params)
	if params == nil {
		params = map[string]int64{}
	}
	maps.Copy(params, l.Params)
	l.Params = params
	return l
}

// fixed leaves out of the numbers that a launch passes those that say how often threads wait for mbarriers: that is a run-time argument, and what is wrong with
// a phase shows only where it comes again.
func (s *search) fixed(params map[string]int64) map[string]int64 {
	out := maps.Clone(params)
	for _, r := range s.turns() {
		for _, name := range r.Inputs {
			delete(out, name)
		}
	}
	return out
}

// turns are the loops that the kernel's input decides and in which threads wait for mbarriers.
func (s *search) turns() (out []ir.Repeated) {
	at := s.repeating()
	met := map[*ir.Place]bool{}
	for k := range s.kernel.Insts {
		in := &s.kernel.Insts[k]
		if r, loops := at[in.Place]; loops && in.Op == ir.MbarTest && !met[r.Loop] {
			met[r.Loop] = true
			out = append(out, r)
		}
	}
	return out
}

// launchText says which launch an answer is of, and what of its arguments was taken for granted.
func launchText(k *ir.Kernel, n int, params map[string]int64) string {
	at := k.Launches[n]
	text := "launched at " + at.At
	for i, name := range slices.Sorted(maps.Keys(params)) {
		if i == 0 {
			text += " with"
		}
		text += fmt.Sprintf(" %s=%d", name, params[name])
	}
	if len(k.Launches) > 1 {
		text += ", of several launches the first that is the worst:"
		for i, o := range k.Launches {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf(" blocks of %s at %s", BlockText(o.Block), o.At)
			for _, name := range slices.Sorted(maps.Keys(o.Params)) {
				if first, said := k.Launches[0].Params[name]; slices.ContainsFunc(k.Launches, func(l ir.Launched) bool { n, says := l.Params[name]; return said != says || n != first }) {
					text += fmt.Sprintf(" %s=%d", name, o.Params[name])
				}
			}
		}
	}
	if k.Unlaunched != "" {
		text += "; " + k.Unlaunched
	}
	return text
}

// stated takes what the host's text says from a kernel of whose launch the caller says another shape.
func stated(k *ir.Kernel, l exec.Launch) {
	if l.Block[0] != 0 && len(k.Launches) > 0 {
		k.Directives = maps.Clone(k.Directives)
		delete(k.Directives, "reqntid")
		k.Launches, k.Unlaunched = nil, ""
	}
}
