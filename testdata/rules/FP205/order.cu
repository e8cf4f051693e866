// The helpers of a header that this file does not show are known by their names.
template <int N>
__global__ void tiles(float* out, int rows) {
  __shared__ alignas(128) float tile[2][1024];
  const bool leader = threadIdx.x == 0;
  auto put = [&](int step, int slot) {
    tile[slot][threadIdx.x] = float(step);
    __syncthreads();
    ptx::fence_proxy_async_shared_cta();  // want FP205 "writers of .tile."
    if (step < rows && leader) {
      ptx::cp_async_bulk_tensor_1d_shared_to_global(out + step * 1024, &tile[slot][0], 4096);
      ptx::cp_async_bulk_commit_group();
    }
  };
  for (int step = 0; step < N; ++step) {
    put(step, step & 1);
    ptx::cp_async_bulk_wait_group_read<0>();
    __syncthreads();
  }
}

__device__ void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// The right order.
__global__ void before(float* out) {
  __shared__ alignas(128) float tile[1024];
  tile[threadIdx.x] = 1.0f;
  proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor_1d_shared_to_global(out, tile, 4096);
    ptx::cp_async_bulk_commit_group();
  }
}

// The fence of the issuing thread alone is a decision, which the memory model grants.
__global__ void by_the_issuer(float* out) {
  __shared__ alignas(128) float tile[1024];
  tile[threadIdx.x] = 1.0f;
  __syncthreads();
  if (threadIdx.x == 0) {
    proxy_fence();
    ptx::cp_async_bulk_tensor_1d_shared_to_global(out, tile, 4096);
    ptx::cp_async_bulk_commit_group();
  }
}

// A second barrier behind the fence orders all of them before the copy.
__global__ void between_barriers(float* out) {
  __shared__ alignas(128) float tile[1024];
  tile[threadIdx.x] = 1.0f;
  __syncthreads();
  proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor_1d_shared_to_global(out, tile, 4096);
    ptx::cp_async_bulk_commit_group();
  }
}

// Fenced on both sides of the barrier: what the second is for is not this rule's business.
__global__ void twice(float* out) {
  __shared__ alignas(128) float tile[1024];
  tile[threadIdx.x] = 1.0f;
  proxy_fence();
  __syncthreads();
  proxy_fence();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor_1d_shared_to_global(out, tile, 4096);
    ptx::cp_async_bulk_commit_group();
  }
}

// The issuer wrote the buffer itself; the others only meet it.
__global__ void own_writes(float* out) {
  __shared__ alignas(128) float tile[1024];
  if (threadIdx.x == 0) {
    tile[0] = 1.0f;
  }
  __syncthreads();
  proxy_fence();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor_1d_shared_to_global(out, tile, 4096);
    ptx::cp_async_bulk_commit_group();
  }
}
