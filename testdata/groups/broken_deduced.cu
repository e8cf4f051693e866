// How many lanes a tile has, a function has from the tile that it is given; nothing orders its lanes.
// expect: violated race
// small: -
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <unsigned N, typename Of>
__device__ float next_of(const cg::thread_block_tile<N, Of>& tile, float* row, float x) {
  row[tile.thread_rank()] = x;
  return row[(tile.thread_rank() + 1) % N];
}

__global__ void turned(const float* in, float* out) {
  __shared__ float rows[8][16];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  out[threadIdx.x] = next_of(tile, rows[tile.meta_group_rank()], in[threadIdx.x]);
}

void run(const float* in, float* out) { turned<<<1, 128>>>(in, out); }
