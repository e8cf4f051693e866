// How long a side is another file says.

// Each thread has two elements, as far apart as there are threads.
__global__ void pairs(float* out, const float* in, int rounds) {
  __shared__ float both[2 * SIDE];
  for (int r = 0; r < rounds; ++r) {
    both[threadIdx.x] = in[r * 2 * SIDE + threadIdx.x];
    both[threadIdx.x + SIDE] = in[r * 2 * SIDE + SIDE + threadIdx.x];
    out[r * SIDE + threadIdx.x] = both[threadIdx.x] - both[threadIdx.x + SIDE];
  }
}

__global__ void mirrored(float* out, const float* in, int rounds) {
  __shared__ float both[2 * SIDE];
  for (int r = 0; r < rounds; ++r) {
    both[threadIdx.x] = in[r * 2 * SIDE + threadIdx.x];
    both[2 * SIDE - 1 - threadIdx.x] = in[r * 2 * SIDE + SIDE + threadIdx.x];
    out[r * SIDE + threadIdx.x] = both[threadIdx.x] - both[2 * SIDE - 1 - threadIdx.x];
  }
}
