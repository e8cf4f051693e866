// What functions and classes of CUTLASS and CuTe do to synchronize, for trees that have them as a submodule that is not there. Each is the instruction of PTX that its name and
// its documentation say, and no more: what only computes is not here but for what says how often loops go round (quotients, rounded up), nor are layouts.

// cutlass/cutlass.h and cute/config.hpp of CUTLASS 3.5: where their functions run.
#define CUTLASS_DEVICE __forceinline__ __device__
#define CUTLASS_HOST_DEVICE __forceinline__ __device__ __host__
#define CUTE_DEVICE __forceinline__ __device__
#define CUTE_HOST_DEVICE __forceinline__ __device__ __host__

namespace cute {

template <typename A, typename B> __device__ auto ceil_div(A a, B b) { return (a + b - 1) / b; }
template <typename A, typename B> __device__ auto round_up(A a, B b) { return (a + b - 1) / b * b; }

__device__ uint32_t cast_smem_ptr_to_uint(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ uint32_t elect_one_sync() {
  uint32_t chosen;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 %0, 1, 0, p; }" : "=r"(chosen));
  return chosen;
}

__device__ void cluster_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
__device__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
__device__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
__device__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ uint32_t block_rank_in_cluster() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ uint32_t set_block_rank(uint32_t address, uint32_t rank) {
  uint32_t there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

__device__ void initialize_barrier(uint64_t& barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&barrier))), "r"(count) : "memory");
}

__device__ void set_barrier_transaction_bytes(uint64_t& barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&barrier))), "r"(bytes) : "memory");
}

__device__ void arrive_barrier(uint64_t& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&barrier))) : "memory");
}

__device__ void wait_barrier(uint64_t& barrier, int phase) {
  asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&barrier))), "r"(phase)
               : "memory");
}

__device__ void cp_async_fence() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N>
__device__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

__device__ void tma_store_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void tma_store_arrive() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N>
__device__ void tma_store_wait() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

__device__ void warpgroup_arrive() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void warpgroup_commit_batch() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N>
__device__ void warpgroup_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

template <typename T>
__device__ void prefetch_tma_descriptor(const T* descriptor) {}
template <typename T>
__device__ void warpgroup_fence_operand(T& operand) {}

