// Launches by a macro that is a whole statement, one of them behind else.
// expect: holds open=race-grid
// small: -
template <int N> __global__ void backwards(const float* in, float* out) {
  __shared__ float row[N];
  row[threadIdx.x] = in[blockIdx.x * N + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * N + threadIdx.x] = row[N - 1 - threadIdx.x];
}

#define BACKWARDS(n) { backwards<n><<<rows, n>>>(in, out); }

void run(const float* in, float* out, int rows, int columns) {
  if (columns == 64) BACKWARDS(64)
  else if (columns == 128) BACKWARDS(128)
  else BACKWARDS(256)
}
