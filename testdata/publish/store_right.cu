// All threads fill a tile, one sends it off with a bulk copy.
// expect: silent
__global__ void send_tile(float* out) {
  __shared__ alignas(128) float tile[256];
  tile[threadIdx.x] = 5.0f;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out, tile, 1024);
    cuda::ptx::cp_async_bulk_commit_group();
    cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
  }
}