struct SM90_TMA_LOAD_1D {
  static __device__ void copy(const void* map, uint64_t* barrier, uint64_t hint, void* to, int x) {
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(reinterpret_cast<uint64_t>(map)), "r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))), "r"(x)
                 : "memory");
  }
};
struct SM90_TMA_LOAD_2D {
  static __device__ void copy(const void* map, uint64_t* barrier, uint64_t hint, void* to, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(reinterpret_cast<uint64_t>(map)), "r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))), "r"(x), "r"(y)
                 : "memory");
  }
};
struct SM90_TMA_LOAD_3D {
  static __device__ void copy(const void* map, uint64_t* barrier, uint64_t hint, void* to, int x, int y, int z) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(
                     static_cast<uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(reinterpret_cast<uint64_t>(map)), "r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))), "r"(x), "r"(y), "r"(z)
                 : "memory");
  }
};
struct SM90_TMA_LOAD_4D {
  static __device__ void copy(const void* map, uint64_t* barrier, uint64_t hint, void* to, int x, int y, int z, int w) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(
                     static_cast<uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(reinterpret_cast<uint64_t>(map)), "r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))), "r"(x), "r"(y), "r"(z), "r"(w)
                 : "memory");
  }
};
struct SM90_TMA_LOAD {
  static __device__ void copy(const void* map, uint64_t* barrier, uint64_t hint, void* to, int x) { cute::SM90_TMA_LOAD_1D::copy(map, barrier, hint, to, x); }
  static __device__ void copy(const void* map, uint64_t* barrier, uint64_t hint, void* to, int x, int y) { cute::SM90_TMA_LOAD_2D::copy(map, barrier, hint, to, x, y); }
  static __device__ void copy(const void* map, uint64_t* barrier, uint64_t hint, void* to, int x, int y, int z) { cute::SM90_TMA_LOAD_3D::copy(map, barrier, hint, to, x, y, z); }
  static __device__ void copy(const void* map, uint64_t* barrier, uint64_t hint, void* to, int x, int y, int z, int w) {
    cute::SM90_TMA_LOAD_4D::copy(map, barrier, hint, to, x, y, z, w);
  }
};
struct SM90_TMA_LOAD_MULTICAST_2D {
  static __device__ void copy(const void* map, uint64_t* barrier, uint16_t mask, uint64_t hint, void* to, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%4, %5}], [%2], %3;" ::"r"(
                     static_cast<uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(reinterpret_cast<uint64_t>(map)), "r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))), "h"(mask), "r"(x), "r"(y)
                 : "memory");
  }
};
struct SM90_TMA_LOAD_MULTICAST_3D {
  static __device__ void copy(const void* map, uint64_t* barrier, uint16_t mask, uint64_t hint, void* to, int x, int y, int z) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%4, %5, %6}], [%2], %3;" ::"r"(
                     static_cast<uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(reinterpret_cast<uint64_t>(map)), "r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))), "h"(mask), "r"(x), "r"(y), "r"(z)
                 : "memory");
  }
};
struct SM90_TMA_STORE_1D {
  static __device__ void copy(const void* map, const void* from, int x) {
    asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%0, {%2}], [%1];" ::"l"(reinterpret_cast<uint64_t>(map)), "r"(static_cast<uint32_t>(__cvta_generic_to_shared(from))),
                 "r"(x)
                 : "memory");
  }
};
struct SM90_TMA_STORE_2D {
  static __device__ void copy(const void* map, const void* from, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(reinterpret_cast<uint64_t>(map)),
                 "r"(static_cast<uint32_t>(__cvta_generic_to_shared(from))), "r"(x), "r"(y)
                 : "memory");
  }
};
struct SM90_TMA_STORE_3D {
  static __device__ void copy(const void* map, const void* from, int x, int y, int z) {
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(reinterpret_cast<uint64_t>(map)),
                 "r"(static_cast<uint32_t>(__cvta_generic_to_shared(from))), "r"(x), "r"(y), "r"(z)
                 : "memory");
  }
};
struct SM90_TMA_STORE {
  static __device__ void copy(const void* map, const void* from, int x) { cute::SM90_TMA_STORE_1D::copy(map, from, x); }
  static __device__ void copy(const void* map, const void* from, int x, int y) { cute::SM90_TMA_STORE_2D::copy(map, from, x, y); }
  static __device__ void copy(const void* map, const void* from, int x, int y, int z) { cute::SM90_TMA_STORE_3D::copy(map, from, x, y, z); }
};
struct SM90_BULK_COPY_G2S {
  static __device__ void copy(const void* from, uint64_t* barrier, void* to, int bytes) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(from), "r"(bytes), "r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier)))
                 : "memory");
  }
};
struct SM90_BULK_COPY_S2G {
  static __device__ void copy(const void* from, void* to, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(static_cast<uint32_t>(__cvta_generic_to_shared(from))), "r"(bytes) : "memory");
  }
};

}  // namespace cute

namespace cutlass {

template <typename A, typename B> __device__ auto ceil_div(A a, B b) { return (a + b - 1) / b; }
template <typename A, typename B> __device__ auto round_up(A a, B b) { return (a + b - 1) / b * b; }

__device__ int canonical_lane_idx() { return threadIdx.x % 32; }
__device__ int canonical_warp_idx() { return threadIdx.x / 32; }
__device__ int canonical_warp_idx_sync() { return __shfl_sync(0xffffffff, threadIdx.x / 32, 0); }
__device__ int canonical_warp_group_idx() { return __shfl_sync(0xffffffff, threadIdx.x / 128, 0); }

// Numbers of formats, for their sizes.
struct half_t { uint16_t storage; };
struct bfloat16_t { uint16_t storage; };
struct tfloat32_t { uint32_t storage; };
struct float_e4m3_t { uint8_t storage; };
struct float_e5m2_t { uint8_t storage; };
struct float_ue8m0_t { uint8_t storage; };

namespace arch {

struct ClusterBarrier {
  uint64_t barrier_;

