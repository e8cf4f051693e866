__device__ volatile int arrived = 0;

__device__ void meet(int target) {
  if (threadIdx.x == 0) {
    atomicAdd((int*)&arrived, 1);
    while (arrived != target) {
    }
  }
  __syncthreads();
}

__global__ void in_a_loop(float* x, int rounds) {
  int target = 0;
  for (int round = 0; round < rounds; ++round) {
    x[blockIdx.x] += 1.0f;
    target += gridDim.x;
    __threadfence();
    __syncthreads();
    meet(target);  // want FP503 "the very value of .arrived."
  }
}

__global__ void once(float* x) {
  x[blockIdx.x] += 1.0f;
  __threadfence();
  __syncthreads();
  meet(gridDim.x);
}
