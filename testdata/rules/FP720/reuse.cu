// What one thread tells the others, again and again.
__global__ void told(float* out, const float* in, int rows) {
  __shared__ float scale;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    if (threadIdx.x == 0) scale = in[row];  // want FP720 "writes scale"
    __syncthreads();
    out[row * blockDim.x + threadIdx.x] = scale;
  }
}

__global__ void told_joined(float* out, const float* in, int rows) {
  __shared__ float scale;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    if (row != blockIdx.x) __syncthreads();
    if (threadIdx.x == 0) scale = in[row];
    __syncthreads();
    out[row * blockDim.x + threadIdx.x] = scale;
  }
}

// Once is not again.
__global__ void told_once(float* out, const float* in) {
  __shared__ float scale;
  for (int row = 0; row < 1; ++row) {
    if (threadIdx.x == 0) scale = in[row];
    __syncthreads();
    out[row * blockDim.x + threadIdx.x] = scale;
  }
}

// Two buffers in turn: who is a round ahead writes the other one.
__global__ void turns(float* out, const float* in, int rows) {
  __shared__ float scale[2];
  for (int i = 0; i < rows; ++i) {
    if (threadIdx.x == 0) scale[i & 1] = in[i];
    __syncthreads();
    out[i * blockDim.x + threadIdx.x] = scale[i & 1];
  }
}

__global__ void turns_by_hand(float* out, const float* in, int rows) {
  __shared__ float tiles[2][128];
  int now = 0;
  for (int i = 0; i < rows; ++i) {
    float* tile = tiles[now];
    tile[threadIdx.x] = in[i * 128 + threadIdx.x];
    __syncthreads();
    out[i * 128 + threadIdx.x] = tile[127 - threadIdx.x];
    now ^= 1;
  }
}

// A table that a few threads fill and all read.
__global__ void table(float* out, const float* in, int rounds) {
  __shared__ float row[16];
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x < 16) {
      row[threadIdx.x] = in[r * 16 + threadIdx.x];  // want FP720 "writes row"
    }
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < 16; ++i) sum += row[i];
    out[r * blockDim.x + threadIdx.x] = sum;
  }
}

// Each thread keeps to its own.
__global__ void own(float* out, const float* in, int rounds) {
  __shared__ float mine[128][4];
  for (int r = 0; r < rounds; ++r) {
    for (int i = 0; i < 4; ++i) mine[threadIdx.x][i] = in[(r * 128 + threadIdx.x) * 4 + i];
    float sum = 0.0f;
    for (int k = 0; k < 4; ++k) sum += mine[threadIdx.x][3 - k];
    out[r * 128 + threadIdx.x] = sum;
  }
}

// Only the first warp has to do with it.
__global__ void one_warp(float* out, const float* in, int rounds) {
  __shared__ float last;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x < 32) {
      if (threadIdx.x == 0) last = in[r];
      __syncwarp();
      out[r * 32 + threadIdx.x] = last;
      __syncwarp();
    }
  }
}

__global__ void __launch_bounds__(32) small(float* out, const float* in, int rounds) {
  __shared__ float last;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x == 0) last = in[r];
    __syncwarp();
    out[r * 32 + threadIdx.x] = last;
    __syncwarp();
  }
}

// A sum over the block, as every file has one: two calls in a row need a barrier between them.
__device__ float block_sum(float v) {
  __shared__ float part[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (lane == 0) part[warp] = v;
  __syncthreads();
  v = lane < blockDim.x / 32 ? part[lane] : 0.0f;  // want FP720 "reads part"
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

__global__ void moments(float* out, const float* in) {
  float x = in[threadIdx.x];
  float mean = block_sum(x) / blockDim.x;
  float variance = block_sum((x - mean) * (x - mean));
  if (threadIdx.x == 0) out[0] = variance;
}

__device__ float block_max(float v) {
  __shared__ float most[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  __syncthreads();
  if (lane == 0) most[warp] = v;
  __syncthreads();
  v = lane < blockDim.x / 32 ? most[lane] : v;
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}

__global__ void spread(float* out, const float* in) {
  float x = in[threadIdx.x];
  float top = block_max(x);
  float low = block_max(-x);
  if (threadIdx.x == 0) out[0] = top + low;
}

// Who reads it is who writes it.
__global__ void leader(float* out, const float* in, int rounds) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0.0f;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x == 0) sum = sum + in[r];
  }
  if (threadIdx.x == 0) out[0] = sum;
}

// The carry of a running sum, updated while others still add it.
__global__ void running(float* out, const float* in, int chunks) {
  __shared__ float carry;
  if (threadIdx.x == 0) carry = 0.0f;
  __syncthreads();
  for (int c = 0; c < chunks; ++c) {
    float x = in[c * blockDim.x + threadIdx.x];
    out[c * blockDim.x + threadIdx.x] = x + carry;  // want FP720 "reads carry"
    if (threadIdx.x == blockDim.x - 1) carry = x;
    __syncthreads();
  }
}

// Filled by all, then one lane of each warp puts in what it found: which of the two stays is open.
__global__ void fill(float* out, const float* in) {
  __shared__ float best[128];
  best[threadIdx.y * 32 + threadIdx.x] = -1.0f;
  for (int r = 0; r < 128; r += 4) {
    if (threadIdx.x == 0) best[r + threadIdx.y] = in[r + threadIdx.y];
  }
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = best[threadIdx.x];
}

__global__ void fill_joined(float* out, const float* in) {
  __shared__ float best[128];
  best[threadIdx.y * 32 + threadIdx.x] = -1.0f;
  __syncthreads();
  for (int r = 0; r < 128; r += 4) {
    if (threadIdx.x == 0) best[r + threadIdx.y] = in[r + threadIdx.y];
  }
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = best[threadIdx.x];
}

// Two ways of one kernel that no CTA takes both.
__global__ void modes(float* out, const float* in, int mode) {
  __shared__ float row[32];
  if (mode == 0) {
    if (threadIdx.x == 0) row[0] = in[0];
  }
  if (mode == 1) out[threadIdx.x] = row[0];
}

// Which thread leads is not known: it may be the same one.
__global__ void led(float* out, const float* in, const int* leaders, int rounds) {
  __shared__ float sum;
  bool leads = leaders[threadIdx.x] > 0;
  for (int r = 0; r < rounds; ++r) {
    if (leads) out[r] = sum;
    if (leads) sum = in[r];
  }
}

// The tree adds to a half what the other half holds; who is in the lower half reads what nobody writes in that step.
__global__ void halves(float* out, const float* in, int n) {
  extern __shared__ float sums[];
  for (int row = n - 1; row >= 0; row--) {
    sums[threadIdx.x] = in[row * n + threadIdx.x];
    for (int size = n; size > 1; size = (size + 1) / 2) {
      __syncthreads();
      if (threadIdx.x < size / 2) sums[threadIdx.x] += sums[threadIdx.x + (size + 1) / 2];
    }
    __syncthreads();
    if (threadIdx.x == 0) out[row] = sums[0];
    __syncthreads();
  }
}

__global__ void stages(float* out, const float* in, int rounds, int first) {
  __shared__ float tiles[2][128];
  int stage = first;
  for (int r = 0; r < rounds; ++r) {
    tiles[stage][threadIdx.x] = in[r * 128 + threadIdx.x];
    __syncthreads();
    out[r * 128 + threadIdx.x] = tiles[stage][127 - threadIdx.x];
    stage = 1 - stage;
  }
}
