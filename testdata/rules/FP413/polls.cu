__device__ int ld_acquire_cta(const int* p);
__device__ int ld_volatile_global(const int* p) { return *(volatile const int*)p; }
__device__ int ld_relaxed_gpu(const int* p);

__global__ void by_branch(int* tails, int* out, int n) {
  for (int i = 0; i < n; ++i) {
    auto tail = ld_relaxed_gpu(tails + i);  // want FP413 "may see another value"
    int fresh = tail - out[i];
    if (fresh > 0) {
      out[i] = __shfl_sync(0xffffffff, fresh, i % 32);
    }
  }
}

// Each lane has a word of its own, and a vote tells what they found.
__global__ void own_words(int* tails, int* out, int n) {
  int lane = threadIdx.x % 32;
  for (int i = 0; i < n; ++i) {
    int tail = ld_acquire_cta(tails + lane);
    if (__all_sync(0xffffffff, tail > 0)) __syncwarp();
  }
}

// All lanes vote on what they saw of one word.
__global__ void voted(int* tails, int* out, int n) {
  for (int i = 0; i < n; ++i) {
    int tail = ld_acquire_cta(tails + i);
    if (__any_sync(0xffffffff, tail > 0)) __syncwarp();
  }
}

// Each lane waits until it has seen enough; then they meet.
__global__ void waits(int* tails, int* out, int n) {
  for (int i = 0; i < n; ++i) {
    while (true) {
      int tail = ld_acquire_cta(tails + i);
      if (tail >= n) break;
    }
    __syncwarp();
  }
}

// One lane reads.
__global__ void leader(int* tails, int* out, int n) {
  int lane = threadIdx.x % 32;
  for (int i = 0; i < n; ++i) {
    if (lane == 0) {
      int tail = ld_acquire_cta(tails + i);
      if (tail > 0) out[i] = tail;
    }
    __syncwarp();
  }
}
