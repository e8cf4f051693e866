__global__ void before_barrier(int* word, float* sum) {
  while (atomicCAS(word, 0, 1) != 0) {  // want FP502 "waits for them at a barrier"
  }
  __threadfence();
  sum[0] += 1.0f;
  __syncthreads();
  __threadfence();
  atomicExch(word, 0);
}

__global__ void by_key(int* locks, const int* keys, float* sums) {
  const int key = keys[threadIdx.x];
  while (atomicExch(&locks[key], 1) != 0) {  // want FP502 "needs independent thread scheduling"
  }
  __threadfence();
  sums[key] += 1.0f;
  __threadfence();
  atomicExch(&locks[key], 0);
}

__global__ void one_lane(int* word, float* sum) {
  if (threadIdx.x == 0) {
    while (atomicCAS(word, 0, 1) != 0) {
    }
    __threadfence();
    sum[0] += 1.0f;
    __threadfence();
    atomicExch(word, 0);
  }
  __syncthreads();
}

__global__ void lock_for_each(int* locks, float* sums) {
  while (atomicCAS(&locks[threadIdx.x], 0, 1) != 0) {
  }
  __threadfence();
  sums[threadIdx.x] += 1.0f;
  __threadfence();
  atomicExch(&locks[threadIdx.x], 0);
}

// Whoever has the lock works and gives it back in the loop: no lane waits outside for another.
__global__ void inside_the_loop(int* word, float* sum) {
  bool done = false;
  while (!done) {
    if (atomicCAS(word, 0, 1) == 0) {
      __threadfence();
      sum[0] += 1.0f;
      __threadfence();
      atomicExch(word, 0);
      done = true;
    }
  }
}
