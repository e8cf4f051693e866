// What copies the tile, and what waits for it and for the readers, is not here: one thread alone waits before it copies again.
// expect: inconclusive
// small: -
template <typename Ring>
__global__ void __launch_bounds__(128) rows(Ring ring, const float* in, float* out) {
  __shared__ float tile[128];
  for (int row = 0; row < 4; row++) {
    if (threadIdx.x == 0) {
      ring.acquire();
      bring(tile, in, row);
      ring.commit();
    }
    ring.await();
    out[row * 128 + threadIdx.x] = tile[threadIdx.x];
    ring.release();
  }
}
