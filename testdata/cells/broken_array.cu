// An array of the DSL that is in shared memory.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  float* p = s;
  p[t] = a[t];  // want FP720
  __syncwarp();
  b[t] = p[127 - t];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
