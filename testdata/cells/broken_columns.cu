// Each thread copies a column into shared memory, and takes the one of another warp from there.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128][4];
  for (int i = 0; i < 4; ++i) s[t][i] = a[4 * t + i];  // want FP720
  __syncwarp();
  for (int i = 0; i < 4; ++i) b[4 * t + i] = s[127 - t][i];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
