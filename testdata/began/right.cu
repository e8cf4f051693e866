// A CTA writes into its peer's shared memory once both have begun, which a barrier of the cluster shows.
// expect: holds open=race,race-grid
// small: -
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) swap(const float* a, float* b) {
  __shared__ float s[128];
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  float* peer = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  peer[threadIdx.x] = a[blockIdx.x * 128 + threadIdx.x];
  cluster.sync();
  b[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
}

void launch(const float* a, float* b) { swap<<<2, 128>>>(a, b); }
