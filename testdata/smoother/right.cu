// The smoother in CUDA C++: two CTAs of one cluster, inline PTX for the mbarrier, two halo slots in turn. Everything holds.
// expect: holds open=attribution,race,race-grid
// small: THREADS=4 ITERS=3
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

constexpr int THREADS = 128;
constexpr int ITERS = 30;

__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(THREADS) smooth(float* field) {
  __shared__ float cells[2][THREADS];
  __shared__ float halo[2];
  __shared__ uint64_t gate;
  const uint32_t rank = cluster_rank();
  const uint32_t other = 1 - rank;
  const int tid = threadIdx.x;
  const int edge = rank == 0 ? THREADS - 1 : 0;
  if (tid == 0) {
    gate_init(&gate, 2 * THREADS);
    publish_inits();
  }
  cells[0][tid] = field[rank * THREADS + tid];
  cluster_barrier();
  uint32_t phase = 0;
  for (int step = 0; step < ITERS; ++step) {
    const int now = step % 2;
    if (tid == edge) {
      in_peer(halo, other)[now] = cells[now][tid];
    }
    gate_arrive(&gate);
    gate_arrive_at(&gate, other);
    gate_wait(&gate, phase);
    phase ^= 1;
    float left, right;
    if (tid > 0) {
      left = cells[now][tid - 1];
    } else {
      left = rank == 1 ? halo[now] : cells[now][tid];
    }
    if (tid < THREADS - 1) {
      right = cells[now][tid + 1];
    } else {
      right = rank == 0 ? halo[now] : cells[now][tid];
    }
    cells[1 - now][tid] = (left + cells[now][tid] + right) / 3.0f;
  }
  cluster_barrier();
  field[rank * THREADS + tid] = cells[ITERS % 2][tid];
}
