// Lanes add up by ATen's names for the shuffles, warps in shared memory, row after row: nothing is between the reads of one row's sums and the writes of the next one's.
// expect: violated race
// small: -

#include <ATen/cuda/DeviceUtils.cuh>

__global__ void __launch_bounds__(128) weigh(const float* in, float* out, int rows) {
  __shared__ float sums[4];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float mine = in[row * 128 + threadIdx.x];
    for (int lanes = 16; lanes > 0; lanes /= 2) mine += WARP_SHFL_XOR(mine, lanes);
    if (WARP_BALLOT(mine > 0) != 0 && threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = mine;
    __syncthreads();
    float all = sums[0] + sums[1] + sums[2] + sums[3]; // want FP720
    out[row * 128 + threadIdx.x] = WARP_SHFL(mine, 0) / all + WARP_SHFL_UP(mine, 1) - WARP_SHFL_DOWN(mine, 1);
  }
}
