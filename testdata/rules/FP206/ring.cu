constexpr int kSlots = 2;

// The wait frees the slot that is written next, and only its own thread waits. The barrier that all wait for says nothing
// of that: whoever arms it did so a round ago, before the wait.
__global__ void ring(float* out, const float* in) {
  __shared__ alignas(128) float tile[kSlots][256];
  __shared__ alignas(128) float staged[kSlots][256];
  __shared__ alignas(8) uint64_t full[9];
  const bool leader = threadIdx.x == 0;
  for (int t = 0; t < 8; ++t) {
    const int slot = t % kSlots;
    const int next = t + 1;
    if (next < 8) {
      load_rows(staged[next % kSlots], in + next * 256, &full[next], leader);
    }
    ptx::mbarrier_wait_parity(&full[t], 0);
    tile[slot][threadIdx.x] = 2.0f * staged[slot][threadIdx.x];
    ptx::fence_proxy_async_shared_cta();
    __syncthreads();
    if (leader) {
      ptx::cp_async_bulk_tensor_1d_shared_to_global(out + t * 256, &tile[slot][0], 1024);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read<kSlots - 1>();  // want FP206 "tile"
    }
  }
}

// The leader arms the barrier of this very round: who waits for it has met the leader behind its wait.
__global__ void armed_in_this_round(float* out, const float* in) {
  __shared__ alignas(128) float tile[kSlots][256];
  __shared__ alignas(8) uint64_t full[8];
  const bool leader = threadIdx.x == 0;
  for (int t = 0; t < 8; ++t) {
    const int slot = t % kSlots;
    load_rows(tile[slot], in + t * 256, &full[t], leader);
    ptx::mbarrier_wait_parity(&full[t], 0);
    tile[slot][threadIdx.x] *= 2.0f;
    ptx::fence_proxy_async_shared_cta();
    __syncthreads();
    if (leader) {
      ptx::cp_async_bulk_tensor_1d_shared_to_global(out + t * 256, &tile[slot][0], 1024);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read<kSlots - 1>();
    }
  }
}

// One slot is spare: the slot written next was freed a round ago, and a barrier came since.
__global__ void spare_slot(float* out) {
  __shared__ alignas(128) float tile[3][256];
  const bool leader = threadIdx.x == 0;
  for (int t = 0; t < 8; ++t) {
    const int slot = t % 3;
    tile[slot][threadIdx.x] = float(t);
    ptx::fence_proxy_async_shared_cta();
    __syncthreads();
    if (leader) {
      ptx::cp_async_bulk_tensor_1d_shared_to_global(out + t * 256, &tile[slot][0], 1024);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read<1>();
    }
  }
}

// The barrier stands behind the wait, if only where there is a next round.
__global__ void handed_on(float* out) {
  __shared__ alignas(128) float tile[kSlots][256];
  const bool leader = threadIdx.x == 0;
  for (int t = 0; t < 8; ++t) {
    const int slot = t % kSlots;
    tile[slot][threadIdx.x] = float(t);
    ptx::fence_proxy_async_shared_cta();
    __syncthreads();
    if (leader) {
      ptx::cp_async_bulk_tensor_1d_shared_to_global(out + t * 256, &tile[slot][0], 1024);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read<kSlots - 1>();
    }
    if (t + 1 < 8) {
      __syncthreads();
    }
  }
}
