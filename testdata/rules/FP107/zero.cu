constexpr int kThreads = 64;
#define GROUPS (kThreads / 128)

__global__ void by_macro() {
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(&bar));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address), "r"(GROUPS));  // want FP107 "0 arrivals"
  }
}

template <int kCount>
__global__ void by_template() {
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(&bar));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address), "n"(kCount / 128));
  }
}
