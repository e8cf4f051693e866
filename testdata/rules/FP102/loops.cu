using Barrier = cutlass::arch::ClusterBarrier;

__device__ void wait_and_flip(Barrier* bar, uint32_t& phase) {
  bar->wait(phase);
  phase ^= 1;
}

__global__ void forgotten(Barrier* full, int n, uint32_t first) {
  uint32_t phase = first;
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == 0) full->arrive();
    full->wait(phase);  // want FP102 "never changes"
  }
}

__global__ void flipped_inside_the_wait(Barrier* full, int n, uint32_t first) {
  uint32_t phase = first;
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == 0) full->arrive();
    wait_and_flip(full, phase);
  }
}

__global__ void flipped_by_lambda(Barrier* full, int n, uint32_t first) {
  uint32_t phase = first;
  auto advance = [&]() { phase ^= 1; };
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == 0) full->arrive();
    full->wait(phase);
    advance();
  }
}

__global__ void flipped_in_the_header(Barrier* full, int n, uint32_t first) {
  uint32_t phase = first;
  for (int i = 0; i < n; ++i, phase ^= 1) {
    if (threadIdx.x == 0) full->arrive();
    full->wait(phase);
  }
}

// Each stage has a barrier of its own, and all of them are in the same phase.
__global__ void all_stages(Barrier* full, int n) {
  for (int tile = 0; tile < n; ++tile) {
    uint32_t phase = tile & 1;
    for (int stage = 0; stage < 4; ++stage) {
      if (threadIdx.x == 0) full[stage].arrive();
      full[stage].wait(phase);
    }
  }
}
