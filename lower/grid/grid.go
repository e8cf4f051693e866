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
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// Options steer what is made of a kernel.
type Options struct {
	Set         map[string]int64             // values of parameters and constants
	CTAs        int                          // of the grid, whatever the file says; 0: as launched
	Cooperative bool                         // launched so, whatever the file says
	Only        func(*program.Function) bool // kernels to look at; nil: all
}

// Kernel is a kernel as threads, once it has a size.
type Kernel struct {
	Name          string
	Line          int
	Function      *program.Function
	CTAs, Block   int   // how many there are, and threads in each
	Cluster       int   // CTAs of a cluster
	Cooperative   bool  // launched so
	Grid, Threads int64 // CTAs and threads of each as launched, 0 where that is not known
	Program       *Program
	launch        *launch
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
	maxCode   = 1 << 14
	maxInline = 8
	maxWork   = 1 << 17
	maxDepth  = 256
	maxCells  = 1 << 10
	maxBases  = 1 << 10
)

// Kernels makes threads of every kernel of a file in CUDA C++ or CuTe DSL.
func Kernels(f *program.File, t *dialect.Table, opt Options) []*Kernel {
	var out []*Kernel
	if f.Language == program.PTX {
		return nil
	}
	for _, fn := range f.Functions {
		if fn.Kernel && (opt.Only == nil || opt.Only(fn)) {
			out = append(out, newKernel(f, t, fn, opt))
		}
	}
	return out
}

func newKernel(f *program.File, t *dialect.Table, fn *program.Function, opt Options) *Kernel {
	k := &Kernel{Name: fn.Qualified, Line: f.Source.Position(fn.NameSpan.Start).Line, Function: fn, Cooperative: opt.Cooperative}
	c := &compiler{file: f, table: t, set: opt.Set, constants: map[string]program.Expr{}, variables: map[string]*program.Assign{}, kernel: k}
	c.readConstants()
	c.readVariables()
	k.launch = c.launchOf(fn)
	k.Cluster = int(min(k.launch.cluster, 16))
	k.Cooperative = k.Cooperative || k.launch.cooperative
	k.Grid, k.Threads = k.launch.grid, k.launch.block
	if opt.CTAs > 0 {
		k.Grid = int64(opt.CTAs)
	}
	k.Program = &Program{kernel: k, file: f, tracked: map[string]bool{}, room: 16, again: c.compile}
	c.program = k.Program
	return k
}

// Resize makes threads of the kernel anew, as many as are said.
func (k *Kernel) Resize(ctas, block int) {
	k.CTAs, k.Block = ctas, block
	k.Program.again()
}
