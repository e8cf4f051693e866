package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/source"
)

// peeking is a kernel that asks once whether a phase is over; PEEK is what it does with the answer.
const peeking = `#include <cutlass/arch/barrier.h>
using cutlass::arch::ClusterBarrier;
__global__ void __launch_bounds__(64) k(float* out) {
  __shared__ ClusterBarrier a;
  __shared__ ClusterBarrier b;
  __shared__ float s[64];
  if (threadIdx.x == 0) { a.init(1); b.init(1); }
  __syncthreads();
  if (threadIdx.x == 0) { s[0] = 1; a.arrive(); b.arrive(); }
  if (threadIdx.x == 32) { PEEK }
}
void run(float* o) { k<<<1, 64>>>(o); }
`

// TestPeeks: a test of a phase that no loop repeats is taken to fail, and where that makes a difference nothing holds.
func TestPeeks(t *testing.T) {
	for text, want := range map[string]engine.Verdict{
		"if (!a.try_wait(0)) a.wait(0); out[0] = s[0];":                                                  engine.Holds,
		"bool x = a.try_wait(0); if (!x) { a.wait(0); } out[0] = s[0];":                                  engine.Holds,
		"bool x = a.try_wait(0); if (!x) { a.wait(0); } out[0] = s[0]; if (x) { s[1] = 2; }":             engine.Inconclusive,
		"int y = 0; bool x = a.try_wait(0); if (!x) { y = 7; a.wait(0); } out[0] = s[0]; if (y) s[1]=2;": engine.Inconclusive,
		"bool x = a.try_wait(0); if (x) { s[0] = 3; } a.wait(0);":                                        engine.Inconclusive,
		"bool x = a.try_wait(0); if (x) { s[0] = 3; } b.wait(0);":                                        engine.Inconclusive,
		"if (a.try_wait(0)) { s[0] = 3; }":                                                               engine.Inconclusive,
	} {
		r, err := verdictOfText(t, "k.cu", strings.Replace(peeking, "PEEK", text, 1), nil)
		if err != nil || r.Verdict != want {
			t.Errorf("%s: %v, %v; expected %s", text, r, err, want)
		}
	}
}

// TestLibraryTwins: of kernels that are written with classes of libraries which are not there the right ones hold, and none does that is broken anywhere.
func TestLibraryTwins(t *testing.T) {
	tree := openTestdata(t)
	for name, broken := range map[string][][2]string{
		"library/right.cu": {
			{"s.full[i].init(1)", "s.full[i].init(2)"}, {"s.empty[i].init(32)", "s.empty[i].init(31)"}, {"s.empty[i].init(32)", "s.empty[i].init(33)"},
			{"cutlass::arch::fence_barrier_init();", ""}, {"__syncthreads();", ""}, {"s.empty[stage].wait(((t / STAGES) & 1) ^ 1);", ""}, {"((t / STAGES) & 1) ^ 1", "1"},
			{"((t / STAGES) & 1) ^ 1", "(t / STAGES) & 1"}, {"arrive_and_expect_tx(TILE * sizeof(float))", "arrive_and_expect_tx(TILE)"}, {"s.full[stage].wait((t / STAGES) & 1);", ""},
			{"s.full[stage].wait((t / STAGES) & 1)", "s.full[stage].wait(0)"}, {"s.full[stage].wait((t / STAGES) & 1)", "s.full[stage].wait(stage == 0 ? (t / STAGES) & 1 : 0)"},
			{"s.empty[stage].arrive();", ""}, {"s.tile[stage], TILE * sizeof(float))", "s.tile[stage], TILE * 2)"}, {"    if (cute::elect_one_sync()) {", "    {"},
		},
		"library/store.cu": {
			{"s.gone[t & 1].wait(((t >> 1) & 1) ^ 1);", ""}, {"s.made[t & 1].wait((t >> 1) & 1);", ""}, {"cute::tma_store_wait<0>();", ""}, {"cute::tma_store_wait<0>();", "cute::tma_store_wait<1>();"},
			{"cute::tma_store_arrive();", ""}, {"s.sent[t & 1].arrive();", ""}, {"s.sent[t & 1].wait(((t >> 1) & 1) ^ 1);", ""}, {"s.come[t & 1].wait((t >> 1) & 1);", ""},
			{"s.gone[t & 1].arrive();", ""}, {"s.made[t & 1].arrive();", ""}, {"cutlass::arch::fence_barrier_init();", ""}, {"cute::tma_store_fence();", ""},
		},
		"library/pair.cu": {
			{"turn[0].init(64)", "turn[0].init(63)"}, {"turn[1].init(64)", "turn[1].init(65)"}, {"turn[i & 1].wait((i >> 1) & 1);", ""}, {"turn[i & 1].wait((i >> 1) & 1)", "turn[i & 1].wait(0)"},
			{"turn[i & 1].arrive(peer);", ""}, {"out[blockIdx.x * 64 + threadIdx.x]", "out[threadIdx.x]"}, {"cutlass::arch::fence_barrier_init();", ""}, {"turn[i & 1].wait", "turn[0].wait"},
		},
		"library/native.cu": {
			{"init(&come, blockDim.x)", "init(&come, blockDim.x + 1)"}, {"init(&come, blockDim.x)", "init(&come, 63)"}, {"init(&read, blockDim.x)", "init(&read, 32)"}, {"__syncthreads();", ""},
			{"come.wait(std::move(token));", ""}, {"read.arrive_and_wait();", ""}, {"(come, 1, sizeof(row))", "(come, 1, sizeof(row) + 4)"},
			{"(come, 1, sizeof(row))", "(come, 2, sizeof(row))"}, {"token = come.arrive();", ""}, {"device::experimental::fence_proxy_async_shared_cta();", ""},
		},
	} {
		src, err := tree.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range append([][2]string{{"", ""}}, broken...) {
			text := string(src.Data)
			if c[0] != "" {
				if !strings.Contains(text, c[0]) {
					t.Errorf("%s has no %s", name, c[0])
				}
				text = strings.Replace(text, c[0], c[1], 1)
			}
			f, err := Read(source.Decode(name, []byte(text)))
			if err != nil {
				t.Fatal(err)
			}
			table, err := Table(f.Language, nil)
			if err != nil {
				t.Fatal(err)
			}
			opt := &Options{Engine: "explore", sources: NewSources(tree, nil)}
			for _, fn := range f.Functions {
				if !fn.Kernel {
					continue
				}
				k := opt.decideText(f, table, fn)
				if k.Report == nil {
					t.Fatalf("%s: not translated: %s", name, k.unasked)
				}
				held := k.Verdict == engine.Holds && k.doubt.Code == 0
				e := finding.Kernel{Bounds: map[string]string{}, Properties: map[string]string{}}
				k.describe(&e)
				switch open := e.Opened(); {
				case c[0] == "" && !held:
					t.Errorf("%s: %s, %s %v", name, k.Verdict, k.doubt, k.Reasons)
				case c[0] == "" || !held:
				case strings.Contains(c[0], "fence") && slices.Contains(open, finding.Proxy): // what the fence is for is told beside the verdict
				case strings.Contains(c[0], "blockIdx") && slices.Contains(open, "race"):
				default:
					t.Errorf("%s with %q for %q holds, open %v", name, c[1], c[0], open)
				}
			}
		}
	}
}

