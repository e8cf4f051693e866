// Threads mend what is out of bounds, and count; who counts first says so. Nobody waits for the count, and what is mended is not read for it.
// expect: holds open=race,race-grid,order
// small: -
#include <cstdio>

__device__ __forceinline__ long long count(long long* at) { return (long long)atomicAdd((unsigned long long*)at, 1ull); }

__global__ void mend(long long* starts, long long* ends, long long* warnings, int rows, long long total) {
  for (int row = blockIdx.x * blockDim.y + threadIdx.y; row < rows; row += blockDim.y * gridDim.x) {
    auto start = starts[row];
    auto end = ends[row];
    if (start < 0 || start > end || end > total) {
      if (threadIdx.x == 0 && count(&warnings[0]) == 0) printf("row %d is out of bounds\n", row);
      start = max(0ll, min(start, total));
      end = max(start, min(end, total));
      if (threadIdx.x == 0) {
        starts[row] = start;
        ends[row] = end;
      }
    }
  }
}

void launch(long long* starts, long long* ends, long long* warnings, int rows, long long total) { mend<<<(rows + 31) / 32, dim3(32, 32)>>>(starts, ends, warnings, rows, total); }
