package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/progress"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/lower/grid"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Scheduled is a kernel, and what it needs of the scheduler.
type Scheduled struct {
	*grid.Kernel
	Result *progress.Result
	Err    error                // why there is none
	From   []*protocol.Protocol // the lowered protocols that were decided, where it was not run as threads of a grid
	bounds string               // of From
}

// Within says what the answers hold for.
func (s *Scheduled) Within() string {
	if len(s.From) > 0 {
		return s.bounds
	}
	return s.Kernel.Within()
}

// Schedule decides for every kernel of a file under which models of forward progress it ends: as threads of a grid, or,
// where it does something that those do not follow, as its lowered protocol.
func Schedule(ctx context.Context, f *program.File, t *dialect.Table, opt grid.Options, low lower.Options, lim engine.Limits) []Scheduled {
	out := schedule(f, t, opt, progress.Decide)
	if !slices.ContainsFunc(out, func(s Scheduled) bool { return s.Err != nil }) || opt.CTAs > 0 {
		return out
	}
	for _, k := range lower.Kernels(f, t, low) {
		for i := range out {
			s := &out[i]
			if s.Err == nil || k.Function != s.Function || k.Config != "" || len(k.Opaque) > 0 || len(k.Instances) == 0 {
				continue
			}
			r, err := residents(ctx, k.Instances, s.Cooperative, lim)
			if err != nil {
				s.Err = fmt.Errorf("%w; as a protocol: %w", s.Err, err)
				continue
			}
			s.Result, s.Err, s.From = r, nil, k.Instances
			s.bounds = (&kernelResult{Kernel: k}).within()
		}
	}
	return out
}

func schedule(f *program.File, t *dialect.Table, opt grid.Options, decide decider) []Scheduled {
	var out []Scheduled
	for _, k := range grid.Kernels(f, t, opt) {
		s := Scheduled{Kernel: k}
		s.Result, s.Err = scheduled(k, decide)
		out = append(out, s)
	}
	return out
}

// maxTries bounds how often a kernel is decided once more, each time as more is known of its memory.
const maxTries = 64

type decider func(progress.System) (*progress.Result, error)

// scheduled decides a kernel, with fewer threads where there are too many states.
func scheduled(k *grid.Kernel, decide decider) (r *progress.Result, err error) {
	for range maxTries {
		r, err = decide(gridSystem{k.Program, k})
		var large *progress.TooLargeError
		switch {
		case errors.Is(err, grid.ErrAgain):
			k.Program.Again()
		case !errors.As(err, &large) || !k.Smaller():
			return r, err
		}
	}
	return nil, fmt.Errorf("line %d: what it keeps in memory is not found out in %d tries", k.Line, maxTries)
}

// gridSystem is the threads of a kernel as package progress takes them: a CTA is scheduled with all its threads.
type gridSystem struct {
	*grid.Program
	kernel *grid.Kernel
}

// Threads implements progress.System.
func (g gridSystem) Threads() []progress.Thread {
	var out []progress.Thread
	for t := range g.Size() {
		thread := progress.Thread{Name: g.Name(t), Unit: g.CTA(t), Group: g.CTA(t) / g.kernel.Cluster}
		if g.kernel.Cooperative {
			thread.Group = 0
		}
		out = append(out, thread)
	}
	return out
}
