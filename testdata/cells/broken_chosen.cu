// Whether a thread stores is only known when the kernel runs.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  if (a[t] > 0.0f) s[t] = 1.0f;
  __syncwarp();
  b[t] = s[127 - t];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
