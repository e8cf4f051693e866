// All threads but those up to a last one meet. The index is brought to the type with a sign before it is compared.
// expect: holds
// small: -
__global__ void __launch_bounds__(128) compare(float* out, const float* in) {
  __shared__ float row[128];
  int last = -1;
  row[threadIdx.x] = in[threadIdx.x];
  if (last < (int)threadIdx.x) {
    asm volatile("bar.sync 1, 128;" ::: "memory");
  }
  out[threadIdx.x] = row[threadIdx.x ^ 64];
  __syncthreads();
}

void run(float* out, const float* in) { compare<<<1, 128>>>(out, in); }
