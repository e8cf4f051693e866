// As blurred.cu, but in place: a CTA reads beside its part what its neighbour may have written.
// expect: violated race
// small: -
__global__ void __launch_bounds__(256) blurred(float* x, int n) {
  __shared__ float part[258];
  int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x + 1] = i < n ? x[i] : 0.f;
  if (threadIdx.x == 0) {
    part[0] = i > 0 ? x[i - 1] : 0.f;
  }
  if (threadIdx.x == 255) {
    part[257] = i + 1 < n ? x[i + 1] : 0.f;
  }
  __syncthreads();
  if (i < n) {
    x[i] = 0.25f * part[threadIdx.x] + 0.5f * part[threadIdx.x + 1] + 0.25f * part[threadIdx.x + 2];
  }
}

void run(float* x, int n) { blurred<<<(n + 255) / 256, 256>>>(x, n); }
