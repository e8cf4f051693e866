// The wait is left to a function that is not read, in a loop that goes round as often as the caller says: with no round nothing orders the threads.
// expect: violated race
// small: -
#include <cstdint>
#include <utility>

#include "settle.h"

constexpr int THREADS = 64;

__device__ uint32_t place(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ void arrive(uint64_t* gate) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place(gate)) : "memory"); }

__device__ void wait(uint64_t* gate, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\n"
      "bra again;\n"
      "over:\n"
      "}\n" ::"r"(place(gate)), "r"(parity) : "memory");
}

__global__ void __launch_bounds__(THREADS) mirror(const float* in, float* out, int rounds) {
  __shared__ float tile[THREADS];
  __shared__ uint64_t gate;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place(&gate)), "r"(THREADS) : "memory");
  }
  __syncthreads();
  float x = __fdividef(in[threadIdx.x], 2.0f);
  x = fmaxf(x, __half2float(__float2half(x)));
  x += __shfl_xor_sync(0xffffffff, x, 1);
  tile[threadIdx.x] = x;
  arrive(&gate);
  for (int i = 0; i < rounds; i += 3) {
    Settle(&gate, i);
  }
  out[threadIdx.x] = std::max(tile[THREADS - 1 - threadIdx.x], rsqrtf(x));  // want FP720
}

void run(const float* in, float* out, int rounds) { mirror<<<1, THREADS>>>(in, out, rounds); }
