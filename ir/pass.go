package ir

import "sync"

// Pass is an analysis of a kernel, as in golang.org/x/tools/go/analysis: it says what it needs, and has one result per kernel,
// which is computed when it is asked for first. Every result says of itself whether it is of what may or of what must be; what
// a pass does not know is the top.
type Pass interface {
	Name() string
	Doc() string // the first line says what the result is
	Needs() []Pass
	Print(c *Kernel) string // its result, for reading
	known(c *Kernel) bool   // it has been computed
}

// pass is a Pass with a result of a type.
type pass[R any] struct {
	name, doc string
	number    int // of its result in the kernel
	needs     []Pass
	run       func(*Kernel) R
	print     func(*Kernel, R) string
}

// Passes lists all passes, each behind those that it needs.
func Passes() []Pass {
	return []Pass{definitions, controlFlow, origins, loops, regions, uniformity, ssa, affine, points, effectsOf}
}

// results is one more than the highest number of a pass.
const results = 10

// result is that of one pass.
type passResult struct {
	once  sync.Once
	done  bool
	value any
}

// of is the result for a kernel; it may be asked for by many at once.
func (p *pass[R]) of(c *Kernel) R {
	r := &c.results[p.number]
	r.once.Do(func() { r.value, r.done = p.run(c), true })
	return r.value.(R)
}

func (p *pass[R]) Name() string           { return p.name }
func (p *pass[R]) Doc() string            { return p.doc }
func (p *pass[R]) Needs() []Pass          { return p.needs }
func (p *pass[R]) Print(c *Kernel) string { return p.print(c, p.of(c)) }
func (p *pass[R]) known(c *Kernel) bool   { return c.results[p.number].done }

// Changed forgets the results: the instructions are others now.
func (c *Kernel) Changed() { c.results, c.made.known = [results]passResult{}, nil }
