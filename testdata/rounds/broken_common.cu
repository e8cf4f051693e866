// What one thread found out is read by all before they meet.
// expect: violated race
// small: -
__global__ void last_sums(float* sums, unsigned* ticket, float* out) {
  __shared__ float row[64];
  __shared__ bool last;
  const int t = threadIdx.x;
  if (t == 0) {
    __threadfence();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;  // want FP720
  }
  if (last) {
    row[t] = 1.0f * t;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
      if (t < half) row[t] += row[t + half];
      __syncthreads();
    }
    if (t == 0) out[0] = row[0];
  }
}

void launch(float* sums, unsigned* ticket, float* out) { last_sums<<<1, 64>>>(sums, ticket, out); }
