using Barrier = cutlass::arch::ClusterBarrier;

__global__ void swapped(Barrier* full, Barrier* empty, int n) {
  int warp = threadIdx.x / 32;
  uint32_t phase = 0;
  if (warp == 0) {
    for (int i = 0; i < n; ++i) {
      empty->wait(phase);  // want FP104 "first wait on .empty. is for phase 0"
      full->arrive();
      phase ^= 1;
    }
  } else if (warp == 1) {
    for (int i = 0; i < n; ++i) {
      full->wait(phase);
      empty->arrive();
      phase ^= 1;
    }
  }
}

__global__ void right(Barrier* full, Barrier* empty, int n) {
  int warp = threadIdx.x / 32;
  uint32_t phase = 0;
  if (warp == 0) {
    for (int i = 0; i < n; ++i) {
      empty->wait(phase ^ 1);
      full->arrive();
      phase ^= 1;
    }
  } else if (warp == 1) {
    for (int i = 0; i < n; ++i) {
      full->wait(phase);
      empty->arrive();
      phase ^= 1;
    }
  }
}
