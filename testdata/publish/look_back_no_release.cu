// The flag may be seen before the sum.
// expect: stale
__global__ void look_back(float* sums, volatile int* state, float* out) {
  const int tile = blockIdx.x;
  if (threadIdx.x == 0) {
    sums[tile] = 1.0f * tile;
    state[tile] = 1;  // want FP304
    float before = 0.0f;
    for (int t = tile - 1; t >= 0; --t) {
      while (state[t] == 0) {
      }
      __threadfence();
      before += sums[t];
    }
    out[tile] = before;
  }
}
