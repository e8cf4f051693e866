// Two stages by pointers; a matrix load reads them.
__global__ void ping_pong(float* out, const float* in, int tiles) {
  extern __shared__ alignas(128) char bytes[];
  float* first = reinterpret_cast<float*>(bytes);
  float* second = reinterpret_cast<float*>(bytes + 1024);
  float* stages[2] = {first, second};
  uint64_t* full = reinterpret_cast<uint64_t*>(bytes + 2048);
  uint32_t a, b, c, d;
  for (int t = 0; t < tiles; ++t) {
    const int next = t + 1;
    if (next < tiles) {
      copy_1d_to_shared(stages[next % 2], in + next * 256, 1024, &full[next], threadIdx.x == 0);
    }
    ptx::fence_proxy_async_shared_cta();  // want FP207 "ahead of the reads"
    ptx::mbarrier_wait_parity(&full[t], 0);
    float* here = stages[t % 2];
    ldmatrix_x4(a, b, c, d, here + threadIdx.x * 4);
    __syncthreads();
  }
}

// A fence on the way back as well.
__global__ void both_ways(float* out, const float* in, int tiles) {
  __shared__ alignas(128) float stage[2][256];
  __shared__ alignas(8) uint64_t full[64];
  float sum = 0.0f;
  for (int t = 0; t < tiles; ++t) {
    copy_1d_to_shared(stage[(t + 1) % 2], in + t * 256, 1024, &full[t + 1], threadIdx.x == 0);
    ptx::fence_proxy_async_shared_cta();
    ptx::mbarrier_wait_parity(&full[t], 0);
    sum += stage[t % 2][threadIdx.x];
    ptx::fence_proxy_async_shared_cta();
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// No fence at all: contested, and not this rule's business.
__global__ void none(float* out, const float* in, int tiles) {
  __shared__ alignas(128) float stage[2][256];
  __shared__ alignas(8) uint64_t full[64];
  float sum = 0.0f;
  for (int t = 0; t < tiles; ++t) {
    copy_1d_to_shared(stage[(t + 1) % 2], in + t * 256, 1024, &full[t + 1], threadIdx.x == 0);
    ptx::mbarrier_wait_parity(&full[t], 0);
    sum += stage[t % 2][threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// Written and stored by a bulk copy in the same loop: the second fence orders the reads too, the first is for the store.
__global__ void stored(float* out, const float* in, int tiles) {
  __shared__ alignas(128) float stage[2][256];
  __shared__ alignas(128) float result[256];
  __shared__ alignas(8) uint64_t full[64];
  for (int t = 0; t < tiles; ++t) {
    copy_1d_to_shared(stage[(t + 1) % 2], in + t * 256, 1024, &full[t + 1], threadIdx.x == 0);
    result[threadIdx.x] = float(t);
    ptx::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk_tensor_1d_shared_to_global(out, result, 1024);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read<0>();
    }
    ptx::mbarrier_wait_parity(&full[t], 0);
    float x = stage[t % 2][threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = x;
  }
}
