// As gate.cu, but the wait is relaxed: what is read behind it may be read before.
// expect: holds open=order,race-grid
// small: -
#include <cstdint>

constexpr int THREADS = 64;

__device__ __forceinline__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ void arrive(uint64_t* gate) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(shared_address(gate)) : "memory");
}

__device__ __forceinline__ void wait(uint64_t* gate, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\n"
      "bra again;\n"
      "over:\n"
      "}\n" ::"r"(shared_address(gate)), "r"(parity) : "memory");
}

__global__ void hand(float* out) {
  __shared__ uint64_t gate;
  __shared__ float box[32];
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&gate)), "r"(32) : "memory");
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    box[threadIdx.x] = 1.0f * threadIdx.x;
    arrive(&gate);
  } else {
    wait(&gate, 0);
    out[blockIdx.x * 32 + threadIdx.x - 32] = box[threadIdx.x - 32];
  }
}

void run(float* out, int n) { hand<<<n, THREADS>>>(out); }
