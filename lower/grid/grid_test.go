package grid

import (
	"errors"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/program/cutedsl"
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

// What a kernel does that decides what it does next has to be known, or the line is named.
func TestStops(t *testing.T) {
	for text, want := range map[string]string{
		"if (data[0] > 0) { atomicAdd(flag, 1); }":                                             "line 3: a branch on what is not known here",
		"while (flag[0] == 0) {}":                                                              "",
		"for (int i = 0; i < 4; ++i) { data[i] = data[i + 1]; }":                               "",
		"if (data[0] > 0) { data[1] = 2; }":                                                    "",
		"if (n > 3) { data[1] = 2; }":                                                          "",
		"int x = data[0]; if (x > 3) { x = 1; } if (x == 1) { flag[0] = 1; __syncthreads(); }": "line 3: a branch on what is not known here",
		"elsewhere(flag);":                                                                     "line 3: what elsewhere does is not known here",
		"asm volatile(\"bar.sync 1, 32;\");":                                                   "line 3: a named barrier sync is not followed",
		"atomicAdd(flag + n, 1);":                                                              "",
		"atomicAdd(flag + data[0], 1);":                                                        "line 3: the address is not known here",
		"atomicAdd(flag, data[0]);":                                                            "line 3: the value written is not known here",
		"int i = 0; while (atomicAdd(flag, 1) < 5) { ++i; if (i > 3) break; continue; }":       "",
		"int* p = flag + 1; p[0] = 1; while (atomicAdd(p, 0) == 0) {}":                         "",
		"for (;;) { if (data[0] > 0) break; }":                                                 "line 3: a branch on what is not known here",
		"int& f = flag[0]; f = 1; atomicAdd(flag, 1);":                                         "line 3: a write by a reference is not followed",
		"int x = 0; int& y = x; y = 1; while (x == 0) { atomicAdd(flag, 1); }":                 "",
		"atomicAdd((unsigned long long*)flag, 1);":                                             "line 3: the address is not known here",
		"goto out; out: ;":                                                                     "line 3: this statement is not followed",
	} {
		f := cuda.Read(&source.File{Name: "k.cu", Data: []byte("\n__global__ void k(int* flag, float* data, int n) {\n" + text + "\n}\nvoid go(int* a, float* b) { k<<<2, 32>>>(a, b, 2); }\n")}, nil)
		k := Kernels(f, dialect.New(f.Language), Options{})[0]
		k.Resize(2, 2)
		_, err := reach(t, k.Program)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// CuTe DSL has the same statements in other words.
func TestCuTe(t *testing.T) {
	f := cutedsl.Read(&source.File{Name: "k.py", Data: []byte(`
@cute.kernel
def k(flag):
    bidx, _, _ = cute.arch.block_idx()
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        for i in range(2):
            if bidx == 0:
                cute.arch.atomic_add(flag + i, 1, sem="release", scope="gpu")
            else:
                while cute.arch.load(flag + i, Int32, sem="acquire", scope="gpu") < 1:
                    pass

@cute.jit
def launch(flag):
    k(flag).launch(grid=[2, 1, 1], block=[32, 1, 1])
`)})
	k := Kernels(f, dialect.New(f.Language), Options{})[0]
	k.Resize(2, 2)
	if n, err := reach(t, k.Program); err != nil || n < 5 || k.Grid != 2 {
		t.Errorf("%d states, %d CTAs are launched: %v", n, k.Grid, err)
	}
}

// Any text is read without a panic and in bounded time.
func FuzzKernels(f *testing.F) {
	f.Add("__global__ void k(int* p) { while (atomicCAS(p, 0, 1)) {} int& r = p[0]; k<<<1, 1>>>(p); }")
	f.Add("__device__ int g(int a) { return g(a) + h(a); } __device__ int h(int a) { return g(a); } __global__ void k(int* p) { p[g(1)] = 1; for (;;) { } }")
	f.Add("constexpr int A = B; constexpr int B = A; __global__ void k() { int x[A]; x[0] = A; do { continue; } while (1); break; }")
	f.Fuzz(func(t *testing.T, text string) {
		file := cuda.Read(&source.File{Name: "k.cu", Data: []byte(text)}, nil)
		for _, k := range Kernels(file, dialect.New(file.Language), Options{}) {
			k.Resize(3, 2)
			s := k.Program.Start()
			for i := range 200 {
				th := i % k.Program.Size()
				if k.Program.Ended(s, th) {
					continue
				}
				k.Program.Describe(s, th)
				next, err := k.Program.Step(s, th)
				if err != nil {
					break
				}
				s = next
			}
		}
	})
}
