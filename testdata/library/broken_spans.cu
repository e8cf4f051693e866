// A tile is a span of shared memory, whose length is a number of a type with a name of its own; one lane of each warp reads what others write at once.
// expect: violated race
// small: -

#include <cooperative_groups.h>

#include <cuda/std/span>

namespace cg = cooperative_groups;
using size_type = int;

struct Tile {
  static constexpr size_type length{128};
  static constexpr size_type lanes{32};
};

__device__ void put(cuda::std::span<float> tile, size_type at, float v) { tile[at] = v; } // want FP720

__global__ void __launch_bounds__(128) shown(const float* in, float* out) {
  constexpr size_type length{Tile::length};
  __shared__ float s[length];
  __shared__ float first[length / Tile::lanes];
  auto const warp = cg::tiled_partition<Tile::lanes>(cg::this_thread_block());
  size_type const t{static_cast<size_type>(threadIdx.x)};
  cuda::std::span<float> tile(s, length);
  put(tile, t, in[t]);
  cg::invoke_one(warp, [&]() { first[warp.meta_group_rank()] = tile[warp.meta_group_rank() * 32 + 7]; });
  __syncthreads();
  out[t] = tile.subspan(0, length)[127 - t] + first[3 - warp.meta_group_rank()];
}
