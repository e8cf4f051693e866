using Barrier = cutlass::arch::ClusterBarrier;

__device__ bool poll(uint32_t bar, uint32_t parity) {
  uint32_t done;
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
      : "=r"(done) : "r"(bar), "r"(parity) : "memory");
  return done != 0;
}

__device__ void dropped(Barrier* full, uint32_t phase) {
  full->try_wait(phase);  // want FP110 "drops its result"
}

__device__ void dropped_by_wrapper(uint32_t bar, uint32_t phase) {
  poll(bar, phase);  // want FP110 "drops its result"
}

__device__ void retried(uint32_t bar, uint32_t phase) {
  while (!poll(bar, phase)) {
  }
}

__device__ void retried_in_the_body(Barrier* full, uint32_t phase) {
  for (;;) {
    if (full->try_wait(phase)) break;
  }
}

__device__ bool handed_back(Barrier* full, uint32_t phase) { return full->try_wait(phase); }
