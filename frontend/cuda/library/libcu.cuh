// What cuda::barrier of libcu++ does in shared memory, and what of cuda::device goes with it (CUDA C++ Programming Guide, Asynchronous Barrier): an mbarrier of PTX.

namespace cuda {

template <int S>
class barrier;

template <>
class barrier<cuda::thread_scope_block> {
  uint64_t word;

 public:
  using arrival_token = uint64_t;

  __device__ uint64_t arrive(int64_t count = 1) {
    uint64_t token;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;" : "=l"(token) : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&this->word))), "r"(static_cast<uint32_t>(count)) : "memory");
    return token;
  }
  __device__ void wait(uint64_t token) const {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.shared::cta.b64 p, [%0], %1; @!p bra again; }" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&this->word))), "l"(token) : "memory");
  }
  __device__ void wait_parity(bool parity) const {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&this->word))),
                 "r"(static_cast<uint32_t>(parity))
                 : "memory");
  }
  __device__ void arrive_and_wait() {
    uint64_t token;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], 1;" : "=l"(token) : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&this->word))) : "memory");
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.shared::cta.b64 p, [%0], %1; @!p bra again; }" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&this->word))), "l"(token) : "memory");
  }
  __device__ void arrive_and_drop() {
    asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&this->word))) : "memory");
  }
};

__device__ void init(cuda::barrier<cuda::thread_scope_block>* b, int64_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(b))), "r"(static_cast<uint32_t>(count)) : "memory");
}

namespace device {

__device__ uint64_t* barrier_native_handle(cuda::barrier<cuda::thread_scope_block>& b) { return reinterpret_cast<uint64_t*>(&b); }

__device__ uint64_t barrier_arrive_tx(cuda::barrier<cuda::thread_scope_block>& b, int64_t count, int64_t bytes) {
  uint64_t token;
  if (count == 1) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;" : "=l"(token) : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&b))), "r"(static_cast<uint32_t>(bytes)) : "memory");
    return token;
  }
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&b))), "r"(static_cast<uint32_t>(bytes)) : "memory");
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;" : "=l"(token) : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&b))), "r"(static_cast<uint32_t>(count)) : "memory");
  return token;
}

__device__ void barrier_expect_tx(cuda::barrier<cuda::thread_scope_block>& b, int64_t bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&b))), "r"(static_cast<uint32_t>(bytes)) : "memory");
}

template <typename T>
__device__ void memcpy_async_tx(T* to, const T* from, uint32_t bytes, cuda::barrier<cuda::thread_scope_block>& b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))), "l"(from), "r"(bytes),
               "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&b)))
               : "memory");
}

namespace experimental {

__device__ void cp_async_bulk_global_to_shared(void* to, const void* from, uint32_t bytes, cuda::barrier<cuda::thread_scope_block>& b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))), "l"(from), "r"(bytes),
               "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&b)))
               : "memory");
}
__device__ void cp_async_bulk_shared_to_global(void* to, const void* from, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(static_cast<uint32_t>(__cvta_generic_to_shared(from))), "r"(bytes) : "memory");
}
template <typename M>
__device__ void cp_async_bulk_tensor_2d_global_to_shared(void* to, const M* map, int x, int y, cuda::barrier<cuda::thread_scope_block>& b) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))),
               "l"(reinterpret_cast<uint64_t>(map)), "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&b))), "r"(x), "r"(y)
               : "memory");
}
template <typename M>
__device__ void cp_async_bulk_tensor_2d_shared_to_global(const M* map, int x, int y, const void* from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(reinterpret_cast<uint64_t>(map)), "r"(static_cast<uint32_t>(__cvta_generic_to_shared(from))),
               "r"(x), "r"(y)
               : "memory");
}
__device__ void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N>
__device__ void cp_async_bulk_wait_group_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}
__device__ void fence_proxy_async_shared_cta() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

}  // namespace experimental
}  // namespace device

namespace ptx {

template <int32_t N>
struct n32_t {
  __device__ constexpr operator int32_t() const { return N; }
};

}  // namespace ptx
}  // namespace cuda
