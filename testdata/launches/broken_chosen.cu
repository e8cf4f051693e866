// How many threads there are follows from how long a row is; all of them read the sum of the last round while one thread writes that of the next.
// expect: violated race
// small: -

__global__ void lasting(const float* in, float* out, int n) {
  __shared__ float sum;
  float v = 0;
  for (int i = 0; i < n; i += blockDim.x * 4) {
    if (threadIdx.x == 0) sum = in[i]; // want FP720
    __syncthreads();
    v += sum;
  }
  out[threadIdx.x] = v;
}

void run(const float* in, float* out, int n) {
  int wanted = n / 4, threads;
  if (wanted <= 512) {
    threads = (wanted + 31) / 32 * 32;
  } else {
    threads = 512;
  }
  lasting<<<1, threads>>>(in, out, n);
}
