// The host's text says nothing of how a table is laid out; the rows that a CTA copies are as many as it says, threads read what others have not written yet.
// expect: inconclusive
// small: -
struct Layout;
__device__ int rows_of(const Layout* l);

__global__ void __launch_bounds__(256) columns(const Layout* l, const float* in, float* out, int stride) {
  __shared__ float column[256];
  const int rows = rows_of(l);
  for (int r = 0; r < rows; r++) {
    if (threadIdx.x < 64) {
      for (int k = 0; k < 4; k++) column[k * 64 + threadIdx.x] = in[r * stride + k * 64 + threadIdx.x];
    }
    out[r * 256 + threadIdx.x] = column[threadIdx.x];
    __syncthreads();
  }
}

void run(const Layout* l, const float* in, float* out, int stride) { columns<<<4, 256>>>(l, in, out, stride); }
