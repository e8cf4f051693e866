// All lanes but the first meet in each of n rounds, which their mask says.
// expect: holds
// small: -
__global__ void kernel(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) {
    out[threadIdx.x] += in[i];
    if (threadIdx.x % 32 > 0) __syncwarp(0xfffffffeu);
  }
}

void host(const int* in, int* out, int n) { kernel<<<1, 64>>>(in, out, n); }
