// Half of the threads meet at a barrier, all of them touch the table.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  s[t] = a[t];  // want FP720
  if (t < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  b[t] = s[127 - t];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
