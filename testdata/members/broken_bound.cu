// The parts of an object are named by reference, and its place is written again before they are read.
// expect: violated race
// small: -

struct Edge {
  int from, to;
};

__global__ void __launch_bounds__(64) late(const Edge* in, int* out) {
  __shared__ Edge s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const auto& [from, to] = s[63 - threadIdx.x];
  __syncthreads();
  s[threadIdx.x].from = 0;
  out[threadIdx.x] = from + to; // want FP720
}
