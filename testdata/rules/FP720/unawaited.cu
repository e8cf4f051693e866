// A call of which nothing is known may wait for other threads, and order what is before it and behind; but not where a part of a warp makes it.
template <typename Op>
__global__ void __launch_bounds__(64) by_few(float* out, float* log, Op op) {
  __shared__ float part[64];
  part[threadIdx.x] = out[threadIdx.x];
  if (threadIdx.x % 32 < 4) note_elsewhere(op, log);
  out[threadIdx.x] = part[63 - threadIdx.x];  // want FP720 "reads part"
}

template <typename Op>
__global__ void __launch_bounds__(64) by_few_joined(float* out, float* log, Op op) {
  __shared__ float part[64];
  part[threadIdx.x] = out[threadIdx.x];
  if (threadIdx.x % 32 < 4) note_elsewhere(op, log);
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}

// All of them may meet there.
template <typename Op>
__global__ void __launch_bounds__(64) by_all(float* out, float* log, Op op) {
  __shared__ float part[64];
  part[threadIdx.x] = out[threadIdx.x];
  note_elsewhere(op, log);
  out[threadIdx.x] = part[63 - threadIdx.x];
}

// The first warp as a whole may meet others that wait elsewhere: but the second one signals nothing behind what it writes.
template <typename Op>
__global__ void __launch_bounds__(64) by_a_warp(float* out, float* log, Op op) {
  __shared__ float part[64];
  part[threadIdx.x] = out[threadIdx.x];
  if (threadIdx.x < 32) note_elsewhere(op, log);
  out[threadIdx.x] = part[63 - threadIdx.x];  // want FP720 "reads part"
}

// All threads hand it one place: which of them writes there, if any does, it knows.
template <typename Op>
__global__ void __launch_bounds__(64) one_place(float* out, Op op) {
  float mine = out[threadIdx.x];
  note_elsewhere(op, out);
  out[threadIdx.x] = mine + 1.0f;
}
