// How many threads there are stands in a file that is not there: the count of a block is changed before all have read the last one.
// expect: violated race
// small: -

#include <cub/block/block_scan.cuh>
#include "threads_of.h"

__global__ void packed(const int* in, int* out, int* ends, int n) {
  using Scan = cub::BlockScan<int, kThreadsOf>;
  __shared__ Scan::TempStorage room;
  __shared__ int found;
  int from = 0;
  for (int i = threadIdx.x; i < n + threadIdx.x; i += kThreadsOf) {
    int mine = i < n && in[i] > 0, at = mine;
    if (threadIdx.x == kThreadsOf - 1) found = mine;
    Scan(room).ExclusiveSum(at, at);
    if (mine) out[from + at] = i;
    if (threadIdx.x == kThreadsOf - 1) found += at;
    __syncthreads();
    from += found;
  }
  if (threadIdx.x == 0) ends[blockIdx.x] = from;
}
