// A helper for headers. With the flag off, as it is by default, nothing is behind the last reads: if it is called twice, that is a note.
template <typename T>
__device__ T reduce_lanes(T* partial, T value, int lanes = 1, bool share = false) {
  int tid = threadIdx.x + threadIdx.y * blockDim.x;
  partial[tid] = value;
  __syncthreads();
  T result = value;
  if (tid < 32) {
    result = partial[tid] + partial[tid + 32];
    for (int i = 16; i >= lanes; i /= 2) result += __shfl_down_sync(0xffffffff, result, i);
  }
  if (share) {
    if (tid < lanes) partial[tid] = result;
    __syncthreads();
  }
  return result;
}

template <typename T>
__device__ T reduce_lanes_joined(T* partial, T value, int lanes = 1, bool share = false) {
  int tid = threadIdx.x + threadIdx.y * blockDim.x;
  partial[tid] = value;
  __syncthreads();
  T result = value;
  if (tid < 32) {
    result = partial[tid] + partial[tid + 32];
    for (int i = 16; i >= lanes; i /= 2) result += __shfl_down_sync(0xffffffff, result, i);
  }
  if (share && tid < lanes) partial[tid] = result;
  __syncthreads();
  return result;
}

// Whether two calls follow each other the callers know, and they see to it.
__device__ float reduce_once(float* partial, float value) {
  partial[threadIdx.x] = value;
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < 128; ++i) sum += partial[i];
  return sum;
}

// Where the first warp reads the second one's part, there is a second one.
__global__ void halves(float* out, const float* in) {
  __shared__ float part[128];
  part[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 64) out[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + 64];  // want FP720 "reads part"
}

// The one thread that a word of shared memory names.
__global__ void named_thread(float* out, const float* in, int rounds) {
  __shared__ int chosen;
  __shared__ float kept;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x == 0) chosen = (int)in[r];
    __syncthreads();
    if (threadIdx.x == chosen) {
      kept = in[threadIdx.x];
      kept = kept * 2.0f;
    }
    __syncthreads();
    out[threadIdx.x] = kept;
    __syncthreads();
  }
}

// Filled here, read by what is handed it.
__global__ void handed_on(float* out, const float* in, const int* ids, int tiles) {
  __shared__ int rows[128];
  for (int t = 0; t < tiles; ++t) {
    rows[threadIdx.x] = ids[t * 128 + threadIdx.x];
    __syncthreads();
    write_rows(out, in, rows, t);
  }
}

__global__ void handed_on_joined(float* out, const float* in, const int* ids, int tiles) {
  __shared__ int rows[128];
  for (int t = 0; t < tiles; ++t) {
    __syncthreads();
    rows[threadIdx.x] = ids[t * 128 + threadIdx.x];
    __syncthreads();
    write_rows(out, in, rows, t);
  }
}

struct Row {
  int left;
  int* counts;
};

__device__ int take(int left, int step) {
  while (left > step) left -= step;
  return left;
}

// A member that is given by value, and one that points elsewhere.
__global__ void members(int* out, const int* in) {
  __shared__ Row row;
  if (threadIdx.x == 0) {
    row.left = in[0];
    row.counts = out;
  }
  __syncthreads();
  int rest = take(row.left, 3);
  if (row.counts != nullptr && threadIdx.x < 4) row.counts[threadIdx.x] = rest;
}
