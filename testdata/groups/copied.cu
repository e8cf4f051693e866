// The threads of a group copy a tile together and wait for it together: cooperative groups by a name of the file's own.
// expect: holds open=race-grid
// small: -
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace team {
using cooperative_groups::this_thread_block;
}
__global__ void __launch_bounds__(128) copied(const int* in, int* out) {
  __shared__ int tile[128];
  auto block = team::this_thread_block();
  cooperative_groups::memcpy_async(block, tile, in + blockIdx.x * 128, sizeof(int) * 128);
  cooperative_groups::wait(block);
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}
