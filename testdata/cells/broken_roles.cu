// One warp writes an element, another reads it, and the barrier is before both.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  __syncthreads();
  int warp = t / 32;
  if (warp == 0) s[0] = 1.0f;  // want FP720
  if (warp == 1) b[t] = s[0];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
