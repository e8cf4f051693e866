// A macro with an argument stands among the pieces of the copy's text. Each thread waits for its copies, and all meet before others' are read.
// expect: holds open=race-grid
// small: -
#define CACHE_HINT(bytes) ".L2::" #bytes "B"

__device__ void copy_ahead(void* to, const void* from, bool wanted) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("{\n"
               "  .reg .pred p;\n"
               "  setp.ne.b32 p, %0, 0;\n"
               "  @p cp.async.cg.shared.global" CACHE_HINT(128) " [%1], [%2], 16;\n"
               "}\n" ::"r"(static_cast<int>(wanted)), "r"(at), "l"(from) : "memory");
}

__global__ void __launch_bounds__(128) turn_round(const float4* in, float4* out) {
  __shared__ float4 tile[128];
  copy_ahead(&tile[threadIdx.x], in + blockIdx.x * 128 + threadIdx.x, true);
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}
