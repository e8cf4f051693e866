using Barrier = cutlass::arch::ClusterBarrier;

__global__ void whole_cta() {
  __shared__ Barrier full;
  full.init(1);  // want FP109 "every thread of the CTA"
  __syncthreads();
}

__global__ void first_thread() {
  __shared__ Barrier full;
  if (threadIdx.x != 0) return;
  full.init(1);
}

__global__ void strided() {
  __shared__ Barrier full[64];
  int lane = threadIdx.x % 32;
  if (threadIdx.x / 32 == 0) {
    for (int i = lane; i < 64; i += 32) full[i].init(1);
  }
  __syncthreads();
}

__global__ void by_flag(bool* leader) {
  __shared__ Barrier full;
  if (leader[threadIdx.x]) full.init(1);
  __syncthreads();
}

__device__ void helper(Barrier* full) { full->init(1); }
