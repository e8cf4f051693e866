// All words go to the first CTA; the second does with its own what it likes.
// expect: holds open=race,race-grid
// small: -
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int OWN = 16;

__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(96) owners(const unsigned* words, unsigned* most, int n) {
  __shared__ unsigned greatest[OWN];
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < OWN) greatest[threadIdx.x] = 0;
  cluster.sync();
  for (int i = blockIdx.x * 96 + threadIdx.x; i < n; i += gridDim.x * 96) {
    const unsigned word = words[i], owner = 0;
    atomicMax(&cluster.map_shared_rank(greatest, owner)[word / 4 % OWN], word);
  }
  if (cluster.block_rank() == 1 && threadIdx.x < OWN) greatest[threadIdx.x] = n;
  cluster.sync();
  if (threadIdx.x < OWN) atomicMax(&most[cluster.block_rank() * OWN + threadIdx.x], greatest[threadIdx.x]);
}

void run(const unsigned* words, unsigned* most, int n) { owners<<<16, 96>>>(words, most, n); }
