// Warps keep what they find, each in rows of its own; how many lanes a warp has, a header says that is not here.
// expect: inconclusive
// small: -

#include "lanes.h"

__global__ void tally(device::table rows, int* out, int limit) {
  __shared__ int counts[8];
  __shared__ int kept[8][128];
  int warp = threadIdx.x / device::lanes, lane = threadIdx.x % device::lanes;
  if (lane == 0) counts[warp] = 0;
  __syncwarp();
  int mine = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned active = __ballot_sync(0xffffffff, mine < rows.size());
  auto test = device::tester(rows);
  if (mine < rows.size()) {
    for (int row = 0; row < rows.size(); ++row) {
      device::result found;
      test.evaluate(found, mine, row);
      if (found.value()) kept[warp][atomicAdd(&counts[warp], 1)] = row;
      __syncwarp(active);
      bool full = counts[warp] + 32 >= 128;
      unsigned together = __ballot_sync(active, full);
      if (full) {
        for (int i = lane; i < counts[warp]; i += 32) out[atomicAdd(out, 1)] = kept[warp][i];
        __syncwarp(together);
        if (lane == 0) counts[warp] = 0;
      }
      __syncwarp(active);
    }
  }
}
