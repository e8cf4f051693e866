// Lanes of a tile go round a loop, each on by as much: as long as the first of the warp has work, or as long as each has some itself.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void of_warps(const int* in, int* out, long n) {
  auto const warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = threadIdx.x % 32;
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  while (i - lane < n) {
    int v = 0;
    if (i < n) v = in[i];
    if (i - lane < n) v = cg::reduce(warp, v, cg::plus<int>());
    if (lane == 0) atomicAdd(out, v);
    i += gridDim.x * blockDim.x;
  }
}

__global__ void of_lanes(const int* in, int* out, long n) {
  auto const warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = threadIdx.x % 32;
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  while (i < n) {
    int v = cg::reduce(warp, in[i], cg::plus<int>());  // want FP412 "leave the loop earlier than others"
    if (lane == 0) atomicAdd(out, v);
    i += gridDim.x * blockDim.x;
  }
}
