// Threads of two warps store what they have found to the same cells.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  s[t * 2 % 64] = a[t];
  __syncthreads();
  b[t] = s[t % 64];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
