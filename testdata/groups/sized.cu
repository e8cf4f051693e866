// A tile whose size is an argument.
// expect: holds
// small: -
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void turn(const float* in, float* out) {
  __shared__ float part[128];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_group tile = cg::tiled_partition(block, 16);
  int from = block.thread_rank() / tile.size() * tile.size();
  part[block.thread_rank()] = in[block.thread_rank()];
  tile.sync();
  out[block.thread_rank()] = part[from + 15 - tile.thread_rank()];
}

void launch(const float* in, float* out) { turn<<<1, 128>>>(in, out); }
