// Two warp groups, told apart by their index: the first fills the tile, the second reads it behind the barrier.
// expect: holds
// small: -

constexpr int GROUP = 128;

__global__ void __launch_bounds__(2 * GROUP) hand_over(float* out, const float* in) {
  __shared__ float tile[GROUP];
  const int group = cutlass::canonical_warp_group_idx();
  const int lane = threadIdx.x % GROUP;
  if (group == 0) {
    tile[lane] = in[lane];
  }
  __syncthreads();
  if (group == 1) {
    out[lane] = tile[GROUP - 1 - lane];
  }
}

void launch(float* out, const float* in) { hand_over<<<1, 2 * GROUP>>>(out, in); }
