// How many rounds a tile has is either what is left or what stands in memory, and a round does not wait before it reads.
// expect: violated race
// small: -
__global__ void __launch_bounds__(64) tiles(const int* starts, const float* in, float* out, int n, int count) {
  __shared__ float s[64];
  int tile = blockIdx.x;
  int first = starts[tile];
  int end = tile == count - 1 ? n : starts[tile + 1];
  float sum = 0;
  for (int i = first; i < end; i += 64) {
    s[threadIdx.x] = in[i + threadIdx.x];
    sum += s[63 - threadIdx.x];
    __syncthreads();
  }
  out[tile * 64 + threadIdx.x] = sum;
}
