// How many threads there are follows from how long a row is: with as many of the one as go together with the other, all threads come to the barriers equally
// often. Whether the host keeps to that is not followed, so that nothing is proven, and what is wrong with other lengths is none of this launch.
// expect: inconclusive
// small: -

__device__ float total(float v) {
  __shared__ float part[32];
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : 0;
  __syncthreads();
  return v;
}

__global__ void normalized(const float* in, float* out, int n) {
  float v = 0;
  for (int i = threadIdx.x * 4; i < n; i += blockDim.x * 4) v += total(in[i]);
  out[threadIdx.x] = total(v);
}

void run(const float* in, float* out, int n) {
  int wanted = n / 4, threads;
  if (wanted <= 512) {
    threads = (wanted + 31) / 32 * 32;
  } else {
    threads = 512;
  }
  normalized<<<1, threads>>>(in, out, n);
}
