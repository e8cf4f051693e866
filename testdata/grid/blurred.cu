// Each CTA reads what its neighbours have beside its own part, and writes its part elsewhere; how much there is decides who does.
// expect: holds open=race,race-grid
// small: -
__global__ void __launch_bounds__(256) blurred(const float* in, float* out, int n) {
  __shared__ float part[258];
  int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x + 1] = i < n ? in[i] : 0.f;
  if (threadIdx.x == 0) {
    part[0] = i > 0 ? in[i - 1] : 0.f;
  }
  if (threadIdx.x == 255) {
    part[257] = i + 1 < n ? in[i + 1] : 0.f;
  }
  __syncthreads();
  if (i < n) {
    out[i] = 0.25f * part[threadIdx.x] + 0.5f * part[threadIdx.x + 1] + 0.25f * part[threadIdx.x + 2];
  }
}

void run(const float* in, float* out, int n) { blurred<<<(n + 255) / 256, 256>>>(in, out, n); }
