// The barriers of CUTLASS as its documentation says what they do, written for this test: each method is the PTX that dialect's
// table takes it for.
#pragma once
#include <cstdint>

namespace cute {
inline __device__ uint32_t elect_one_sync() {
  uint32_t leader = 0;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(leader) : : "memory");
  return leader;
}
inline __device__ void tma_store_arrive() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int Left>
inline __device__ void tma_store_wait() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Left) : "memory"); }
inline __device__ void cluster_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
inline __device__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
inline __device__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
inline __device__ void cluster_sync() { cluster_arrive(); cluster_wait(); }
inline __device__ uint32_t block_rank_in_cluster() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
}  // namespace cute

namespace cutlass {
inline __device__ int canonical_warp_idx_sync() { return __shfl_sync(0xffffffff, threadIdx.x / 32, 0); }
inline __device__ int canonical_warp_idx() { return threadIdx.x / 32; }
inline __device__ int canonical_warp_group_idx() { return __shfl_sync(0xffffffff, threadIdx.x / 128, 0); }

namespace arch {
inline __device__ void fence_barrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
inline __device__ void fence_view_async_shared() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

enum class ReservedNamedBarriers : uint32_t { EpilogueBarrier = 1, TransposeBarrier, TransformBarrier, StreamkBarrier0, StreamkBarrier1, FirstUserBarrier };

struct NamedBarrier {
  static constexpr uint32_t reserved = 8;
  static __device__ void sync_internal(uint32_t threads, uint32_t id) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
  static __device__ void arrive_internal(uint32_t threads, uint32_t id) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
  static __device__ void sync(uint32_t threads, uint32_t id) { sync_internal(threads, id + reserved); }
  static __device__ void sync(uint32_t threads, ReservedNamedBarriers id) { sync_internal(threads, static_cast<uint32_t>(id)); }
  static __device__ void arrive(uint32_t threads, uint32_t id) { arrive_internal(threads, id + reserved); }
  static __device__ void arrive(uint32_t threads, ReservedNamedBarriers id) { arrive_internal(threads, static_cast<uint32_t>(id)); }
};

struct ClusterBarrier {
  using ValueType = uint64_t;
  ValueType word;
  static __device__ uint32_t place(const ValueType* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }

  static __device__ void init(const ValueType* at, uint32_t count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place(at)), "r"(count) : "memory"); }
  static __device__ void wait(const ValueType* at, uint32_t phase) {
    asm volatile(
        "{ .reg .pred done;\n"
        "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@done bra over;\n"
        "bra again;\n"
        "over: }" ::"r"(place(at)), "r"(phase) : "memory");
  }
  static __device__ bool try_wait(const ValueType* at, uint32_t phase) {
    uint32_t done;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(place(at)), "r"(phase) : "memory");
    return done != 0;
  }
  static __device__ bool test_wait(const ValueType* at, uint32_t phase, uint32_t asked = 1) {
    uint32_t done;
    asm volatile("{ .reg .pred p, q; setp.ne.u32 q, %3, 0; @q mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(place(at)), "r"(phase), "r"(asked) : "memory");
    return done != 0;
  }
  static __device__ void arrive(const ValueType* at) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place(at)) : "memory"); }
  static __device__ void arrive(const ValueType* at, uint32_t cta, uint32_t asked) {
    asm volatile(
        "{ .reg .pred p; .reg .b32 there; setp.eq.u32 p, %2, 1;\n"
        "@p mapa.shared::cluster.u32 there, %0, %1;\n"
        "@p mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(place(at)), "r"(cta), "r"(asked) : "memory");
  }

  __device__ void init(uint32_t count) const { init(&word, count); }
  __device__ void wait(uint32_t phase) const { wait(&word, phase); }
  __device__ bool try_wait(uint32_t phase) const { return try_wait(&word, phase); }
  __device__ bool test_wait(uint32_t phase, uint32_t asked = 1) const { return test_wait(&word, phase, asked); }
  __device__ void arrive() const { arrive(&word); }
  __device__ void arrive(uint32_t cta, uint32_t asked = 1) const { arrive(&word, cta, asked); }
};

struct ClusterTransactionBarrier : ClusterBarrier {
  static __device__ void arrive_and_expect_tx(const ValueType* at, uint32_t bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(at)), "r"(bytes) : "memory"); }
  static __device__ void expect_transaction(const ValueType* at, uint32_t bytes) { asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(place(at)), "r"(bytes) : "memory"); }
  __device__ void arrive_and_expect_tx(uint32_t bytes) const { arrive_and_expect_tx(&word, bytes); }
  __device__ void expect_transaction(uint32_t bytes) const { expect_transaction(&word, bytes); }
};

namespace detail {
template <class Full, class Empty, int Stages>
inline __device__ void initialize_barrier_array_pair_aligned(Full* full, Empty* empty, int producers, int consumers) {
  if (cute::elect_one_sync()) {
    for (int i = 0; i < Stages; ++i) {
      full[i].init(producers);
      empty[i].init(consumers);
    }
  }
}
}  // namespace detail
}  // namespace arch
}  // namespace cutlass
