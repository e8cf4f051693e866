// A pointer leads to the tile or to the caller's table, which others still fill.
// expect: violated race
// small: -
__global__ void __launch_bounds__(64) choose(const int* table, int* out, int own) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x * 3;
  const int* from = own ? tile : table;
  out[blockIdx.x * 64 + threadIdx.x] = from[63 - threadIdx.x];
}
