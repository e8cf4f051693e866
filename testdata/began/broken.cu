// A CTA writes into its peer's shared memory, and nothing shows that the peer has begun.
// expect: holds open=lifetime,race,race-grid
// small: -
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) swap(const float* a, float* b) {
  __shared__ float s[128];
  cg::cluster_group cluster = cg::this_cluster();
  float* peer = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  peer[threadIdx.x] = a[blockIdx.x * 128 + threadIdx.x];
  cluster.sync();
  b[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
}

void launch(const float* a, float* b) { swap<<<2, 128>>>(a, b); }
