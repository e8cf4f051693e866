// The host launches as many threads as the template is for: a warp at most, whose lanes meet.
// expect: holds open=race-grid
// small: -

template <int N>
__global__ void most(const double* in, double* out) {
  extern __shared__ double s[];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * N + t];
  __syncwarp();
  double best = s[0];
  for (int j = 1; j < N; j++) best = max(best, s[j]);
  out[blockIdx.x * N + t] = best;
}

void launch(const double* in, double* out, int n, int batch) {
  const dim3 threads(n), grid(batch);
  switch (n) {
    case 16:
      most<16><<<grid, threads, 16 * sizeof(double)>>>(in, out);
      break;
    case 32:
      most<32><<<grid, threads, 32 * sizeof(double)>>>(in, out);
      break;
  }
}
