// Constant phases in C++: methods, wrappers around inline PTX, and the exclusions.
using Barrier = cutlass::arch::ClusterTransactionBarrier;

__device__ __forceinline__ void wait_parity(uint32_t bar, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "AGAIN:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra READY;\n"
      "bra AGAIN;\n"
      "READY:\n"
      "}\n" ::"r"(bar), "r"(parity) : "memory");
}

__device__ __forceinline__ void arrive(uint32_t bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}

__global__ void by_wrapper(uint32_t full, int n) {
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == 0) arrive(full);
    wait_parity(full, 1);  // want FP101 "wait on .full. uses phase 1"
  }
}

__global__ void by_method(int n) {
  __shared__ Barrier full[4];
  int stage = 0;
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == 0) full[stage].arrive_and_expect_tx(1024);
    full[stage].wait(0);  // want FP101 "phase 0"
    if (++stage == 4) {
      stage = 0;
    }
  }
}

__global__ void spin_outside(uint32_t full) {
  if (threadIdx.x == 0) arrive(full);
  wait_parity(full, 0);
}

__global__ void address_moves(uint32_t full, int n) {
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == 0) arrive(full + i * 8);
    wait_parity(full + i * 8, 0);
  }
}

__global__ void one_iteration(uint32_t full) {
  for (int i = 0; i < 1; ++i) {
    if (threadIdx.x == 0) arrive(full);
    wait_parity(full, 0);
  }
}

__global__ void phase_flag(uint32_t full, int n) {
  bool first = true;
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == 0) arrive(full);
    if (first) {
      wait_parity(full, 0);
      first = false;
    }
  }
}
