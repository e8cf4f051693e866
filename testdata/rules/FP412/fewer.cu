// The last warp of the CTA has sixteen lanes.
__global__ void fold(const float* in, float* out) {
  float v = in[blockIdx.x * 48 + threadIdx.x];
  for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffff, v, by);  // want FP412 "the last warp of the CTA has lanes 0 to 15 only"
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

__global__ void fold_of_first_warp(const float* in, float* out) {
  float v = in[blockIdx.x * 48 + threadIdx.x];
  if (threadIdx.x < 32) {
    for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffff, v, by);
  }
  if (threadIdx.x == 0) atomicAdd(out, v);
}

__global__ void fold_what_there_is(const float* in, float* out) {
  float v = in[blockIdx.x * 48 + threadIdx.x];
  for (int by = 16; by > 0; by /= 2) {
    float other = __shfl_down_sync(0xffffffff, v, by);
    if (threadIdx.x + by < 48) v += other;
  }
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

__global__ void fold_halves(const float* in, float* out) {
  float v = in[blockIdx.x * 48 + threadIdx.x];
  for (int by = 8; by > 0; by /= 2) v += __shfl_down_sync(0xffffffff, v, by, 16);
  if (threadIdx.x % 16 == 0) atomicAdd(out, v);
}

// The mask says who was there before the condition.
__global__ void there_before(float* x) {
  const unsigned lanes = __activemask();
  const int i = threadIdx.x;
  if (x[i] > 0.0f) {
    x[i] = __shfl_sync(lanes, x[i], 0);  // want FP412 "names the lanes that were together before, and those that fail"
  }
  __syncwarp();
}

__global__ void marked_lanes(float* x) {
  const int i = threadIdx.x;
  bool on = true;
  if (x[i] < 0.0f) on = false;
  if (on) {
    x[i] = __shfl_xor_sync(0xffffffff, x[i], 1);  // want FP412 "fail a check of data of their own do not come here"
  }
  __syncwarp();
}

void run(const float* in, float* out, int n) {
  fold<<<n, 48>>>(in, out);
  fold_of_first_warp<<<n, 48>>>(in, out);
  fold_what_there_is<<<n, 48>>>(in, out);
  fold_halves<<<n, 48>>>(in, out);
  there_before<<<1, 256>>>(out);
  marked_lanes<<<1, 256>>>(out);
}
