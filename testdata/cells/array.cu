// An array of the DSL that is in shared memory.
// expect: holds
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  float* p = s;
  p[t] = a[t];
  __syncthreads();
  b[t] = p[127 - t];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
