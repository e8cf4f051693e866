// Lanes with one key exchange values, whichever they are: that orders no memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void __launch_bounds__(128) peers(const int* in, int* out) {
  __shared__ int tile[128];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int key = in[threadIdx.x];
  tile[threadIdx.x] = key;
  auto group = cg::labeled_partition(warp, key);
  int sum = cg::reduce(group, key, cg::plus<int>());
  sum += cg::coalesced_threads().shfl(key, 0);
  out[threadIdx.x] = tile[127 - threadIdx.x] + sum;  // want FP720 "reads tile[64]"
}

__global__ void __launch_bounds__(128) peers_waiting(const int* in, int* out) {
  __shared__ int tile[128];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int key = in[threadIdx.x];
  tile[threadIdx.x] = key;
  auto group = cg::labeled_partition(warp, key);
  int sum = cg::reduce(group, key, cg::plus<int>());
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x] + sum;
}

// The lanes that are there may wait for each other: which these are is not followed.
__global__ void __launch_bounds__(32) peers_syncing(const int* in, int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = in[threadIdx.x];
  cg::coalesced_threads().sync();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}
