// A sum in global memory is changed by one CTA at a time: who holds the lock.
// expect: holds
__device__ void take(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
}

__device__ void give(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void add_up(const float* in, float* sum, int* lock) {
  __shared__ float mine[64];
  mine[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    take(lock);
    float all = sum[0];
    for (int k = 0; k < 64; ++k) all += mine[k];
    sum[0] = all;
    give(lock);
  }
}

void run(const float* in, float* sum, int* lock) { add_up<<<16, 64>>>(in, sum, lock); }
