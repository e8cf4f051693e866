// How many tiles there are is read from memory and clamped by two conditional expressions; the stages of a ring are initialised before any thread uses them.
// expect: inconclusive
// small: -
#include <cstdint>

__device__ __forceinline__ void init(uint64_t* at, int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"((uint32_t)__cvta_generic_to_shared(at)), "r"(count)); }
__device__ __forceinline__ void arrive(uint64_t* at) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((uint32_t)__cvta_generic_to_shared(at))); }
__device__ __forceinline__ void wait(uint64_t* at, uint32_t parity) {
  uint32_t done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"((uint32_t)__cvta_generic_to_shared(at)), "r"(parity));
}

template <int MOST>
__global__ __launch_bounds__(64) void decode(const float* keys, float* out, const int* lengths) {
  __shared__ uint64_t full[2], empty[2];
  __shared__ float tile[2][32];
  int length = lengths[blockIdx.x];
  length = length < 0 ? 0 : (length > MOST ? MOST : length);
  const int tiles = (length + 31) / 32;
  if (tiles == 0) return;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0)
    for (int stage = 0; stage < 2; stage++) {
      init(&full[stage], 32);
      init(&empty[stage], 32);
    }
  __syncthreads();
  int stage = 0;
  if (warp == 1) {
    uint32_t parity = 1;
    for (int n = 0; n < tiles; n++) {
      wait(&empty[stage], parity);
      tile[stage][lane] = keys[n * 32 + lane];
      arrive(&full[stage]);
      if (++stage == 2) {
        stage = 0;
        parity ^= 1;
      }
    }
    return;
  }
  uint32_t parity = 0;
  float sum = 0;
  for (int n = 0; n < tiles; n++) {
    wait(&full[stage], parity);
    sum += tile[stage][31 - lane];
    arrive(&empty[stage]);
    if (++stage == 2) {
      stage = 0;
      parity ^= 1;
    }
  }
  out[blockIdx.x * 32 + lane] = sum;
}

void launch(const float* keys, float* out, const int* lengths) { decode<512><<<4, 64>>>(keys, out, lengths); }
