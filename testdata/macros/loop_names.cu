// The macro calls its bound what the kernel calls how far elements are apart: behind the macro the name is the kernel's, and the two loops have elements of their own.
// expect: holds open=race-grid
// small: -
#define BY_THREADS(i, n) for (int i = threadIdx.x; i < (n); i += blockDim.x)

__global__ void __launch_bounds__(64) interleaved(const float* in, float* out) {
  __shared__ float row[128];
  const int n = 2;
  BY_THREADS(at, 64) { row[at * n] = in[at]; }
  BY_THREADS(at, 64) { row[(63 - at) * n + 1] = in[at + 64]; }
  __syncthreads();
  BY_THREADS(at, 64) {
    out[blockIdx.x * 128 + at] = row[at];
    out[blockIdx.x * 128 + at + 64] = row[at + 64];
  }
}
