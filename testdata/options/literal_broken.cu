// A ring of two stages that the launch asks to fill twice: that the reader never gives a stage back shows only in more rounds,
// which are a run-time argument.
// expect: violated deadlock
// small: -
#include <cstdint>

constexpr int STAGES = 2;

__device__ __forceinline__ uint32_t address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ __forceinline__ void init(uint64_t* bar, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bar)), "r"(count) : "memory");
}

__device__ __forceinline__ void arrive(uint64_t* bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(bar)) : "memory");
}

__device__ __forceinline__ void wait(uint64_t* bar, uint32_t parity) {
  asm volatile(  // want FP120
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\n"
      "bra again;\n"
      "over:\n"
      "}\n" ::"r"(address(bar)), "r"(parity) : "memory");
}

__global__ void __launch_bounds__(64) hand_on(int rounds) {
  __shared__ uint64_t full[STAGES];
  __shared__ uint64_t empty[STAGES];
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      init(&full[s], 1);
      init(&empty[s], 1);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 0; i < rounds; ++i) {
      wait(&empty[i % STAGES], ((i / STAGES) & 1) ^ 1);
      arrive(&full[i % STAGES]);
    }
  } else if (threadIdx.x == 32) {
    for (int i = 0; i < rounds; ++i) {
      wait(&full[i % STAGES], (i / STAGES) & 1);
    }
  }
}

void run() { hand_on<<<1, 64>>>(2); }
