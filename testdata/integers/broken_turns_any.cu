// The ring that goes round as often as its caller says, whose producer counts its turns in 8 bits.
// expect: violated deadlock
// small: -
#include <cstdint>

constexpr int SLOTS = 3;

__device__ __forceinline__ uint32_t address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ __forceinline__ void arrive(uint64_t* gate) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(gate)) : "memory");
}

__device__ __forceinline__ void wait(uint64_t* gate, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\n"
      "bra again;\n"
      "over:\n"
      "}\n" ::"r"(address(gate)), "r"(parity) : "memory");
}

__global__ void __launch_bounds__(64) turns(float* out, const float* in, int rounds) {
  __shared__ uint64_t full[SLOTS];
  __shared__ uint64_t empty[SLOTS];
  __shared__ float slot[SLOTS];
  if (threadIdx.x == 0) {
    for (int s = 0; s < SLOTS; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&full[s])) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&empty[s])) : "memory");
    }
  }
  __syncthreads();
  uint32_t turn = 0;
  uint8_t filled = 0;
  if (threadIdx.x == 0) {
    for (int i = 0; i < rounds; ++i, ++filled) {
      wait(&empty[filled % SLOTS], (filled / SLOTS & 1) ^ 1);
      slot[filled % SLOTS] = in[i];
      arrive(&full[filled % SLOTS]);
    }
  }
  if (threadIdx.x == 32) {
    for (int i = 0; i < rounds; ++i, ++turn) {
      wait(&full[turn % SLOTS], turn / SLOTS & 1);
      out[i] = slot[turn % SLOTS];
      arrive(&empty[turn % SLOTS]);
    }
  }
}

void run(float* out, const float* in, int rounds) { turns<<<1, 64>>>(out, in, rounds); }
