// Threads add to a counter that another thread reads.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ int n;
  if (t == 0) n = 0;
  __syncthreads();
  atomicAdd(&n, 1);  // want FP720
  if (t == 64) b[0] = n;
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
