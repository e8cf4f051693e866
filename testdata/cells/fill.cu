// A warp clears a table that the others read.
// expect: holds
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  if (t < 32)
    for (int i = 0; i < 128; ++i) s[i] = 0.0f;
  __syncthreads();
  if (t >= 32) b[t] = s[t];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
