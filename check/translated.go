package check

import (
	"path"
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
// found is a warning: no host code was run up to the launch. That a kernel holds is not taken from there yet.
func (opt *Options) translated(f *program.File, t *dialect.Table, kernels []*kernelResult, entries []finding.Kernel, known []finding.Finding) (out []finding.Finding) {
	load := opt.includes()
	for _, k := range kernels {
		if k.Config != "" || k.Function == nil {
			continue
		}
		e := slices.IndexFunc(entries, func(e finding.Kernel) bool { return e.Path == k.Path && e.Line == k.Line && e.Name == k.Name })
		if e < 0 || entries[e].Verdict != engine.Inconclusive.String() {
			continue
		}
		whole, _, err := frontend.Translate(f, t, k.Function, load, 32)
		if err != nil {
			continue // what lowering says stands
		}
		l := exec.Launch{Params: map[string]int64{}}
		if blocks := frontend.Launches(f, t, k.Function, load); len(blocks) > 0 {
			l.Block = blocks[0]
		}
		lim := opt.Limits
		if lim.Time == 0 || lim.Time > translatedTime {
			lim.Time = translatedTime
		}
		r, err := barriers.Verify(whole, l, order.Options{Limits: lim})
		if err != nil || r.Verdict != engine.Violated {
			continue
		}
		if len(r.Shapes) > 0 && !surely(r.Shapes) || len(whole.Guesses) > 0 && !everywhere(whole, r) {
			continue
		}
		c := &compiledKernel{Report: r, file: f, fn: k.Function, whole: whole}
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

// includes reads the files of the tree that one includes, beside it or from the tree's root, each once.
func (opt *Options) includes() frontend.Load {
	read := map[string]*program.File{}
	return func(from *program.File, name string) *program.File {
		for _, at := range []string{path.Join(path.Dir(from.Source.Name), name), path.Clean(name)} {
			f, known := read[at]
			if !known {
				read[at] = nil
				if src, err := opt.Tree.Read(at); err == nil {
					f, _ = Read(src)
					read[at] = f
				}
			}
			if f != nil {
				return f
			}
		}
		return nil
	}
}
