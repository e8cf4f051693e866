package check

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/progress"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/rules"
)

// askedNumbers bounds what one suspicion about the scheduler may cost: fencepost progress goes further.
const askedNumbers = 1 << 20

// askedStates bounds it for a lowered protocol.
const askedStates = 1 << 18

// askScheduler joins the suspicions about who is scheduled with what package progress says of their kernels.
func (opt *Options) askScheduler(ctx context.Context, f *program.File, t *dialect.Table, suspects []rules.Suspect, kernels []*kernelResult) {
	if opt.Engine == None {
		return
	}
	known := map[*program.Function]*Scheduled{}
	for i := range suspects {
		s := &suspects[i]
		if s.Rule.Under == "" || s.Function == nil || !s.Function.Kernel {
			continue
		}
		k := known[s.Function]
		if k == nil {
			k = opt.scheduledKernel(ctx, f, t, s.Function, kernels)
			known[s.Function] = k
		}
		if k != nil {
			k.judge(f, s)
		}
	}
}

func (opt *Options) scheduledKernel(ctx context.Context, f *program.File, t *dialect.Table, fn *program.Function, kernels []*kernelResult) *Scheduled {
	set := map[string]int64{}
	for name, text := range opt.Constants {
		if n, err := strconv.ParseInt(text, 0, 64); err == nil {
			set[name] = n
		}
	}
	only := func(g *program.Function) bool { return g == fn }
	list := schedule(f, t, Scheduling{Set: set, Only: only, Sources: opt.sources}, func(s progress.System) (*progress.Result, error) {
		return progress.DecideWithin(s, askedNumbers)
	})
	if len(list) == 0 {
		return nil
	}
	for _, k := range kernels {
		if f.Language == program.CuTe && k.Function == fn && k.Config == "" {
			list[0].reside(ctx, k.Kernel, engine.Limits{States: askedStates})
		}
	}
	return &list[0]
}

// judge tells a suspicion what the kernel needs. It is cleared, or made an error, only where as many CTAs and threads were
// run as the file launches: fewer of them may wait for what only the others do.
func (k *Scheduled) judge(f *program.File, s *rules.Suspect) {
	fd := &s.Finding
	if k.Err != nil {
		fd.Notes = append(fd.Notes, fmt.Sprintf("what it needs of the scheduler was not worked out: %v", k.Err))
		return
	}
	fair := k.Result.Answers[progress.Guarantee{Model: progress.Fair}]
	enough := fair
	if s.Rule.Under == progress.CUDA.String() {
		enough = k.Result.Answers[progress.Guarantee{Model: progress.CUDA}]
	}
	fd.Notes = append(fd.Notes, fmt.Sprintf("with %s: the kernel %s", k.Within(), k.Result.Needs()))
	switch {
	case !fair.Ends:
		fd.Trace, fd.Cycle = k.steps(f, fair.Lasso.Stem), k.steps(f, fair.Lasso.Cycle)
		if k.Whole() && zeroes(f) {
			fd.Severity = finding.Error
		}
	case !enough.Ends:
		fd.Trace, fd.Cycle = k.steps(f, enough.Lasso.Stem), k.steps(f, enough.Lasso.Cycle)
	case k.Whole():
		fd.Cleared, fd.Severity = true, finding.Note
	}
}

func (k *Scheduled) steps(f *program.File, list []progress.Step) []finding.Step {
	var out []finding.Step
	for _, s := range list {
		at := finding.Location{Path: f.Source.Name, Line: s.Line}
		var from finding.Location
		if s.From > 0 {
			from = finding.Location{Path: at.Path, Line: s.From}
		}
		th := k.Result.Threads[s.Thread]
		out = append(out, finding.Step{Location: at, Actor: th.Name, Text: s.Text, From: from, By: []finding.Party{{CTA: th.Unit, Name: th.Name}}})
	}
	return out
}

var zeroing = regexp.MustCompile(`(?i)memset|zeros`)

// zeroes reports whether the file clears some memory: what a kernel waits on is taken to be 0 at first.
func zeroes(f *program.File) bool {
	for _, fn := range f.Functions {
		for c := range program.Calls(fn.Body) {
			switch fun := c.Fun.(type) {
			case *program.Name:
				if zeroing.MatchString(fun.Ident) {
					return true
				}
			case *program.Attr:
				if zeroing.MatchString(fun.Name) {
					return true
				}
			}
		}
	}
	return false
}
