// Each thread replaces an element that a thread of another warp reads.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  s[t] = a[t];
  __syncthreads();
  float x = s[127 - t];
  s[t] = x;  // want FP720
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