  static __device__ void init(const uint64_t* barrier, uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))), "r"(count) : "memory");
  }
  static __device__ void wait(const uint64_t* barrier, uint32_t phase) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))), "r"(phase)
                 : "memory");
  }
  static __device__ bool try_wait(const uint64_t* barrier, uint32_t phase) {
    uint32_t over;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(over) : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))), "r"(phase)
                 : "memory");
    return over != 0;
  }
  static __device__ bool test_wait(const uint64_t* barrier, uint32_t phase, uint32_t asked) {
    uint32_t over = 0;
    if (asked) {
      asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(over) : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))), "r"(phase)
                   : "memory");
    }
    return over != 0;
  }
  static __device__ void arrive(const uint64_t* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))) : "memory");
  }
  static __device__ void arrive(const uint64_t* barrier, uint32_t cta, uint32_t asked) {
    if (asked) {
      asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))), "r"(cta)
                   : "memory");
    }
  }
  static __device__ void invalidate(const uint64_t* barrier) {
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))) : "memory");
  }
  __device__ void init(uint32_t count) const { cutlass::arch::ClusterBarrier::init(&this->barrier_, count); }
  __device__ void wait(uint32_t phase) const { cutlass::arch::ClusterBarrier::wait(&this->barrier_, phase); }
  __device__ bool try_wait(uint32_t phase) const { return cutlass::arch::ClusterBarrier::try_wait(&this->barrier_, phase); }
  __device__ bool test_wait(uint32_t phase, uint32_t asked = 1) const { return cutlass::arch::ClusterBarrier::test_wait(&this->barrier_, phase, asked); }
  __device__ void arrive() const { cutlass::arch::ClusterBarrier::arrive(&this->barrier_); }
  __device__ void arrive(uint32_t cta, uint32_t asked = 1) const { cutlass::arch::ClusterBarrier::arrive(&this->barrier_, cta, asked); }
};

struct ClusterTransactionBarrier : public cutlass::arch::ClusterBarrier {
  static __device__ void arrive_and_expect_tx(const uint64_t* barrier, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))), "r"(bytes) : "memory");
  }
  static __device__ void arrive_and_expect_tx(const uint64_t* barrier, uint32_t bytes, uint32_t cta, uint32_t asked) {
    if (asked) {
      asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.expect_tx.shared::cluster.b64 _, [there], %2; }" ::"r"(
                       static_cast<uint32_t>(__cvta_generic_to_shared(barrier))),
                   "r"(cta), "r"(bytes)
                   : "memory");
    }
  }
  static __device__ void expect_transaction(const uint64_t* barrier, uint32_t bytes) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))), "r"(bytes) : "memory");
  }
  static __device__ void complete_transaction(const uint64_t* barrier, uint32_t cta, uint32_t bytes, uint32_t asked = 1) {
    if (asked) {
      asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [there], %2; }" ::"r"(
                       static_cast<uint32_t>(__cvta_generic_to_shared(barrier))),
                   "r"(cta), "r"(bytes)
                   : "memory");
    }
  }
  __device__ void arrive_and_expect_tx(uint32_t bytes) const { cutlass::arch::ClusterTransactionBarrier::arrive_and_expect_tx(&this->barrier_, bytes); }
  __device__ void arrive_and_expect_tx(uint32_t bytes, uint32_t cta, uint32_t asked = 1) const {
    cutlass::arch::ClusterTransactionBarrier::arrive_and_expect_tx(&this->barrier_, bytes, cta, asked);
  }
  __device__ void expect_transaction(uint32_t bytes) const { cutlass::arch::ClusterTransactionBarrier::expect_transaction(&this->barrier_, bytes); }
  __device__ void complete_transaction(uint32_t cta, uint32_t bytes, uint32_t asked = 1) const {
    cutlass::arch::ClusterTransactionBarrier::complete_transaction(&this->barrier_, cta, bytes, asked);
  }
};

// Eight named barriers are the library's own: a number that a kernel gives is counted from behind them.
struct NamedBarrier {
  uint32_t num_threads_;
  uint32_t id_;

