__global__ void first_thread() {
  if (threadIdx.x == 0) {
    __syncthreads();  // want FP403 "part of a warp"
  }
}

__global__ void odd_split() {
  int tid = threadIdx.x;
  if (tid < 100) {
    __syncthreads();  // want FP403 "part of a warp"
  }
}

__global__ void both_branches() {
  if (threadIdx.x < 16) {
    __syncthreads();  // want FP403 "part of a warp"
  } else {
    __syncthreads();
  }
}

__global__ void by_block(int n) {
  if (blockIdx.x < n) {
    __syncthreads();
  }
}

__global__ void by_row(int rows) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows) {
    __syncthreads();  // want FP403 "only by the threads that pass a check of their bound"
  }
}

__global__ void role(int n) {
  int warp = threadIdx.x >> 5;
  if (warp < 4) {
    asm volatile("bar.sync 1, 128;" ::: "memory");
  }
}

__global__ void unaligned() {
  if (threadIdx.x % 32 < 8) {
    asm volatile("barrier.sync 1, 64;" ::: "memory");
  }
}
