// Counting where data choose is a warning; what is read of other warps with no barrier before is an error beside it.
// expect: violated race
// small: -

__global__ void count(const unsigned* keys, unsigned* out) {
  __shared__ unsigned bins[256], total[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  bins[(keys[threadIdx.x] * 2654435761u) >> 24] += 1;  // want FP720
  __syncthreads();
  total[threadIdx.x] = bins[threadIdx.x];
  out[threadIdx.x] = total[255 - threadIdx.x];  // want FP720
}

void launch(const unsigned* keys, unsigned* out) { count<<<1, 256>>>(keys, out); }
