// The arrival is for its own CTA.
// expect: stale
__global__ void __cluster_dims__(2, 1, 1) swap(float* boxes, float* out) {
  __shared__ alignas(8) uint64_t arrived;
  const int tid = threadIdx.x;
  if (tid == 0) {
    cuda::ptx::mbarrier_init(&arrived, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cuda::ptx::barrier_cluster_arrive();
  cuda::ptx::barrier_cluster_wait();
  boxes[blockIdx.x * blockDim.x + tid] = 7.0f;
  __syncthreads();
  if (tid == 0) {
    uint64_t* theirs = cuda::ptx::mapa(cuda::ptx::space_cluster, &arrived, blockIdx.x ^ 1);
    cuda::ptx::mbarrier_arrive(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_cluster, theirs);  // want FP301
  }
  while (!cuda::ptx::mbarrier_try_wait_parity(cuda::ptx::sem_acquire, cuda::ptx::scope_cluster, &arrived, 0)) {
  }
  out[blockIdx.x * blockDim.x + tid] = boxes[(blockIdx.x ^ 1) * blockDim.x + tid];
}
