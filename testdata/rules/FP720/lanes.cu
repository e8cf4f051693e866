// Sums of a warp the old way: the kernel hands its array to a helper that takes it for volatile.
__device__ void fold(volatile int* sums, int tid) {
  sums[tid] += sums[tid + 32];  // want FP720 "writes sums"
  sums[tid] += sums[tid + 16];  // want FP720 "reads sums"
  sums[tid] += sums[tid + 8];  // want FP720 "reads sums"
}

__device__ void fold_in_order(volatile int* sums, int tid) {
  int v = sums[tid] + sums[tid + 32];
  __syncwarp();
  sums[tid] = v;
  __syncwarp();
  v += sums[tid + 16];
}

__global__ void old_way(int* out, int v) {
  __shared__ int sums[128];
  sums[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x < 32) fold(sums, threadIdx.x);
  if (threadIdx.x == 0) out[0] = sums[0];
}

__global__ void new_way(int* out, int v) {
  __shared__ int sums[128];
  sums[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x < 32) fold_in_order(sums, threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sums[0];
}

// The lanes that voted put their rows one behind the other, and all read them in turn.
__global__ void gather(int* out, const int* rows, int n) {
  __shared__ int picked[4 * 32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  bool mine = rows[threadIdx.x] < n;
  unsigned vote = __ballot_sync(0xffffffff, mine);
  int place = __popc(vote & ((1u << lane) - 1));
  if (mine) picked[warp * 32 + place] = rows[threadIdx.x];  // want FP720 "picked"
  for (int k = 0; k < __popc(vote); ++k) {
    out[threadIdx.x + k] = picked[warp * 32 + k];
  }
}

__global__ void gather_in_order(int* out, const int* rows, int n) {
  __shared__ int picked[4 * 32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  bool mine = rows[threadIdx.x] < n;
  unsigned vote = __ballot_sync(0xffffffff, mine);
  int place = __popc(vote & ((1u << lane) - 1));
  if (mine) picked[warp * 32 + place] = rows[threadIdx.x];
  __syncwarp();
  for (int k = 0; k < __popc(vote); ++k) {
    out[threadIdx.x + k] = picked[warp * 32 + k];
  }
}

// One lane writes a word of its warp.
__global__ void leader(float* out, float v) {
  __shared__ float firsts[4];
  int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) firsts[warp] = v;
  out[threadIdx.x] = firsts[warp];
}

// A shuffle in between holds the lanes until all have come.
__global__ void after_shuffle(float* out, float v) {
  __shared__ float firsts[4];
  int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) firsts[warp] = v;
  v += __shfl_xor_sync(0xffffffff, v, 1);
  out[threadIdx.x] = firsts[warp] + v;
}

// Each lane has elements of its own, in a row of unknown length.
template <int kEach>
__global__ void own(float* out, const float* in) {
  __shared__ float rows[32 * 8];
  float* mine = &rows[threadIdx.x * kEach];
  for (int i = 0; i < kEach; ++i) mine[i] = in[i];
  for (int i = 0; i < kEach; ++i) out[i] += mine[i];
}

// All that the condition keeps apart is inside of it.
__global__ void inside(float* out, float v, int block) {
  __shared__ float sums[32];
  if (block > 32) {
    if (threadIdx.x == 0) sums[0] = v;
    __syncthreads();
    v = sums[0];
  }
  out[threadIdx.x] = v;
}

// A method of each class has the name, and its own class's is meant. What a function elsewhere is given it reads or writes.
struct Other {
  __device__ static void tree(float* value) { __syncwarp(); }
};
struct Tree {
  __device__ static void tree(float* value, bool skip, int width) {
    int lane = threadIdx.x % 32;
    for (int delta = skip ? blockDim.x : 1; delta < width; delta *= 2) {
      if (lane + delta < 32) add(value, value + delta);
      __syncwarp();
    }
  }
  __device__ static void block(float v, bool skip, float* shared_elements) {
    float* const mine = shared_elements + threadIdx.x;
    *mine = v;
    tree(mine, skip, 32);
    __syncthreads();
  }
};
struct TreeInOrder {
  __device__ static void tree(float* value, bool skip, int width) {
    int lane = threadIdx.x % 32;
    __syncwarp();
    for (int delta = skip ? blockDim.x : 1; delta < width; delta *= 2) {
      if (lane + delta < 32) add(value, value + delta);
      __syncwarp();
    }
  }
  __device__ static void block(float v, bool skip, float* shared_elements) {
    float* const mine = shared_elements + threadIdx.x;
    *mine = v;
    tree(mine, skip, 32);
    __syncthreads();
  }
};
