// The CUDA ring whose consumers take the parity from the iteration instead of from the lap: the second wait passes on a
// stage that is not filled, and later ones hang.
// expect: violated deadlock
// small: STAGES=2 CONSUMERS=1 THREADS=64
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

__device__ __forceinline__ void gate_expect(uint64_t* gate, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(gate)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void fetch(float* to, const float* from, uint32_t bytes, uint64_t* gate) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(gate))
               : "memory");
}

constexpr int STAGES = 4;
constexpr int TILE = 64;
constexpr int CONSUMERS = 2;
constexpr int THREADS = 32 * (CONSUMERS + 1);

__global__ void __launch_bounds__(THREADS) stream(const float* source, float* out, int k_tiles) {
  __shared__ float tiles[STAGES][TILE];
  __shared__ uint64_t full[STAGES];
  __shared__ uint64_t empty[STAGES];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      gate_init(&full[s], 1);
      gate_init(&empty[s], CONSUMERS);
    }
    publish_inits();
  }
  __syncthreads();
  if (warp == 0) {
    if (lane == 0) {
      for (int k = 0; k < k_tiles; ++k) {
        const int s = k % STAGES;
        const uint32_t turn = (k / STAGES) & 1;
        gate_wait(&empty[s], turn ^ 1);
        gate_expect(&full[s], TILE * sizeof(float));
        fetch(tiles[s], source + k * TILE, TILE * sizeof(float), &full[s]);
      }
    }
  } else {
    float total = 0.0f;
    for (int k = 0; k < k_tiles; ++k) {
      const int s = k % STAGES;
      gate_wait(&full[s], k & 1);
      total += tiles[s][lane] + tiles[s][lane + 32];
      __syncwarp();
      if (lane == 0) {
        gate_arrive(&empty[s]);
      }
    }
    out[threadIdx.x] = total;
  }
}
