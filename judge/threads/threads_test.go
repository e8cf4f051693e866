// Package threads compares what check/barriers says of deadlocks with executions of the threads by themselves.
package threads

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	frontend "github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/ir/thread"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// schedules is how many executions of a kernel are tried.
const schedules = 12

// TestDeadlocks: where check/barriers says that a kernel has no deadlock, no schedule of its threads at random comes to one; where it
// says that there is one, some schedule does, unless something is not followed thread by thread.
func TestDeadlocks(t *testing.T) {
	files, err := filepath.Glob("../../check/barriers/testdata/*.ptx")
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("FENCEPOST_PTX"); dir != "" { // more of them
		more, err := filepath.Glob(dir)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	told := map[string]int{}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := ptx.Read(&source.File{Name: filepath.Base(path), Data: data})
		for _, fn := range f.Functions {
			if !fn.Kernel {
				continue
			}
			k, err := frontend.Translate(f, fn)
			if err != nil {
				t.Fatal(err)
			}
			l := exec.Launch{Limits: engine.Limits{Time: 5 * time.Second}}
			if k.Directives["reqntid"][0] == 0 {
				l.Block = [3]int{64, 1, 1}
			}
			r, err := barriers.Verify(k, l, order.Options{Limits: l.Limits})
			if err != nil {
				continue
			}
			verdict := r.Checks[order.Deadlock]
			if verdict == engine.Inconclusive || r.Execution == nil {
				continue
			}
			said, n := walk(k, r.Execution.Launch)
			told[fmt.Sprintf("%s, %s", verdict, said)]++
			switch {
			case said == stuck && verdict == engine.Holds:
				t.Errorf("%s: %s: no deadlock, and execution %d is stuck: %v", path, k.Name, n, why)
			case said == ended && verdict == engine.Violated, said == other:
				t.Logf("%s: %s: %s: %s: %v", path, k.Name, verdict, said, why)
			}
		}
	}
	for _, key := range slices.Sorted(func(yield func(string) bool) {
		for k := range told {
			if !yield(k) {
				return
			}
		}
	}) {
		t.Log(key, told[key])
	}
}

const (
	ended = "all schedules end"
	stuck = "a schedule is stuck"
	goes  = "a schedule goes on"
	other = "not followed"
)

var why error

// walk runs schedules at random.
func walk(k *ir.Kernel, l exec.Launch) (string, int) {
	ctas := l.Cluster[0]
	if l.Cluster[1]*l.Cluster[2] > 1 {
		why = errors.New("a cluster with more than one axis")
		return other, 0
	}
	if l.Grid[0] > 0 {
		ctas = l.Cluster[0]
	}
	s, err := thread.New(k, thread.Launch{CTAs: ctas, Cluster: l.Cluster[0], Block: l.Block, Params: l.Params})
	if err != nil {
		why = err
		return other, 0
	}
	for n := range schedules {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		for {
			end, err := one(s, r, n)
			if errors.Is(err, thread.ErrAgain) {
				s.Again()
				continue
			}
			if err != nil {
				why = err
				return other, n
			}
			if end != ended {
				return end, n
			}
			break
		}
	}
	return ended, schedules
}

// maxSteps is how many steps an execution may have.
const maxSteps = 200_000

// one executes the threads in some order: each in turn until it waits, in an order of its own, or at random.
func one(s *thread.System, r *rand.Rand, n int) (string, error) {
	state := s.Start()
	threads := len(s.Threads())
	order := r.Perm(threads)
	deadline := time.Now().Add(10 * time.Second)
	for step := 0; step < maxSteps; step++ {
		if step%256 == 0 && time.Now().After(deadline) {
			break
		}
		moved := false
		if n%2 == 1 {
			r.Shuffle(threads, func(a, b int) { order[a], order[b] = order[b], order[a] })
		}
		for _, t := range order {
			if s.Ended(state, t) {
				continue
			}
			next, err := s.Step(state, t)
			if err != nil {
				return other, err
			}
			if !slices.Equal(next, state) {
				state, moved = next, true
				break
			}
		}
		if !moved {
			for t := range threads {
				if !s.Ended(state, t) {
					said := map[string]int{}
					for u := range threads {
						if !s.Ended(state, u) {
							line, text := s.Describe(state, u)
							said[fmt.Sprint(line, " ", text)]++
						}
					}
					why = fmt.Errorf("%v", said)
					return stuck, nil
				}
			}
			return ended, nil
		}
	}
	return goes, nil
}

var _ = strings.Join
