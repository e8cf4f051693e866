// The fence is in the CTA that wrote, where the copy is not.
// expect: stale
__global__ void fetch_tile(float* rows, unsigned* ready, float* out) {
  __shared__ alignas(128) float tile[256];
  __shared__ alignas(8) uint64_t full;
  const int tid = threadIdx.x;
  if (tid == 0) {
    cuda::ptx::mbarrier_init(&full, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (blockIdx.x == 0) {
    rows[tid] = 6.0f;
    asm volatile("fence.proxy.async.global;" ::: "memory");
    __syncthreads();
    if (tid == 0) {
      __threadfence();
      atomicAdd(ready, 1);
    }
  } else {
    if (tid == 0) {
      while (atomicAdd(ready, 0) == 0) {
      }
      __threadfence();
      cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared, &full, 1024);
      cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, tile, rows, 1024, &full);  // want FP203
    }
    while (!cuda::ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
    out[tid] = tile[tid];
  }
}
