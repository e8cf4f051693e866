package check

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

// persistent is a loop over tiles in which one warp fills slots that another one reads. The number of the warp comes through a shuffle, as it does where
// a compiler is to know that it is the same for all lanes.
const persistent = `#include <cstdint>
__device__ __forceinline__ uint32_t at(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ void set_up(uint64_t* gate, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(gate)), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void arrive(uint64_t* gate) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(gate)) : "memory"); }
__device__ __forceinline__ void await(uint64_t* gate, uint32_t parity) {
  asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra over;\nbra again;\nover:\n}\n" ::"r"(at(gate)), "r"(parity) : "memory");
}
__global__ void __launch_bounds__(64, 1) rows(const float* from, float* to, int tiles, int more) {
  __shared__ float slots[STAGES][32];
  __shared__ uint64_t full[STAGES];
  __shared__ uint64_t empty[STAGES];
  const int warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      set_up(&full[s], 1);
      set_up(&empty[s], 1);
    }
  }
  __syncthreads();
  uint32_t stage = 0, parity = 0, round = 0;
  if (warp == 0) {
    for (FIRST; LAST; NEXT, ++round) {
      if (AWAITED) await(&empty[stage], parity ^ 1);
      slots[stage][lane] = from[tile * 32 + lane];
      __syncwarp();
      if (lane == 0) arrive(&full[stage]);
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
  } else {
    for (FIRST; LAST; NEXT) {
      await(&full[stage], parity);
      to[tile * 32 + lane] = slots[stage][31 - lane];
      __syncwarp();
      if (lane == 0) arrive(&empty[stage]);
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
  }
}
`

// TestPersistent: a warp that fills slots again without a wait from some round on is found where that takes several rounds of a loop of which
// the input, and where the CTA is in the grid, say how many there are.
func TestPersistent(t *testing.T) {
	const mine, step = "int tile = blockIdx.x", "tile += gridDim.x"
	for name, c := range map[string]struct{ first, last, next, stages, ahead string }{
		"two slots":             {mine, "tile < tiles", step, "2", "round < 2 || round >= 4"},
		"four slots":            {mine, "tile < tiles", step, "4", "round < 4 || round >= 8"},
		"the second parity":     {mine, "tile < tiles", step, "2", "round < 4"},
		"the last stage":        {mine, "tile < tiles", step, "3", "round != 8"},
		"two tiles to a round":  {mine, "tile < (tiles + 1) / 2", step, "2", "round < 2 || round >= 4"},
		"of tiles and of parts": {mine, "tile < tiles * more", step, "2", "round < 2 || round >= 4"},
		"parts of a tile":       {"int tile = 0", "tile < (tiles + 63) / 64", "++tile", "3", "round < 3 || round >= 6"},
	} {
		for awaited, want := range map[string]engine.Verdict{"true": engine.Holds, c.ahead: engine.Violated} {
			text := strings.NewReplacer("FIRST", c.first, "LAST", c.last, "NEXT", c.next, "STAGES", c.stages, "AWAITED", awaited).Replace(persistent)
			if r, err := verdictOfText(t, "k.cu", text, nil); err != nil {
				t.Errorf("%s: %v", name, err)
			} else if r.Verdict != want {
				t.Errorf("%s, awaited if %s: %s with %v, %v; expected %s", name, awaited, r.Verdict, r.Numbers, r.Reasons, want)
			}
		}
	}
}

// TestFewRounds: where no number makes the loop go round so often that its slots are used twice, nothing is said of it; a loop of which
// the rounds are compiled in is what it is.
func TestFewRounds(t *testing.T) {
	for last, want := range map[string]engine.Verdict{"tile < tiles && tiles < 3": engine.Inconclusive, "tile < 3": engine.Holds} {
		text := strings.NewReplacer("FIRST", "int tile = 0", "LAST", last, "NEXT", "++tile", "STAGES", "2", "AWAITED", "true").Replace(persistent)
		r, err := verdictOfText(t, "k.cu", text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != want || want == engine.Inconclusive && (r.Reasons[0].Place == nil || !strings.Contains(r.Reasons[0].Why.Text, "used twice")) {
			t.Errorf("%s: %s, %v; expected %s", last, r.Verdict, r.Reasons, want)
		}
	}
}
