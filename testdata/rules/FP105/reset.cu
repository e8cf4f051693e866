using Barrier = cutlass::arch::ClusterBarrier;

__global__ void odd_trips(Barrier* full, int tiles) {
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    uint32_t phase = 0;  // want FP105 "restarts"
    for (int i = 0; i < 3; ++i) {
      if (threadIdx.x == 0) full->arrive();
      full->wait(phase);
      phase ^= 1;
    }
  }
}

__global__ void carried_over(Barrier* full, int tiles) {
  uint32_t phase = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    for (int i = 0; i < 3; ++i) {
      if (threadIdx.x == 0) full->arrive();
      full->wait(phase);
      phase ^= 1;
    }
  }
}

__global__ void barrier_of_the_tile(Barrier* full, int tiles) {
  for (int tile = 0; tile < tiles; ++tile) {
    Barrier* mine = full + tile;
    uint32_t phase = 0;
    for (int i = 0; i < 3; ++i) {
      if (threadIdx.x == 0) mine->arrive();
      mine->wait(phase);
      phase ^= 1;
    }
  }
}
