package check

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/progress"
	"github.com/fencepost-dev/fencepost/frontend/cuda"
	"github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/thread"
	"github.com/fencepost-dev/fencepost/lower"
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

// Scheduling is what is said of the threads that kernels are executed as.
type Scheduling struct {
	Set         map[string]int64             // values of parameters
	CTAs        int                          // of the grid, whatever the file says; 0: as launched
	Cooperative bool                         // launched so, whatever the file says
	Only        func(*program.Function) bool // kernels to look at; nil: all
	Sources     *Sources                     // other files of the tree; may be nil
	Lower       lower.Options                // of kernels of CuTe DSL
}

// Schedule decides for every kernel of a file under which models of forward progress it ends: as threads of a grid, or,
// where it does something that those do not follow and of CuTe DSL, as its lowered protocol.
func Schedule(ctx context.Context, f *program.File, t *dialect.Table, opt Scheduling, lim engine.Limits) []Scheduled {
	out := schedule(f, t, opt, progress.Decide)
	if f.Language != program.CuTe || opt.CTAs > 0 {
		return out
	}
	for _, k := range lower.Kernels(f, t, opt.Lower) {
		for i := range out {
			if s := &out[i]; k.Function == s.Function && k.Config == "" {
				s.reside(ctx, k, lim)
			}
		}
	}
	return out
}

// reside decides a kernel as its lowered protocol.
func (s *Scheduled) reside(ctx context.Context, k *lower.Kernel, lim engine.Limits) {
	switch {
	case len(k.Opaque) > 0:
		s.Err = fmt.Errorf("line %d: not modelled: %s", k.Opaque[0].Line, k.Opaque[0].Why.Text)
	case len(k.Instances) == 0:
		s.Err = fmt.Errorf("line %d: it could not be lowered", s.Line)
	default:
		s.Result, s.Err = residents(ctx, k.Instances, s.Cooperative, lim)
		s.From = k.Instances
		s.bounds = (&kernelResult{Kernel: k}).within()
	}
}

// schedule executes the kernels of a file thread by thread; those of CuTe DSL, which has no IR, are listed alone.
func schedule(f *program.File, t *dialect.Table, opt Scheduling, decide decider) []Scheduled {
	var out []Scheduled
	for _, fn := range f.Functions {
		if !fn.Kernel || opt.Only != nil && !opt.Only(fn) {
			continue
		}
		s := Scheduled{Name: fn.Qualified, Line: f.Source.Position(fn.NameSpan.Start).Line, Function: fn}
		switch f.Language {
		case program.CuTe:
			s.Size.Cooperative = opt.Cooperative
			s.Err = fmt.Errorf("line %d: it could not be lowered", s.Line)
		default:
			s.execute(f, t, opt, decide)
		}
		out = append(out, s)
	}
	return out
}

// execute decides a kernel of the IR.
func (s *Scheduled) execute(f *program.File, t *dialect.Table, opt Scheduling, decide decider) {
	k, err := translatedWhole(f, t, s.Function, opt.Sources)
	if err != nil {
		s.Err = err
		return
	}
	grid, block, cluster := [3]int{}, k.Directives["reqntid"], volume(k.Directives["reqnctapercluster"])
	s.Cooperative = opt.Cooperative
	if len(k.Launches) > 0 { // what differs between them is not known
		l := k.Launches[0]
		if grid = l.Grid; l.Cluster[0] > 0 {
			cluster = volume(l.Cluster)
		}
		s.Cooperative = s.Cooperative || l.Cooperative
		for _, o := range k.Launches[1:] {
			if block = l.Block; o.Block != l.Block {
				block = [3]int{}
			}
		}
	}
	ctas := int64(grid[0])
	if grid[1] > 1 || grid[2] > 1 { // CTAs stand along one axis here
		ctas = 0
	}
	if opt.CTAs > 0 {
		ctas = int64(opt.CTAs)
	}
	s.Size = sizeOf(ctas, volume(block), int(max(1, cluster)), s.Cooperative)
	var last *thread.System
	s.schedule(decide, func() (*thread.System, error) {
		last, err = thread.New(k, thread.Launch{CTAs: s.CTAs, Cluster: s.Cluster, Block: [3]int{s.Block, 1, 1}, Cooperative: s.Cooperative, Fewer: s.threads != int64(s.Block), Params: opt.Set})
		return last, err
	})
	if s.assumed = k.Assumed; last != nil {
		s.assumed = last.Assumed()
	}
}

// translatedWhole is the IR of a kernel of PTX or CUDA C++.
func translatedWhole(f *program.File, t *dialect.Table, fn *program.Function, sources *Sources) (*ir.Kernel, error) {
	if f.Language == program.PTX {
		return ptx.Translate(f, fn)
	}
	var files cuda.Files
	if sources != nil {
		files = sources
	}
	k, _, err := cuda.Translate(f, t, fn, files, templateGuesses[0])
	return k, err
}

// volume is how many an extent has; 0 where that is not known.
func volume(e [3]int) int64 { return int64(e[0]) * int64(max(e[1], 1)) * int64(max(e[2], 1)) }

// maxTries bounds how often a kernel is decided once more, each time as more is known of its memory.
const maxTries = 64

type decider func(progress.System) (*progress.Result, error)

// schedule decides a kernel, with fewer threads where there are too many states.
func (s *Scheduled) schedule(decide decider, resized func() (*thread.System, error)) {
	var system *thread.System
	for range maxTries {
		if system == nil {
			if system, s.Err = resized(); s.Err != nil {
				return
			}
		}
		s.Result, s.Err = decide(system)
		var large *progress.TooLargeError
		switch {
		case errors.Is(s.Err, thread.ErrAgain):
			system.Again()
		case !errors.As(s.Err, &large) || !s.smaller():
			return
		default:
			system = nil
		}
	}
	s.Result, s.Err = nil, fmt.Errorf("line %d: what it keeps in memory is not found out in %d tries", s.Line, maxTries)
}
