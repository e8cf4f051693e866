// One warp goes round 40 times at the most, the other as often as the launch says: it waits for ever from 41 on.
// expect: violated deadlock
// small: -

__global__ void kernel(int* out, int n) {
  if (threadIdx.x < 32) {
    for (int i = 0; i < min(n, 40); ++i) asm volatile("bar.sync 1, 64;");
  } else {
    for (int i = 0; i < n; ++i) asm volatile("bar.sync 1, 64;");
  }
  __syncthreads();
}

void launch(int* out, int n) { kernel<<<1, 64>>>(out, n); }
