// Package threads compares what check/barriers says of deadlocks with executions of the threads by themselves.
package threads

import (
	"errors"
	"fmt"
	"maps"
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
	"github.com/fencepost-dev/fencepost/ir/irtest"
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
			said, why := walk(k, r.Execution.Launch)
			told[fmt.Sprintf("%s, %s", verdict, said)]++
			switch {
			case said == stuck && verdict == engine.Holds, said == ended && verdict == engine.Violated:
				t.Errorf("%s: %s: the verdict is %s, and %s: %s", path, k.Name, verdict, said, why)
			case said != ended && said != stuck:
				t.Logf("%s: %s: %s: %s: %s", path, k.Name, verdict, said, why)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(told)) {
		t.Log(key, told[key])
	}
	if told["holds, "+ended] < 20 || told["violated, "+stuck] < 15 {
		t.Error("fewer kernels are compared than were")
	}
}

// How schedules end. What threads wait for that poll memory is no concern of check/barriers, which takes them to find it.
const (
	ended   = "all schedules end"
	stuck   = "a schedule is stuck"
	polling = "a schedule waits for memory"
	goes    = "a schedule goes on"
	other   = "not followed"
)

// walk executes schedules at random; why says what it came to.
func walk(k *ir.Kernel, l exec.Launch) (end, why string) {
	if l.Cluster[1]*l.Cluster[2] > 1 {
		return other, "a cluster with more than one axis"
	}
	s, err := thread.New(k, thread.Launch{CTAs: l.Cluster[0], Cluster: l.Cluster[0], Block: l.Block, Params: l.Params})
	if err != nil {
		return other, err.Error()
	}
	for n := 0; n < schedules; {
		end, why, err := one(s, rand.New(rand.NewPCG(uint64(n), 1)), n%2 == 1)
		switch {
		case errors.Is(err, thread.ErrAgain):
			s.Again()
			continue
		case err != nil:
			return other, err.Error()
		case end != ended:
			return end, why
		}
		n++
	}
	return ended, ""
}

// Limits of an execution.
const (
	maxSteps = 200_000
	maxTime  = 5 * time.Second
)

// one executes the threads: each as far as it comes, in an order of their own, or one step at a time, at random.
func one(s *thread.System, r *rand.Rand, mixed bool) (end, why string, err error) {
	state, threads := s.Start(), len(s.Threads())
	order := r.Perm(threads)
	deadline := time.Now().Add(maxTime)
	for range maxSteps {
		if mixed {
			r.Shuffle(threads, func(a, b int) { order[a], order[b] = order[b], order[a] })
		}
		moved, left := false, map[string]int{}
		for _, t := range order {
			if s.Ended(state, t) {
				continue
			}
			next, err := s.Step(state, t)
			if err != nil {
				return "", "", err
			}
			if !slices.Equal(next, state) {
				state, moved = next, true
				break
			}
			line, _, text := s.Describe(state, t)
			left[fmt.Sprintf("line %d, %s", line, text)]++
		}
		switch {
		case moved && time.Now().After(deadline):
			return goes, "", nil
		case moved:
		case len(left) == 0:
			return ended, "", nil
		default:
			for text := range left {
				if strings.Contains(text, " finds ") {
					return polling, fmt.Sprint(left), nil
				}
			}
			return stuck, fmt.Sprint(left), nil
		}
	}
	return goes, "", nil
}

// TestRandomDeadlocks does the same with random kernels, whose warps come to barriers or do not.
func TestRandomDeadlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 3))
	told := map[string]int{}
	for range 200 {
		text := irtest.Branching(r, func() string {
			var out strings.Builder
			n := r.IntN(4)
			if n == 1 { // some lanes exit
				fmt.Fprintf(&out, "%%x = shr.b32 %%r%d, %d\n%%q = setp.eq.b32 %%x, %d\n", r.IntN(5), r.IntN(6), r.IntN(2))
			} else { // whole warps come to barriers
				fmt.Fprintf(&out, "%%q = setp.%s.b32 %%warpid, %d\n", []string{"eq", "ne", "lt"}[r.IntN(3)], r.IntN(3))
			}
			guard := []string{"", "@%q "}[r.IntN(2)]
			switch n {
			case 0:
				fmt.Fprintf(&out, "%sbarrier.cta.arrive %d, 64\n", guard, r.IntN(2))
			case 1:
				fmt.Fprintf(&out, "%sexit\n", guard)
			default:
				fmt.Fprintf(&out, "%sbarrier.cta %d, %d\n", guard, r.IntN(2), []int{0, 64, 64, 32}[r.IntN(4)])
			}
			return out.String()
		})
		k, err := ir.Parse("k.ir", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		l := exec.Launch{Block: [3]int{64, 1, 1}, Params: map[string]int64{"n": 3}, Grid: [3]int{1, 1, 1}, Limits: engine.Limits{Time: time.Second}}
		rep, err := barriers.Verify(k, l, order.Options{Limits: l.Limits})
		if err != nil {
			t.Fatal(err)
		}
		verdict := rep.Checks[order.Deadlock]
		if verdict == engine.Inconclusive {
			continue
		}
		said, why := walk(k, rep.Execution.Launch)
		told[fmt.Sprintf("%s, %s", verdict, said)]++
		if said == stuck && verdict == engine.Holds || said == ended && verdict == engine.Violated {
			t.Errorf("the verdict is %s, and %s: %s\n%v\n%s", verdict, said, why, rep.Findings, text)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(told)) {
		t.Log(key, told[key])
	}
	if told["holds, "+ended] < 50 || told["violated, "+stuck] < 10 {
		t.Error("fewer kernels are compared than were")
	}
}