// TestAstray: threads access another CTA's shared memory only when it has begun, and tell it when they have.
func TestAstray(t *testing.T) {
	const kernel = `#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2, 1, 1) k(float* out) {
  __shared__ float s[64];
  cg::cluster_group cluster = cg::this_cluster();
  BEGIN
  float* peer = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  peer[threadIdx.x] = 1.0f;
  END
}
void run(float* o) { k<<<2, 64>>>(o); }
`
	for _, c := range []struct {
		begin, end string
		want       bool
	}{
		{"cluster.sync();", "cluster.sync();", false}, {"", "cluster.sync();", true}, {"cluster.sync();", "", true}, {"cluster.barrier_arrive();", "cluster.barrier_wait(); cluster.sync();", true},
		{"cluster.sync();", "cluster.barrier_arrive(); cluster.barrier_wait();", false}, {"cluster.sync();", "cluster.barrier_arrive();", true},
	} {
		r, err := verdictOfText(t, "k.cu", strings.NewReplacer("BEGIN", c.begin, "END", c.end).Replace(kernel), nil)
		if err != nil || len(r.Reasons) > 0 || (r.Astray() != nil) != c.want {
			t.Errorf("%+v: %v, %v", c, err, r)
		}
	}
}

// TestRareNumbers: an arrival that is missing with few numbers for what says how often threads go round is found, or the kernel is not said to hold.
func TestRareNumbers(t *testing.T) {
	const kernel = `#include <cutlass/arch/barrier.h>
__global__ void __launch_bounds__(64) k(int n) {
  __shared__ cutlass::arch::ClusterBarrier full;
  __shared__ cutlass::arch::ClusterBarrier empty;
  if (threadIdx.x == 0) { full.init(32); empty.init(32); }
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x < 32) {
      empty.wait((i & 1) ^ 1);
      if (WHEN) full.arrive();
    } else {
      full.wait(i & 1);
      empty.arrive();
    }
  }
}
void run(int n) { k<<<1, 64>>>(n); }
`
	for when, right := range map[string]bool{
		"true": true, "i >= 0": true, "(n >> 6) != 3": false, "(n >> 6) != 300": false, "n / 64 != 30": false, "n / 64 != 3000": false, "(n / 16 + 3) / 8 != 9": false, "n % 128 != 100": false,
		"(n & 0x10000) == 0": false, "i != 100": false, "i % 11 != 5": false, "n != 77": false, "n * n != 169": false,
	} {
		r, err := verdictOfText(t, "k.cu", strings.Replace(kernel, "WHEN", when, 1), nil)
		if err != nil || (r.Verdict == engine.Holds) != right {
			t.Errorf("%s: %v, %v", when, r, err)
		}
	}
}
