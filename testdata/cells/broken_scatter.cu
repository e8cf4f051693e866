// Where a thread stores is only known when the kernel runs.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  int at = static_cast<int>(a[t]);
  s[at] = 1.0f;
  __syncwarp();
  b[t] = s[t];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
