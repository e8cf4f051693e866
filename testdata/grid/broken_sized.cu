// A template's argument says how many CTAs a cluster has: they do not meet before the first one reads what they have.
// expect: violated race
// small: -
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <int Size>
__global__ void __cluster_dims__(Size, 1, 1) totals(const int* in, int* out) {
  __shared__ int total;
  auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) total = in[blockIdx.x];  // want FP720
  __syncthreads();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    int all = 0;
    for (int r = 0; r < Size; ++r) all += *cluster.map_shared_rank(&total, r);
    out[blockIdx.x / Size] = all;
  }
  cluster.sync();
}

void run(const int* in, int* out) { totals<4><<<16, 32>>>(in, out); }
