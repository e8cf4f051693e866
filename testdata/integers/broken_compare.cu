// The comparison of -1 with an index that has no sign: it is the largest number there, and nobody meets.
// expect: violated race
// small: -
__global__ void __launch_bounds__(128) compare(float* out, const float* in) {
  __shared__ float row[128];
  int last = -1;
  row[threadIdx.x] = in[threadIdx.x];
  if (last < threadIdx.x) {
    asm volatile("bar.sync 1, 128;" ::: "memory");
  }
  out[threadIdx.x] = row[threadIdx.x ^ 64];  // want FP720
  __syncthreads();
}

void run(float* out, const float* in) { compare<<<1, 128>>>(out, in); }
