// The relay of CTAs in CUDA C++.
// expect: holds open=race,race-grid
// small: CTAS=3 THREADS=2 LAPS=2
#include <cstdint>

__device__ __forceinline__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ void gate_init(uint64_t* gate, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(gate)), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void publish_inits() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void gate_arrive(uint64_t* gate) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(gate)) : "memory");
}

__device__ __forceinline__ void gate_arrive_at(uint64_t* gate, uint32_t rank) {
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n"
      "}\n" ::"r"(shared_address(gate)), "r"(rank) : "memory");
}

__device__ __forceinline__ void gate_wait(uint64_t* gate, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\n"
      "bra again;\n"
      "over:\n"
      "}\n" ::"r"(shared_address(gate)), "r"(parity) : "memory");
}

__device__ __forceinline__ uint32_t cluster_rank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ float* in_peer(float* p, uint32_t rank) {
  float* q;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(q) : "l"(p), "r"(rank));
  return q;
}

constexpr int CTAS = 4;
constexpr int THREADS = 64;
constexpr int LAPS = 3;

__global__ void __cluster_dims__(CTAS, 1, 1) __launch_bounds__(THREADS) relay(float* out) {
  __shared__ uint64_t turn;
  __shared__ float parcel[1];
  const uint32_t rank = cluster_rank();
  const uint32_t after = (rank + 1) % CTAS;
  if (threadIdx.x == 0) {
    gate_init(&turn, 1);
    publish_inits();
  }
  cluster_barrier();
  if (threadIdx.x == 0) {
    uint32_t phase = 0;
    for (int lap = 0; lap < LAPS; ++lap) {
      if (rank > 0 || lap > 0) {
        gate_wait(&turn, phase);
        phase ^= 1;
      }
      const float load = parcel[0];
      if (rank < CTAS - 1 || lap < LAPS - 1) {
        in_peer(parcel, after)[0] = load;
        gate_arrive_at(&turn, after);
      }
    }
  }
  cluster_barrier();
  out[rank * THREADS + threadIdx.x] = parcel[0];
}
