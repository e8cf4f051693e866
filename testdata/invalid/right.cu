// An mbarrier is invalidated behind a barrier of all that used it.
// expect: holds
// small: -
#include <cstdint>

constexpr int THREADS = 64;

__device__ uint32_t place(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__global__ void meet_once() {
  __shared__ uint64_t gate;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place(&gate)), "r"(THREADS));
  }
  __syncthreads();
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place(&gate)) : "memory");
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\n"
      "bra again;\n"
      "over:\n"
      "}\n" ::"r"(place(&gate)), "r"(0) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(place(&gate)) : "memory");
  }
}

void launch() { meet_once<<<1, THREADS>>>(); }
