// The lanes of a warp fill a tile and meet, one sends it off.
// expect: silent
__global__ void warp_sends(float* out) {
  __shared__ alignas(128) float tile[32];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (warp == 1) {
    tile[lane] = 5.0f;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (lane == 0) {
      cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out, tile, 128);
      cuda::ptx::cp_async_bulk_commit_group();
      cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
    }
  }
}

void launch(float* out) { warp_sends<<<4, 128>>>(out); }
