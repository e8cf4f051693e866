// One warp goes round as often as the lower half of n says, the other n times: from 65536 on these differ, which nobody tries.
// expect: violated deadlock
// small: -

__global__ void kernel(int* out, int n) {
  if (threadIdx.x < 32) {
    for (int i = 0; i < (unsigned short)n; ++i) asm volatile("bar.sync 1, 64;");
  } else {
    for (int i = 0; i < n; ++i) asm volatile("bar.sync 1, 64;");
  }
  __syncthreads();
}

void launch(int* out, int n) { kernel<<<1, 64>>>(out, n); }
