// Package reference executes kernels of package kernel, one thread at a time, and says whether they are right.
//
// It shares nothing with what reads the printed kernel. Every thread is executed by itself for some values of the run-time
// parameters; what others can notice of it is then played in some orders, with a vector clock for every thread. A run finds the races
// of all orders in which the same barriers are passed in the same generations; the drawn orders are there for those that are
// not: a thread that is late or early, warps in any order, a change in the middle.
//
// A kernel is broken if some run deadlocks, races, lets more arrive at an mbarrier than it waits for, uses one before its
// initialisation is known, or ends with bytes or copies on their way.
package reference

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fencepost-dev/fencepost/judge/kernel"
)

// Break is what is wrong with a kernel, and when.
type Break struct {
	Kind      string // "" if nothing is
	At, Other *kernel.Stmt
	Params    []int64
}

// Answer is what was found out about a kernel.
type Answer struct {
	Break
	// Undefined says why the kernel means nothing for some of the values; what it says about the others counts.
	Undefined string
	// Whole says that the kernel means something for some value.
	Whole bool
	// Vague says what is right only by one reading of the manual.
	Vague string
}

// least is in how many orders a kernel is executed for one combination of values, at the least.
const least = 3

// Judge executes a kernel in a number of orders, with some of them for each combination of values.
func Judge(k *kernel.Kernel, orders int, values []int64) (a Answer) {
	rng := rand.New(rand.NewPCG(uint64(orders), 7))
	var lengths []int
	for _, x := range k.Arrays {
		lengths = append(lengths, x.Length)
	}
	gates := 0
	for _, b := range k.Barriers {
		gates += b.Length
	}
	var before [][][]event
	all := combinations(len(k.Params), values, orders/least)
	each := max(least, orders/len(all))
	for at, params := range all {
		traces, why := traceAll(k, params)
		if why != "" {
			a.Undefined = why
			continue
		}
		a.Whole = true
		if slices.ContainsFunc(before, func(b [][]event) bool { return same(traces, b) }) {
			continue
		}
		before = append(before, traces)
		for n := range each {
			r := newRun(traces, lengths, gates)
			r.execute(draw(rng, at*each+n, len(traces)))
			if r.vague != "" {
				a.Vague = r.vague
			}
			if r.broken.Kind != "" {
				a.Break = r.broken
				a.Params = params
				return a
			}
		}
	}
	return a
}

// combinations are values for some parameters: all, if there are no more than so many, or alike, and each with the one after the next.
func combinations(params int, values []int64, most int) (out [][]int64) {
	all := 1
	for range params {
		all *= len(values)
	}
	if all <= most {
		for n := range all {
			one := make([]int64, params)
			for i := range one {
				one[i], n = values[n%len(values)], n/len(values)
			}
			out = append(out, one)
		}
		return out
	}
	for i, v := range values {
		out = append(out, slices.Repeat([]int64{v}, params))
		if params > 1 {
			mixed := slices.Repeat([]int64{v}, params)
			mixed[i%params] = values[(i+2)%len(values)]
			out = append(out, mixed)
		}
	}
	return out
}

func same(a, b [][]event) bool {
	return slices.EqualFunc(a, b, func(x, y []event) bool { return slices.Equal(x, y) })
}

func traceAll(k *kernel.Kernel, params []int64) (traces [][]event, why string) {
	defer func() {
		if p := recover(); p != nil {
			u, ok := p.(undefined)
			if !ok {
				panic(p)
			}
			why = string(u)
		}
	}()
	for i := range k.Threads() {
		traces = append(traces, trace(k, i, params))
	}
	return traces, ""
}

func (b Break) String() string {
	if b.Kind == "" {
		return "right"
	}
	return fmt.Sprintf("%s with %v", b.Kind, b.Params)
}
