// The room of a scan is used again for a sum before all threads have read what others put there.
// expect: violated race
// small: -

#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <thrust/functional.h>

__global__ void __launch_bounds__(128) summed(int* keys, float* values) {
  using Sort = cub::BlockRadixSort<int, 128, 4, float>;
  using Scan = cub::BlockScan<int, 128>;
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ union {
    Sort::TempStorage sort;
    Scan::TempStorage scan;
    Reduce::TempStorage reduce;
  } s;
  int key[4], all;
  float value[4];
  for (int i = 0; i < 4; i++) {
    key[i] = keys[threadIdx.x * 4 + i];
    value[i] = values[threadIdx.x * 4 + i];
  }
  Sort(s.sort).Sort(key, value, 0, 8);
  __syncthreads();
  Scan(s.scan).InclusiveScan(key, key, thrust::maximum<int>());
  __syncthreads();
  Scan(s.scan).ExclusiveScan(key, key, 0, thrust::plus<int>(), all);
  __syncthreads();
  Scan(s.scan).ExclusiveSum<4>(key, key);
  float sum = Reduce(s.reduce).Sum<4>(value); // want FP720
  if (threadIdx.x == 0) values[512] = sum;
  for (int i = 0; i < 4; i++) keys[threadIdx.x * 4 + i] = key[i] + all;
}
