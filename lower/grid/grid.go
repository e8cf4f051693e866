// Package grid makes threads of a kernel's text that can be run side by side: a few CTAs of the grid, statement by
// statement, over the integers that waits depend on. Package lower unrolls a kernel into straight lines, which has no
// place for a lock that is tried again or a ticket whose number decides what is waited for; here both are plain steps.
//
// What is followed: integers in locals, in shared memory, and in the global memory that the kernel uses atomics, strong or
// volatile loads on, or polls; branches, loops, functions of the file, inline PTX of one memory instruction, CTA and grid
// barriers. That memory is 0 at first. Anything else that is read is unknown. Where an unknown, or something not followed,
// would decide what a thread does next, the run ends with an error that names the line.
package grid

import (
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// Options steer what is made of a kernel.
type Options struct {
	Set         map[string]int64 // values of parameters and constants
	CTAs        int              // of the grid; 0: as launched, 3 where that is not known or more than 4
	Cooperative bool             // launched so, whatever the file says
}

// Kernel is a kernel as threads.
type Kernel struct {
	Name        string
	Line        int
	Function    *program.Function
	CTAs, Block int  // how many there are, and threads in each
	Cluster     int  // CTAs of a cluster
	Cooperative bool // launched so
	Bounds      []string
	Program     *Program
}

// Program is the threads of a kernel. Step and its like are what package progress asks of a system.
type Program struct {
	kernel  *Kernel
	file    *program.File
	code    []instr
	slots   int // numbers of a thread: where it is, what barrier it stands at, its locals
	start   []int64
	room    int // cells that states have a place for
	cells   map[cell]int
	bases   []base
	tracked map[string]bool // objects whose values are followed, by name
	again   func()          // makes code anew
}

// base is an object in memory that pointers point into.
type base struct {
	name   string
	shared bool
	kind   wrap
}

// cell is an element of an object; cta is that of shared memory, else -1.
type cell struct {
	base int
	at   int64
	cta  int
}

// Bounds on what is made of a text that may come from a stranger.
const (
	maxCode    = 1 << 14
	maxInline  = 8
	maxCells   = 1 << 10
	maxThreads = 64
	maxBases   = 1 << 10
)

// Kernels makes threads of every kernel of a file in CUDA C++ or CuTe DSL.
func Kernels(f *program.File, t *dialect.Table, opt Options) []*Kernel {
	var out []*Kernel
	if f.Language == program.PTX {
		return nil
	}
	for _, fn := range f.Functions {
		if fn.Kernel {
			out = append(out, newKernel(f, t, fn, opt))
		}
	}
	return out
}

func newKernel(f *program.File, t *dialect.Table, fn *program.Function, opt Options) *Kernel {
	k := &Kernel{Name: fn.Qualified, Line: f.Source.Position(fn.NameSpan.Start).Line, Function: fn, Cooperative: opt.Cooperative, Cluster: 1}
	c := &compiler{file: f, table: t, set: opt.Set, constants: map[string]program.Expr{}, kernel: k}
	c.readConstants()
	l := c.launchOf(fn)
	k.shape(l, opt)
	k.Program = &Program{kernel: k, file: f, tracked: map[string]bool{}, room: 16}
	c.program, c.launch = k.Program, l
	c.compile()
	k.Program.again = c.compile
	return k
}

// shape chooses how many CTAs and threads there are.
func (k *Kernel) shape(l *launch, opt Options) {
	k.CTAs, k.Block = 3, 2
	switch {
	case opt.CTAs > 0:
		k.CTAs = min(opt.CTAs, maxThreads)
	case l.grid > 0 && l.grid <= 4:
		k.CTAs = int(l.grid)
	}
	if l.block == 1 {
		k.Block = 1
	}
	k.Cluster = int(max(1, l.cluster))
	k.CTAs = (k.CTAs + k.Cluster - 1) / k.Cluster * k.Cluster
	k.Cooperative = k.Cooperative || l.cooperative
	if k.CTAs*k.Block > maxThreads {
		k.Block = 1
		k.CTAs = min(k.CTAs, maxThreads)
	}
	say := func(what string, launched int64, used int) {
		switch {
		case launched <= 0:
			k.Bounds = append(k.Bounds, fmt.Sprintf("%s = %d, the launch is not known", what, used))
		case launched != int64(used):
			k.Bounds = append(k.Bounds, fmt.Sprintf("%s = %d instead of %d", what, used, launched))
		default:
			k.Bounds = append(k.Bounds, fmt.Sprintf("%s = %d", what, used))
		}
	}
	say("CTAs", l.grid, k.CTAs)
	say("threads", l.block, k.Block)
}

// Within says what the answers hold for.
func (k *Kernel) Within() string { return strings.Join(k.Bounds, "; ") }
