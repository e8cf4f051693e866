// The last round of the loop is that of some lanes of a warp, and its shuffle names all of them.
// expect: inconclusive
// small: -
#include <cstdint>

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

__global__ void __launch_bounds__(THREADS) sums(const float* in, float* out, int rounds) {
  __shared__ uint64_t gate;
  __shared__ float total[2];
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place(&gate)), "r"(1) : "memory");
  }
  __syncthreads();
  float sum = 0.0f;
  for (int i = threadIdx.x; i < 300; i += THREADS) {
    float x = in[i];
    for (int offset = 16; offset > 0; offset >>= 1) {
      x += __shfl_xor_sync(0xffffffff, x, offset);
    }
    sum += x;
  }
  if (threadIdx.x % 32 == 0) {
    total[threadIdx.x / 32] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 0; i < rounds; ++i) {
      arrive(&gate);
      wait(&gate, i & 1);
    }
    out[0] = total[0] + total[1];
  }
}

void run(const float* in, float* out, int rounds) { sums<<<1, THREADS>>>(in, out, rounds); }
