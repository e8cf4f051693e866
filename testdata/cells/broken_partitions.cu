// Threads write a tile by rows and read it by columns.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[32][16];
  for (int i = 0; i < 4; ++i) s[t % 32][4 * (t / 32) + i] = a[4 * t + i];  // want FP720
  __syncwarp();
  for (int i = 0; i < 4; ++i) b[4 * t + i] = s[2 * (t % 16) + i % 2][t / 16 + i / 2 * 8];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
