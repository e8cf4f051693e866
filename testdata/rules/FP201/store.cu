__device__ void bulk_store(void* dst, uint32_t src, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(dst), "r"(src), "r"(bytes) : "memory");
}

__global__ void no_fence(float* out) {
  __shared__ float tile[256];
  tile[threadIdx.x] = 2.0f;
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(out, static_cast<uint32_t>(__cvta_generic_to_shared(tile)), 1024);  // want FP201 "reads .tile."
  }
}

__global__ void fenced(float* out) {
  __shared__ float tile[256];
  tile[threadIdx.x] = 2.0f;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(out, static_cast<uint32_t>(__cvta_generic_to_shared(tile)), 1024);
  }
}

__global__ void other_buffer(float* out) {
  __shared__ float tile[256];
  __shared__ float scratch[256];
  scratch[threadIdx.x] = 2.0f;
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(out, static_cast<uint32_t>(__cvta_generic_to_shared(tile)), 1024);
  }
}
