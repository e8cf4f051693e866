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

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// Options steer what is made of a kernel.
type Options struct {
	Set         map[string]int64             // values of parameters and constants
	CTAs        int                          // of the grid, whatever the file says; 0: as launched, 3 where that is not known
	Cooperative bool                         // launched so, whatever the file says
	Only        func(*program.Function) bool // kernels to look at; nil: all
}

// Kernel is a kernel as threads.
type Kernel struct {
	Name        string
	Line        int
	Function    *program.Function
	CTAs, Block int  // how many there are, and threads in each
	Cluster     int  // CTAs of a cluster
	Cooperative bool // launched so
	Program     *Program
	launch      *launch
	sizes       [][2]int // CTAs and threads, the best first, that are still to be tried
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
	maxWork    = 1 << 17
	maxDepth   = 256
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
	if opt.CTAs > 0 {
		k.launch.grid = int64(opt.CTAs)
	}
	k.Program = &Program{kernel: k, file: f, tracked: map[string]bool{}, room: 16, again: c.compile}
	c.program = k.Program
	k.choose()
	k.Smaller()
	return k
}

// choose lists the sizes to try: the grid as it is launched first, two threads a CTA, then less of either.
func (k *Kernel) choose() {
	var grids []int
	if g := k.launch.grid; g > 0 && g <= maxThreads {
		grids = append(grids, int(g))
	}
	if k.launch.grid == 0 || k.launch.grid > 3 {
		grids = append(grids, 3)
	}
	for _, g := range grids {
		g = (g + k.Cluster - 1) / k.Cluster * k.Cluster
		if k.launch.block != 1 && 2*g <= maxThreads {
			k.sizes = append(k.sizes, [2]int{g, 2})
		}
		if g <= maxThreads {
			k.sizes = append(k.sizes, [2]int{g, 1})
		}
	}
}

// Smaller makes threads of the kernel again, fewer of them; false where there is no smaller size.
func (k *Kernel) Smaller() bool {
	if len(k.sizes) == 0 {
		return false
	}
	k.CTAs, k.Block = k.sizes[0][0], k.sizes[0][1]
	k.sizes = k.sizes[1:]
	k.Program.again()
	return true
}

// Whole reports whether there are as many CTAs and threads as the file launches.
func (k *Kernel) Whole() bool {
	return k.launch.grid == int64(k.CTAs) && k.launch.block == int64(k.Block)
}

// Within says what the answers hold for.
func (k *Kernel) Within() string {
	say := func(what string, launched int64, used int) string {
		switch {
		case launched <= 0:
			return fmt.Sprintf("%s = %d, how many are launched is not known", what, used)
		case launched != int64(used):
			return fmt.Sprintf("%s = %d instead of %d", what, used, launched)
		}
		return fmt.Sprintf("%s = %d", what, used)
	}
	out := say("CTAs", k.launch.grid, k.CTAs) + "; " + say("threads", k.launch.block, k.Block)
	if k.Cluster > 1 {
		out += fmt.Sprintf("; clusters of %d", k.Cluster)
	}
	if k.Cooperative {
		out += "; launched cooperatively"
	}
	return out
}
