// Warp 1 hands a row to warp 0. It is told by its distance to thread 32 as a number without a sign: to the threads of warp 0
// that is large, so that they are not among those that write.
// expect: holds
// small: -
__global__ void __launch_bounds__(128) window(float* out, const float* in) {
  __shared__ float row[32];
  unsigned distance = threadIdx.x - 32u;
  if (distance < 32u) {
    row[distance] = in[distance];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  }
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = row[threadIdx.x];
  }
}

void run(float* out, const float* in) { window<<<1, 128>>>(out, in); }
