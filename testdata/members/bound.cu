// The parts of an object are copied where they are named, and its place is written again.
// expect: holds open=race-grid
// small: -

struct Edge {
  int from, to;
};

__global__ void __launch_bounds__(64) mirrored(const Edge* in, int* out) {
  __shared__ Edge s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const auto [from, to] = s[63 - threadIdx.x];
  __syncthreads();
  s[threadIdx.x].from = 0;
  out[threadIdx.x] = from + to;
}
