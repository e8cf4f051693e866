// The host chooses numbers together, and the mask that goes with a width is one too small.
// expect: violated race
// small: -
__global__ void parts(const float* in, float* out, unsigned mask, unsigned width, unsigned each) {
  extern __shared__ float sum[];
  sum[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned n = width >> 1; n > 0; n >>= 1) {
    if ((threadIdx.x & mask) < n) sum[threadIdx.x] += sum[threadIdx.x + n];  // want FP720
    __syncthreads();
  }
  if ((threadIdx.x & mask) == 0) out[blockIdx.x * each + threadIdx.x / width] = sum[threadIdx.x];
}

void run(const float* in, float* out, unsigned rows) {
  unsigned each = 1;
  if (rows / 4 >= 60)
    each = 4;
  else if (rows / 2 >= 60)
    each = 2;
  const unsigned threads = 64, width = threads / each;
  parts<<<rows / each + 1, threads, threads * sizeof(float)>>>(in, out, width / 2 - 1, width, each);
}
