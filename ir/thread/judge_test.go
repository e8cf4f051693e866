package thread

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/ir/irtest"
)

// act is what a thread does that both executors tell of: an access of shared memory at an address, or a barrier.
type act struct {
	place uint32
	kind  order.Kind
	at    uint32
	size  uint32
	value int64 // written, where the other executor knows it
	sure  bool
}

func (a act) String() string {
	return fmt.Sprintf("%v of %d bytes at %d, %d (%v), place %d", a.kind, a.size, a.at, a.value, a.sure, a.place)
}

// TestExecutorsAgree executes random kernels by warps and by threads: each thread accesses the same addresses, writes the same, and comes
// to the same barriers. The threads take turns at random.
func TestExecutorsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	compared, values, left := 0, 0, map[string]int{}
	for n := range 500 {
		cells := 0
		text := irtest.Branching(r, func() string {
			cells++
			return fmt.Sprintf("%%a = shl.b32 %%tid.x, 2\n%%b = xor.b32 %%a, %d\nstore.shared.b32 [%%a+%d], %%r%d size 4\nbarrier.cta.aligned 0, 0\n%%r%d = load.shared.b32 [%%b+%d] size 4\n",
				4<<r.IntN(4), 4096*cells, r.IntN(5), r.IntN(5), 4096*cells)
		})
		k, err := ir.Parse("k.ir", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		block := []int{32, 48, 64}[n%3]
		params := map[string]int64{"n": 3}
		x, err := exec.Run(k.Reduced(true), exec.Launch{Block: [3]int{block, 1, 1}, Grid: [3]int{1, 1, 1}, Params: params})
		if err != nil {
			t.Fatal(err)
		}
		if x.Stop != nil || len(x.Hidden)+len(x.Unsure) > 0 {
			left["by warps"]++
			continue
		}
		s, err := New(k, Launch{CTAs: 1, Cluster: 1, Block: [3]int{block, 1, 1}, Params: params})
		if err != nil {
			t.Fatal(err)
		}
		s.objects[shared].tracked = true
		got, err := s.run(r)
		if err != nil {
			left[err.Error()]++
			continue
		}
		compared++
		for th := range block {
			want := ofThread(x, th)
			if len(want) != len(got[th]) {
				t.Fatalf("thread %d does %d things by warps and %d by itself: %v\n%v\n%s", th, len(want), len(got[th]), want, got[th], text)
			}
			for i, a := range want {
				b := got[th][i]
				if !a.sure || !b.sure {
					a.value, b.value, a.sure, b.sure = 0, 0, false, false
				} else if a.kind == order.Write {
					values++
				}
				if a != b {
					t.Fatalf("thread %d: %v by warps, %v by itself\n%s", th, a, b, text)
				}
			}
		}
	}
	t.Log(compared, "kernels,", values, "values written; not compared:", left)
	if compared < 250 || values < 50_000 {
		t.Errorf("%d kernels compared, %d values: expected 250 and 50000", compared, values)
	}
}

// run lets threads make steps at random until all have ended, and tells what each did.
func (s *System) run(r *rand.Rand) (did map[int][]act, err error) {
again:
	did = map[int][]act{}
	s.watch = func(e *thread, in *ir.Inst) {
		a := act{place: in.Place}
		switch in.Op {
		case ir.Load, ir.Store:
			o, at, known := e.target(in, in.A, in.Offset)
			if o != shared {
				return
			}
			if a.kind, a.at, a.size = order.Read, uint32(at), in.Size; !known {
				a.at = 1 << 31
			}
			if v := e.read(in.B); in.Op == ir.Store {
				a.kind, a.value, a.sure = order.Write, ir.Type{Bits: in.Type.Bits}.Bring(v.n), v.known()
			}
		case ir.BarrierCTA:
			a.kind, a.at = order.NamedSync, uint32(e.read(in.A).n)
		default:
			return
		}
		did[e.t] = append(did[e.t], a)
	}
	state := s.Start()
	for {
		if at, err := s.wander(state, r, 1<<20); err == ErrAgain {
			s.Again()
			goto again
		} else if err != nil || at == ended {
			return did, err
		} else {
			return nil, fmt.Errorf("it %s", at)
		}
	}
}

// outcome is how an execution ends.
type outcome string

const (
	ended   outcome = "ends"
	stuck   outcome = "is stuck"
	goesOn  outcome = "goes on"
	patient         = 64 // tries to find a thread that moves, before all are looked at
)

// wander makes steps of threads at random, in place.
func (s *System) wander(state []int64, r *rand.Rand, steps int) (outcome, error) {
	before := make([]int64, len(state))
	move := func(th int) (bool, error) {
		if s.Ended(state, th) || state[th*s.size+slotWait] != 0 {
			return false, nil
		}
		copy(before, state)
		err := s.advance(state, th)
		return !slices.Equal(before, state), err
	}
	for range steps {
		moved, err := false, error(nil)
		for n := 0; n < patient && !moved && err == nil; n++ {
			moved, err = move(r.IntN(s.threads))
		}
		all := true
		for th := 0; th < s.threads && !moved && err == nil; th++ {
			moved, err = move(th)
			all = all && s.Ended(state, th)
		}
		switch {
		case err != nil:
			return stuck, err
		case !moved && all:
			return ended, nil
		case !moved:
			return stuck, nil
		}
	}
	return goesOn, nil
}

// ofThread is what a thread of the first CTA does by the executor of warps.
func ofThread(x *exec.Execution, th int) (out []act) {
	for _, w := range x.Program.Warps {
		l := th - w.First
		if l < 0 || l >= ir.Lanes {
			continue
		}
		for k := range w.Commands {
			c := &w.Commands[k]
			if c.Mask>>l&1 == 0 {
				continue
			}
			a := act{place: c.Place, kind: c.Kind}
			switch c.Kind {
			case order.Read, order.Write:
				a.at, a.size = uint32(int64(c.A)+int64(l)*int64(c.B)), c.C
				if c.Kind == order.Write {
					v := w.Written(c)
					a.sure = v.Form > 0 && v.Form < 64
					a.value = ir.Type{Bits: 32}.Bring(v.Base + int64(l)*v.Stride)
				}
			case order.NamedSync:
				a.at = c.A
			default:
				continue
			}
			out = append(out, a)
		}
	}
	return out
}

// apart is the same with a step for each instruction.
func (s *System) apart() *System {
	out, err := New(s.kernel, s.launch)
	if err != nil {
		panic(err)
	}
	out.fine, out.slots, out.given, out.values = true, nil, nil, nil
	out.layOut()
	return out
}
