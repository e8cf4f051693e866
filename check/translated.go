package check

import (
	"slices"
	"time"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/finding"
	frontend "github.com/fencepost-dev/fencepost/frontend/cuda"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/program"
)

// translatedTime bounds what is asked of one kernel.
const translatedTime = 500 * time.Millisecond

// translated looks at kernels of CUDA C++ that lowering leaves undecided: they are translated to the IR as they stand, and executed. What is
// found is a warning: no host code was run up to the launch. A kernel holds where nothing of it is guessed but what shape a CTA has, and what
// type a template is given: its line says so.
func (opt *Options) translated(f *program.File, t *dialect.Table, kernels []*kernelResult, entries []finding.Kernel, known []finding.Finding) (out []finding.Finding) {
	for _, k := range kernels {
		if k.Config != "" || k.Function == nil {
			continue
		}
		n := slices.IndexFunc(entries, func(e finding.Kernel) bool { return e.Path == k.Path && e.Line == k.Line && e.Name == k.Name })
		if n < 0 || entries[n].Verdict != engine.Inconclusive.String() {
			continue
		}
		c := opt.decideTranslated(f, t, k.Function)
		if c == nil {
			continue // what lowering says stands
		}
		if c.Verdict == engine.Holds {
			if c.Execution.Unmet {
				continue // whether all lanes of a mask come is not known
			}
			if slices.ContainsFunc(c.whole.Insts, func(in ir.Inst) bool { return in.Op.Does(ir.Counts) }) {
				continue // that every phase wraps twice, lowering asks
			}
			if slices.ContainsFunc(known, func(o finding.Finding) bool { return o.Kernel == k.Function.Qualified && o.Severity == finding.Error }) {
				continue // what is wrong on its face, the IR does not ask about
			}
			e := &entries[n]
			e.Reasons, e.Stopped, e.Open, e.Bounds, e.Properties = nil, nil, nil, map[string]string{}, map[string]string{}
			c.describe(e)
			continue
		}
		for _, fd := range c.findings(opt) {
			fd.Severity = min(fd.Severity, finding.Warning)
			if !slices.ContainsFunc(known, func(o finding.Finding) bool {
				return o.Path == fd.Path && (o.Line == fd.Line || o.Rule == fd.Rule && o.Kernel == fd.Kernel)
			}) {
				out = append(out, fd)
			}
		}
	}
	return out
}

// templateGuesses are tried for a number that a kernel's template is given and no launch says: what is wrong with one may be right with the other.
var templateGuesses = []int64{32, 8}

// decideTranslated is a kernel that holds with nothing guessed, or is violated whatever is guessed of it; nil where it is neither.
func (opt *Options) decideTranslated(f *program.File, t *dialect.Table, fn *program.Function) (out *compiledKernel) {
	for _, guess := range templateGuesses {
		whole, guessed, err := frontend.Translate(f, t, fn, opt.sources, guess)
		if err != nil {
			return nil
		}
		l := exec.Launch{Params: map[string]int64{}}
		if opt.Launch != nil {
			opt.Launch(fn.Name, &l.Grid, &l.Block, &l.Cluster)
		}
		lim := opt.Limits
		if lim.Time == 0 || lim.Time > translatedTime {
			lim.Time = translatedTime
		}
		r, err := barriers.Verify(whole, l, order.Options{Limits: lim})
		if err != nil {
			return nil
		}
		k := &compiledKernel{Report: r, file: f, fn: fn, whole: whole}
		switch {
		case r.Verdict == engine.Holds && len(whole.Guesses) == 0:
			return k
		case r.Verdict != engine.Violated || len(r.Shapes) > 0 && !surely(r.Shapes) || len(whole.Guesses) > 0 && !everywhere(whole, r):
			return nil
		}
		if out == nil {
			out = k
		}
		if !guessed {
			break
		}
	}
	return out
}

// everywhere reports whether what was found is found with all numbers with which shared memory is accessed, and does not need one for what is
// not said.
func everywhere(whole *ir.Kernel, r *barriers.Report) bool {
	for _, name := range whole.Guesses {
		if _, given := r.Execution.Launch.Params[name]; given {
			return false
		}
	}
	return r.Spared == 0 && !slices.ContainsFunc(r.Shapes, func(s barriers.Shape) bool { return s.Report != nil && s.Report.Spared > 0 })
}

// surely reports whether what was found under guessed shapes is found whatever the shape is: under all that have two warps or more, which are
// two or more, and of one axis. Of two axes a guess is seldom what the author has in mind.
func surely(shapes []barriers.Shape) bool {
	violated := 0
	for _, s := range shapes {
		threads := s.Block[0] * s.Block[1] * s.Block[2]
		switch {
		case s.Report == nil || threads < 2*ir.Lanes:
		case s.Report.Verdict != engine.Violated || s.Block[1]*s.Block[2] > 1:
			return false
		default:
			violated++
		}
	}
	return violated > 1
}
