package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/progress"
	"github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir/thread"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/lower/grid"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Scheduled is a kernel, and what it needs of the scheduler.
type Scheduled struct {
	Name     string
	Line     int
	Function *program.Function
	Size
	Result  *progress.Result
	Err     error                // why there is none
	From    []*protocol.Protocol // the lowered protocols that were decided, where it was not run as threads of a grid
	bounds  string               // of From
	assumed []string
}

// Within says what the answers hold for.
func (s *Scheduled) Within() string {
	if len(s.From) > 0 {
		return s.bounds
	}
	out := s.Size.within()
	if len(s.assumed) > 0 {
		out += "; taken for granted: " + strings.Join(s.assumed, "; ")
	}
	return out
}

// Schedule decides for every kernel of a file under which models of forward progress it ends: as threads of a grid, or,
// where it does something that those do not follow, as its lowered protocol.
func Schedule(ctx context.Context, f *program.File, t *dialect.Table, opt grid.Options, low lower.Options, lim engine.Limits) []Scheduled {
	out := schedule(f, t, opt, progress.Decide)
	if f.Language == program.PTX || opt.CTAs > 0 || !slices.ContainsFunc(out, func(s Scheduled) bool { return s.Err != nil }) {
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
	if f.Language == program.PTX {
		return scheduleIR(f, opt, decide)
	}
	var out []Scheduled
	for _, k := range grid.Kernels(f, t, opt) {
		s := Scheduled{Name: k.Name, Line: k.Line, Function: k.Function, Size: sizeOf(k.Grid, k.Threads, k.Cluster, k.Cooperative)}
		s.schedule(decide, func() (threads, error) {
			k.Resize(s.CTAs, s.Block)
			return gridSystem{k.Program, k}, nil
		})
		out = append(out, s)
	}
	return out
}

// scheduleIR is schedule for kernels of the IR.
func scheduleIR(f *program.File, opt grid.Options, decide decider) []Scheduled {
	var out []Scheduled
	for _, fn := range f.Functions {
		if !fn.Kernel || opt.Only != nil && !opt.Only(fn) {
			continue
		}
		s := Scheduled{Name: fn.Name, Line: f.Source.Position(fn.NameSpan.Start).Line, Function: fn}
		k, err := ptx.Translate(f, fn)
		if err != nil {
			s.Err = err
			out = append(out, s)
			continue
		}
		block := int64(1)
		for _, n := range k.Directives["reqntid"] {
			block *= int64(n)
		}
		s.Size = sizeOf(int64(opt.CTAs), block, max(1, k.Directives["reqnctapercluster"][0]), opt.Cooperative)
		var last *thread.System
		s.schedule(decide, func() (threads, error) {
			last, err = thread.New(k, thread.Launch{CTAs: s.CTAs, Cluster: s.Cluster, Block: [3]int{s.Block, 1, 1}, Cooperative: s.Cooperative, Fewer: s.threads != int64(s.Block), Params: opt.Set})
			return last, err
		})
		if s.assumed = k.Assumed; last != nil {
			s.assumed = last.Assumed()
		}
		out = append(out, s)
	}
	return out
}

// maxTries bounds how often a kernel is decided once more, each time as more is known of its memory.
const maxTries = 64

type decider func(progress.System) (*progress.Result, error)

// threads are those of a kernel.
type threads interface {
	progress.System
	Again() // starts over with what was found out of the memory
}

// schedule decides a kernel, with fewer threads where there are too many states.
func (s *Scheduled) schedule(decide decider, resized func() (threads, error)) {
	var system threads
	for range maxTries {
		if system == nil {
			if system, s.Err = resized(); s.Err != nil {
				return
			}
		}
		s.Result, s.Err = decide(system)
		var large *progress.TooLargeError
		switch {
		case errors.Is(s.Err, grid.ErrAgain) || errors.Is(s.Err, thread.ErrAgain):
			system.Again()
		case !errors.As(s.Err, &large) || !s.smaller():
			return
		default:
			system = nil
		}
	}
	s.Result, s.Err = nil, fmt.Errorf("line %d: what it keeps in memory is not found out in %d tries", s.Line, maxTries)
}

// gridSystem is the threads of a kernel's text as package progress takes them: a CTA is scheduled with all its threads.
type gridSystem struct {
	*grid.Program
	kernel *grid.Kernel
}

// Again implements threads.
func (g gridSystem) Again() { g.Program.Again() }

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
