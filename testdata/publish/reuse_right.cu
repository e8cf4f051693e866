// Threads read a stage and give it back; a bulk copy fills it again.
// expect: silent
__global__ void ring(const float* in, float* out, int tiles) {
  __shared__ alignas(128) float stage[256];
  __shared__ alignas(8) uint64_t full, empty;
  const int tid = threadIdx.x;
  if (tid == 0) {
    cuda::ptx::mbarrier_init(&full, 1);
    cuda::ptx::mbarrier_init(&empty, 256);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (tid < 256) {
    for (int t = 0; t < tiles; ++t) {
      while (!cuda::ptx::mbarrier_try_wait_parity(&full, t & 1)) {
      }
      out[t * 256 + tid] = stage[tid];
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      cuda::ptx::mbarrier_arrive(&empty);
    }
  } else if (tid == 256) {
    for (int t = 0; t < tiles; ++t) {
      while (!cuda::ptx::mbarrier_try_wait_parity(&empty, (t & 1) ^ 1)) {
      }
      cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared, &full, 1024);
      cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, stage, in + t * 256, 1024, &full);
    }
  }
}
