// Two fields change places round after round, and all CTAs meet between: who comes last to the counter has all that others wrote before.
// expect: inconclusive
// small: -
struct Grid {
  unsigned* count;
  unsigned all;
  __device__ void meet() {
    all += gridDim.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(count, 1u);
      while (*(volatile unsigned*)count < all) {
      }
      __threadfence();
    }
    __syncthreads();
  }
};

__global__ void __launch_bounds__(128) smooth(float* a, float* b, int n, int rounds, unsigned* count) {
  Grid grid{count, 0};
  float *from = a, *to = b;
  for (int r = 0; r < rounds; r++) {
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
      __stcg(to + i, 0.5f * (__ldcg(from + i) + __ldcg(from + (i + 1 < n ? i + 1 : 0))));
    }
    grid.meet();
    float* other = from;
    from = to;
    to = other;
  }
}
