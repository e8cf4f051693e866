// Each warp takes tickets until there are none: that loop waits for nobody. Lanes meet between what they write and what they read, and before they write again.
// expect: inconclusive
// small: -

__device__ int next;

__global__ void __launch_bounds__(128) reversed(const float* in, float* out, int n) {
  __shared__ float s[4][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  while (true) {
    int i = 0;
    if (lane == 0) i = atomicAdd(&next, 1);
    i = __shfl_sync(0xffffffff, i, 0);
    if (i >= n) break;
    s[warp][lane] = in[i * 32 + lane];
    __syncwarp();
    out[i * 32 + lane] = s[warp][31 - lane];
    __syncwarp();
  }
}
