// The window whose barrier counts warp 0 as a writer, too: as if a distance without a sign could be negative.
// expect: violated deadlock
// small: -
__global__ void __launch_bounds__(128) window(float* out, const float* in) {
  __shared__ float row[32];
  unsigned distance = threadIdx.x - 32u;
  if (distance < 32u) {
    row[distance] = in[distance];
    asm volatile("bar.arrive 1, 96;" ::: "memory");
  }
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1, 96;" ::: "memory"); // want FP120
    out[threadIdx.x] = row[threadIdx.x];
  }
}

void run(float* out, const float* in) { window<<<1, 128>>>(out, in); }
