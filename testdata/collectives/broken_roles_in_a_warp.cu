// The roles are told apart one thread too late: the first thread of the second warp plays the other role, and its warp stands at two barriers.
// expect: violated deadlock
// small: -
__global__ void kernel(const float* in, float* out) {
  __shared__ float cell[64];
  const int t = threadIdx.x;
  if (t > 32) {
    asm volatile("bar.sync 2, 64;" ::: "memory");  // want FP403
    out[t] = cell[t - 32];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    cell[t] = in[t];
    asm volatile("bar.arrive 2, 64;" ::: "memory");
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
}

void host(const float* in, float* out) { kernel<<<1, 64>>>(in, out); }
