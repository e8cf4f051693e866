// One thread has a function of another file fill shared memory: alone, so there is no barrier in there.
__global__ void looked_up(float* out, const float* in, const int* ends, int rows) {
  __shared__ int group[1];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    if (threadIdx.x == 0) {
      search_ends(group, ends, row);  // want FP701 "group. is overwritten"
    }
    __syncthreads();
    out[row * blockDim.x + threadIdx.x] = in[group[0]];
  }
}

__global__ void looked_up_joined(float* out, const float* in, const int* ends, int rows) {
  __shared__ int group[1];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    __syncthreads();
    if (threadIdx.x == 0) search_ends(group, ends, row);
    __syncthreads();
    out[row * blockDim.x + threadIdx.x] = in[group[0]];
  }
}

// Who writes is known, so the function may only read.
__global__ void shown(float* out, const float* in, int rows) {
  __shared__ float row[128];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int r = 0; r < rows; ++r) {
    if (threadIdx.x == 0) examine(row, r);
    out[r * 128 + threadIdx.x] = row[127 - threadIdx.x];
  }
}

// One thread that waits for others is in step with them.
__global__ void in_step(float* out, const float* in, int rows) {
  __shared__ float row[128];
  for (int r = 0; r < rows; ++r) {
    if (threadIdx.x == 0) {
      wait_for_readers(r);
      fetch(row, in, r);
    }
    __syncthreads();
    out[r * 128 + threadIdx.x] = row[127 - threadIdx.x];
  }
}

// Pointers that cut shared memory in parts: what is written there does not move them.
__global__ void parts(float* out, const float* in, int n, int rounds) {
  extern __shared__ float all[];
  float* a = all;
  float* b = a + n;
  for (int r = 0; r < rounds; ++r) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      a[i] = in[r * n + i];
      b[i] = in[i];  // want FP701 "b. is overwritten"
    }
    __syncthreads();
    out[r * blockDim.x + threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    for (int i = 0; i < n; ++i) out[r * blockDim.x + threadIdx.x] += b[i];
  }
}

// A pointer that is moved.
__global__ void moved(float* out, const float* in, int n, int rounds) {
  extern __shared__ float all[];
  float* b = all;
  for (int r = 0; r < rounds; ++r) {
    b[threadIdx.x] = in[r * 128 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 128; ++i) out[r * blockDim.x + threadIdx.x] += b[i];
    b += 128;
  }
}

// What one threshold says is read at a place that it chooses.
__global__ void levels(int* out, const int* in, int rounds) {
  __shared__ int bins[128];
  __shared__ int level;
  int rest = 0;
  for (int r = 0; r < rounds; ++r) {
    bins[threadIdx.x] = in[r * 128 + threadIdx.x];  // want FP701 "bins. is overwritten"
    __syncthreads();
    if (bins[threadIdx.x] > 10) level = threadIdx.x;
    __syncthreads();
    const int found = level;
    rest += bins[found];
    if (rest > 100) break;
  }
  out[threadIdx.x] = rest;
}

// A tile of points in an array that a class of the samples gives, and a loop that goes on with a counter.
__global__ void nearest(float* out, const float* in, int n, int width) {
  float* tile = SharedMemory<float>();
  float* mine = tile + blockDim.x * width;
  for (int i = 0; i < width; ++i) mine[threadIdx.x * width + i] = in[threadIdx.x * width + i];
  float best = 1e30f;
  for (int start = 0; start < n; start += blockDim.x) {
    for (int i = 0; i < width; ++i) tile[threadIdx.x * width + i] = in[(start + threadIdx.x) * width + i];  // want FP701 "tile. is overwritten"
    __syncthreads();
    for (int k = 0; k < blockDim.x; ++k) {
      float sum = 0.0f;
      int d = 0;
      for (; d < width; ++d) sum += mine[threadIdx.x * width + d] * tile[k * width + d];
      best = fminf(best, sum);
    }
  }
  out[threadIdx.x] = best;
}

__global__ void nearest_joined(float* out, const float* in, int n, int width) {
  float* tile = SharedMemory<float>();
  float best = 1e30f;
  for (int start = 0; start < n; start += blockDim.x) {
    for (int i = 0; i < width; ++i) tile[threadIdx.x * width + i] = in[(start + threadIdx.x) * width + i];
    __syncthreads();
    for (int k = 0; k < blockDim.x; ++k) {
      int d = 0;
      for (; d < width; ++d) best = fminf(best, tile[k * width + d]);
    }
    __syncthreads();
  }
  out[threadIdx.x] = best;
}
