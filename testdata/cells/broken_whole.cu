// One thread stores a table as a whole, others load it as a whole.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  __syncthreads();
  if (t == 0)
    for (int i = 0; i < 128; ++i) s[i] = a[i];  // want FP720
  if (t == 64)
    for (int i = 0; i < 128; ++i) b[i] = s[i];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
