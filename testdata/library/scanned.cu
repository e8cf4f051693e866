// What a scan gives is not what stood there before: nobody returns for that.
// expect: holds
// small: -
#include <cub/cub.cuh>

__global__ void compact(const int* keep, int* out) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Scan::TempStorage temp;
  __shared__ int row[128];
  int t = threadIdx.x, before = -1, all = -1;
  Scan(temp).ExclusiveSum(keep[t] != 0, before, all);
  if (all < 0) return;
  row[t] = before;
  __syncthreads();
  out[t] = row[127 - t];
}

void launch(const int* keep, int* out) { compact<<<1, 128>>>(keep, out); }
