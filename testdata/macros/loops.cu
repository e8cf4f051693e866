// Loops whose heads are macros: what stands in braces behind them is of the kernel, where names mean what they do there. All meet between the two.
// expect: holds open=race-grid
// small: -
#define BY_THREADS(i, n) for (int i = threadIdx.x; i < (n); i += blockDim.x)
#define FROM_TO(T, x, a, b) for (T x = (a); x < (b); ++x)

__global__ void __launch_bounds__(128) reversed(const float* in, float* out, int n) {
  __shared__ float row[256];
  BY_THREADS(at, 256) {
    if (at == 17) continue;
    row[at] = in[at + n];
  }
  if (threadIdx.x == 0) row[17] = 0.0f;
  __syncthreads();
  FROM_TO(unsigned, half, 0, 2) out[blockIdx.x * 256 + half * 128 + threadIdx.x] = row[255 - half * 128 - threadIdx.x];
}
