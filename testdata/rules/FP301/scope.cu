__device__ void explicit_cta(uint32_t bar, uint32_t cta) {
  asm volatile(
      "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1;"
      "  mbarrier.arrive.release.cta.shared::cluster.b64 _, [remote]; }" ::"r"(bar), "r"(cta) : "memory");  // want FP301 "scope .cta."
}

__device__ void absent(uint32_t bar, uint32_t cta) {
  asm volatile(
      "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1;"
      "  mbarrier.arrive.shared::cluster.b64 _, [remote]; }" ::"r"(bar), "r"(cta) : "memory");
}

__device__ void local(uint32_t bar) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}
