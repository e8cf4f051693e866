// The host launches as many threads as the template is for: two warps for one of them, and only the lanes of each meet.
// expect: violated race
// small: -

template <int N>
__global__ void most(const double* in, double* out) {
  extern __shared__ double s[];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * N + t];  // want FP720
  __syncwarp();
  double best = s[0];
  for (int j = 1; j < N; j++) best = max(best, s[j]);
  out[blockIdx.x * N + t] = best;
}

void launch(const double* in, double* out, int n, int batch) {
  const dim3 threads(n), grid(batch);
  if (n == 32) {
    most<32><<<grid, threads, 32 * sizeof(double)>>>(in, out);
  } else if (n == 64) {
    most<64><<<grid, threads, 64 * sizeof(double)>>>(in, out);
  }
}
