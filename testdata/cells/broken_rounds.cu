// A table is written again in every round of a loop.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  for (int k = 0; k < 4; ++k) {
    s[t] = a[t];  // want FP720
    __syncthreads();
    b[t] = s[127 - t];
  }
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
