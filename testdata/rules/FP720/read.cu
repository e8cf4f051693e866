// A table filled by all, read at other places.
__global__ void gather(float* out, const float* in, const int* ids, int n, int stride) {
  __shared__ int table[64];
  for (int j = threadIdx.y * 32 + threadIdx.x; j < 64; j += 128) {
    table[j] = ids[j];  // want FP720 "writes table"
  }
  for (int j = threadIdx.y; j < n; j += 4) {
    out[table[j] * stride + threadIdx.x] = in[j * stride + threadIdx.x];
  }
}

__global__ void gather_joined(float* out, const float* in, const int* ids, int n, int stride) {
  __shared__ int table[64];
  for (int j = threadIdx.y * 32 + threadIdx.x; j < 64; j += 128) {
    table[j] = ids[j];
  }
  __syncthreads();
  for (int j = threadIdx.y; j < n; j += 4) {
    out[table[j] * stride + threadIdx.x] = in[j * stride + threadIdx.x];
  }
}

// One thread tells all.
__global__ void told(float* out, const float* in) {
  __shared__ float scale;
  if (threadIdx.x == 0) scale = in[0];  // want FP720 "writes scale"
  out[threadIdx.x] = in[threadIdx.x] * scale;
}

// All threads write the same, and each reads what it wrote itself.
__global__ void all(float* out, const float* in) {
  __shared__ float scale;
  scale = in[0];
  out[threadIdx.x] = in[threadIdx.x] * scale;
}

// A row of a tile that one warp writes and reads.
__global__ void rows(float* out, const float* in) {
  __shared__ float tile[4][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncwarp();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][31 - threadIdx.x];
}

__global__ void columns(float* out, const float* in) {
  __shared__ float tile[32][33];
  for (int r = threadIdx.y; r < 32; r += blockDim.y) tile[r][threadIdx.x] = in[r * 32 + threadIdx.x];
  for (int r = threadIdx.y; r < 32; r += blockDim.y) out[r * 32 + threadIdx.x] = tile[threadIdx.x][r];  // want FP720 "reads tile"
}

// The threads that may read it are those that wrote it, for all the file says.
__device__ void hand_on(float* out, float* smem, int who) {
  __syncthreads();
  if (who == 0) smem[0] = out[0];
  if (who == 0) out[1] = smem[0];
}

// Something of another file may wait in between.
__global__ void elsewhere(float* out, const float* in) {
  __shared__ float tile[128];
  tile[threadIdx.x] = in[threadIdx.x];
  block_sync();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void reduction(float* out, const float* in) {
  __shared__ float sums[128];
  sums[threadIdx.x] = in[threadIdx.x];
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[0] = sums[0];
}

// volatile: written for lanes that run in step, by an author who knew.
__global__ void in_step(float* out, const float* in) {
  __shared__ volatile float sums[128];
  sums[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = sums[127 - threadIdx.x];
}

// Each thread waits for its own copies only.
__global__ void copied(float* out, const float* in) {
  __shared__ float tile[512];
  load_smem(&tile[threadIdx.x * 4], in + threadIdx.x * 4);
  cp_async_wait<0>();
  for (int i = threadIdx.x; i < 512; i += 128) out[i] = tile[i];
}

__global__ void copied_joined(float* out, const float* in) {
  __shared__ float tile[512];
  load_smem(tile + threadIdx.x * 4, in + threadIdx.x * 4);
  cp_async_wait<0>();
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 128) out[i] = tile[i];
}
