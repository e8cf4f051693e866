// A tile whose size is an argument is met where other tiles wrote.
// expect: violated race
// small: -
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void turn(const float* in, float* out) {
  __shared__ float part[128];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_group tile = cg::tiled_partition(block, 16);
  part[block.thread_rank()] = in[block.thread_rank()];  // want FP720
  tile.sync();
  out[block.thread_rank()] = part[127 - block.thread_rank()];
}

void launch(const float* in, float* out) { turn<<<1, 128>>>(in, out); }
