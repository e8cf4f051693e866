// All lanes meet in each of n rounds with a mask that leaves out the first.
// expect: violated deadlock
// small: -
__global__ void kernel(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) {
    out[threadIdx.x] += in[i];
    __syncwarp(0xfffffffeu);
  }
}

void host(const int* in, int* out, int n) { kernel<<<1, 64>>>(in, out, n); }
