__device__ int turn = 0;

__global__ void in_turn(const float* x, float* y) {
  const int block = blockIdx.x;
  if (threadIdx.x == 0) {
    while (atomicAdd(&turn, 0) != block) {  // want FP501 "this wait ends only if"
    }
    __threadfence();
  }
  __syncthreads();
  y[block] += x[block];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&turn, 1);
  }
}

// One CTA waits for those that do not wait.
__global__ void leader_waits(int* arrived, int* epoch) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    if (blockIdx.x == 0) {
      while (atomicAdd(arrived, 0) != gridDim.x) {  // want FP501 "the other CTAs are scheduled"
      }
      __threadfence();
      *arrived = 0;
      *epoch += 1;
    }
  }
}

void launch(const float* x, float* y, int* a, int* b, int blocks) {
  in_turn<<<blocks, 128>>>(x, y);
  leader_waits<<<blocks, 128>>>(a, b);
}
