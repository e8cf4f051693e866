// Lanes that a bound keeps away end, or find nothing more to wait at: what others take from them in a shuffle is not defined.
__global__ void down(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = in[i];
    for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffff, v, by);  // want FP412 "takes what lanes have that fail a check of their bound"
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
  }
}

__global__ void returned(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (!(i < n)) return;
  float v = in[i];
  v += __shfl_xor_sync(0xffffffff, v, 1);  // want FP412 "takes what lanes have that fail a check of their bound"
  out[i] = v;
}

__global__ void strided(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float next = __shfl_down_sync(0xffffffff, in[i], 1);  // want FP412 "takes what lanes have that leave the loop earlier than others"
    out[i] = next - in[i];
  }
}

__global__ void last(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] / __shfl_sync(0xffffffff, in[i], 31);  // want FP412 "takes what lanes have that fail a check of their bound"
}

__global__ void scan(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (i >= n) return;
  float v = in[i];
  for (int by = 1; by < 32; by *= 2) {
    const float w = __shfl_up_sync(0xffffffff, v, by);
    if (lane >= by) v += w;
  }
  out[i] = v;
}

__global__ void first(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] / __shfl_sync(0xffffffff, in[i], 0);
}

__global__ void in_groups(const float* in, float* out, int groups) {
  const int group = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
  if (group >= groups) return;
  float v = in[group * 8 + threadIdx.x % 8];
  for (int by = 4; by > 0; by /= 2) v += __shfl_xor_sync(0xffffffff, v, by, 8);
  if (threadIdx.x % 8 == 0) out[group] = v;
}

__global__ void rows(const float* in, float* out, int n) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= n) return;
  float v = in[row * 32 + lane];
  for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffff, v, by);
  if (lane == 0) out[row] = v;
}

__global__ void around_the_work(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0.0f;
  for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffff, v, by);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

// How far lanes reach is a number that is handed on: pairs come whole, and larger groups do not.
__device__ float exchanged(float v, int with) { return __shfl_xor_sync(0xffffffff, v, with); }

__global__ void pairs(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, pair = i >> 1;
  if (pair < n) out[i] = exchanged(in[i], 1);
}

__device__ float handed(float v, int with) { return __shfl_xor_sync(0xffffffff, v, with); }  // want FP412 "takes what lanes have that fail a check of their bound"

__global__ void fours(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, pair = i >> 1;
  if (pair < n) out[i] = handed(in[i], 2);
}
