package grid

import (
	"errors"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/source"
)

// reach runs every interleaving of a kernel and says how many states there are, and what stops a run.
func reach(t *testing.T, p *Program) (states int, err error) {
	t.Helper()
again:
	seen := map[string]bool{}
	queue := [][]int64{p.Start()}
	key := func(s []int64) string {
		b := make([]byte, 0, 8*len(s))
		for _, v := range s {
			for i := range 8 {
				b = append(b, byte(v>>(8*i)))
			}
		}
		return string(b)
	}
	seen[key(queue[0])] = true
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for th := range p.Size() {
			if p.Ended(s, th) {
				continue
			}
			next, err := p.Step(s, th)
			if errors.Is(err, ErrAgain) {
				p.Again()
				goto again
			}
			if err != nil {
				return len(seen), err
			}
			if k := key(next); !seen[k] {
				seen[k] = true
				queue = append(queue, next)
			}
		}
	}
	return len(seen), nil
}

func TestKernels(t *testing.T) {
	f := cuda.Read(&source.File{Name: "k.cu", Data: []byte(`
__global__ void ticket(int* next, int* done) {
  __shared__ int mine;
  if (threadIdx.x == 0) { mine = atomicAdd(next, 1); }
  __syncthreads();
  int my = mine;
  if (threadIdx.x == 0 && my > 0) { while (atomicAdd(done + my - 1, 0) == 0) {} }
  __syncthreads();
  if (threadIdx.x == 0) { __threadfence(); atomicExch(done + my, 1); }
}
void go(int* a, int* b) { ticket<<<3, 32>>>(a, b); }
`)})
	for _, k := range Kernels(f, dialect.New(f.Language), Options{}) {
		n, err := reach(t, k.Program)
		t.Log(k.Name, k.Within(), n, err)
		if err != nil || n == 0 {
			t.Error(err)
		}
	}
}
