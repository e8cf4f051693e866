// As sweeps.cu, but the thread that counts its CTA does not wait for the others of it.
// expect: violated order
// small: -
struct Grid {
  unsigned* count;
  unsigned all;
  __device__ void meet() {
    all += gridDim.x;
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
    grid.meet();  // want FP305
    float* other = from;
    from = to;
    to = other;
  }
}
