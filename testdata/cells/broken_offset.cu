// Two warps fill the second half, and read what the other has written with no barrier between.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  const int t = threadIdx.x;
  const int warp = t / 32, lane = t % 32;
  __shared__ float s[128];
  float* half = s + 64;
  if (t < 64) half[t] = a[t];
  if (t < 64) b[t] = half[63 - t];  // want FP720
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
