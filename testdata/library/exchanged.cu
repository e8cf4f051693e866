// Items change hands, are compared with their neighbours', and go back, in one room.
// expect: holds open=race-grid
// small: -

#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>

struct Step {
  __device__ int operator()(int a, int b) const { return a - b; }
};
struct Differ {
  __device__ bool operator()(int a, int b) const { return a != b; }
};

__global__ void __launch_bounds__(128) neighbours(const int* in, int* out) {
  using Exchange = cub::BlockExchange<int, 128, 4>;
  using Heads = cub::BlockDiscontinuity<int, 128>;
  using Steps = cub::BlockAdjacentDifference<int, 128>;
  __shared__ union {
    Exchange::TempStorage exchange;
    Heads::TempStorage heads;
    Steps::TempStorage steps;
  } s;
  int key[4], flags[4], steps[4];
  for (int i = 0; i < 4; i++) key[i] = in[blockIdx.x * 512 + threadIdx.x + 128 * i];
  Exchange(s.exchange).StripedToBlocked(key);
  __syncthreads();
  Heads(s.heads).FlagHeads(flags, key, Differ());
  __syncthreads();
  Steps(s.steps).SubtractLeft(key, steps, Step());
  __syncthreads();
  Exchange(s.exchange).BlockedToStriped(flags);
  for (int i = 0; i < 4; i++) out[blockIdx.x * 512 + threadIdx.x + 128 * i] = flags[i] + steps[i];
}
