// Whole warps come; what parts their lanes is how much work a grid has, what each has read, or nothing but time.
template <int N>
__device__ float among(float v) {
  for (int by = N / 2; by > 0; by /= 2) v += __shfl_xor_sync(0xffffffff, v, by, N);  // want FP412 "fail a check of their bound do not come here"
  return v;
}

__global__ void tail(const float* in, float* out, float* all, int items) {
  const int item = (blockIdx.x * blockDim.x + threadIdx.x) / 4;
  float v = 0.0f;
  if (item < items) {
    v = among<4>(in[blockIdx.x * blockDim.x + threadIdx.x]);
    out[item] = v;
  }
  v = among<32>(v);
  if (threadIdx.x % 32 == 0) atomicAdd(all, v);
}

__global__ void whole_tail(const float* in, float* out, float* all, int items) {
  const int item = (blockIdx.x * blockDim.x + threadIdx.x) / 4;
  const bool has = item < items;
  float v = has ? in[blockIdx.x * blockDim.x + threadIdx.x] : 0.0f;
  v += __shfl_xor_sync(0xffffffff, v, 2);
  v += __shfl_xor_sync(0xffffffff, v, 1);
  if (has) out[item] = v;
  for (int by = 16; by > 0; by /= 2) v += __shfl_xor_sync(0xffffffff, v, by);
  if (threadIdx.x % 32 == 0) atomicAdd(all, v);
}

__global__ void lengths(const float* in, const int* length, float* out, int pitch) {
  const int list = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
  float most = 0.0f;
  for (int at = 0; at < length[list]; at += 16) {
    float v = in[list * pitch + at + lane];
    for (int by = 8; by > 0; by /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, by, 16));  // want FP412 "leave the loop, by data of their own, do not come here"
    most = fmaxf(most, v);
  }
  out[list * 16 + lane] = most;
}

__global__ void lengths_of_warps(const float* in, const int* length, float* out, int pitch) {
  const int list = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float most = 0.0f;
  for (int at = 0; at < length[list]; at += 32) {
    float v = in[list * pitch + at + lane];
    for (int by = 16; by > 0; by /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, by));
    most = fmaxf(most, v);
  }
  out[list * 32 + lane] = most;
}

__global__ void together(const float* in, const int* kind, float* sum, int items) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0.0f;
  if (item < items && kind[item] != 0) v = sinf(in[item]);
  const unsigned lanes = __activemask();
  for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(lanes, v, by);  // want FP412 "happen to be together"
  if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}

__global__ void joined(const float* in, const int* kind, float* sum, int items) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0.0f;
  if (item < items && kind[item] != 0) v = sinf(in[item]);
  __syncwarp();
  const unsigned lanes = __activemask();
  for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(lanes, v, by);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}

__global__ void counted(const int* kind, int* many, int items) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  int one = 1;
  if (item < items && kind[item] > 2) one = kind[item];
  const unsigned lanes = __activemask();
  const int first = __ffs(lanes) - 1;
  int at = 0;
  if (threadIdx.x % 32 == first) at = atomicAdd(many, __popc(lanes));
  at = __shfl_sync(lanes, at, first);
  many[1 + at + one] = item;
}
