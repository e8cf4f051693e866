// All threads store to one cell: the same number, or each its own.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  s[0] = t;  // want FP720
  __syncthreads();
  b[t] = s[0];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
