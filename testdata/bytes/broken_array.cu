// As many bytes come as an array has, half of them are announced: the size of its elements is not evaluated by lowering, bytes stays open there; the IR has it.
// expect: violated deadlock
// small: -
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t shared(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__global__ void fetch(const float* in, float* out) {
  __shared__ alignas(128) float tile[256];
  __shared__ alignas(8) uint64_t full;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&full)));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&full)), "r"(512) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared(tile)), "l"(in), "r"((uint32_t)(256 * sizeof(tile[0]))), "r"(shared(&full)) : "memory");
  }
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\n"
      "bra again;\n"
      "over:\n"
      "}" ::"r"(shared(&full)), "r"(0) : "memory");
  out[threadIdx.x] = tile[threadIdx.x];
}

void run(const float* in, float* out) { fetch<<<1, 128>>>(in, out); }