  __device__ NamedBarrier(uint32_t threads, uint32_t id = 0) {
    num_threads_ = threads;
    id_ = id + 8;
  }
  __device__ void sync() const { asm volatile("bar.sync %0, %1;" ::"r"(this->id_), "r"(this->num_threads_) : "memory"); }
  __device__ void arrive_and_wait() const { asm volatile("bar.sync %0, %1;" ::"r"(this->id_), "r"(this->num_threads_) : "memory"); }
  __device__ void arrive() const { asm volatile("bar.arrive %0, %1;" ::"r"(this->id_), "r"(this->num_threads_) : "memory"); }
  static __device__ void sync(uint32_t threads, uint32_t id) { asm volatile("bar.sync %0, %1;" ::"r"(id + 8), "r"(threads) : "memory"); }
  static __device__ void arrive_and_wait(uint32_t threads, uint32_t id) { asm volatile("bar.sync %0, %1;" ::"r"(id + 8), "r"(threads) : "memory"); }
  static __device__ void arrive(uint32_t threads, uint32_t id) { asm volatile("bar.arrive %0, %1;" ::"r"(id + 8), "r"(threads) : "memory"); }
  static __device__ void sync_internal(uint32_t threads, uint32_t id) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
  static __device__ void arrive_and_wait_internal(uint32_t threads, uint32_t id) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
  static __device__ void arrive_internal(uint32_t threads, uint32_t id) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
};

namespace detail {

// Barriers one behind the other, by one thread or by a warp whose elected lane does it.
template <typename Barrier, uint32_t N>
__device__ void initialize_barrier_array(uint64_t* barriers, int count) {
  for (uint32_t k = 0; k < N; ++k) cutlass::arch::ClusterBarrier::init(barriers + k, count);
}
template <typename Barriers, uint32_t N>
__device__ void initialize_barrier_array(Barriers barriers, int count) {
  for (uint32_t k = 0; k < N; ++k) barriers[k].init(count);
}
template <typename Barrier, uint32_t N>
__device__ void initialize_barrier_array_aligned(uint64_t* barriers, int count) {
  if (cute::elect_one_sync()) {
    for (uint32_t k = 0; k < N; ++k) cutlass::arch::ClusterBarrier::init(barriers + k, count);
  }
}
template <typename Barriers, uint32_t N>
__device__ void initialize_barrier_array_aligned(Barriers barriers, int count) {
  if (cute::elect_one_sync()) {
    for (uint32_t k = 0; k < N; ++k) barriers[k].init(count);
  }
}
template <typename Full, typename Empty, uint32_t N>
__device__ void initialize_barrier_array_pair(uint64_t* full, uint64_t* empty, int full_count, int empty_count) {
  for (uint32_t k = 0; k < N; ++k) {
    cutlass::arch::ClusterBarrier::init(full + k, full_count);
    cutlass::arch::ClusterBarrier::init(empty + k, empty_count);
  }
}
template <typename Full, typename Empty, uint32_t N>
__device__ void initialize_barrier_array_pair_aligned(uint64_t* full, uint64_t* empty, int full_count, int empty_count) {
  if (cute::elect_one_sync()) {
    for (uint32_t k = 0; k < N; ++k) {
      cutlass::arch::ClusterBarrier::init(full + k, full_count);
      cutlass::arch::ClusterBarrier::init(empty + k, empty_count);
    }
  }
}

}  // namespace detail

__device__ void fence_barrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ void fence_view_async_shared() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void fence_view_async_tmem_load() { asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory"); }
__device__ void fence_view_async_tmem_store() { asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory"); }

__device__ void cpasync_barrier_arrive(const uint64_t* barrier) {
  asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))) : "memory");
}
__device__ void cpasync_barrier_arrive_noinc(const uint64_t* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))) : "memory");
}

__device__ void umma_arrive(const uint64_t* barrier) {
  if (cute::elect_one_sync()) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))) : "memory");
  }
}
__device__ void umma_arrive_2x1SM(const uint64_t* barrier) {
  if (cute::elect_one_sync()) {
    asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))) : "memory");
  }
}
__device__ void umma_arrive_multicast(const uint64_t* barrier, uint16_t mask) {
  if (cute::elect_one_sync()) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))), "h"(mask)
                 : "memory");
  }
}
__device__ void umma_arrive_multicast_2x1SM(const uint64_t* barrier, uint16_t mask) {
  if (cute::elect_one_sync()) {
    asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier))), "h"(mask)
                 : "memory");
  }
}

template <uint32_t N>
__device__ void warpgroup_reg_alloc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}
template <uint32_t N>
__device__ void warpgroup_reg_dealloc() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}
__device__ void launch_dependent_grids() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ void wait_on_dependent_grids() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

}  // namespace arch
}  // namespace cutlass
