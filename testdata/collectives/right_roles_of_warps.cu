// Each warp plays one role; the condition around the CTA's barrier is true for all threads of the launch.
// expect: holds
// small: -
__global__ void kernel(const float* in, float* out) {
  __shared__ float cell[64];
  const int t = threadIdx.x;
  if (t > 31) {
    asm volatile("bar.sync 2, 64;" ::: "memory");
    out[t] = cell[t - 32];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    cell[t] = in[t];
    asm volatile("bar.arrive 2, 64;" ::: "memory");
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
  if (t <= 72) {
    __syncthreads();
  }
}

void host(const float* in, float* out) { kernel<<<1, 64>>>(in, out); }
