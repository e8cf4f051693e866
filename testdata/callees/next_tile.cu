// A scheduler hands out tiles until there are no more: what it returns on either way decides the loop. All threads meet in each round, before they read and before they write again.
// expect: holds open=race-grid
// small: -
struct Tiles {
  int round = -1;
  unsigned count;
  __device__ explicit Tiles(unsigned n) { count = n; }
  __device__ bool next(unsigned& tile) {
    const unsigned at = (++round) * gridDim.x + blockIdx.x;
    if (at >= count) return false;
    tile = at;
    return true;
  }
};

__global__ void __launch_bounds__(128) persistent(const float* in, float* out, unsigned n) {
  __shared__ float part[128];
  Tiles tiles(n);
  unsigned tile;
  while (tiles.next(tile)) {
    part[threadIdx.x] = in[tile * 128 + threadIdx.x];
    __syncthreads();
    out[tile * 128 + threadIdx.x] = part[threadIdx.x ^ 32];
    __syncthreads();
  }
}
